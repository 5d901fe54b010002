"""A table as people read it: one line a row, one column a corpus, measured beside published."""

from collections.abc import Iterable, Sequence

from retable.papers.counts import CountTable
from retable.papers.paper import ResultTable, StatisticsTable
from retable.tables.costs import HEADER, NOTE, Costs, cost_table
from retable.tables.lines import Line

MARK = {"agrees": "=", "higher": "▲", "lower": "▼", "uninformative": "~", "not-run": "", "": ""}
LEGEND = (
    "Each cell: **measured** ± half of its 95% prediction interval, beside the *published* number; – is not measured, "
    "the notes say why; an empty cell is not printed, and in no scale. "
    "▲ ours is higher, ▼ lower, = agrees, ~ the interval cannot tell; in brackets where vectors or split are not the "
    "paper's, so that it is no verdict on the paper. `clean` counts only test texts that (nearly) "
    "occur in no training text."
)


def result_markdown(table: ResultTable, lines: Sequence[Line], costs: Costs = ()) -> str:
    """Return a table of scores with its legend, what its rows cost, and its notes."""
    cells = {(line.row, line.column): line for line in lines}
    columns = [column for column in table.columns if any(key[1] == column.id for key in cells)]
    rows = [row for row in table.rows if any(key[0] == row.id for key in cells)]
    header = ["", *(column.printed for column in columns)]
    body = [
        [_row_name(row.printed, row.id, row.extra), *(_cell(cells.get((row.id, column.id))) for column in columns)]
        for row in rows
    ]
    title = f"# {table.title}\n\nIn {table.unit}. {LEGEND}\n\n"
    spent = cost_table(costs, {row.id: _row_name(row.printed, row.id, row.extra) for row in table.rows})
    cost = f"\n## Cost\n\n{NOTE}\n\n{markdown_table(HEADER, spent)}" if spent else ""
    return f"{title}{markdown_table(header, body)}{cost}\n## Notes\n\n{_notes(lines)}"


def statistics_markdown(table: StatisticsTable, lines: Sequence[Line]) -> str:
    """Return a table of facts about corpora: counted here / printed; cells of a column of several units name them."""
    cells = {(line.row, line.column): line for line in lines}
    rows, columns = ([*dict.fromkeys(key[index] for key in cells)] for index in (0, 1))
    units = {column: sorted({_unit(line) for line in lines if line.column == column}) for column in columns}
    body = [
        [row, *(_cell(cells.get((row, column)), with_unit=len(units[column]) > 1) for column in columns)]
        for row in rows
    ]
    header = ["", *(f"{column} ({of[0]})" if len(of) == 1 and of[0] else column for column, of in units.items())]
    title = f"# {table.title}\n\nCounted here beside the *printed* figure; ▲ ours is higher, ▼ lower, = agrees.\n\n"
    return title + markdown_table(header, body) + "\n## Notes\n\n" + _notes(lines)


def counts_markdown(table: CountTable, lines: Sequence[Line]) -> str:
    """Return a table of counts: ours, from the networks themselves, beside the printed."""
    cells = {(line.row, line.column): line for line in lines}
    rows, columns = ([*dict.fromkeys(key[index] for key in cells)] for index in (0, 1))
    body = [
        [
            _row_name(table.printed.get(row, row), row, row in table.extra),
            *(_cell(cells.get((row, column))) for column in columns),
        ]
        for row in rows
    ]
    legend = f"In {table.unit}, counted here beside the *printed* figure; ▲ ours is higher, ▼ lower, = agrees."
    return f"# {table.title}\n\n{legend}\n\n" + markdown_table(["", *columns], body) + "\n## Notes\n\n" + _notes(lines)


def markdown_table(header: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *body)]
    return "\n".join(lines) + "\n"


def half_interval(line: Line) -> str:
    """Half of a line's interval, with a digit less than the score has."""
    digits = max(len(line.measured.partition(".")[2]) - 1, 0)
    return f"{(float(line.high) - float(line.low)) / 2:.{digits}f}"


def _row_name(printed: str, row: str, extra: bool) -> str:
    return f"*{printed}* (`{row}`, ours)" if extra else f"{printed} (`{row}`)"


def _cell(line: Line | None, *, with_unit: bool = False) -> str:
    if line is None:
        return ""
    unit = f" {_unit(line)}".rstrip() if with_unit else ""
    published = f" *{line.published}*{unit}" if line.published else unit
    if not line.measured:
        return f"–{published}"
    half = f" ± {half_interval(line)}" if line.high else ""
    mark = f" {MARK[line.verdict]}" if MARK[line.verdict] else ""
    mark = f" ({mark.strip()})" if mark and line.match != "exact" else mark
    clean = f" (clean {line.clean})" if line.clean and line.clean != line.measured else ""
    return f"**{line.measured}**{half}{clean}{published}{mark}"


def _unit(line: Line) -> str:
    """Return what a figure is told in; empty for a plain count."""
    return "" if line.unit == "count" else line.unit


def _notes(lines: Sequence[Line]) -> str:
    """Return every note once, with the cells that have it; a note on all cells of a row or a column names only that."""
    where: dict[str, set[tuple[str, str]]] = {}
    for line in lines:
        for note in line.note.split("; ") if line.note else []:
            where.setdefault(note, set()).add((line.row, line.column))
    cells = [(line.row, line.column) for line in lines]
    return "".join(f"- {note}: {', '.join(_grouped(cells, found))}\n" for note, found in where.items())


def _grouped(cells: Sequence[tuple[str, str]], found: set[tuple[str, str]]) -> list[str]:
    """Return names of the cells; where all cells of a column or a row are among them, the name of that alone."""
    named, rest = [], set(found)
    for index, kind in ((1, "column"), (0, "row")):
        for name in dict.fromkeys(cell[index] for cell in cells):
            whole = {cell for cell in cells if cell[index] == name}
            if len(whole) > 1 and whole <= found and whole & rest:
                named.append(f"{kind} {name}")
                rest -= whole
    return named + [f"{row}.{column}" for row, column in cells if (row, column) in rest]
