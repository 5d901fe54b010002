"""Another score of a banked run than the one that its line keeps, from its predictions, which the bank keeps too."""

from pathlib import Path

from retable.experiments.folds import cut_of_fold
from retable.papers.paper import ResultTable
from retable.project.paths import TAGGED
from retable.runs.bank import Entry, rescored
from retable.text.folds import Fold
from retable.text.splits import read_split


def with_score(entry: Entry, table: ResultTable, predictions: Path, metric: str) -> Entry:
    """A run with another score.

    Args:
        table: whose run it is.
        predictions: its file in the bank.
        metric: a score of the answered classes.
    """
    return rescored(entry, predictions, metric, clean_texts(str(table.column(entry.column).corpus), entry.fold))


def clean_texts(corpus: str, fold: str) -> set[str]:
    """Ids of the test texts that (nearly) occur in no training text; none where the corpus is not at hand.

    Args:
        fold: as in the bank; empty for the corpus's own splits.
    """
    if not (TAGGED / corpus / "test.parquet").exists():
        return set()
    test = cut_of_fold(corpus, Fold.read(fold)).test if fold else read_split(TAGGED / corpus, "test")
    return {text for text, clean in zip(test.ids, test.clean, strict=True) if clean}
