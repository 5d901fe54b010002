"""The contents of the bank, read once for the pages of docs/ and the results site."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retable.experiments.scale import scale_preset
from retable.files import read_json
from retable.forms import NAME, Distinct, ListOf, Named, check
from retable.papers import result_table, result_tables
from retable.papers.claims import claims
from retable.project.progress import progress
from retable.results.findings import MeasuredTable
from retable.results.judging import Copies, Judge, Judged, judged_claims
from retable.results.resolving import Resolver
from retable.results.tables import Statistics, lines_and_costs
from retable.runs.bank import read_bank
from retable.tables.statistics import read_corpora

BANK_SCALE = "measure"  # the scale whose protocols make the bank's runs current
CLUSTERS = ListOf(Distinct(2))  # of ids of texts, as `clean` writes them


@dataclass(frozen=True)
class Whole:
    """Hold the bank: its runs, the tables that have any or print numbers, and every comparison of the claims."""

    resolver: Resolver
    statistics: Statistics
    tables: Mapping[str, MeasuredTable]
    judge: Judge
    lines: Sequence[Judged]


def read_whole(bank: Path) -> Whole:
    """Read the bank, fill every table and judge every claim.

    Args:
        bank: docs/results/.
    Raises: InputError.
    """
    resolver, tables = bank_resolver(bank), {}
    judge = Judge(read_copies(bank), resolver.protocol)
    with progress("bank", len(result_tables()) + len(claims()), "tables and claims") as bar:
        for table in result_tables():
            if table.published or resolver.fill(table).runs:
                tables[table.name] = MeasuredTable(table, *lines_and_costs(table, resolver))
            bar.advance()
        lines = judged_claims(lambda name: resolver.fill(result_table(name)).runs, judge, bar.advance)
    return Whole(resolver, read_corpora(bank), tables, judge, lines)


def bank_resolver(bank: Path) -> Resolver:
    """Return a resolver that fills the tables with all current runs of the bank. Raises: InputError."""
    return Resolver(scale_preset(BANK_SCALE), read_bank(bank), beyond=True)


def read_copies(bank: Path) -> Copies:
    """Return corpus -> text id -> the number of its cluster of near copies, from the bank. Raises: InputError."""
    return {
        corpus: {text: number for number, texts in enumerate(clusters) for text in texts}
        for corpus, clusters in clusters_of_bank(bank).items()
    }


def clusters_of_bank(bank: Path) -> dict[str, list[list[str]]]:
    """Return corpus -> the ids of near copies, by cluster, from the bank. Raises: InputError."""
    path, advice = bank / "copies.json", f"`git checkout {bank / 'copies.json'}`"
    found: dict[str, list[list[str]]] = read_json(path, advice=advice)
    check(found, Named(CLUSTERS, NAME), str(path), advice)
    return found
