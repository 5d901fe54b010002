"""The search of a linear model: the settings that it tries on dev, of which it keeps the first of the best."""

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from retable.text.choosing import dev_score
from retable.text.pairs import questions_of
from retable.text.ranking import ranking_scores
from retable.text.splits import Split


@dataclass(frozen=True)
class Candidate:
    """Hold a setting that was tried: its n-grams, its C (None if the model has none), and its scores on dev.

    `dev_map` is the mean average precision on a ranked corpus; None for other corpora.
    """

    features: str
    cost: float | None
    dev_accuracy: float
    dev_map: float | None = None

    @property
    def score(self) -> float:
        """Return the score that chooses the setting."""
        return dev_score(self.line)

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings: features and, if there is one, the cost."""
        return {"features": self.features} | ({} if self.cost is None else {"cost": self.cost})

    @property
    def line(self) -> dict[str, Any]:
        """Return the candidate as a line of the curve."""
        return {name: value for name, value in asdict(self).items() if value is not None}


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
        accuracy = float((scores.argmax(axis=1) == self.dev.classes).mean())
        candidate = Candidate(features, cost, accuracy, self._dev_map(scores))
        is_best = all(candidate.score > other.score for other in self.tried)
        self.tried.append(candidate)
        if self.on_candidate:
            self.ended = self.on_candidate(candidate, more=len(self.tried) < self.settings)
        return is_best

    @cached_property
    def _questions(self) -> np.ndarray | None:
        return questions_of(self.dev.tokens) if self.dev.facts.ranked else None

    def _dev_map(self, scores: np.ndarray) -> float | None:
        if self._questions is None:
            return None
        margins = np.subtract(scores[:, 1], scores[:, 0], dtype=np.float64)  # float32 would tie small probabilities
        return ranking_scores(margins, self.dev.classes == 1, self._questions)["map"]
