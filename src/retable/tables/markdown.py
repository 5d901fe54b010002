"""Render a table for readers: one line per row, one column per corpus, measured beside published."""

from collections.abc import Container, Iterable, Mapping, Sequence

from retable.papers.counts import CountTable
from retable.papers.paper import ResultTable, StatisticsTable
from retable.tables.costs import HEADER, NOTE, Costs, cost_table
from retable.tables.lines import UNVERIFIED, Line
from retable.tables.notes import note_lines

Table = ResultTable | StatisticsTable | CountTable
WIDE = 20  # columns that a page shows side by side
COUNTED = "counted here next to the *printed* number; ▲ ours is higher, ▼ lower, = agrees."
MARK = {
    "agrees": "=", "higher": "▲", "lower": "▼", "uninformative": "~", "cut": "cut", "one-run": "1 run",
    UNVERIFIED: UNVERIFIED, "not-run": "", "": "",
}  # fmt: skip
LEGEND = (
    "Each cell: **measured** ± half of its 95% prediction interval, next to the *published* number; – is not "
    "measured (the notes say why); a score *on 1 of 10 folds* is that of the folds that are there, without a "
    "verdict; an empty cell is neither printed nor planned at any scale. ▲ ours is higher, ▼ lower, = agrees, ~ the "
    "interval is too wide to tell. No verdict where the limit of the scale or row *cut* the training (number not "
    "bold), or where *1 run* gives no spread. A verdict in brackets does not judge the paper: its vectors or split "
    "differ. `clean` leaves out test texts with a (near) copy in training. A note that would be too long has a "
    "range, or a number of cells: the site (your own runs: `results/report/`) has it cell by cell. A corpus that "
    "papers name differently: docs/glossary.md, names of corpora. How this is computed: docs/protocol.md."
)


def printed_names(table: Table, lines: Sequence[Line]) -> tuple[dict[str, str], dict[str, str]]:
    """Return id -> printed name, for the rows and for the columns that have a line."""
    rows, columns = {line.row: line.row for line in lines}, {line.column: line.column for line in lines}
    if isinstance(table, ResultTable):
        return ({row.id: row.printed for row in table.rows if row.id in rows},
                {column.id: column.printed for column in table.columns if column.id in columns})  # fmt: skip
    printed = table.printed if isinstance(table, CountTable) else {}
    return {row: printed.get(row, row) for row in rows}, columns


def result_markdown(table: ResultTable, lines: Sequence[Line], costs: Costs = (), *, has_legend: bool = True) -> str:
    """Return a table of scores with its legend, its rows' costs, and its notes.

    Args:
        has_legend: False if the page explains cells and costs once for all tables.
    """
    names = {row.id: _row_name(row.printed, row.id, row.extra) for row in table.rows}
    rows, columns = printed_names(table, lines)
    shown = {line.column for line in lines if line.measured or line.part}
    columns = dict(sorted(columns.items(), key=lambda column: column[0] not in shown))  # measured ones first
    spent = cost_table(costs, names)
    note, legend = (f"{NOTE}\n\n", f" {LEGEND}") if has_legend else ("", "")
    cost = f"\n## Cost\n\n{note}{markdown_table(HEADER, spent)}" if spent else ""
    return _page(table.title, f"In {table.unit}.{legend}", lines, {row: names[row] for row in rows}, columns, cost=cost)


def statistics_markdown(table: StatisticsTable, lines: Sequence[Line]) -> str:
    """Return a table of facts about corpora, counted here / printed; columns with several units name them per cell."""
    rows, columns = printed_names(table, lines)
    units = {column: sorted({_unit(line) for line in lines if line.column == column}) for column in columns}
    header = {column: f"{column} ({of[0]})" if len(of) == 1 and of[0] else column for column, of in units.items()}
    with_unit = {column for column, of in units.items() if len(of) > 1}
    return _page(table.title, COUNTED.capitalize(), lines, rows, header, with_unit)


def counts_markdown(table: CountTable, lines: Sequence[Line]) -> str:
    """Return a table of counts: ours, from the networks themselves, beside the printed ones."""
    rows, columns = printed_names(table, lines)
    names = {row: _row_name(printed, row, row in table.extra) for row, printed in rows.items()}
    return _page(table.title, f"In {table.unit}, {COUNTED}", lines, names, columns)


def _page(
    title: str,
    legend: str,
    lines: Sequence[Line],
    rows: Mapping[str, str],
    columns: Mapping[str, str],
    with_unit: Container[str] = (),
    cost: str = "",
) -> str:
    """Return title, legend, one line per row with one cell per column, costs, and notes.

    A table with many columns and few rows is turned: a page can be long, but is not wide.
    """
    cells = {(line.row, line.column): line for line in lines}
    body = [
        [name, *(_cell(cells.get((row, column)), with_unit=column in with_unit) for column in columns)]
        for row, name in rows.items()
    ]
    whole: list[list[str]] = [["", *columns.values()], *body]
    if is_turned(len(rows), len(columns)):
        whole = [list(line) for line in zip(*whole, strict=True)]
    grid = markdown_table(whole[0], whole[1:])
    notes = "".join(f"- {note}\n" for note in note_lines(lines))
    return f"# {title}\n\n{legend}\n\n{grid}{cost}\n## Notes\n\n{notes}"


def is_turned(rows: int, columns: int) -> bool:
    """Return whether a table is turned on its side: it is wider than a page and has fewer rows than columns."""
    return columns > max(WIDE, rows)


def markdown_table(header: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *body)]
    return "\n".join(lines) + "\n"


def half_interval(line: Line) -> str:
    """Return half of a line's interval, with one digit less than the score; never "0.0", which would mean no width."""
    digits = max(len(line.measured.partition(".")[2]) - 1, 0)
    return f"{max((float(line.high) - float(line.low)) / 2, 10.0**-digits):.{digits}f}"


def _row_name(printed: str, row: str, extra: bool) -> str:
    return f"*{printed}* (`{row}`, ours)" if extra else f"{printed} (`{row}`)"


def _cell(line: Line | None, *, with_unit: bool = False) -> str:
    if line is None:
        return ""
    unit = f" {_unit(line)}".rstrip() if with_unit else ""
    published = f" *{line.published}*{unit}" if line.published else unit
    if not line.measured:
        return f"{line.part or '–'}{published}"
    half = (
        f" ± {half_interval(line)}" if line.high != line.low else ""
    )  # a linear row has no spread on the paper's texts
    mark = f" {MARK[line.verdict]}" if MARK[line.verdict] else ""
    mark = f" ({mark.strip()})" if mark and line.match != "exact" and not line.is_unverified else mark
    clean = f" (clean {line.clean})" if line.clean and line.clean != line.measured else ""
    number = line.measured if line.is_cut else f"**{line.measured}**"
    return f"{number}{half}{clean}{published}{mark}"


def _unit(line: Line) -> str:
    """Return the unit shown with a figure; empty for a plain count."""
    return "" if line.unit == "count" else line.unit


def literal(text: str) -> str:
    """Escape a name so that Markdown and HTML show it letter by letter, on one line."""
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>#|&" else each for each in " ".join(text.split()))


def signed(points: float) -> str:
    """Return a difference as "+0.5"; what rounds to zero has no sign."""
    text = f"{points:+.1f}"
    return text if float(text) else text[1:]
