"""Presets: what each model is, what each scale runs, how fast machines were."""
