"""The family of each system in the survey's classification, by its own name or by that of a table row that uses it."""

from collections.abc import Mapping
from functools import cache

from retable.files import read_csv
from retable.models import LINEAR_MODELS, MODELS
from retable.papers import result_tables
from retable.project.paths import PUBLISHED

LINEAR, OTHER = "classical", "other"


@cache
def families() -> Mapping[str, str]:
    """Return system -> family; linear models in none of the lists are classical."""
    listed = {line["id"]: line["family"] for line in read_csv(PUBLISHED / "systems.csv")}
    rows = [row for table in result_tables() for row in table.rows if row.model and row.id in listed]
    of_rows = {str(row.model): listed[row.id] for row in reversed(rows)}
    of_linear = dict.fromkeys(LINEAR_MODELS, LINEAR)
    return {name: (of_linear | of_rows | listed).get(name, OTHER) for name in sorted(MODELS | LINEAR_MODELS)}
