"""Findings: each headline's numbers counted by hand, and no page for findings that the bank cannot support."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from retable.papers import result_table
from retable.papers.claims import claims
from retable.results import findings
from retable.results.findings import (
    MeasuredTable,
    beside_a_linear_model,
    cost_of_a_word,
    linear_beside_print,
    near_copies,
    readings,
)
from retable.results.judging import Judged
from retable.results.resolving import Filled
from retable.tables.comparison import compare_units
from retable.tables.lines import Line

TABLE, FLOORS = result_table("fcsr-table-3"), result_table("floors-table-1")
FAR = np.linspace(0.0, 0.01, 10)  # over ten folds, around the difference
CLAIMS = [
    replace(claims()[0], table="fcsr-table-3", sign=">", size="", measured=measured) for measured in ("own", "ours")
]


def line(claim, first, second, difference, printed=None, on="Polar"):
    """Return a comparison over ten folds with almost no spread; with None it has no verdict."""
    ours = None
    if difference is not None:
        ours = compare_units((0.5 + difference + FAR)[None], (0.5 + FAR[::-1])[None], 10_000)
    return Judged(
        CLAIMS[claim], TABLE.row(first), TABLE.row(second), on, 10_000, (10, 10), difference or 0.0, printed, ours,
        columns=(on.lower(),),
    )  # fmt: skip


def runs(texts, *clean):
    """Return the runs of a seed, one on each test fold, with so many texts of which some are clean; None: none is."""
    folds = len(clean)
    return [
        SimpleNamespace(
            seed=1,
            folding=("test", folds) if folds > 1 else ("", 0),
            cost={},
            metrics={
                "test": {"accuracy": 0.5, "texts": texts},
                "test_clean": each and {"accuracy": 0.5, "texts": each},
                "vectors": None,
                "epochs": {"run": None, "turned": None},
                "parameters": {
                    "training": {},
                    "corpus": {"kind": "test", "folds": folds, "fold": number} if folds > 1 else {},
                },
            },
        )
        for number, each in enumerate(clean, 1)
    ]


def score(row, column, **cells):
    return Line(row, column, "accuracy", **cells)


def test_printed_differences_are_larger_equal_or_not_told():
    lines = [line(0, "fcsr", "cnn", 0.02, 6.0), line(0, "fcsr", "bilstm", 0.05, 5.0), line(0, "cnn", "bilstm", 0.05)]
    found = findings.printed_sizes(lines)
    assert found.headline == (
        "The median printed difference is 5.5 points, ours, in the same direction, +3.5; 1 of 2 are printed above our "
        "95% prediction interval"
    )
    assert "The median difference of two rows is 5.5 points in print." in found.body
    assert "Those that are larger belong to 1 of 1 pairs of a first row and a column" in found.body
    assert "decided the other way" not in found.body
    assert "Here it is 3.5 in size and +3.5 in the printed direction: 0 of 2 have the other sign" in found.body
    # 5 / 10 of a fold's variance, twice, and 9 degrees of freedom: the interval shown is that of our mean
    assert "| FCSR | FCSR vs. CNN, Polar | +6.0 | +2.0 (+1.5 to +2.5) |" not in found.body
    cells = [row.split(" | ") for row in found.body.splitlines() if "FCSR vs. CNN" in row]
    assert (cells[0][2], cells[0][5]) == ("+6.0", "printed is larger |")
    ours, expected = ([float(end) for end in cell.split(" to ")] for cell in cells[0][3:5])
    assert (expected[1] - expected[0]) / (ours[1] - ours[0]) == pytest.approx(2**0.5, rel=0.1)
    assert findings.printed_sizes(lines[-1:]) is None
    other_way = [*lines[:2], line(0, "fcsr", "cnn", 0.03, -1.0, on="SST")]
    body = findings.printed_sizes(other_way).body
    assert "Here it is 3.0 in size and +2.0 in the printed direction: 1 of 3 have the other sign" in body
    wide = compare_units(0.5 + 10 * FAR[None], 0.5 + 10 * FAR[None, ::-1], 10_000)
    unclear = replace(line(0, "fcsr", "cnn", 0.0, 2.0, on="SST"), comparison=wide)
    body = findings.printed_sizes([*lines[:2], unclear]).body
    assert "*Within our prediction interval* is no agreement: 1 of the 3 intervals hold both zero and" in body
    against = compare_units(0.482 + 3 * FAR[None], 0.5 + 3 * FAR[None, ::-1], 10_000)
    behind = replace(line(0, "fcsr", "cnn", 0.0, 0.2, on="SST"), difference=-0.018, comparison=against)
    assert behind.verdict == "behind"
    assert "in 1 of them our means are decided the other way" in findings.printed_sizes([*lines[:2], behind]).body


def test_own_models_beside_the_linear_model_with_what_they_cost():
    lines = [
        line(1, "fcsr", "nb-svm", 0.05),
        line(1, "fcsr", "nb-svm", -0.05, on="SST"),
        line(1, "fcsr-relu-features", "nb-svm", 0.05),  # a reading
        line(1, "fcsr-glove", "nb-svm", 0.05),  # shown, not counted
        line(1, "fcsr", "tfidf-svm", 0.05),  # another linear model
        line(1, "fcsr", "nb-svm", None, on="Final"),  # cut
        line(0, "fcsr", "cnn", 0.05),
    ]
    costs = [{"row": "fcsr", "column": "polar", "flops_per_word": flops} for flops in (1e6, 2e6, 9e6)]
    costs += [{"row": "nb-svm", "column": column, "flops_per_word": 10.0} for column in ("polar", "sst")]
    costs.append({"row": "fcsr", "column": "sst", "flops_per_word": 3e5})
    found = beside_a_linear_model(lines, {"fcsr-table-3": MeasuredTable(TABLE, [], costs)})
    assert found.headline == (
        "The papers' own models are ahead of NB-SVM, a linear model, in 1 of 2 comparisons and behind in 1; after "
        "Holm's correction in 1 and 1"
    )
    assert (found.body.count("| 2.0 M | 200 K |"), found.body.count("| 300 K | 30 K |")) == (1, 1)
    assert (found.body.count("*FCSR, GloVe 6B 100-d* > NB-SVM"), found.body.count("ReLU")) == (1, 0)
    assert beside_a_linear_model(lines[2:], {}) is None


def test_the_linear_model_beside_the_best_print_of_a_column():
    scores = [
        score("nb-svm", "sst-2", measured="83.20"),
        score("tfidf-svm", "sst-2", measured="99.00"),  # choosing the better of two would be a choice by test scores
        score("fcsr", "sst-2", published="80.8"),
        score("cnn", "sst-2", measured="82.48", published="77.2"),
        score("fasttext", "sst-2", measured="98.00"),  # no network
        score("nb-svm", "polarity", measured="78.73"),
        score("fcsr", "polarity", published="80.5"),
        score("nb-svm", "covid-sentiment", measured="70.01"),  # nothing printed
    ]
    found = linear_beside_print([MeasuredTable(TABLE, scores, [])])
    assert found.headline == "NB-SVM, a linear model, is above the best printed number on 1 of 2 columns"
    assert "| FCSR | SST | 83.2 |  | 80.8 | +2.4 | 82.5 |\n| FCSR | Polar | 78.7 |  | 80.5 | -1.8 |  |" in found.body
    assert linear_beside_print([MeasuredTable(TABLE, scores[-1:], [])]) is None


def test_a_column_of_two_tables_has_their_best_print_and_one_of_a_joint_corpus_is_another_column():
    separate, joint = (result_table(f"fcsr-table-{number}") for number in (4, 5))
    tables = [
        MeasuredTable(table, [score("nb-svm", "fdu-mr", measured=ours), score("fcsr", "fdu-mr", published=printed)], [])
        for table, ours, printed in ((separate, "75.00", "78.2"), (separate, "75.00", "70.0"), (joint, "71.00", "76.7"))
    ]
    found, body = linear_beside_print(tables), linear_beside_print(tables).body
    assert found.headline.endswith("the best printed number on 0 of 2 columns of single review domains")
    sst = [score("nb-svm", "sst-2", measured="83.20"), score("fcsr", "sst-2", published="80.8")]
    both = linear_beside_print([*tables, MeasuredTable(TABLE, sst, [])])
    assert both.headline.endswith("number on 1 of 1 columns and 0 of 2 columns of single review domains")
    assert "| MR (review domain) | 75.0 |  | 78.2 | -3.2 |" in body
    assert "| MR, trained on all domains | 71.0 |  | 76.7 | -5.7 |" in body


def test_near_copies_worth_half_a_point():
    scores = [
        score("nb-svm", "r8", measured="96.00", clean="95.50"),
        score("nb-svm", "trec", measured="90.00", clean="88.00"),
        score("nb-svm", "imdb", measured="91.00", clean="90.60"),
        score("tfidf-svm", "sst-2", measured="91.00", clean="80.00"),
        score("nb-svm", "sst-2", measured="83.00"),  # no clean part known
    ]
    floors = MeasuredTable(FLOORS, scores, [])
    filled = Filled({("nb-svm", "r8"): [runs(80, 50)], ("nb-svm", "trec"): [runs(200, 202, None)]})
    found = near_copies(floors, filled)
    assert found.headline.startswith(
        "NB-SVM scores lower by half a point or more on 2 of 3 test sets without near copies"
    )
    assert found.headline.endswith("TREC by 2.0")
    assert "| TREC | 400 | 202 | 90.00 | 88.00 | -2.0 |" in found.body
    assert found.body.index("TREC") < found.body.index("R8")
    assert near_copies(MeasuredTable(FLOORS, scores[2:], []), filled) is None


@pytest.mark.parametrize(("clean", "end"), [(100, "TREC by 2.0"), (99, "R8 by 0.5")])
def test_the_largest_fall_is_that_of_a_test_set_half_of_which_is_clean(clean, end):
    scores = [
        score("nb-svm", "r8", measured="96.00", clean="95.50"),
        score("nb-svm", "trec", measured="90.00", clean="88.00"),
    ]
    filled = Filled({("nb-svm", "r8"): [runs(80, 40)], ("nb-svm", "trec"): [runs(200, clean)]})
    assert near_copies(MeasuredTable(FLOORS, scores, []), filled).headline.endswith(end)


def test_readings_that_come_to_other_verdicts_are_counted_by_claim_and_column():
    lines = [
        line(0, "fcsr", "cnn", 0.05),
        line(0, "fcsr", "cnn", 0.05, on="SST"),
        line(0, "fcsr-relu-features", "cnn", -0.05),
        line(0, "fcsr-relu-features", "cnn", 0.05, on="SST"),
        line(0, "fcsr", "cnn", 0.05, on="Final"),  # only one reading
        line(0, "fcsr", "bilstm", 0.05, on="AG"),
        line(0, "fcsr-relu-features", "bilstm", 0.003, on="AG"),  # undecided, which contradicts nothing
        line(1, "fcsr", "nb-svm", 0.05, on="Yelp F."),  # ours
        line(1, "fcsr-relu-features", "nb-svm", -0.05, on="Yelp F."),
    ]
    assert lines[-3].verdict == "undecided"
    found = readings(lines)
    assert found.headline == (
        "Readings of a paper contradict each other in 1 of 3 comparisons and turn 1 lead into a loss; in 1 more, only "
        "some readings are decided"
    )
    assert [found.body.count(name) for name in ("Polar", "AG", "SST", "Yelp")] == [2, 2, 0, 0]
    assert found.body.index("Polar") < found.body.index("AG")
    assert readings(lines[3:5]) is None
    lines.append(line(0, "fcsr-relu-features", "cnn", -0.05, on="Final"))
    relu = "FCSR, ReLU over the features"
    assert f"in 2 of 4 comparisons (2 of them through one: {relu}) and turn 2 leads into" in readings(lines).headline
    lines += [line(0, row, "bilstm", size, on="A") for row, size in (("fcsr", 0.05), ("fcsr-fp", -0.05))]
    lines += [line(0, row, "s-lstm", size, on="B") for row, size in (("fcsr", 0.05), ("fcsr-fp", -0.05))]
    assert "through one" not in readings(lines).headline  # two of four are no majority


def test_what_a_word_costs_fcsr_beside_its_rivals():
    costs = [
        {"row": row, "flops_per_word": flops, "parameters": 1.0, "peak_memory_mb": 1.0, "threads": 1}
        for row, flops in (("fcsr", 6e6), ("cnn", 8e5), ("bilstm", 1.2e6), ("transformer", 1.2e7), ("vampire", 2e3))
    ]
    costs.append({**costs[0], "row": "char-cnn"})  # of a character, so it is left out
    found = cost_of_a_word(MeasuredTable(TABLE, [], costs))
    assert found.headline == (
        "FCSR, which its paper calls the most efficient, needs more operations per word than 3 of 4 rivals in "
        "the figure of that claim"
    )
    assert "has 7.5 times CNN's, 5.0 times BiLSTM's and 0.50 times Transformer's operations per word" in found.body
    assert "| FCSR | 1.0 | 6.0 M |" in found.body
    assert found.body.index("VAMPIRE") < found.body.index("| CNN |") < found.body.index("| Transformer |")
    assert "Char-CNN" not in found.body
    only = cost_of_a_word(MeasuredTable(TABLE, [], [costs[0], costs[3]]))
    assert "than 0 of 1 rival in the figure of that claim" in only.headline
    assert "has 0.50 times Transformer's operations per word" in only.body
    unnamed = cost_of_a_word(MeasuredTable(TABLE, [], [costs[0], costs[4]]))  # beside VAMPIRE, which no sentence names
    assert 'efficiency". Operations do not depend' in unnamed.body
    assert cost_of_a_word(MeasuredTable(TABLE, [], costs[:1])) is None
    assert cost_of_a_word(MeasuredTable(TABLE, [], costs[1:])) is None
    assert cost_of_a_word(None) is None


def test_the_index_links_each_page():
    pages = [findings.Finding("one", "A headline", "Text.\n"), findings.Finding("two", "Another", "Text.\n")]
    assert findings.index(pages).endswith("- [A headline](one.md)\n- [Another](two.md)\n")
    assert pages[0].page.startswith("# A headline\n\nText.\n")
