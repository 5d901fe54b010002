"""`retable bank`: put the measured cells of this scale into docs/results/, and renew what is generated from them.

In   results/runs/, docs/results/
Out  docs/results/<table>.csv, docs/results/predictions/, docs/results.md, docs/claims.md, docs/figures/, the table in
     README.md
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from retable.experiments.folds import planned_runs
from retable.figures.measure import Run
from retable.files import read_json
from retable.models import LINEAR_MODELS
from retable.papers import PAPERS, paper
from retable.papers.paper import Column, Paper, ResultTable, Row
from retable.papers.parameters import cut_of, folds_of, serves
from retable.project.params import read_params
from retable.project.paths import BANK, CLEAN, ROOT, RUNS
from retable.results.bank_attention import Banked
from retable.results.bank_figures import OUT, draw_all, picture_of, views_of
from retable.results.claims import claims_markdown
from retable.results.figures_page import figures_markdown
from retable.results.generated import renew
from retable.results.reasons import Key, not_run, refused
from retable.results.rescoring import with_score
from retable.results.tables import (
    cell_of_run,
    cells_of,
    changed_hashes,
    current_identity,
    other_limits,
    published_numbers,
    row_options,
    seed_spreads,
    tables_without_runs,
    told_limits,
    why_not,
)
from retable.runs.bank import OF_ANSWERS, Entry, bank_predictions, read_bank, results_of, whole_seeds, write_bank
from retable.tables.lines import Line
from retable.tables.markdown import result_markdown
from retable.tables.results import COST_UNITS, IN_NO_SCALE, Cells, result_lines
from retable.text.folds import Fold

Protocols = Mapping[str, dict[str, Any]]  # paper -> how its cells are run
CHANGED = (  # as `retable.runs.provenance.git_commit` says it
    "A + behind a commit: tracked files of src/ had changes that were not committed when the "
    "run was written. It decides nothing: a run is shown if the recipe of the code that made it, committed or not, is "
    "today's (docs/recipes.md)."
)
FRONT_TABLE = "fcsr-table-3"  # the one that README.md shows


def bank_table(source: Paper, table: ResultTable, *, times: bool = True) -> list[Entry]:
    """Put a table's current runs into the bank, where those of other cells stay; the entries that are current.

    Args:
        times: whether what new runs took is kept.
    """
    path = BANK / f"{table.name}.csv"
    entries = {(entry.row, entry.column, entry.run): entry for entry in read_bank(path)}
    protocol = read_params("papers")[source.name]
    for cell in cells_of(table, source).values():
        for planned in planned_runs(table.column(cell["column"]), protocol):
            folder = RUNS / table.name / cell["row"] / cell["column"] / planned.name
            if not folder.exists():  # then its data need not be at hand either
                continue
            if why_not(folder, current_identity(table, source, cell, planned.seed, protocol, planned.fold)):
                continue
            metrics, cost = read_json(folder / "metrics.json"), read_json(folder / "cost.json")
            curve = Run(folder).dev_accuracies()
            for column in table.showing(cell["column"]):
                entry = Entry.from_metrics(metrics, cost, table.metric_of(column), cell["row"], column, curve)
                old = entries.get((entry.row, entry.column, entry.run))
                if old is None or (old.hashes, old.value, old.curve) != (entry.hashes, entry.value, entry.curve):
                    entries[entry.row, entry.column, entry.run] = entry if times else entry.without_times()
                    if not column.runs_of:  # a run's predictions are kept once
                        bank_predictions(folder / "predictions.parquet", prediction_file(table, entry))
    if entries:
        write_bank(path, entries.values())
    return [entry for entry in entries.values() if is_current(source, table, entry, protocol)]


def is_current(source: Paper, table: ResultTable, entry: Entry, protocol: dict[str, Any]) -> bool:
    """Whether a run of today would have the same parameters, data and code; an entry is never shown on trust."""
    return not changed_since(source, table, entry, protocol)


def changed_since(source: Paper, table: ResultTable, entry: Entry, protocol: dict[str, Any]) -> set[str]:
    """Return which of parameters, data and recipe of a banked run are not those of a run of today.

    Data that neither are at hand nor stand in data/digests.json are taken for others, and a cell that has no run any
    more, or is cut into other folds, for one of other parameters.
    """
    cell = cell_of_run(table, entry.row, entry.column, entry.vectors)
    fold = Fold.read(entry.fold) if entry.fold else None
    if cell is None or fold not in folds_of(table.column(cell["column"]), protocol):
        return {"parameters"}
    try:
        now = current_identity(table, source, cell, int(entry.seed), protocol, fold)["hashes"]
    except FileNotFoundError:
        return {"data"}
    return set(changed_hashes(entry.hashes, now))


def prediction_file(table: ResultTable, entry: Entry) -> Path:
    """Where the bank keeps a run's predictions."""
    return BANK / "predictions" / table.name / f"{entry.row}.{entry.column}.{entry.run}.parquet"


