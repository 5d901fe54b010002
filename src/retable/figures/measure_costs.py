"""From the runs of a table's cells to accuracy against cost."""

from collections.abc import Iterable, Sequence

from retable.figures.costs import MEAN, CostPanel, CostPoint
from retable.figures.measure import Measured, mean, most_common
from retable.models import LINEAR_MODELS
from retable.papers.figures import CostFigure, Panel
from retable.runs.record import RunRecord

NAMED = 3  # columns of a mean; more are counted
PanelRuns = tuple[Panel, dict[str, Sequence[RunRecord]]]


def cost_panels(figure: CostFigure, measured: Measured) -> list[CostPanel]:
    """Accuracy with both costs; a table of many columns has one panel of means, and floors alone are not shown."""
    found = [(panel, of_rows) for panel, of_rows in measured.panels(figure) if has_subject(panel, of_rows, measured)]
    if len(found) <= figure.most:
        return [cost_panel(measured.title(panel), [(panel, of_rows)], measured) for panel, of_rows in found]
    shared = shared_columns(found, figure.fewest)
    names = ", ".join(measured.title(panel) for panel, _ in shared)
    title = f"{MEAN}{names if len(shared) <= NAMED else f'{len(shared)} columns'}"
    return [cost_panel(title, shared, measured)] if shared else []


def has_subject(panel: Panel, rows: Iterable[str], measured: Measured) -> bool:
    """Return whether a panel has more than the floors of a table that is not of floors."""
    table = measured.tables[panel.table]
    others = {row.id for row in table.rows if not is_floor(row.model)}
    return not others or not others.isdisjoint(rows)


def shared_columns(found: Sequence[PanelRuns], fewest: int) -> list[PanelRuns]:
    """Return the columns on which the same rows were measured, with these rows alone.

    The row with the fewest columns is left out, and then the next, until two columns are shared.
    """
    rows = each_row(found)
    while len(rows) >= fewest:
        shared = [(panel, of_rows) for panel, of_rows in found if all(row in of_rows for row in rows)]
        if len(shared) > 1:
            return [(panel, {row: of_rows[row] for row in rows}) for panel, of_rows in shared]
        counts = {row: sum(row in of_rows for _, of_rows in found) for row in rows}
        rows.remove(min(reversed(rows), key=lambda row: counts[row]))
    return []


def each_row(found: Sequence[PanelRuns]) -> list[str]:
    """Return the rows of all panels, in their first order."""
    return list(dict.fromkeys(row for _, of_rows in found for row in of_rows))


def cost_panel(title: str, columns: Sequence[PanelRuns], measured: Measured) -> CostPanel:
    """Return a point a row, means over the runs of a column and then over the columns."""
    runs = [run for _, of_rows in columns for each in of_rows.values() for run in each]
    machine = most_common([run.machine[0] for run in runs])
    points = []
    for row in each_row(columns):
        of_columns = [of_rows[row] for _, of_rows in columns]
        every = [run for each in of_columns for run in each]
        is_here = all(run.machine[0] == machine for run in every)
        points.append(
            CostPoint(
                measured.name(columns[0][0], row),
                mean([mean([run.accuracy for run in each]) for each in of_columns]),
                mean([mean([float(run.cost["flops_per_word"]) for run in each]) for each in of_columns]),
                mean([mean([seconds_of(run) for run in each]) for each in of_columns]) if is_here else None,
                is_floor(measured.tables[columns[0][0].table].row(row).model),
                len(every),
                "; ".join(sorted({f"{device}, threads {threads}" for device, threads in (r.machine for r in every)})),
                frozenset(run.machine[1] for run in every),
                mean([mean([core_seconds(run) for run in each]) for each in of_columns]) if is_here else None,
            )
        )
    return CostPanel(title, tuple(points))


def seconds_of(run: RunRecord) -> float:
    """Return the seconds of its whole training."""
    return float(run.cost["seconds"])


def core_seconds(run: RunRecord) -> float:
    """Threads times seconds: what it took of all cores, waiting for each other included."""
    return run.machine[1] * seconds_of(run)


def is_floor(model: str | None) -> bool:
    """Return whether a model is one of those that a user would pick instead: linear, or fastText."""
    return model in LINEAR_MODELS or model == "fasttext"
