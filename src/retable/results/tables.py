"""Build every table from the runs and the corpora's statistics.

In   results/runs/, data/clean/*/stats.json, data/code/, data/published/, the cells of the scale
Out  results/tables/<table>.{csv,cost.csv,md}

`retable tables --from mlflow` takes runs and statistics from the record instead; the CSV files have the same bytes.
"""

import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from retable.corpora import CORPORA, corpus
from retable.errors import InputError
from retable.experiments import cells
from retable.experiments.folds import Planned, planned_runs
from retable.experiments.identity import identity
from retable.experiments.scale import MODEL_SECTIONS, model_preset
from retable.files import atomic_file, atomic_folder, read_json
from retable.models import LINEAR_MODELS
from retable.papers import PAPERS, paper
from retable.papers.paper import Column, Paper, ResultTable, Row
from retable.papers.parameters import cut_of, limit_of, other_options, row_parameters, serves
from retable.project.params import read_params
from retable.project.paths import PUBLISHED, TAGGED, VECTORS
from retable.runs.recipes import from_text, majors
from retable.tables.lines import Line, write_lines
from retable.tables.markdown import counts_markdown, result_markdown, statistics_markdown
from retable.tables.published import Published, read_published
from retable.tables.results import Cells, RunResult, limited, of_folds, result_lines
from retable.tables.statistics import statistics_lines
from retable.text.folds import Fold

COSTS = (
    "parameters",
    "parameters_tuned_words",
    "flops_per_word",
    "seconds_per_epoch",
    "words_per_second",
    "seconds",
    "peak_memory_mb",
    "device",
    "threads",
    "date",
)


def published_numbers(source: Paper, table: str | None) -> list[Published]:
    """The printed numbers of a table; none for a table of our own."""
    return read_published(PUBLISHED / f"{source.name}.csv", table) if table else []


def seed_spreads() -> dict[str, float | None]:
    """Corpus, or domain of a joint one -> known standard deviation between seeds, a fraction."""
    return {name: spread for name in CORPORA if (spread := getattr(corpus(name), "seed_spread", None)) is not None}


def cells_of(table: ResultTable, source: Paper) -> dict[str, dict[str, str]]:
    """The cells of the scale that a table runs."""
    return cells.cells_of(table)


Listed = Callable[[ResultTable, Paper], dict[str, dict[str, str]]]  # as `cells_of`


class Shown(NamedTuple):
    """A cell of a scale, the paper and table that run it, and the row and column under which a table shows it."""

    paper: Paper
    table: ResultTable
    cell: dict[str, str]
    row: Row
    column: Column


def cells_shown(table: ResultTable, source: Paper) -> Iterator[Shown]:
    """The cells of this scale that a table shows."""
    return shown_of(table, source, cells_of, read_params("papers"))


def shown_of(table: ResultTable, source: Paper, listed: Listed, protocols: dict[str, Any]) -> Iterator[Shown]:
    """The cells of a scale that a table shows: its own, and those that another table runs.

    A linear model's run serves the tables of all papers, a network's those of its own: papers may limit their runs
    differently, and give them other word vectors. One without given vectors serves the tables too of papers that would
    limit it alike. Where a corpus is cut into folds, see `serves`.

    Args:
        listed: the cells that a table of a paper runs at this scale.
        protocols: paper -> how the scale runs its cells, as in params.yaml.
    """
    taken = set()
    for cell in listed(table, source).values():
        taken.add((cell["row"], cell["column"]))
        yield Shown(source, table, cell, table.row(cell["row"]), table.column(cell["column"]))
    for owner in (source, *(paper(name) for name in PAPERS if name != source.name)):
        for other in owner.results:
            for cell in listed(other, owner).values() if other is not table else ():
                linear, theirs = cell["model"] in LINEAR_MODELS, other.column(cell["column"])
                if owner is not source and not linear and cell["vectors"] != "none":
                    continue
                for row, column in table.shown_as(other, cell["row"], theirs.id, row_options):
                    cut, wanted = cut_of(theirs, protocols[owner.name]), cut_of(column, protocols[source.name])
                    limited_alike = (
                        owner is source
                        or linear
                        or not other_limits(row, (theirs, protocols[owner.name]), (column, protocols[source.name]))
                    )
                    if (row.id, column.id) not in taken and serves(cut, wanted, linear=linear) and limited_alike:
                        taken.add((row.id, column.id))
                        yield Shown(owner, other, cell, row, column)


