"""Cleaning, tokens and parts of speech."""
