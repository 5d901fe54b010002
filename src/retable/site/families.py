"""The family of each system in the survey's classification, by its own name or by that of a table row that uses it."""

from collections.abc import Mapping
from functools import cache

from retable.models import LINEAR_MODELS, MODELS
from retable.results.systems import families_of_models


@cache
def families() -> Mapping[str, str]:
    """Return system -> family; linear models in none of the lists are classical."""
    known = dict.fromkeys(LINEAR_MODELS, "classical") | families_of_models()
    return {name: known.get(name, "other") for name in sorted(MODELS | LINEAR_MODELS)}
