"""retable: rebuild every table of papers on compact sentence encoders."""

__version__ = "0.1.0"
