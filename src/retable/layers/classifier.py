"""Classifier on the vector of a text."""

from torch import nn


def text_classifier(size: int, hidden: int, classes: int, dropout: float) -> nn.Sequential:
    """Return a classifier that maps vectors (B, size) to logits (B, classes).

    Args:
        size: size of a text vector.
        hidden: ReLU units of the hidden layer; 0: one linear layer.
        dropout: share of the hidden units (without them, of the vector's components) dropped in training.
    """
    if not hidden:
        return nn.Sequential(nn.Dropout(dropout), nn.Linear(size, classes))
    return nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, classes))


def classifier_flops(classifier: nn.Sequential) -> int:
    """Count forward FLOPs per text (2 per multiply-add)."""
    return 2 * sum(weight.numel() for weight in classifier.parameters() if weight.dim() == 2)
