"""The probe: does the current code give the numbers of the last commit that passed?

`python -m probe` makes two worktrees, of that commit (probe/passed.json) and of HEAD with local changes. Each makes
small data, trains small runs of every model and loop, and puts canned results into tables, with its own cases and its
own code, on this machine. Where the arrays differ, recipes must differ (runs/recipes.py), and vice versa:

equal bits        no version may have been raised
within rounding   a minor version of a unit that each differing case uses must have been raised
beyond            a major version

A case that only one side has is new or removed, and compared with nothing: add a case in a commit before the change
that it is to detect. `python -m probe --accept` writes HEAD into probe/passed.json after it has passed.
"""
