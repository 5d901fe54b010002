"""The papers' printed numbers, as data."""

import csv
from dataclasses import dataclass
from pathlib import Path

from retable.errors import InputError

METRICS = {
    "f1": "macro_f1",
    "memory": "peak_memory_mb",
}  # what a paper calls a score -> what metrics.json calls it, where they differ
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

    Raises: InputError if the file is missing, has other columns, or a value is no number.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if reader.fieldnames != COLUMNS:
                raise InputError(f"{path} has the columns {reader.fieldnames}; allowed: {', '.join(COLUMNS)}.")
            found = []
            for line, cells in enumerate(reader, start=2):
                if cells["table"] != table:
                    continue
                try:
                    float(cells["value"])
                except ValueError:
                    raise InputError(f"{path}, line {line}: the value {cells['value']!r} is no number.") from None
                remark = cells["note"].partition("; ")[2]
                found.append(
                    Published(
                        cells["row"],
                        cells["column"],
                        METRICS.get(cells["metric"], cells["metric"]),
                        cells["value"],
                        cells["unit"],
                        cells["own"],
                        remark,
                    )
                )
            return found
    except FileNotFoundError:
        raise InputError(f"{path} is missing; `git checkout {path.name}` brings the published numbers back.") from None
