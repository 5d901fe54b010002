"""The probe: does today's code give the numbers of the last commit at which it passed?

`python -m probe` makes two worktrees, of that commit (probe/passed.json) and of HEAD with what has changed. Each makes
small data, trains small runs of every model and loop, and counts canned results into tables, by its own cases and its
own code, on this machine. Where the arrays differ, recipes must differ (runs/recipes.py), and the other way round:

equal bits        no version may have been raised
within rounding   a minor version must have been raised, of a unit that each differing case uses
beyond            a major one

A case that only one side has is new or gone, and compared with nothing: add a case in a commit before the one that it
is to watch. `python -m probe --accept` writes HEAD into probe/passed.json after it has passed.
"""