def shown_from_bank(table: ResultTable, source: Paper, banked: Banked) -> dict[Key, list[Entry]]:
    """(row, column) -> its runs in the bank: the table's own, and those that other tables have made for it.

    See `cells_shown`. A cost is shown of any run, since every entry holds them; so is a score that its predictions
    tell, where no entry holds it. A seed of which a fold is missing is left out.
    """
    shown: dict[Key, list[Entry]] = {}
    unscored: dict[Key, list[tuple[ResultTable, Entry]]] = {}
    protocols = read_params("papers")
    for entry in banked[source.name, table.name]:
        shown.setdefault((entry.row, entry.column), []).append(entry)
    for (owner, name), entries in banked.items():
        found: dict[Key, list[Entry]] = {}
        without: dict[Key, list[tuple[ResultTable, Entry]]] = {}
        of, other = paper(owner), paper(owner).result_table(name)
        for entry, row, column in serving(table, source, of, other, entries, protocols) if other is not table else ():
            theirs, metric = other.column(entry.column), table.metric_of(column)
            if (metric, column.domain) == (entry.metric, theirs.domain):
                found.setdefault((row.id, column.id), []).append(entry)
            elif metric in COST_UNITS and not theirs.runs_of:
                found.setdefault((row.id, column.id), []).append(entry.of_cost(metric))
            elif metric in OF_ANSWERS and not (theirs.runs_of or column.domain):
                without.setdefault((row.id, column.id), []).append((other, entry))
        shown, unscored = found | shown, without | unscored
    for (row_id, name), runs in unscored.items():
        if (row_id, name) not in shown:
            metric = table.metric_of(table.column(name))
            shown[row_id, name] = [with_score(run, by, prediction_file(by, run), metric) for by, run in runs]
    whole = {key: [entry for runs in whole_seeds(entries) for entry in runs] for key, entries in shown.items()}
    return {key: entries for key, entries in whole.items() if entries}


def serving(
    table: ResultTable, source: Paper, owner: Paper, other: ResultTable, entries: Iterable[Entry], protocols: Protocols
) -> Iterator[tuple[Entry, Row, Column]]:
    """The entries of another table that stand for a table's own runs, with each row and column that shows them."""
    for entry, row, column, limits in fitting(table, source, owner, other, entries, protocols):
        if not limits:
            yield entry, row, column


def fitting(
    table: ResultTable, source: Paper, owner: Paper, other: ResultTable, entries: Iterable[Entry], protocols: Protocols
) -> Iterator[tuple[Entry, Row, Column, str]]:
    """As `serving`, those too that are limited otherwise, and in what; empty if in nothing."""
    for entry in entries:
        linear = other.row(entry.row).model in LINEAR_MODELS
        foreign = owner.name != source.name and not linear
        if foreign and entry.vectors:
            continue
        theirs = other.owner_of(other.column(entry.column))
        for row, of in table.shown_as(other, entry.row, theirs.id, row_options):
            if serves(entry.cut_as, cut_of(of, protocols[source.name]), linear=linear):
                ours = (of, protocols[source.name])
                limits = other_limits(row, (theirs, protocols[owner.name]), ours) if foreign else ""
                yield from ((entry, row, column, limits) for column in table.showing(of.id))


def why_missing(
    table: ResultTable, source: Paper, shown: Mapping[Key, Sequence[Entry]], banked: Banked, bank: Banked
) -> dict[Key, str]:
    """Why cells are not shown.

    Args:
        shown: the cells that are shown.
        banked: paper, table -> its current entries.
        bank: paper, table -> all its entries.
    """
    reasons = not_run(table, source)
    for (row, column), told in limited_otherwise(table, source, banked).items():
        reasons[row, column] = f"{reasons.get((row, column), IN_NO_SCALE)}, {told}"
    return reasons | refused(table, source, refused_cells(table, source, shown, bank))


def limited_otherwise(table: ResultTable, source: Paper, banked: Banked) -> dict[Key, str]:
    """The cells of which another paper has a run that is limited otherwise, and in what."""
    protocols, found = read_params("papers"), dict[Key, str]()
    for (owner, name), entries in banked.items():
        of, other = paper(owner), paper(owner).result_table(name)
        for _, row, column, limits in fitting(table, source, of, other, entries, protocols) if of is not source else ():
            if limits:
                found[row.id, column.id] = f"{name} has a run with {limits}"
    return found


