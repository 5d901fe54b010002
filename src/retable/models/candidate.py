"""A setting that a model without epochs tries on dev."""

from dataclasses import dataclass
from typing import Any, Protocol


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
