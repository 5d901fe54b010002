"""People's own texts: read, split, learnt from, kept as a model folder, and answered by it; no checkout is needed."""
