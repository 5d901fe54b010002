"""A linear classifier on a few dense features of a text: its topics, its paragraph vector.

Answers    a softmax over scale * score, as those of `retable.models.linear`.
Shapes     N texts, F features, C classes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file
from scipy.special import softmax

from retable.files import read_json, write_json
from retable.models.linear import Candidate, fitted_scale, write_weights
from retable.text.splits import Split


@dataclass(frozen=True)
class Scorer:
    """Weights float (C, F), bias float (C,) and the scale of the answers."""

    weights: np.ndarray
    bias: np.ndarray
    scale: float

    def probabilities(self, x: np.ndarray) -> np.ndarray:
        """Return the class probabilities, float (N, C), of texts with the features float (N, F)."""
        return softmax(self.scale * (x @ self.weights.T + self.bias), axis=1)

    @property
    def parameters(self) -> int:
        """Return the number of weights and biases."""
        return int(self.weights.size + self.bias.size)


def best_scorer(
    name: str,
    features: tuple[np.ndarray, np.ndarray],
    splits: tuple[Split, Split],
    costs: Sequence[float],
    fit_weights: Callable[[np.ndarray, np.ndarray, float, int], tuple[np.ndarray, np.ndarray]],
    *,
    seed: int,
    tried: list[Candidate],
    on_candidate: Callable[[Candidate], None] | None,
) -> Scorer | None:
    """Fit every cost and return the scorer that is better on dev than all tried before; None if there is none.

    Args:
        name: the features' name among the candidates.
        features: those of the training and the dev texts, float (N, F) each.
        splits: the training and the dev texts.
        tried: every candidate so far; those of this call are added.
    """
    best = None
    (x, x_dev), (train, dev) = features, splits
    for cost in costs:
        weights, bias = fit_weights(x, train.classes, cost, seed)
        scores = x_dev @ weights.T + bias
        candidate = Candidate(name, cost, float((scores.argmax(axis=1) == dev.classes).mean()))
        if all(candidate.dev_accuracy > other.dev_accuracy for other in tried):
            best = Scorer(weights, bias, fitted_scale(scores, dev.classes))
        tried.append(candidate)
        if on_candidate:
            on_candidate(candidate)
    return best


def save_arrays(folder: Path, file: str, facts: dict[str, Any], arrays: dict[str, np.ndarray], scorer: Scorer) -> None:
    """Write weights.safetensors and the JSON file by whose name the folder is known."""
    write_weights(folder, arrays | {"weights": scorer.weights, "bias": scorer.bias})
    write_json(folder / file, facts | {"scale": scorer.scale})


def load_arrays(folder: Path, file: str) -> tuple[dict[str, Any], dict[str, np.ndarray], Scorer]:
    """Read what `save_arrays` wrote."""
    facts, arrays = read_json(folder / file), load_file(folder / "weights.safetensors")
    return facts, arrays, Scorer(arrays.pop("weights"), arrays.pop("bias"), facts.pop("scale"))
