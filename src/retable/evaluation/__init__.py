"""Predictions, metrics, their intervals, and what a run cost."""
