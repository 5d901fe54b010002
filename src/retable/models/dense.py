"""Linear classifier on a few dense features of a text: its topics or its paragraph vector.

Answers    a softmax over scale * score, as in `retable.models.linear`.
Shapes     N texts, F features, C classes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file
from scipy.special import softmax

from retable.files import write_json
from retable.forms import Form, Section
from retable.models.candidate import Search
from retable.models.linear import SCALE, check_arrays, fitted_scale, read_facts, write_weights
from retable.text.splits import Split


@dataclass(frozen=True)
class Scorer:
    """Hold weights float (C, F), bias float (C,) and the scale of the scores."""

    weights: np.ndarray
    bias: np.ndarray
    scale: float

    def probabilities(self, x: np.ndarray) -> np.ndarray:
        """Map features of texts, float (N, F), to class probabilities, float (N, C)."""
        return softmax(self.scale * (x @ self.weights.T + self.bias), axis=1)

    @property
    def parameters(self) -> int:
        """Return the number of weights and biases."""
        return int(self.weights.size + self.bias.size)


def best_scorer(
    name: str,
    features: tuple[np.ndarray, np.ndarray],
    train: Split,
    costs: Sequence[float],
    fit_weights: Callable[[np.ndarray, np.ndarray, float, int], tuple[np.ndarray, np.ndarray]],
    *,
    seed: int,
    search: Search,
) -> Scorer | None:
    """Fit with every cost until the search ends, and return the scorer that beats all earlier candidates, or None.

    Args:
        name: name of the features among the candidates.
        features: of the training and the dev texts, float (N, F) each.
        search: has all candidates so far; this call adds its own.
    """
    best = None
    x, x_dev = features
    for cost in costs:
        weights, bias = fit_weights(x, train.classes, cost, seed)
        scores = x_dev @ weights.T + bias
        if search.add(name, cost, scores):
            best = Scorer(weights, bias, fitted_scale(scores, search.dev.classes))
        if search.ended:
            break
    return best


def save_arrays(folder: Path, file: str, facts: dict[str, Any], arrays: dict[str, np.ndarray], scorer: Scorer) -> None:
    """Write weights.safetensors and the JSON file whose name identifies the kind of model."""
    write_weights(folder, arrays | {"weights": scorer.weights, "bias": scorer.bias})
    write_json(folder / file, facts | {"scale": scorer.scale})


def load_arrays(
    folder: Path,
    file: str,
    form: Mapping[str, Form],
    shapes: Callable[[dict[str, Any], dict[str, np.ndarray]], tuple[int, Mapping[str, tuple[int, ...]]]],
) -> tuple[dict[str, Any], dict[str, np.ndarray], Scorer]:
    """Read what `save_arrays` wrote.

    Args:
        form: of the facts, without the scale.
        shapes: returns, for facts and arrays, the number of features and the shapes of the arrays.
    Raises: InputError or ValueError if a file has another form.
    """
    facts = read_facts(folder / file, Section({**form, "scale": SCALE}, closed=True))
    arrays = load_file(folder / "weights.safetensors")
    (features, of_arrays), classes = shapes(facts, arrays), len(arrays["bias"])
    check_arrays(arrays, weights=(classes, features), bias=(classes,), **of_arrays)
    return facts, arrays, Scorer(arrays.pop("weights"), arrays.pop("bias"), facts.pop("scale"))
