"""Word vectors: trained here on pools of training text, or read from published files."""
