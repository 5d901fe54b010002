"""From a table to runs: scales, cells, folds, who a run is, what is kept of it."""
