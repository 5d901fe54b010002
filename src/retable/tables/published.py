"""The papers' printed numbers, as data."""

from dataclasses import dataclass
from pathlib import Path

from retable.errors import InputError, shown
from retable.files import read_csv
from retable.tables.lines import is_finite

METRICS = {"f1": "macro_f1", "memory": "peak_memory_mb"}  # a paper's name for a score -> that of metrics.json
COLUMNS = ["table", "row", "column", "metric", "value", "unit", "own", "note"]


@dataclass(frozen=True)
class Published:
    """A printed number: `metric` is a key of metrics.json's scores, `value` has its digits as printed, `own` is yes,
    cited or unknown.
    """

    row: str
    column: str
    metric: str
    value: str
    unit: str
    own: str
    remark: str


def read_published(path: Path, table: str) -> list[Published]:
    """Return the numbers of one table of a paper, in the printed order.

    Raises: InputError if the file is missing, has other columns, or a value is not a number.
    """
    if not path.exists():
        raise InputError(f"{path} is missing; `git checkout {path.name}` restores the published numbers.")
    found = []
    for line, cells in enumerate(read_csv(path, columns=COLUMNS), start=2):
        if list(cells) != COLUMNS:
            raise InputError(f"{path} has the columns {list(cells)}; allowed: {', '.join(COLUMNS)}.")
        if cells["table"] == table:
            if not is_finite(cells["value"]):
                raise InputError(f"{path}, line {line}: the value {shown(cells['value'])} is not a number.")
            fields = {name: cells[name] for name in ("row", "column", "value", "unit", "own")}
            metric, remarks = METRICS.get(cells["metric"], cells["metric"]), cells["note"].split("; ")[1:]
            remark = "; ".join(f"in print: {each}" for each in remarks)  # beside notes on our own runs
            found.append(Published(**fields, metric=metric, remark=remark))
    return found
