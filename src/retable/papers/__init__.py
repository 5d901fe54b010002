"""The papers, one module each, found by id: their tables, rows, columns and protocol."""

import importlib
import re

from retable.errors import unknown_name
from retable.papers.paper import Paper, ResultTable

PAPERS = {
    "fcsr": "retable.papers.fcsr",
    "cspan": "retable.papers.cspan",
    "lama": "retable.papers.lama",
    "transformer-f": "retable.papers.transformer_f",
    "survey": "retable.papers.survey",
    "floors": "retable.papers.floors",
    "bench": "retable.papers.bench",
}
NAMES = {
    "fcsr": "FCSR",
    "cspan": "CSPAN",
    "lama": "LAMA",
    "transformer-f": "Transformer-F",
    "survey": "Survey",
    "floors": "Floors",
    "bench": "Equal chances",
}


def paper(name: str) -> Paper:
    """Return a paper by its id.

    Raises: InputError for an unknown paper.
    """
    if name not in PAPERS:
        raise unknown_name("paper", name, PAPERS)
    found: Paper = importlib.import_module(PAPERS[name]).PAPER
    return found


def papers() -> list[Paper]:
    """Return all papers."""
    return [paper(name) for name in PAPERS]


def result_tables() -> list[ResultTable]:
    """Return all tables of scores."""
    return [table for source in papers() for table in source.results]


def result_table(name: str) -> ResultTable:
    """Return a table of scores by its name. Raises: InputError."""
    return paper_of_table(name).result_table(name)


def paper_of_table(table: str) -> Paper:
    """Return the paper of "fcsr-table-3" or "fcsr-figure-5". Raises: InputError for an unknown paper."""
    name = re.split("-(?:table|figure)-", table)[0]
    if name not in PAPERS:
        raise unknown_name("table", table, [each.name for each in result_tables()])
    return paper(name)
