"""`retable verdicts`: test anyone's predictions on a corpus against its banked rows; needs no data.

In   a table of predictions (columns id, label and, for several runs, run), docs/results/
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from retable.errors import InputError, unknown_name
from retable.own.reading import broken, label_of, table_rows
from retable.project.command import command, given_path
from retable.project.parser import Parser
from retable.project.paths import BANK
from retable.results.judging import PERCENT, Judge, in_points
from retable.results.verdicts import Answers, Banked, ComparedRow, banked_rows, copied, verdicts
from retable.results.whole import bank_resolver, read_copies
from retable.tables.comparison import FEWEST_RUNS
from retable.tables.markdown import markdown_table, signed
from retable.wording import number_of

HEADER = ("row", "table", "runs", "texts", "yours", "theirs", "difference (95%)", "detectable", "verdict", "Holm")


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable verdicts",
        description="Test your predictions on a corpus against every banked row of it (docs/protocol.md).",
        epilog="example: retable verdicts sst-2 --from mine.csv",
    )
    parser.add_argument("corpus", help="the corpus whose test texts were classified")
    parser.add_argument(
        "--from", dest="source", type=given_path, required=True, metavar="FILE",
        help="a table (.csv, .tsv, .jsonl, .parquet) with columns id, label and, for several runs, run",
    )  # fmt: skip
    parser.add_argument(
        "--seedless", action="store_true", help="your model does not depend on a seed: one run is enough"
    )
    parser.add_argument(
        "--beside", action="append", metavar="ROW", default=[],
        help="compare with this row alone, named as in the column table; may be repeated, and Holm counts these alone",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON: a list of comparisons")
    options = parser.parse_args(arguments)
    runs = read_runs(options.source)
    resolver = bank_resolver(BANK)
    rows = chosen(banked_rows(options.corpus, resolver), options.beside)
    found = verdicts(runs, rows, Judge(read_copies(BANK), resolver.protocol), seedless=options.seedless)
    if pair := copied(runs):
        print(
            f"warning: runs {pair[0]} and {pair[1]} of {options.source} give the same answers; if one is a copy of the "
            "other, leave it out: copies say nothing about chance.",
            file=sys.stderr,
        )
    if options.json:
        print(json.dumps([each.as_json() for each in found], indent=1))
        return
    print(as_text(found, len(runs), others=len(rows) - len(found), seedless=options.seedless))


def chosen(rows: list[Banked], names: Sequence[str]) -> list[Banked]:
    """Return the rows with these names; all if there is no name. Raises: InputError."""
    known = {row.name: row for row in rows}
    for name in names:
        if name not in known:
            raise unknown_name("row", name, known)
    return [known[name] for name in names] or rows


def read_runs(path: Path) -> Mapping[str, Answers]:
    """Return name of a run -> id of a test text -> its predicted label. Raises: InputError."""
    runs: dict[str, dict[str, str]] = {}
    for row in table_rows(path):
        for column in ("id", "label"):
            if column not in row.fields:
                raise unknown_name(f"column of {path}", column, row.fields)
        text, answers = str(row.fields["id"]), runs.setdefault(str(row.fields.get("run", "1")), {})
        if text in answers:
            broken(path, row.place, f'a run has two predictions for "{text}"; name each run in a column "run"')
        answers[text] = label_of(path, row, "label")
    if not runs:
        raise InputError(f"{path} has no rows; give it an id and a label for each test text.")
    return runs


def as_text(found: Sequence[ComparedRow], runs: int, *, others: int, seedless: bool) -> str:
    """Return the comparisons as a table, best row first, followed by the caveats."""
    body = [cells_of(each) for each in sorted(found, key=lambda each: -each.theirs)]
    widths = [max(map(len, column)) for column in zip(HEADER, *body, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in (HEADER, *body)]
    notes = [
        "Accuracy in %, differences in points; verdicts by docs/protocol.md, rule 1. How your runs were trained is"
        " unknown here: rows may differ in word vectors, limits and readings."
    ]
    if runs < FEWEST_RUNS and not seedless:
        notes.append(
            f"{runs} run{'s' * (runs > 1)} given: a verdict needs {FEWEST_RUNS} with different seeds (a column run),"
            " or --seedless if your model does not depend on a seed."
        )
    if others:
        notes.append(f"Not compared: {number_of(others, 'rows')} with other test texts of the corpus (other folds).")
    return "\n".join([markdown_table(padded[0], padded[1:]), *notes])


def cells_of(each: ComparedRow) -> list[str]:
    """Return the table cells of a comparison."""
    found, difference = each.comparison, signed(PERCENT * (each.yours - each.theirs))
    if found:
        difference = f"{difference} ({in_points(found.interval())})"
    return [
        each.banked.row.printed,
        each.banked.name,
        "{} / {}".format(*each.runs),
        f"{each.texts:,}",
        f"{PERCENT * each.yours:.1f}",
        f"{PERCENT * each.theirs:.1f}",
        difference,
        f"{PERCENT * found.detectable:.1f}" if found else "",
        each.verdict if found else f"none ({each.why})",
        each.adjusted,
    ]
