"""The finding of our own table: what vectors, a search and phrases each add to a network that costs the same.

A linear model has no vectors, and each chooses among its candidates; phrases can be added to it too.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from retable.models import is_seedless
from retable.papers.bench import TABLE_2 as TABLE
from retable.results.findings import Finding, MeasuredTable
from retable.results.judging import PERCENT, Judge, in_points
from retable.results.pairing import answers, clusters_of
from retable.results.resolving import Filled, Key
from retable.tables.comparison import FEWEST_RUNS, Comparison, compare
from retable.tables.markdown import markdown_table, signed
from retable.wording import listed

SENTENCES, PHRASES = (column.id for column in TABLE.columns)
NETWORKS, LINEAR = ("cnn", "fcsr"), ("tfidf-svm", "nb-svm")
ALL = "all three"
HEADER = ("system", "added", "runs", "before", "after", "difference, points", "detectable", "verdict")
TEXT = (
    "Accuracy in % on the test texts of SST-2. Word vectors have 100 dimensions; a network has the same size in "
    "every row of [the table](../tables/bench.md), so a text costs the same to classify, not to learn: phrases are "
    "nearly five times the words, a search is eight more trainings. Each line compares two cells text by text ([rule "
    "1](../protocol.md)); most add one thing, *all three* adds all, and the lines after it put that network beside "
    "linear models that learn from phrases too. *Vectors*: GloVe 6B in place of random ones. *Search*: eight trials "
    "on dev in place of the preset's options, with the same training texts; where the preset is the best of them, "
    "nothing changes. *Phrases*: those of the training sentences as further training texts. The title takes them in "
    "this order; in another the parts are others, and the verdicts are not corrected for their number.\n"
)


class Step(NamedTuple):
    """Hold what is added to a system, and its cells (row, column) before and after."""

    system: str
    added: str
    before: Key
    after: Key


def steps_of(system: str) -> list[Step]:
    """Return every single addition to a system, first those along the way from nothing to all three, then all; then
    the network with all three as the step from each linear model with phrases."""
    random, preset, network = f"{system}-random", f"{system}-preset", system
    printed = TABLE.row(system).printed.partition(",")[0]
    if is_seedless(TABLE.row(system).model):
        return [Step(printed, "phrases", (system, SENTENCES), (system, PHRASES))]
    steps = [
        ("vectors", (random, SENTENCES), (preset, SENTENCES)),
        ("search", (preset, SENTENCES), (network, SENTENCES)),
        ("phrases with a new search", (network, SENTENCES), (network, PHRASES)),
        ("phrases, without search", (preset, SENTENCES), (preset, PHRASES)),
        ("phrases, without vectors and search", (random, SENTENCES), (random, PHRASES)),
        ("vectors, with phrases", (random, PHRASES), (preset, PHRASES)),
        ("search, with phrases", (preset, PHRASES), (network, PHRASES)),
        (ALL, (random, SENTENCES), (network, PHRASES)),
        *(
            (f"in place of {TABLE.row(linear).printed}, with phrases", (linear, PHRASES), (network, PHRASES))
            for linear in LINEAR
        ),
    ]
    return [Step(printed, *step) for step in steps]


def ablation(measured: MeasuredTable | None, filled: Filled, judge: Judge) -> Finding | None:
    """Return what each addition gains the networks that have all cells, of whole trainings; None if there is none.

    Args:
        measured: the table with its scores.
        filled: its runs.
        judge: gives near copies, and the answers of a run.
    """
    scores = {(score.row, score.column): score for score in measured.scores} if measured else {}
    whole = {
        key
        for key, score in scores.items()
        if score.measured
        and not (score.is_cut or score.is_unverified)
        and (is_seedless(TABLE.row(key[0]).model) or len(filled.runs[key]) >= FEWEST_RUNS)
    }
    body, ways = [], []
    for steps in map(steps_of, NETWORKS + LINEAR):
        if not all({step.before, step.after} <= whole for step in steps):
            continue
        found = [gain(step, filled, judge) for step in steps]
        cells = [[scores[key].measured for key in (step.before, step.after)] for step in steps]
        body += [line_of(*each) for each in zip(steps, cells, found, strict=True)]
        if len(steps) > 1:
            way = cells[[step.added for step in steps].index(ALL)]
            decided = [
                f"{step.added} {signed(PERCENT * each.value)}"
                for step, each in zip(steps, found[:3], strict=False)
                if each.parts and each.verdict in ("ahead", "behind")
            ]
            steps_decided = ", ".join(decided) or "none"
            ways.append(f"{steps[0].system} from {' to '.join(way)}% (decided: {steps_decided})")
    if not ways:
        return None
    headline = f"At the same cost per word on SST-2, vectors, then a search, then phrases take {listed(ways)}"
    return Finding("ablation", headline, f"{TEXT}\n{markdown_table(HEADER, body)}")


def gain(step: Step, filled: Filled, judge: Judge) -> Comparison:
    """Compare the cells after and before a step, whose columns have the same test texts under different ids."""

    def right_of(predictions: Path) -> dict[str, bool]:
        return {in_corpus(text): right for text, right in judge.right_of(predictions).items()}

    pair = answers(filled.runs[step.after], filled.runs[step.before], right_of)
    copies = {in_corpus(text): number for text, number in judge.copies.get(SENTENCES, {}).items()}
    assert not pair.is_partial, step  # both columns have the test texts of SST-2
    after, before = (is_seedless(TABLE.row(row).model) for row, _ in (step.after, step.before))
    found = compare(pair.first, pair.second, seedless=(after, before), copies=clusters_of(pair.ids, copies))
    # The same networks, seed by seed, differ in nothing, however many texts or runs there were.
    return replace(found, parts=()) if np.array_equal(pair.first, pair.second) else found


def in_corpus(text: str) -> str:
    """Return the id of a text without its corpus: "test/7" of "sst-2/test/7"."""
    return text.partition("/")[2]


def line_of(step: Step, accuracies: Sequence[str], found: Comparison) -> list[str]:
    """Return the cells of a step, in the order of HEADER; runs that are the same get no verdict."""
    return [
        step.system,
        step.added,
        "{} / {}".format(*found.runs),
        *accuracies,
        f"{signed(PERCENT * found.value)} ({in_points(found.interval())})",
        f"{PERCENT * found.detectable:.1f}" if found.parts else "",
        f"**{found.verdict}**" if found.parts else "the same runs",
    ]
