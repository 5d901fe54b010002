"""Which models are trained fused, and why the others are not."""

from collections.abc import Mapping
from typing import Any

# Model -> why its runs are trained one after the other.
ALONE = {"fasttext": "its gradients are sparse"}
ADAPTIVE = "with adaptive halting the number of its steps follows its numbers"


def why_alone(model: Mapping[str, Any]) -> str | None:
    """Why the runs of a model are not trained fused; None where they are.

    Args:
        model: the section of params.yaml.
    """
    if model["name"] == "universal-transformer" and model.get("halting") == "adaptive":
        return ADAPTIVE
    return ALONE.get(model["name"])
