"""Fitting a model: batches, learning rates, the loop, and what a run is."""
