"""Figures redrawn from measured runs: one file per kind, each with its data, its picture and the lines of its CSV."""
