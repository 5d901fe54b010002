"""Recipes: the version of each numerical unit, major.minor, which is what makes a run of earlier code current or not.

Minor      the numbers are equal within rounding: runs of the former version are shown, and say so.
Major      another algorithm, or other numbers: runs of the former version are stale.

Messages, types, checkpoints, costs, commands and file formats have no version. `python -m probe` trains small runs with
the code of the last commit at which it passed and with today's, and refuses a difference without a new version as well
as a new version without a difference. The version of a model stands in its preset.
"""

from collections.abc import Mapping
from typing import Any

RECIPES = {
    # training
    "loop": "1.0",  # epochs, losses, clipping, the choice of the epoch on dev
    "batches": "1.0",  # which texts come together, in which order
    "vocabulary": "1.0",  # which words have a row, what the others are read as, first vectors
    "raw-characters": "1.0",  # which characters of a clean text a network reads
    "per-domain": "1.0",  # a classifier for each domain of a joint corpus
    "bfloat16": "1.0",
    "optimiser-adam": "1.0",
    "optimiser-sgd": "1.0",
    "optimiser-adagrad": "1.0",
    "schedule-constant": "1.0",
    "schedule-fcsr": "1.0",
    "schedule-halving": "1.0",
    "schedule-linear": "1.0",
    "schedule-steps": "1.0",
    "schedule-warmup": "1.0",
    "linear": "1.0",  # features and solvers of the linear models
    "folds": "1.0",
    "scores": "1.0",
    # prepared data: what changes here shows in the data's digests
    "clean": "1.0",  # cleaning, splitting, texts that occur twice
    "overlap": "1.0",  # texts that two corpora share
    "tokens": "1.0",  # words of English and Chinese texts
    "tagger": "1.0",
    "parts-table": "1.0",
    "pool": "1.0",
    "word2vec": "1.0",
    "glove": "1.0",
    "published-vectors": "1.0",
    # what is said of the numbers
    "tables": "2.0",  # means, intervals, verdicts
    "claims": "2.0",  # paired comparisons
}


def recipe_of(parameters: Mapping[str, Any], of_model: str) -> dict[str, str]:
    """Return unit -> version of all that trains and scores a run.

    Args:
        parameters: its sections model, embedding, training, corpus, precision.
        of_model: version of its model, from the preset.
    """
    return {parameters["model"]["name"]: of_model} | {unit: RECIPES[unit] for unit in sorted(units_of(parameters))}


def units_of(parameters: Mapping[str, Any]) -> set[str]:
    """Return the units, beside its model, that a run with these parameters uses."""
    from retable.text.units import RAW  # not at the top: numpy takes time, and the record asks for versions alone

    training = parameters["training"]
    units = {"scores", *(["folds"] if "fold" in parameters["corpus"] else [])}
    if "optimiser" not in training:  # a linear model
        return units | {"linear"}
    units |= {"loop", "batches", "vocabulary"}
    units |= {RAW} if parameters["embedding"]["unit"] == RAW else set()
    units |= {f"optimiser-{training['optimiser']}", f"schedule-{training['schedule']}"}
    units |= {"per-domain"} if training.get("heads") == "per-domain" else set()
    return units | ({"bfloat16"} if parameters["precision"] == "bfloat16" else set())


def as_text(recipe: Mapping[str, str]) -> str:
    """Return a recipe as one line, its units in order: "fcsr 1.0, loop 1.0, ..."."""
    return ", ".join(f"{unit} {version}" for unit, version in recipe.items())


def from_text(text: str) -> dict[str, str]:
    """Return what `as_text` wrote."""
    pairs = (part.partition(" ") for part in text.split(", ") if part)
    return {unit: version for unit, _, version in pairs}


def majors(recipe: Mapping[str, str]) -> dict[str, str]:
    """Return unit -> major: what two runs must share to stand for each other."""
    return {unit: version.partition(".")[0] for unit, version in recipe.items()}
