"""Find the runs that fill the cells of a table, by one rule for files, MLflow and the bank.

A cell asks for keys, one for each seed and fold: the current parameters, data and recipe. A run with such a key fills
it, whoever trained it. A table shows its own cells, and those of other tables whose runs are the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from retable.errors import InputError
from retable.experiments.cells import Plan, cells_of
from retable.experiments.folds import Planned
from retable.experiments.identity import identity_of
from retable.experiments.scale import MODEL_SECTIONS, read_preset, scale_preset
from retable.models import is_linear
from retable.papers import paper_of_table, result_tables
from retable.papers.paper import Column, ResultTable, Row
from retable.papers.parameters import (
    folding_of,
    folds_of,
    has_its_trials,
    other_options,
    row_parameters,
    seeds_of,
    serves,
)
from retable.runs.recipes import from_text, majors
from retable.runs.record import RunRecord
from retable.tables.results import IN_NO_SCALE

Key = tuple[str, str]  # row, column
Cell = Mapping[str, str]  # row, column, model, corpus, vectors
OfSeed = list[RunRecord]  # one run, or those of all folds in order
NOT_RUN, REFUSED, NOT_SEARCHED = "not run yet", "refused", "its options have not been searched yet"
SCALES = ("cpu", "full", "paper")  # smallest first; measure has full's cells, smoke the project's own samples


class Shown(NamedTuple):
    """Hold a cell, the table that runs it, and the row and column under which a table shows it.

    `limits` says which limits differ from those of the table's own runs; if any do, the cell is not shown.
    """

    table: ResultTable
    cell: Cell
    row: Row
    column: Column
    limits: str = ""


class OfCell(NamedTuple):
    """Hold the runs of a cell, seed by seed; why a planned one is missing, if one is; the folds of an incomplete seed.

    Of several incomplete seeds, `part` holds the one with most folds.
    """

    runs: list[OfSeed]
    reason: str = ""
    part: Sequence[RunRecord] = ()


@dataclass(frozen=True)
class Filled:
    """Hold (row, column) -> its runs, seed by seed; why others are missing, or run elsewhere under other limits.

    `parts` has the runs of missing cells of which some folds are there.
    """

    runs: Mapping[Key, Sequence[OfSeed]] = field(default_factory=dict)
    missing: Mapping[Key, str] = field(default_factory=dict)
    limited: Mapping[Key, str] = field(default_factory=dict)
    parts: Mapping[Key, Sequence[RunRecord]] = field(default_factory=dict)

    def shown(self, key: Key) -> list[RunRecord]:
        """Return the runs of a cell that its table shows: with dev folds the best on dev, otherwise all."""
        return [run for of_seed in self.runs.get(key, ()) for run in shown_of_seed(of_seed)]


def shown_of_seed(runs: OfSeed) -> OfSeed:
    """Return the runs of a seed that its table shows: with dev folds the best on dev, otherwise all."""
    return [max(runs, key=lambda run: run.dev)] if runs[0].folding[0] == "dev" else runs


class Resolver:
    """Fill every table from the available runs and the plan.

    Args:
        plan: sections of params.yaml or of a scale.
        runs: the available runs; of several with one key, the first fills a cell.
        beyond: whether current runs that are not planned are shown as well: more seeds, cells of other scales and,
            for a cell without others, runs of fewer epochs. If so, any available seeds fill a cell; otherwise all
            planned ones are needed.
    """

    def __init__(self, plan: Plan, runs: Iterable[RunRecord] = (), *, beyond: bool = False) -> None:
        self.plan, self.beyond = plan, beyond
        self.by_key: dict[str, RunRecord] = {}
        self.placed: dict[tuple[str, str, str], list[RunRecord]] = {}
        for run in runs:
            self.by_key.setdefault(run.key, run)
            self.placed.setdefault(run.place, []).append(run)
        self._cells: dict[str, list[Cell]] = {}
        self._filled: dict[str, Filled] = {}
        self._runs: dict[tuple[str, str, str], OfCell] = {}

    def fill(self, table: ResultTable) -> Filled:
        """Return the runs that fill a table, and why its other planned cells have none."""
        if table.name not in self._filled:
            self._filled[table.name] = self._fill(table)
        return self._filled[table.name]

    def current(self) -> list[RunRecord]:
        """Return the runs that fill a cell of their own table, or some of its test folds."""
        found = dict[str, RunRecord]()
        for table in result_tables():
            for cell in self.cells(table):
                of_cell = self.runs_of(table, cell)
                shown = of_cell.part if of_cell.part and of_cell.part[0].folding[0] == "test" else ()
                found |= {run.key: run for of_seed in (*of_cell.runs, shown) for run in of_seed}
        return list(found.values())

    def _fill(self, table: ResultTable) -> Filled:
        runs: dict[Key, list[OfSeed]] = {}
        missing: dict[Key, str] = {}
        limited: dict[Key, str] = {}
        parts: dict[Key, Sequence[RunRecord]] = {}
        for shown in self.candidates(table):
            keys = [(shown.row.id, column.id) for column in table.showing(shown.column.id)]
            found, reason, part = self.runs_of(shown.table, shown.cell)
            if keys[0] in runs:
                continue
            if shown.limits:
                message = f"{shown.table.name} has a run with {shown.limits}"
                limited |= dict.fromkeys(keys, message) if found else {}
            elif found and (self.beyond or not reason):
                runs |= dict.fromkeys(keys, found)
            else:
                missing = dict.fromkeys(keys, reason) | missing
                parts = (dict.fromkeys(keys, part) if part else {}) | parts
        for key in runs:
            missing.pop(key, None)
            parts.pop(key, None)
        return Filled(runs, missing, limited, parts)

    def candidates(self, table: ResultTable) -> Iterator[Shown]:
        """Yield the cells that a table may show: its own, and those that another table runs.

        A linear model's run serves the tables of all papers, a network's those of its own paper, because papers may
        limit their runs differently and use other word vectors. A network without given vectors also serves the tables
        of papers with the same limits. For corpora split into folds, see `serves`.
        """
        for cell in self.cells(table):
            yield Shown(table, cell, table.row(cell["row"]), table.column(cell["column"]))
        source = paper_of_table(table.name)
        own_first = sorted(result_tables(), key=lambda other: paper_of_table(other.name) is not source)
        for other in own_first:
            of_paper = paper_of_table(other.name) is source
            for cell in self.cells(other) if other is not table else ():
                foreign = not of_paper and not is_linear(cell["model"])
                if not (foreign and cell["vectors"] != "none"):
                    yield from self.shown_as(table, other, cell, foreign=foreign)

    def shown_as(self, table: ResultTable, other: ResultTable, cell: Cell, *, foreign: bool) -> Iterator[Shown]:
        """Yield each row and column of a table that a cell of another table fills."""
        theirs = other.column(cell["column"])
        for row, column in table.shown_as(other, cell["row"], theirs.id, row_options):
            protocol, of_other = self.protocol(table), self.protocol(other)
            if serves(folding_of(theirs, of_other), folding_of(column, protocol), linear=is_linear(cell["model"])):
                limits = other_limits(row, (theirs, of_other), (column, protocol)) if foreign else ""
                yield Shown(other, cell, row, column, limits)

    def protocol(self, table: ResultTable) -> dict[str, Any]:
        """Return how the paper of a table runs its cells."""
        found: dict[str, Any] = self.plan["papers"][paper_of_table(table.name).name]
        return found

    def cells(self, table: ResultTable) -> list[Cell]:
        """Return the cells that a table runs: the planned ones and, with `beyond`, those of its available runs."""
        if table.name not in self._cells:
            planned: list[Cell] = list(cells_of(table, self.plan).values())
            known = {(cell["row"], cell["column"]) for cell in planned}
            others = {place[1:]: runs[0] for place, runs in self.placed.items() if place[0] == table.name}
            found = (cell_of_run(table, run) for key, run in others.items() if self.beyond and key not in known)
            self._cells[table.name] = [*planned, *(cell for cell in found if cell)]
        return self._cells[table.name]

    def runs_of(self, table: ResultTable, cell: Cell) -> OfCell:
        """Return the runs of a cell, and why a planned one is missing."""
        place = (table.name, cell["row"], cell["column"])
        if place not in self._runs:
            searched = has_its_trials(table.row(cell["row"]), cell["corpus"])
            self._runs[place] = (
                self._of_longest(table, cell, self.placed.get(place, [])) if searched else OfCell([], NOT_SEARCHED)
            )
        return self._runs[place]

    def _of_longest(self, table: ResultTable, cell: Cell, placed: Sequence[RunRecord]) -> OfCell:
        protocol = self.protocol(table)
        found, reason, part = self._runs_of(table, cell, placed, protocol)
        limits = {run.metrics["parameters"]["training"].get("epochs", 0) for run in placed} - {0}
        for epochs in sorted(limits, reverse=True) if self.beyond else ():
            if not found:  # until a cell is trained as planned, show a shorter run from an earlier plan
                found = self._runs_of(table, cell, placed, protocol | {"epochs": epochs}).runs
        return OfCell(found, reason, () if found else part)

    def _runs_of(
        self, table: ResultTable, cell: Cell, placed: Sequence[RunRecord], protocol: Mapping[str, Any]
    ) -> OfCell:
        reason, part = "", list[RunRecord]()
        seeds = [
            *seeds_of(table.row(cell["row"]), table.column(cell["column"]), protocol),
            *((run.seed for run in placed) if self.beyond else ()),
        ]
        found = []
        for seed in dict.fromkeys(seeds):
            of_seed = []
            for fold in folds_of(table.column(cell["column"]), protocol):
                planned = Planned(seed, fold)
                try:
                    now = identity_of(table, cell, planned, protocol)
                except FileNotFoundError:  # data neither available locally nor listed in data/digests.json
                    now = {"key": "", "hashes": {}}
                run = self.by_key.get(now["key"])
                of_seed += [run] if run else []
                if not run and not reason:
                    reason = why_missing([each for each in placed if (each.seed, each.fold) == planned], now["hashes"])
            if len(of_seed) == len(folds_of(table.column(cell["column"]), protocol)):
                found.append(of_seed)
            else:
                part = max(part, of_seed, key=len)
        return OfCell(found, reason, part)


def cell_of_run(table: ResultTable, run: RunRecord) -> Cell | None:
    """Return the cell that a run was trained for; None if the table no longer has it."""
    _, row, column = run.place
    try:
        of_row, of_column = table.row(row), table.column(column)
    except InputError:
        return None
    if of_row.model is None or of_column.corpus is None:
        return None
    return {"row": row, "column": column, "model": of_row.model, "corpus": of_column.corpus, "vectors": run.vectors}


def why_missing(others: Sequence[RunRecord], now: Mapping[str, str]) -> str:
    """Return why a run is missing: how runs of its row, column and seed differ from it, or that there are none."""
    if not others:
        return NOT_RUN
    changed = min((changed_hashes(run.hashes, now) for run in others), key=len)
    return f"{REFUSED}: its {' and '.join(changed)} changed since then, so it must be run again"


def changed_hashes(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return which of a run's parameters, data and recipe are out of date; for a recipe, only major versions count."""
    if not now:
        return ["data"]
    changed = [name for name in ("parameters", "data") if then.get(name) != now[name]]
    same_majors = majors(from_text(then.get("recipe", ""))) == majors(from_text(now["recipe"]))
    return changed + ([] if same_majors else ["recipe"])


