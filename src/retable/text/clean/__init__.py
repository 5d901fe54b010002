"""Texts as published to texts in splits."""