def row_options(row: Row) -> dict[str, Any]:
    """All options of a row's model: its preset's, the row's own in their place, and what was searched."""
    preset = model_preset(str(row.model)) if row.model else {}
    options = {name: preset[name] | row.overrides.get(name, {}) for name in MODEL_SECTIONS if name in preset}
    return options | ({"searched": row.searched} if row.searched else {})


def other_limits(row: Row, theirs: tuple[Column, dict[str, Any]], ours: tuple[Column, dict[str, Any]]) -> str:
    """In what a row's runs for another paper are limited otherwise than for one's own; empty if they are the same runs.

    Args:
        theirs, ours: the column of each paper, and how it runs its cells.
    """
    of_both = [
        row_parameters(model_preset(str(row.model)), row, column, protocol, vectors="none", seed=0)
        for column, protocol in (theirs, ours)
    ]
    return other_options(*of_both)


def read_cells(table: ResultTable, source: Paper, runs: Path) -> tuple[Cells, list[dict[str, Any]]]:
    """The runs of the cells that are listed for this scale, and their costs; a stale run is refused with its reason.

    A run stands under every column that shows a score of it.
    """
    found: dict[tuple[str, str], list[RunResult]] = {}
    missing: dict[tuple[str, str], str] = {}
    costs = []
    protocol = read_params("papers")[source.name]
    for owner, other, cell, row, shown_as in cells_shown(table, source):
        keys = {(row.id, column.id): column for column in table.showing(shown_as.id)}
        folders, reason = runs_of_cell(other, owner, cell, read_params("papers")[owner.name], runs)
        if reason:
            missing |= dict.fromkeys(keys, reason)
            continue
        of_seeds: dict[int, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
        for planned, folder in folders.items():
            metrics, cost = read_json(folder / "metrics.json"), read_json(folder / "cost.json")
            of_seeds.setdefault(planned.seed, []).append((metrics, cost))
            costs.append({"row": row.id, "column": shown_as.id, "seed": planned.name} | cost)
        for key, column in keys.items():
            results = [
                of_folds([RunResult.from_metrics(*files, table.metric_of(column), column.domain) for files in of_seed])
                for of_seed in of_seeds.values()
            ]
            found[key] = told_limits(results, row, column, protocol)
    return Cells(found, missing), costs


def told_limits(results: Iterable[RunResult], row: Row, column: Column, protocol: dict[str, Any]) -> list[RunResult]:
    """The results of a cell, those that know it that the scale's limit ended before the row's epochs were over."""
    preset = model_preset(str(row.model))
    without = row_parameters(preset, row, column, protocol | {"epochs": 0, "max_words": 0}, vectors="none", seed=0)
    allowed = limit_of(protocol["epochs"], column.corpus)
    return [limited(result, allowed, without["training"].get("epochs", 0)) for result in results]


def runs_of_cell(
    table: ResultTable, source: Paper, cell: dict[str, str], protocol: dict[str, Any], runs: Path
) -> tuple[dict[Planned, Path], str]:
    """The folders of a cell's runs, and why they cannot be shown if one of them cannot; empty if all can."""
    of_cell = runs / table.name / cell["row"] / cell["column"]
    folders = {planned: of_cell / planned.name for planned in planned_runs(table.column(cell["column"]), protocol)}
    for planned, folder in folders.items():
        current = current_identity(table, source, cell, planned.seed, protocol, planned.fold)
        if reason := why_not(folder, current):
            return folders, reason
    return folders, ""


def cell_of_run(table: ResultTable, row: str, column: str, vectors: str) -> dict[str, str] | None:
    """The cell whose run stands under a row and a column; None if they have no run any more."""
    of_row, owner = table.row(row), table.owner_of(table.column(column))
    if of_row.model is None or owner.corpus is None:
        return None
    return {
        "row": of_row.id,
        "column": owner.id,
        "model": of_row.model,
        "corpus": owner.corpus,
        "vectors": vectors or "none",
    }


def current_identity(
    table: ResultTable,
    source: Paper,
    cell: dict[str, str],
    seed: int,
    protocol: dict[str, Any],
    fold: Fold | None = None,
) -> dict[str, Any]:
    """What a run of this cell is today."""
    parameters = row_parameters(
        model_preset(cell["model"]),
        table.row(cell["row"]),
        table.column(cell["column"]),
        protocol,
        vectors=cell["vectors"],
        seed=seed,
        fold=fold,
    )
    return identity(parameters, TAGGED / cell["corpus"], VECTORS / cell["vectors"])


def why_not(folder: Path, current: dict[str, Any]) -> str:
    """Why a run cannot be shown; empty if it can."""
    try:
        metrics = read_json(folder / "metrics.json")
    except FileNotFoundError:
        return "not run yet"
    stale = changed_hashes(metrics["hashes"], current["hashes"])
    return f"refused: its {' and '.join(stale)} changed since; `dvc repro` runs it again" if stale else ""


def changed_hashes(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return which of parameters, data and recipe of a run are not those of today; of a recipe, its majors count."""
    changed = [name for name in ("parameters", "data") if then.get(name) != now[name]]
    same_majors = majors(from_text(then.get("recipe", ""))) == majors(from_text(now["recipe"]))
    return changed + ([] if same_majors else ["recipe"])


def write_costs(path: Path, costs: list[dict[str, Any]]) -> None:
    """Times and memory, apart from the scores: they differ from run to run."""
    with atomic_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["row", "column", "seed", *COSTS], lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(costs)


def write_paper(source: Paper, folder: Path, runs: Path, clean: Path) -> None:
    """Every table of a paper."""
    from retable.results.reasons import not_run  # not at the top: it asks which cells a table shows

    for table in source.results:
        cells, costs = read_cells(table, source, runs)
        for (row, column), reason in cells.missing.items():
            print(f"{table.name}: {row} on {column} is {reason}", file=sys.stderr)
        cells = replace(cells, missing={**not_run(table, source), **cells.missing})
        lines = result_lines(table, published_numbers(source, table.published), cells, seed_spreads())
        write_lines(folder / f"{table.name}.csv", lines)
        write_costs(folder / f"{table.name}.cost.csv", costs)
        (folder / f"{table.name}.md").write_text(result_markdown(table, lines, costs), encoding="utf-8")
    for name, (lines, markdown) in tables_without_runs(source, clean).items():
        write_lines(folder / f"{name}.csv", lines)
        (folder / f"{name}.md").write_text(markdown, encoding="utf-8")


def tables_without_runs(source: Paper, clean: Path) -> dict[str, tuple[list[Line], str]]:
    """Table -> its lines and their Markdown: what is counted from corpora, and from networks that are only built."""
    stats = {path.parent.name: read_json(path) for path in sorted(clean.glob("*/stats.json"))}
    in_scale = {name: facts for name, facts in stats.items() if name in read_params("corpora")}
    found = {}
    for facts in source.statistics:
        lines = statistics_lines(facts, published_numbers(source, facts.published), in_scale)
        found[facts.name] = (lines, statistics_markdown(facts, lines))
    for counts in source.counts:
        from retable.tables.counts import count_lines  # not at the top: torch takes seconds to import

        lines = count_lines(counts, published_numbers(source, counts.published))
        found[counts.name] = (lines, counts_markdown(counts, lines))
    return found


def refuse_other_files(folder: Path) -> None:
    """The folder is replaced as a whole: it must hold nothing but tables.

    Raises: InputError.
    """
    if folder.exists() and (
        not folder.is_dir() or any(path.suffix not in (".csv", ".md") or path.is_dir() for path in folder.iterdir())
    ):
        raise InputError(f"{folder} holds other files than tables; --to takes a new folder, or one of earlier tables.")


def write_tables(runs: Path, clean: Path, to: Path) -> None:
    """Build all tables of all papers into a folder that holds nothing else.

    Args:
        runs, clean: as results/runs/ and data/clean/.
    Raises: InputError.
    """
    refuse_other_files(to)
    with atomic_folder(to) as folder:
        for name in PAPERS:
            write_paper(paper(name), folder, runs, clean)
    print(f"tables: {', '.join(sorted(path.stem for path in to.glob('*.md')))} in {to}", file=sys.stderr)
