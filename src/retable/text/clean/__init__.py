"""From published texts to texts in splits."""
