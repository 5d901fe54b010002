"""The checkout: paths, parameters, command line, progress."""
