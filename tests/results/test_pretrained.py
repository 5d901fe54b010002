"""The finding on a pretrained encoder: each corpus is one comparison of the two on the same texts."""

import pytest

from retable.papers.floors import TABLE_1 as TABLE
from retable.results.findings import Measured
from retable.results.judging import Judge
from retable.results.pretrained import pretrained
from retable.results.resolving import Filled
from retable.tables.lines import UNVERIFIED
from retable.tables.lines import Line as Score
from tests.results.records import PROTOCOL, answers, plan, run

RIGHT = {  # corpus -> correct answers of 1,000: NB-SVM, MiniLM under a logistic regression
    "r8": (900, 950),
    "sst-2": (830, 829),
    "fdu-books": (870, 780),
}


@pytest.fixture
def made(tmp_path):
    """Return a function that gives the finding of the cells above, of these rows, some noted as something."""

    def finding(rows=("nb-svm", "minilm-lr"), noted=(), **asked):
        runs, scores, of_plan = {}, [], plan()
        for corpus, of_corpus in RIGHT.items():
            for row, right in zip(("nb-svm", "minilm-lr"), of_corpus, strict=True):
                if row not in rows:
                    continue
                path = answers(tmp_path / f"{row}-{corpus}.parquet", right, 1000, prefix=f"{corpus}/test")
                record = run(of_plan, TABLE.name, row, corpus, predictions=path)
                record.cost["flops_per_word"] = 5000.0 if row == "minilm-lr" else 5.0
                runs[row, corpus] = [[record]]
                of_cell = asked if (row, corpus) in noted else {}
                scores.append(Score(row, corpus, "accuracy", measured=f"{right / 10:.2f}", **of_cell))
        return pretrained(Measured(TABLE, scores, []), Filled(runs), Judge({}, lambda table: PROTOCOL))

    return finding


def rows_of(found):
    """Return the rows of its table."""
    return [line.strip("| ").split(" | ") for line in found.body.splitlines() if line.startswith("| ")][2:]


def test_corpora_are_ordered_by_difference_and_counted_after_holm(made):
    found = made()
    assert found.headline == (
        "A pretrained encoder, MiniLM under a logistic regression, is ahead of NB-SVM on 1 of 3 corpora and behind on "
        "1, after correction for many tests (Holm)"
    )
    assert "1,000 times the operations" in found.body
    assert [(row[0], row[1], row[3], row[5].partition(" ")[0], *row[6:]) for row in rows_of(found)] == [
        ("R8", "90.00", "95.00", "+5.0", "ahead", "ahead"),
        ("SST-2", "83.00", "82.90", "-0.1", "equal", "equal"),
        ("FDU books", "87.00", "78.00", "-9.0", "behind", "behind"),
    ]


def test_scores_that_were_imported_unchecked_do_not_count(made):
    noted = [("minilm-lr", "r8"), ("nb-svm", "sst-2")]
    assert [row[0] for row in rows_of(made(noted=noted, verdict=UNVERIFIED))] == ["FDU books"]


@pytest.mark.parametrize("rows", [(), ("nb-svm",), ("minilm-lr",)])
def test_without_both_rows_there_is_no_finding(made, rows):
    assert made(rows) is None
