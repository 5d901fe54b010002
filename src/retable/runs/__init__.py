"""Runs that exist: their folders, scores, recipes, and the bank."""
