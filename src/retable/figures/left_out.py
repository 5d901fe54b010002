"""List what a figure lacks of its definition, from the lines of its CSV, so that it holds for the picture as drawn."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retable.figures.figure import AnyFigure, Lines
from retable.figures.measured import Key, Panel
from retable.figures.style import each_once
from retable.papers.paper import ResultTable
from retable.tables.markdown import listed

Tables = Mapping[str, ResultTable]
Panels = tuple[str, ...]  # those that a sentence is about; empty for all


@dataclass(frozen=True)
class Part:
    """Something a figure should show: a line, a point or a word of a panel, perhaps at one place; `key` is its cell."""

    panel: str
    name: str
    place: str
    key: Key


def declared_reason(tables: Tables, key: Key) -> str:
    """Return why the definitions alone imply that a cell has no run; empty if they do not."""
    name, row, column = key
    if name not in tables:
        return "not built here yet"
    asked = next((each for each in tables[name].columns if each.id == column), None)
    if asked is None:
        return "no such column here"
    return asked.reason or tables[name].row(row).reason


def not_drawn(figure: AnyFigure, tables: Tables, lines: Lines, why: Callable[[Key], str] = lambda key: "") -> str:
    """Return sentences that name all that is missing: "Not drawn: IMDB. Not drawn on SST (not run yet): CNN; BERT."

    There is one for each reason and group of panels, none if nothing is missing.

    Args:
        figure: the definition.
        tables: tables of its paper.
        lines: its CSV; none if it could not be drawn.
        why: why a cell that the definition allows is missing; empty if there is nothing to say.
    """
    parts = [part for panel in figure.panels for part in parts_of_panel(figure, panel, tables, lines)]
    found = figure.shown(lines)
    missing = [part for part in parts if not found & {(panel, part.name, part.place) for panel in (part.panel, "")}]
    reasons = {part: declared_reason(tables, part.key) or why(part.key) for part in missing}
    whole = whole_panels(parts, reasons, tables)
    others = [part for part in parts if part.panel not in whole]
    names: dict[str, dict[Panels, list[str]]] = {"": {}}  # reason -> panels -> what is missing
    for panel, reason in whole.items():
        names.setdefault(reason, {}).setdefault((), []).append(panel)
    for reason in each_once([reasons[part] for part in others if part in reasons]):
        of_reason = [part for part in others if reasons.get(part) == reason]
        for panels, name in named(of_reason, others, figure):
            names.setdefault(reason, {}).setdefault(panels, []).append(name)
    return " ".join(sentence(reason, *each) for reason, of_panels in names.items() for each in of_panels.items())


def remarks(figure: AnyFigure, tables: Tables, lines: Lines, why: Callable[[Key], str] = lambda key: "") -> str:
    """Return all remarks on a figure, with what is not drawn last; arguments as for `not_drawn`."""
    return " ".join([*figure.remarks(lines), not_drawn(figure, tables, lines, why)]).strip()


def sentence(reason: str, panels: Panels, names: Sequence[str]) -> str:
    """Return the sentence on what some panels do not show for one reason; a name may end in a full stop."""
    where = f" on {listed(panels)}" if panels else ""
    return f"Not drawn{where}{f' ({reason})' if reason else ''}: {'; '.join(names).removesuffix('.')}."


def parts_of_panel(figure: AnyFigure, panel: Panel, tables: Tables, lines: Lines) -> list[Part]:
    """Return all parts that a panel should show; only one if its table or column is not built."""
    table = tables.get(panel.table)
    column = next((each for each in table.columns if each.id == panel.column), None) if table else None
    if table is None or column is None:
        return [Part(f"{panel.column} of {panel.table}", "", "", (panel.table, "", panel.column))]
    return [
        Part(column.printed, name, place, (table.name, row, column.id))
        for row, name, place in figure.parts(table, column.id, lines)
    ]


def whole_panels(parts: Sequence[Part], reasons: Mapping[Part, str], tables: Tables) -> dict[str, str]:
    """Return panel -> reason, for panels that are missing entirely for a single reason; rows that never had a model are
    ignored.
    """
    found = {}
    for panel in each_once([part.panel for part in parts]):
        of_panel = [part for part in parts if part.panel == panel]
        if all(part in reasons for part in of_panel):
            own = [part for part in of_panel if not row_reason(tables, part.key)] or of_panel
            counts = Counter(reasons[part] for part in own)
            if len(counts) == 1:
                found[panel] = next(iter(counts))
    return found


def row_reason(tables: Tables, key: Key) -> str:
    """Return why a row has no model."""
    return tables[key[0]].row(key[1]).reason if key[0] in tables and key[1] else ""


def named(missing: Sequence[Part], parts: Sequence[Part], figure: AnyFigure) -> Iterator[tuple[Panels, str]]:
    """Yield the missing parts by name, each with the panels that lack it, none if all that have it do.

    Names that are missing altogether come first, then those that are missing at some of their places.
    """
    places, lacked = places_by_line(parts), places_by_line(missing)
    gone = [line for line, found in lacked.items() if found == places[line]]
    of_panels: dict[Panels, list[str]] = {}
    for name in each_once([name for _, name in gone]):
        having, without = (tuple(panel for panel, each in lines if each == name) for lines in (places, gone))
        of_panels.setdefault(() if without == having else without, []).append(name)
    for panels, names in sorted(of_panels.items()):
        yield from ((panels, name) for name in names)
    several = len({panel for panel, _ in places}) > 1
    of_places: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (panel, name), found in lacked.items():
        if (panel, name) not in gone:
            of_places.setdefault((panel, tuple(found)), []).append(name)
    for (panel, lacking), names in of_places.items():
        yield (panel,) if several else (), figure.at_places(listed(names), lacking)


def places_by_line(parts: Sequence[Part]) -> dict[tuple[str, str], list[str]]:
    """Return (panel, name) -> its places."""
    found: dict[tuple[str, str], list[str]] = {}
    for part in parts:
        found.setdefault((part.panel, part.name), []).append(part.place)
    return found
