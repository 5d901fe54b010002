"""From a table to its runs: scales, cells, folds, the identity of a run, and the files it keeps."""
