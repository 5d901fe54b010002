"""The tables of their own that some figures need, of no published numbers: their paper has them among its results and
runs their cells as any other's. Rows that a figure shares with a table have its ids, and are run once.

The figures are declared in retable.figures.declared.
"""
