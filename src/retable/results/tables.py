"""Build every table from the runs and the corpora's statistics.

In   results/runs/, data/clean/*/stats.json, data/published/, params.yaml
Out  results/tables/<table>.{csv,cost.csv,md}

`retable tables --from mlflow` takes runs and statistics from the record instead; the CSV files are byte-identical.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from retable.experiments.cells import plan_of_checkout
from retable.experiments.scale import read_preset
from retable.files import atomic_folder, refuse_other_files, write_csv
from retable.papers import paper_of_table, papers
from retable.papers.paper import Column, Paper, ResultTable, Row
from retable.papers.parameters import row_parameters, run_name
from retable.project.paths import PUBLISHED
from retable.project.progress import progress
from retable.results.resolving import Filled, Key, Resolver, reasons
from retable.runs.recipes import from_text, recipe_of
from retable.runs.record import KEY_DIGITS, RunRecord, read_runs
from retable.runs.sampling import sampling_of_correlation, sampling_of_f1
from retable.tables.lines import UNVERIFIED, Line, write_lines
from retable.tables.markdown import Table, counts_markdown, result_markdown, statistics_markdown
from retable.tables.published import Published, read_published
from retable.tables.results import Cells, Part, result_lines
from retable.tables.run_result import COST_UNITS, RunResult, is_whole, of_folds, pooled
from retable.tables.statistics import read_stats, statistics_lines
from retable.text.grades import CORRELATIONS

Protocol = Mapping[str, Any]  # how a scale runs a paper's cells
Statistics = Mapping[str, Mapping[str, Any]]  # corpus -> its stats.json
COSTS = (  # kept apart from the scores because they differ between runs
    "row", "column", "seed", "run", "parameters", "parameters_tuned_words", "flops_per_word", "seconds_per_epoch",
    "words_per_second", "seconds", "peak_memory_mb", "peak_gpu_memory_mb", "device", "threads", "date", UNVERIFIED,
)  # fmt: skip
NO_COST = "trained on a GPU, whose memory is another quantity"


def published_numbers(source: Paper, table: str | None) -> list[Published]:
    """Return the printed numbers of a table; none for a table of our own."""
    return read_published(PUBLISHED / f"{source.name}.csv", table) if table else []


def read_cells(table: ResultTable, filled: Filled, protocol: Protocol) -> Cells:
    """Return what a table needs from the runs that fill it."""
    found, why = {}, dict[Key, str]()
    for key, seeds in filled.runs.items():
        row, column = table.row(key[0]), table.column(key[1])
        metric = table.metric_of(column)
        if metric in COST_UNITS:
            seeds = [of_seed for of_seed in seeds if all(metric in run.cost for run in of_seed)]
            why |= {} if seeds else {key: NO_COST if on_gpu(filled.runs[key]) else "not kept"}
        of_row = epochs_of(row, column, protocol)
        found[key] = [of_folds([result_of(run, metric, column.domain, of_row) for run in of_seed]) for of_seed in seeds]
    parts = {key: part_of(table, key, runs) for key, runs in filled.parts.items()}
    return Cells(
        {key: of_cell for key, of_cell in found.items() if of_cell},
        reasons(table, filled) | why,
        {key: part for key, part in parts.items() if part},
    )


def part_of(table: ResultTable, key: Key, runs: Sequence[RunRecord]) -> Part | None:
    """Return the score of a cell on the test folds that are there; None if it has no such score."""
    column, fold = table.column(key[1]), runs[0].fold
    metric = table.metric_of(column)
    if not fold or fold.kind != "test" or metric in COST_UNITS or any(run.is_unverified for run in runs):
        return None
    return Part(pooled([result_of(run, metric, column.domain) for run in runs]).value, len(runs), fold.folds)


def on_gpu(seeds: Sequence[Sequence[RunRecord]]) -> bool:
    """Return whether a run of a cell has recorded the memory of a GPU."""
    return any("peak_gpu_memory_mb" in run.cost for of_seed in seeds for run in of_seed)


def result_of(run: RunRecord, metric: str, domain: str = "", of_row: int = 0) -> RunResult:
    """Return what a table needs from a run whose row has `of_row` epochs."""
    result = RunResult.from_metrics(run.metrics, run.cost, metric, domain)
    sampling = sampling_of_f1(*run.answers()) if metric == "macro_f1" else None
    if metric in CORRELATIONS:
        sampling = sampling_of_correlation(result.value, result.texts)
    return replace(
        result,
        earlier=earlier_versions(run),
        of_epochs=0 if had_its_end(run, of_row) else of_row,
        sampling=sampling,
        is_unverified=run.is_unverified,
    )


def had_its_end(run: RunRecord, of_row: int) -> bool:
    """Return whether a run was trained to the end, given its row's epochs (docs/protocol.md, rule 3)."""
    return is_whole(run.metrics["parameters"]["training"], run.metrics["epochs"]["run"], run.curve, of_row)


