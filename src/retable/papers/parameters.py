"""The parameters of a cell: its model's preset, the paper's departures from it, and the limits of the scale."""

import copy
from collections.abc import Mapping
from typing import Any

from retable.models import is_seedless
from retable.papers.paper import Column, Row
from retable.papers.trials import chosen_options, has_all_trials
from retable.text.folds import Fold
from retable.text.units import RAW

Section = Mapping[str, Any]
Folding = tuple[str, int]  # what the folds of a corpus hold out, and how many there are; ("", 0) without folds


def row_parameters(
    preset: Section, row: Row, column: Column, protocol: Section, *, vectors: str, seed: int, fold: Fold | None = None
) -> dict[str, Any]:
    """Return the sections of one run of a row.

    Args:
        preset: sections model, embedding and training of the row's model.
        row: the row, with the paper's overrides and the options chosen by search for the column's corpus.
        column: the column, with its corpus and the unit in which texts are read.
        protocol: the section papers.<paper> of params.yaml; `epochs` stops the schedule early and never compresses it:
            a number for all corpora, or {corpus: number}; 0 is no limit. A scale's `model` and `training` replace
            options of every model that has them, as the smallest scale does to learn something in seconds.
        vectors: name of the cell's word vectors.
        seed: the run's seed.
        fold: the run's fold, if its corpus is split into folds.
    """
    sections: dict[str, Any] = copy.deepcopy({name: dict(preset[name]) for name in ("model", "embedding", "training")})
    for departures in (row.overrides, options_on_dev(row, column.corpus or "")):
        for name, options in departures.items():
            sections[name] |= options
    for name in ("model", "training"):
        own = protocol.get(name, {})
        sections[name] |= {option: value for option, value in own.items() if option in sections[name]}
    unit = sections["embedding"]["unit"]
    sections["embedding"] |= {"vectors": vectors, "unit": unit if unit == RAW else column.unit}
    epochs = limit_of(protocol["epochs"], column.corpus)
    if epochs and "epochs" in sections["training"]:
        sections["training"]["epochs"] = min(sections["training"]["epochs"], epochs)
    return {
        **sections,
        "corpus": {"name": column.corpus} | (fold.parameters if fold else {}),
        "seed": seed,
        "device": protocol["device"],
        "precision": protocol["precision"],
    }


def options_on_dev(row: Row, corpus: str) -> Mapping[str, Section]:
    """Return what a search on dev chose for a row and corpus; empty if there was none or it has not ended."""
    found = row.chosen.get(corpus, {})
    return chosen_options(row.trials, row.id, corpus) if row.trials else found


def has_its_trials(row: Row, corpus: str) -> bool:
    """Return whether all trials of a row are available, or it has none; only then are its runs determined."""
    return not row.trials or has_all_trials(row.trials, row.id, corpus)


def seeds_of(row: Row, column: Column, protocol: Section) -> list[int]:
    """Return the seeds of a cell's runs, by corpus if the scale names them so (seed 1 for a corpus without).

    A model that does not depend on a seed gets the first only.
    """
    seeds = protocol["seeds"]
    found: list[int] = seeds if isinstance(seeds, list) else seeds.get(column.corpus, [1])
    return found[:1] if is_seedless(row.model) else found


def fold_count(column: Column, protocol: Section) -> int:
    """Return the number of folds of a column's corpus in a scale; 0 if the scale or the paper uses none."""
    return int(protocol["folds"].get(column.corpus, 0)) if column.folds else 0


def folding_of(column: Column, protocol: Section) -> Folding:
    """Return how a scale splits the corpus of a column into folds."""
    count = fold_count(column, protocol)
    return (column.folds, count) if count else ("", 0)


def serves(folding: Folding, wanted: Folding, *, linear: bool) -> bool:
    """Return whether runs of one folding may be shown in a column of another.

    They may if the two are equal. A linear model's run on the corpus's own splits may also be shown in a column of dev
    folds, which has the same test texts, as the table's floor.
    """
    return folding == wanted or (linear and folding == ("", 0) and wanted[0] == "dev")


def folds_of(column: Column, protocol: Section) -> list[Fold | None]:
    """Return the folds that each seed is run on; [None] for a run on the corpus's own splits."""
    count = fold_count(column, protocol)
    return [Fold(column.folds, count, number) for number in range(1, count + 1)] if column.folds and count else [None]


def run_name(seed: int, fold: Fold | None) -> str:
    """Return what labels a run in the column seed of a table of runs: "1", or "1-fold-2"."""
    return f"{seed}-fold-{fold.number}" if fold else str(seed)


def limit_of(limit: int | Mapping[str, int], corpus: str | None) -> int:
    """Return the limit that a scale sets on a corpus; 0 is no limit."""
    return limit if isinstance(limit, int) else limit.get(corpus or "", 0)


def other_options(theirs: Section, ours: Section) -> str:
    """Return the options in which two runs' parameters differ: "training.epochs 15 (here 5)"; empty if in none."""
    return ", ".join(
        f"{name}{'.' if option else ''}{option} {there} (here {here})"
        for name, section in theirs.items()
        for option, there, here in _pairs(section, ours.get(name))
        if there != here
    )


def _pairs(theirs: Any, ours: Any) -> list[tuple[str, Any, Any]]:
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        return [(option, theirs.get(option), ours.get(option)) for option in {**theirs, **ours}]
    return [("", theirs, ours)]
