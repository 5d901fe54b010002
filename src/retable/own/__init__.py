"""A user's own texts: read, split, train, save a model folder, and predict with it; no checkout is needed."""
