"""Existing runs: their folders, scores, recipes, and the bank."""