def row_options(row: Row) -> dict[str, Any]:
    """Return all options of a row's model: its preset, overridden by the row's own, and those chosen by search."""
    preset = read_preset(str(row.model)) if row.model else {}
    options = {name: preset[name] | row.overrides.get(name, {}) for name in MODEL_SECTIONS if name in preset}
    return options | ({"chosen": row.chosen} if row.chosen else {})


def other_limits(row: Row, theirs: tuple[Column, dict[str, Any]], ours: tuple[Column, dict[str, Any]]) -> str:
    """Return how the limits of a row's runs for another paper differ from ours; empty if they do not.

    Args:
        theirs, ours: each paper's column and the protocol of its cells.
    """
    of_both = [
        row_parameters(read_preset(str(row.model)), row, column, protocol, vectors="none", seed=0)
        for column, protocol in (theirs, ours)
    ]
    return other_options(*of_both)


def reasons(table: ResultTable, filled: Filled) -> dict[Key, str]:
    """Return why cells of a table are not measured: planned but not run, refused, or limited."""
    found = planned_elsewhere(table)
    for key, note in filled.limited.items():
        found[key] = f"{found.get(key, IN_NO_SCALE)}, {note}"
    return {**filled.missing, **found} | {key: note for key, note in filled.missing.items() if note.startswith(REFUSED)}


def planned_elsewhere(table: ResultTable) -> dict[Key, str]:
    """Return the cells that some scale plans for a table, with a message that names the smallest such scale."""
    found = dict[Key, str]()
    for scale in reversed(SCALES):
        for shown in resolver_of_scale(scale).candidates(table):
            if not shown.limits:
                message = f"{NOT_RUN}: planned at scale {scale}"
                found |= {(shown.row.id, column.id): message for column in table.showing(shown.column.id)}
    return found


@cache
def resolver_of_scale(scale: str) -> Resolver:
    """Return a resolver for the tables of a scale, without any runs."""
    return Resolver(scale_preset(scale))