def refused_cells(
    table: ResultTable, source: Paper, shown: Mapping[Key, Sequence[Entry]], bank: Banked
) -> dict[Key, set[str]]:
    """The cells that are not shown although the bank has runs of them, and which hashes of these are not today's.

    Args:
        shown: the cells that are shown.
        bank: paper, table -> all its entries.
    """
    protocols = read_params("papers")
    home = {id(entry): (paper(name), of_table) for (name, of_table), entries in bank.items() for entry in entries}
    changed: dict[Key, set[str]] = {}
    for (row, column), entries in shown_from_bank(table, source, bank).items():
        if (row, column) in shown or table.column(column).runs_of:
            continue
        since = set[str]()
        for entry in entries:
            owner, name = home[id(entry)]
            since |= changed_since(owner, owner.result_table(name), entry, protocols[owner.name])
        changed |= {(row, other.id): since for other in table.showing(column)}
    return changed


def lines_from_bank(
    table: ResultTable,
    source: Paper,
    shown: Mapping[Key, Sequence[Entry]],
    missing: Mapping[Key, str] = MappingProxyType({}),
) -> list[Line]:
    """A table as the bank has it.

    Args:
        shown: its current entries.
        missing: why others are not shown.
    """
    protocol = read_params("papers")[source.name]
    runs = {
        (row, column): told_limits(results_of(entries), table.row(row), table.column(column), protocol)
        for (row, column), entries in shown.items()
    }
    return result_lines(table, published_numbers(source, table.published), Cells(runs, missing), seed_spreads())


def origin_of(entries: Sequence[Entry]) -> str:
    """Where the entries were made, for the reader of a table."""
    made = sorted({(entry.device, entry.threads, entry.date, short(entry.commit)) for entry in entries})
    return "\n".join(
        f"- {device}, {threads} threads, {date}, commit {commit}" for device, threads, date, commit in made
    )


def short(commit: str) -> str:
    """The first digits of a commit, and the mark of a checkout that had been changed."""
    return commit[:10] + ("+" if commit.endswith("+") else "")


def below_a_title(markdown: str) -> str:
    """A table's page as a section of another page."""
    return re.sub("^#", "##", markdown, flags=re.MULTILINE)


def write_docs(banked: Banked) -> None:
    """docs/results.md, docs/claims.md, docs/figures/ and the README's table."""
    bank = {(name, of_table): read_bank(BANK / f"{of_table}.csv") for name, of_table in banked}
    shown_in, predictions = views_of(banked)
    names = draw_all(banked)
    parts = [
        "# Measured results\n\nWritten by `retable bank` from docs/results/; every line there names its hashes, "
        "recipe, commit, machine, date and scale. `make params SCALE=...` with that scale, then `retable run TABLE ROW "
        "COLUMN`, makes a cell again; its run is then in `results/runs/TABLE/ROW/COLUMN/`.\n\n"
        f"{CHANGED}\n"
    ]
    for (name, of_table), entries in banked.items():
        if not entries:
            continue
        source = paper(name)
        table = source.result_table(of_table)
        found = shown_from_bank(table, source, banked)
        lines = lines_from_bank(table, source, found, why_missing(table, source, found, banked, bank))
        costs = [
            entry.cost | {"row": row}
            for (row, column), runs in found.items()
            for entry in runs
            if not table.column(column).runs_of
        ]
        origin = f"### Made on\n\n{origin_of(entries)}\n"
        parts.append(f"{below_a_title(result_markdown(table, lines, costs))}{picture_of(of_table)}\n{origin}")
        if of_table == FRONT_TABLE:
            shown = [line for line in lines if any(other.measured for other in lines if other.column == line.column)]
            body = result_markdown(table, shown).partition("\n\n")[2].partition("\n## Notes")[0]
            made = origin_of(entries)
            renew(ROOT / "README.md", "results", f"{body}\n{made}" + (f"\n\n{CHANGED}" if "+" in made else ""))
    for source in map(paper, PAPERS):
        parts += [below_a_title(markdown) for _, markdown in tables_without_runs(source, CLEAN).values()]
    parts.append(figures_markdown(names, OUT))
    renew(ROOT / "docs/claims.md", "claims", claims_markdown(shown_in, predictions, seed_spreads()))
    (ROOT / "docs/results.md").write_text("\n".join(parts), encoding="utf-8")