def earlier_versions(run: RunRecord) -> str:
    """Return the outdated versions in a run's recipe: "loop 1.0 (today 1.1)"; empty if all are current."""
    parameters, then = run.metrics["parameters"], from_text(run.hashes["recipe"])
    now = recipe_of(parameters, read_preset(parameters["model"]["name"])["recipe"])
    return ", ".join(
        f"{unit} {then[unit]} (today {now[unit]})" for unit in now if then.get(unit, now[unit]) != now[unit]
    )


def read_costs(table: ResultTable, filled: Filled) -> list[dict[str, Any]]:
    """Return the costs of the runs that fill a table, one line per run."""
    return [
        {
            "row": row, "column": column, "seed": run_name(run.seed, run.fold), "run": run.key[:KEY_DIGITS],
            "device": run.metrics["device"], "threads": run.metrics["threads"], "date": run.metrics["date"],
            UNVERIFIED: "yes" if run.is_unverified else "", **run.cost,
        }
        for (row, column), seeds in filled.runs.items()
        if not table.column(column).runs_of
        for of_seed in seeds
        for run in of_seed
    ]  # fmt: skip


def epochs_of(row: Row, column: Column, protocol: Protocol) -> int:
    """Return the epochs of a row's training, regardless of a scale's limit; 0 for a linear model.

    No fewer than its model's preset has: a row of three epochs is there to be timed, and is not whole after them.
    """
    preset, without = read_preset(str(row.model)), {**protocol, "epochs": 0}
    found = row_parameters(preset, row, column, without, vectors="none", seed=0)
    return max(int(each["training"].get("epochs", 0)) for each in (found, preset))


def lines_and_costs(table: ResultTable, resolver: Resolver) -> tuple[list[Line], list[dict[str, Any]]]:
    """Return a table beside the printed numbers, and the costs of its runs."""
    filled = resolver.fill(table)
    cells = read_cells(table, filled, resolver.protocol(table))
    numbers = published_numbers(paper_of_table(table.name), table.published)
    lines = result_lines(table, numbers, cells)
    return lines, read_costs(table, filled)


def write_paper(source: Paper, folder: Path, resolver: Resolver, statistics: Statistics) -> None:
    """Write every table of a paper."""
    for table in source.results:
        for (row, column), reason in resolver.fill(table).missing.items():
            print(f"{table.name}: {row} on {column}: {reason}", file=sys.stderr)
        lines, costs = lines_and_costs(table, resolver)
        write_lines(folder / f"{table.name}.csv", lines)
        write_csv(folder / f"{table.name}.cost.csv", costs, COSTS)
        (folder / f"{table.name}.md").write_text(result_markdown(table, lines, costs), encoding="utf-8")
    in_scale = {name: facts for name, facts in statistics.items() if name in resolver.plan["corpora"]}
    for name, (lines, markdown) in tables_without_runs(source, in_scale).items():
        write_lines(folder / f"{name}.csv", lines)
        (folder / f"{name}.md").write_text(markdown, encoding="utf-8")


def read_statistics(clean: Path) -> dict[str, Any]:
    """Return corpus -> its statistics, for the corpora that were cleaned."""
    return {path.parent.name: read_stats(path) for path in sorted(clean.glob("[!.]*/stats.json"))}


def tables_without_runs(source: Paper, statistics: Statistics) -> dict[str, tuple[list[Line], str]]:
    """Return table -> its lines and their Markdown, counted from corpora or from untrained networks."""
    found = {}
    for facts in source.statistics:
        lines = statistics_lines(facts, published_numbers(source, facts.published), statistics)
        found[facts.name] = (lines, statistics_markdown(facts, lines))
    for counts in source.counts:
        from retable.tables.counts import count_lines  # not at the top: torch takes seconds to import

        lines = count_lines(counts, published_numbers(source, counts.published))
        found[counts.name] = (lines, counts_markdown(counts, lines))
    return found


def check_to(folder: Path) -> None:
    """Refuse to replace a folder that has other files than tables. Raises: InputError."""
    own = {f"{table.name}{suffix}" for table in all_tables() for suffix in (".csv", ".cost.csv", ".md")}
    refuse_other_files(folder, own, "a table of papers")


def all_tables() -> list[Table]:
    """Return every declared table: of scores first, then of counts, then of corpora."""
    tables: list[Table] = [table for source in papers() for table in source.results]
    tables += [table for source in papers() for table in source.counts]
    return tables + [table for source in papers() for table in source.statistics]


def write_tables(runs: Path, clean: Path, to: Path) -> None:
    """Build all tables of all papers into a folder that holds nothing else.

    Args:
        runs, clean: laid out like results/runs/ and data/clean/.
    Raises: InputError.
    """
    check_to(to)
    resolver, statistics = Resolver(plan_of_checkout(), read_runs(runs)), read_statistics(clean)
    with atomic_folder(to) as folder, progress("tables", len(papers()), "papers") as bar:
        for source in papers():
            write_paper(source, folder, resolver, statistics)
            bar.advance()
    print(f"tables: {', '.join(sorted(path.stem for path in to.glob('*.md')))} in {to}", file=sys.stderr)
