"""Tables that exist only for figures, without published numbers: their paper lists them among its results and runs
their cells like any other. Rows that a figure shares with a table have the same ids, and are run once.

The figures are declared in retable.figures.declared.
"""
