"""The cells that a scale runs, derived from the rules of its tables.

Rules of a table: `columns` are ids, or `at hand` for all others whose corpus the scale prepares, in the order of its
corpora; `rows` are ids, or `all` for all others with a model, in the table's order, minus those in `without`; a column
under `except` has its own rows, or none; `vectors` is one set, or one per corpus or language.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from retable.corpora import corpus
from retable.errors import InputError, shown, unknown_name
from retable.experiments.scale import read_preset
from retable.papers import result_tables
from retable.papers.paper import Column, ResultTable, Row
from retable.project.params import read_params
from retable.project.paths import TAGGED, VECTORS

ALL, AT_HAND = "all", "at hand"
RULES = ("vectors", "columns", "rows", "without", "except")
NEEDED = ("vectors", "columns", "rows")
Item = TypeVar("Item", Row, Column)
Cells = dict[str, dict[str, str]]  # "fcsr.sst-2" -> row, column, model, corpus, vectors
Plan = Mapping[str, Any]  # the sections of PLANNED, in params.yaml or a scale
PLANNED = ("scale", "corpora", "vectors", "papers", "cells")


def cells_of(table: ResultTable, plan: Plan) -> Cells:
    """Return the cells of a table by its rules; none if it has no rules. Raises: InputError."""
    if table.name not in plan["cells"]:
        return {}
    rules, place = plan["cells"][table.name], f"cells.{table.name} in scale {plan['scale']}"
    check_rules(rules, place)
    exceptions = rules.get("except", {})
    for name in exceptions:
        find(table.columns, name, f"column under except of {place}")
    cells: Cells = {}
    for column in columns_of(table, rules["columns"], plan["corpora"], place):
        rows = exceptions.get(column.id, rules["rows"])
        for row in rows_of(table, rows, rules.get("without", []), place):
            cells[f"{row.id}.{column.id}"] = cell_of(row, column, rules["vectors"], plan["vectors"], place)
    return cells


def check_tables(plan: Plan) -> None:
    """Refuse rules for a table that does not exist. Raises: InputError."""
    tables = [table.name for table in result_tables()]
    for name in plan["cells"]:
        if name not in tables:
            raise unknown_name(f"table of cells in scale {plan['scale']}", name, tables)


def plan_of_checkout() -> Plan:
    """Return the sections that params.yaml plans. Raises: InputError."""
    return {name: read_params(name) for name in PLANNED}


def inputs_of(cells: Sequence[Mapping[str, str]]) -> dict[str, Path]:
    """Return stage of dvc.yaml -> the folder that it makes, for the corpora, then the word vectors of cells."""
    corpora = {f"tag@{cell['corpus']}": TAGGED / cell["corpus"] for cell in cells}
    return corpora | {
        "no-vectors" if (name := cell["vectors"]) == "none" else f"embed@{name}": VECTORS / name for cell in cells
    }


def check_rules(rules: Mapping[str, Any], place: str) -> None:
    """Refuse rules that are missing, unknown or malformed."""
    if not isinstance(rules, Mapping):
        raise InputError(f"{place} is {shown(rules)}; allowed: rules, {', '.join(RULES)}.")
    for key in rules:
        if key not in RULES:
            raise unknown_name(f"rule of {place}", key, RULES)
    for key in NEEDED:
        if key not in rules:
            raise InputError(f"{place} lacks {key}; it needs {', '.join(NEEDED)}.")
    exceptions = rules.get("except", {})
    if not isinstance(exceptions, dict):
        raise InputError(f"except of {place} is {shown(exceptions)}; allowed: {{column: rows}}.")
    lists = {key: rules[key] for key in ("columns", "rows", "without") if key in rules}
    for key, asked in (lists | exceptions).items():
        if not isinstance(asked, (str, list)):
            raise InputError(f"{key} of {place} is {shown(asked)}; allowed: a name or a list of names.")
    vectors = rules["vectors"]
    named = vectors.values() if isinstance(vectors, dict) else [vectors]
    if not all(isinstance(name, str) for name in named):
        raise InputError(f"vectors of {place} is {shown(vectors)}; allowed: a name, or {{corpus or language: name}}.")


def columns_of(table: ResultTable, asked: str | list[str], corpora: Collection[str], place: str) -> list[Column]:
    """Return the columns that a rule names and, for `at hand`, all others whose corpora the scale prepares."""
    at_hand = [
        column.id
        for name in corpora
        for column in table.columns
        if column.corpus == name and not (column.runs_of or column.mean_of)
    ]
    columns = [find(table.columns, name, f"column of {place}", AT_HAND) for name in named(asked, AT_HAND, at_hand)]
    for column in columns:
        if column.runs_of:
            raise InputError(f"{place}: {column.id} shows the runs of {column.runs_of}; list that column instead.")
        if column.corpus is None:
            raise InputError(f"{place}: {column.id} cannot be run: {column.reason or 'it has no corpus of its own'}.")
        if column.corpus not in corpora:
            raise InputError(
                f"{place}: {column.id} uses the corpus {column.corpus}, which the scale does not prepare; "
                "add it to `corpora` or remove the column."
            )
    return columns


def rows_of(table: ResultTable, asked: str | list[str], without: str | list[str], place: str) -> list[Row]:
    """Return the rows that a rule names and, for `all`, all others with a model, minus the excluded ones."""
    left_out = [find(table.rows, name, f"row under without of {place}").id for name in named(without)]
    rest = [row.id for row in table.rows if row.model and row.id not in left_out]
    rows = [find(table.rows, name, f"row of {place}", ALL) for name in named(asked, ALL, rest)]
    for row in rows:
        if row.model is None:
            raise InputError(f"{place}: {row.id} cannot be run: {row.reason}.")
    return rows


def named(asked: str | list[str], word: str = "", others: Collection[str] = ()) -> list[str]:
    """Return the names that a rule lists; its keyword is replaced by all others."""
    listed = [asked] if isinstance(asked, str) else asked
    rest = [name for name in others if name not in listed]
    return [name for one in listed for name in (rest if one == word else [one])]


def find(items: tuple[Item, ...], name: str, where: str, *words: str) -> Item:
    """Return a row or column by its id. Raises: InputError with the known ids and the allowed keywords."""
    for item in items:
        if item.id == name:
            return item
    raise unknown_name(where, name, [*words, *(item.id for item in items)])


def cell_of(
    row: Row, column: Column, vectors: str | dict[str, str], known: Collection[str], place: str
) -> dict[str, str]:
    """Return a cell's row, column, model, corpus and word vectors."""
    model, name = str(row.model), str(column.corpus)
    of_cell = "none"
    if read_preset(model)["embedding"]["vectors"] != "none":
        of_cell = row.vectors or vectors_for(vectors, name, place)
        if of_cell not in ("none", *known):
            raise unknown_name(f"vectors of {place}", of_cell, known)
    return {"row": row.id, "column": column.id, "model": model, "corpus": name, "vectors": of_cell}


def vectors_for(asked: str | dict[str, str], name: str, place: str) -> str:
    """Return the word vectors of a cell: one set for all, or one per corpus or per language."""
    if isinstance(asked, str):
        return asked
    found = asked.get(name) or asked.get(corpus(name).language)
    if not found:
        raise InputError(f"vectors of {place} have no set for {name}; add one for it or for {corpus(name).language}.")
    return found
