"""The classifier on the vector of a text."""

from torch import nn


def text_classifier(size: int, hidden: int, classes: int, dropout: float) -> nn.Sequential:
    """Map vectors (B, size) to logits (B, classes).

    Args:
        size: numbers in the vector of a text.
        hidden: rectified units between; 0: one linear layer.
        dropout: share of the hidden units, or without them of the vector's components, dropped in training.
    """
    if not hidden:
        return nn.Sequential(nn.Dropout(dropout), nn.Linear(size, classes))
    return nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, classes))


def classifier_flops(classifier: nn.Sequential) -> int:
    """Forward multiply-adds for a text, times two."""
    return 2 * sum(weight.numel() for weight in classifier.parameters() if weight.dim() == 2)
