"""One seed for every source of randomness of a run."""

import random

import numpy as np
import torch


def seed_everything(seed: int) -> None:
    """Seed Python, numpy and torch (CPU and GPU)."""
    random.seed(seed)
    np.random.seed(seed)  # the global generator that libraries fall back on
    torch.manual_seed(seed)
