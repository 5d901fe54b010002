"""`retable bank`: put the measured cells of this scale into docs/results/, and renew what is generated from them.

In   results/runs/, docs/results/
Out  docs/results/<table>.csv, docs/results/predictions/, docs/results.md, the table in README.md
"""

import argparse
from pathlib import Path
from typing import Any

from pipeline.command import command
from pipeline.generated import renew
from pipeline.params import read_params
from pipeline.paths import BANK, ROOT, RUNS
from pipeline.tables import cells_shown, current_identity, published_numbers, seed_spreads, why_not
from retable.errors import InputError
from retable.files import read_json
from retable.papers import PAPERS, paper
from retable.papers.paper import Paper, ResultTable
from retable.tables.bank import Entry, bank_predictions, read_bank, results_by_cell, write_bank
from retable.tables.lines import Line
from retable.tables.markdown import result_markdown
from retable.tables.results import Cells, result_lines


def bank_table(source: Paper, table: ResultTable) -> list[Entry]:
    """Put a table's current runs into the bank, where those of other cells stay; the entries that are current."""
    path = BANK / f"{table.name}.csv"
    entries = {(entry.row, entry.column, entry.seed): entry for entry in read_bank(path)}
    protocol = read_params("papers")[source.name]
    for owner, cell in cells_shown(table, source):
        for seed in protocol["seeds"]:
            folder = RUNS / owner / cell["row"] / cell["column"] / str(seed)
            if why_not(folder, current_identity(table, source, cell, seed, protocol)):
                continue
            metrics = read_json(folder / "metrics.json")
            for column in table.showing(cell["column"]):
                entry = Entry.from_metrics(metrics, table.metric_of(column), column.id)
                old = entries.get((entry.row, entry.column, entry.seed))
                if old is None or (old.hashes, old.value) != (entry.hashes, entry.value):
                    entries[entry.row, entry.column, entry.seed] = entry
                    if (owner, column.runs_of) == (table.name, ""):  # a run's predictions are kept once
                        bank_predictions(folder / "predictions.parquet", prediction_file(table, entry))
    if entries:
        write_bank(path, entries.values())
    return [entry for entry in entries.values() if is_current(source, table, entry, protocol)]


def is_current(source: Paper, table: ResultTable, entry: Entry, protocol: dict[str, Any]) -> bool:
    """Whether a run of today would have the same parameters, data and code; an entry is never shown on trust."""
    row, column = table.row(entry.row), table.column(entry.column)
    if row.model is None or column.corpus is None:
        return False
    cell = {
        "row": row.id,
        "column": column.id,
        "model": row.model,
        "corpus": column.corpus,
        "vectors": entry.vectors or "none",
    }
    try:
        return entry.hashes == current_identity(table, source, cell, int(entry.seed), protocol)["hashes"]
    except FileNotFoundError:
        return False


def prediction_file(table: ResultTable, entry: Entry) -> Path:
    """Where the bank keeps a run's predictions."""
    return BANK / "predictions" / table.name / f"{entry.row}.{entry.column}.{entry.seed}.parquet"


def lines_from_bank(source: Paper, table: ResultTable, entries: list[Entry]) -> list[Line]:
    """A table as the bank has it."""
    missing: dict[tuple[str, str], str] = {}
    cells = Cells(results_by_cell(entries), missing, "the bank yet")
    return result_lines(table, published_numbers(source, table.published), cells, seed_spreads())


def origin_of(entries: list[Entry]) -> str:
    """Where the entries were made, for the reader of a table."""
    made = sorted({(entry.device, entry.threads, entry.date, entry.commit[:10]) for entry in entries})
    return "\n".join(
        f"- {device}, {threads} threads, {date}, commit {commit}" for device, threads, date, commit in made
    )


def write_docs(banked: list[tuple[ResultTable, list[Line], list[Entry]]]) -> None:
    """docs/results.md and the README's table."""
    parts = [
        "# Measured results\n\nWritten by `retable bank` from docs/results/; every line there names its hashes, "
        "commit, "
        "machine and date. `dvc repro pipeline/<paper>/dvc.yaml:<table>@<row>.<column>` makes a cell again.\n"
    ]
    for table, lines, entries in banked:
        markdown = result_markdown(table, lines).replace("# ", "## ", 1).replace("\n## Notes", "\n### Notes")
        parts.append(f"{markdown}\n### Made on\n\n{origin_of(entries)}\n")
    (ROOT / "docs/results.md").write_text("\n".join(parts), encoding="utf-8")
    table, lines, entries = banked[0]
    shown = [line for line in lines if any(other.measured for other in lines if other.column == line.column)]
    body = result_markdown(table, shown).partition("\n\n")[2].partition("\n## Notes")[0]
    renew(ROOT / "README.md", "results", f"{body}\n{origin_of(entries)}")


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="retable bank", description="Put the measured cells into docs/results/.")
    parser.parse_args(arguments)
    if read_params("scale") == "smoke":
        raise InputError(
            "scale smoke measures the project's own samples, which the bank does not keep; "
            "`make tables SCALE=cpu` first."
        )
    banked: list[tuple[ResultTable, list[Line], list[Entry]]] = []
    for name in PAPERS:
        source = paper(name)
        for table in source.results:
            entries = bank_table(source, table)
            if entries:
                banked.append((table, lines_from_bank(source, table, entries), entries))
    if not banked:
        raise InputError("no current run is at hand; `make tables` first.")
    write_docs(banked)
    print(f"{sum(len(entries) for *_, entries in banked)} runs in {BANK}; docs/results.md and README.md renewed")


if __name__ == "__main__":
    main()
