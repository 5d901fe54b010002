"""The stages of dvc.yaml, one module each: `retable stage NAME`."""
