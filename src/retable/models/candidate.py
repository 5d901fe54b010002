"""The search of a linear model: the settings that it tries on dev, of which it keeps the first of the best."""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from retable.text.splits import Split


@dataclass(frozen=True)
class Candidate:
    """Hold a setting that was tried: its n-grams, its C (None if the model has none), and its accuracy on dev."""

    features: str
    cost: float | None
    dev_accuracy: float

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings: features and, if there is one, the cost."""
        return {"features": self.features} | ({} if self.cost is None else {"cost": self.cost})

    @property
    def line(self) -> dict[str, Any]:
        """Return the candidate as a line of the curve."""
        return self.settings | {"dev_accuracy": self.dev_accuracy}


class OnCandidate(Protocol):
    """A callback for each setting tried; `more` says whether others follow, and returning true ends the search."""

    def __call__(self, candidate: Candidate, *, more: bool = False) -> bool:
        """Receive a setting that was tried."""


@dataclass
class Search:
    """Score settings on dev, tell each to the callback, and remember them in `tried`.

    `settings` is how many there are to try; `ended` is true once the callback wants no more of them.
    """

    dev: Split
    settings: int
    on_candidate: OnCandidate | None = None
    tried: list[Candidate] = field(default_factory=list)
    ended: bool = False

    def add(self, features: str, cost: float | None, scores: np.ndarray) -> bool:
        """Add a setting with its scores of the dev texts, float (N, C); return whether it beats all earlier ones."""
        candidate = Candidate(features, cost, float((scores.argmax(axis=1) == self.dev.classes).mean()))
        is_best = all(candidate.dev_accuracy > other.dev_accuracy for other in self.tried)
        self.tried.append(candidate)
        if self.on_candidate:
            self.ended = self.on_candidate(candidate, more=len(self.tried) < self.settings)
        return is_best
