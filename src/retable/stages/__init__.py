"""The stages of dvc.yaml, a module each: `retable stage NAME`."""
