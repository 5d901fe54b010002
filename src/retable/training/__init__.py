"""Fitting a model: batches, learning rates, the loop, and the run."""
