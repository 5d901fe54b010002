"""Recipes: the version of each numerical unit, major.minor, which decides whether a run of earlier code is current.

Minor      the numbers are equal within rounding: runs of the former version are shown, with a note.
Major      another algorithm, or other numbers: runs of the former version are stale.

Messages, types, checkpoints, costs, commands and file formats have no version. `python -m probe` trains small runs with
the code of the last commit at which it passed and with the current code, and refuses a difference without a new version
as well as a new version without a difference. The version of a model is in its preset.
"""

from collections.abc import Mapping
from typing import Any

RECIPES = {
    # training
    "loop": "1.0",  # epochs, losses, clipping, the choice of the epoch on dev
    "batches": "1.0",  # which texts form a batch, in which order
    "vocabulary": "1.0",  # which words have a row, how the others are read, initial vectors
    "raw-characters": "1.0",  # which characters of a clean text a network reads
    "per-domain": "1.0",  # a classifier for each domain of a joint corpus
    "bfloat16": "1.1",
    "optimiser-adam": "1.0",
    "optimiser-sgd": "1.0",
    "optimiser-adagrad": "1.0",
    "schedule-constant": "1.0",
    "schedule-fcsr": "1.0",
    "schedule-halving": "2.0",
    "schedule-linear": "1.0",
    "schedule-steps": "1.0",
    "schedule-warmup": "1.0",
    "linear": "1.0",  # features and solvers of the linear models
    "ranking": "1.0",  # on a ranked corpus, a linear model's setting is chosen by mean average precision
    "folds": "1.0",
    "scores": "1.0",
    # prepared data: changes here show in the data's digests
    "clean": "1.0",  # cleaning, splitting, duplicate texts
    "overlap": "1.0",  # texts that two corpora share
    "tokens": "1.0",  # words of English and Chinese texts
    "tagger": "1.0",
    "parts-table": "1.0",
    "pool": "1.0",
    "word2vec": "1.0",
    "glove": "1.0",
    "published-vectors": "1.0",
    # statistics of the numbers
    "tables": "6.0",  # means, intervals, verdicts
    "claims": "7.0",  # paired comparisons
}


def recipe_of(parameters: Mapping[str, Any], of_model: str) -> dict[str, str]:
    """Return unit -> version of everything that trains and scores a run.

    Args:
        parameters: the run's sections model, embedding, training, corpus, precision.
        of_model: version of the run's model, from the preset.
    """
    return {parameters["model"]["name"]: of_model} | {unit: RECIPES[unit] for unit in sorted(units_of(parameters))}


def units_of(parameters: Mapping[str, Any]) -> set[str]:
    """Return the units, apart from its model, that a run with these parameters uses."""
    from retable.text.units import RAW  # not at the top: numpy is slow to import, and the record needs versions alone

    training = parameters["training"]
    units = {"scores", *(["folds"] if "fold" in parameters["corpus"] else [])}
    if "optimiser" not in training:  # a linear model
        return units | {"linear"} | ({"ranking"} if is_ranked(parameters["corpus"]["name"]) else set())
    units |= {"loop", "batches", "vocabulary"}
    units |= {RAW} if parameters["embedding"]["unit"] == RAW else set()
    units |= {f"optimiser-{training['optimiser']}", f"schedule-{training['schedule']}"}
    units |= {"per-domain"} if training.get("heads") == "per-domain" else set()
    return units | ({"bfloat16"} if parameters["precision"] == "bfloat16" else set())


def is_ranked(name: str) -> bool:
    """Return whether a corpus lists candidates for questions; one that the checkout does not declare does not."""
    from retable.corpora import CORPORA, corpus  # not at the top, like the units above: it imports pyarrow

    return name in CORPORA and corpus(name).ranked


def as_text(recipe: Mapping[str, str]) -> str:
    """Return a recipe as one line, units sorted: "fcsr 1.0, loop 1.0, ..."."""
    return ", ".join(f"{unit} {version}" for unit, version in recipe.items())


def from_text(text: str) -> dict[str, str]:
    """Parse the output of `as_text`."""
    pairs = (part.partition(" ") for part in text.split(", ") if part)
    return {unit: version for unit, _, version in pairs}


def majors(recipe: Mapping[str, str]) -> dict[str, str]:
    """Return unit -> major, which two runs must share to be interchangeable."""
    return {unit: version.partition(".")[0] for unit, version in recipe.items()}
