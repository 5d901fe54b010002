"""The finding of our own table: what each addition gains, text by text, although the columns number texts apart."""

import pytest

from retable.papers.bench import TABLE_2 as TABLE
from retable.results.ablation import ALL, LINEAR, ablation, steps_of
from retable.results.findings import MeasuredTable
from retable.results.judging import Judge
from retable.results.resolving import Filled
from retable.runs.record import RunRecord
from retable.tables.lines import CUT, UNVERIFIED
from retable.tables.lines import Line as Score
from tests.results.records import answers

SEEDS = (1, 2, 3, 4, 5)
RIGHT = {  # row -> correct answers of 1,000, trained on sentences and on phrases too
    "cnn-random": (700, 720),
    "cnn-preset": (800, 810),
    "cnn": (803, 810),  # on phrases, the search chose the preset
    "tfidf-svm": (790, 812),
    "nb-svm": (830, 835),
}


@pytest.fixture
def made(tmp_path):
    """Return a function that gives the finding of the cells above, some left out, or noted as something."""

    def finding(seeds=SEEDS, left_out=(), **asked):
        runs, scores, of_network = {}, [], seeds
        for row, of_columns in RIGHT.items():
            seeds = [0] if row in LINEAR else of_network
            for column, right in zip(TABLE.columns, of_columns, strict=True):
                if (row, column.id) in left_out:
                    continue
                runs[row, column.id] = cell = []
                for seed in seeds:
                    path = tmp_path / f"{row}-{column.id}-{seed}.parquet"
                    answers(path, right + seed % 2, 1000, prefix=f"{column.corpus}/test")
                    cell.append([RunRecord({"parameters": {"corpus": {}}}, {}, (), path)])
                mean = sum(right + seed % 2 for seed in seeds) / len(seeds)
                scores.append(Score(row, column.id, "accuracy", measured=f"{mean / 10:.2f}", **asked))
        return ablation(MeasuredTable(TABLE, scores, []), Filled(runs), Judge({}, {}.get))

    return finding


def test_every_addition_is_one_difference_with_its_verdict(made):
    found = made()
    assert found.headline == (
        "At the same cost per word on SST-2, vectors, then a search, then phrases take CNN from 70.06 "
        "to 81.06% (decided: vectors +10.0, phrases with a new search +0.7)"
    )
    rows = [line.strip("| ").split(" | ") for line in found.body.splitlines()]
    assert [(row[1:5], row[7]) for row in rows if row[0] == "NB-SVM"] == [
        (["phrases", "1 / 1", "83.00", "83.50"], "**ahead**")
    ]
    rows = [row for row in rows if row[0] == "CNN"]
    assert [(row[1], row[3], row[4], row[5].partition(" ")[0], row[7]) for row in rows] == [
        ("vectors", "70.06", "80.06", "+10.0", "**ahead**"),
        ("search", "80.06", "80.36", "+0.3", "**equal**"),
        ("phrases with a new search", "80.36", "81.06", "+0.7", "**ahead**"),
        ("phrases, without search", "80.06", "81.06", "+1.0", "**ahead**"),
        ("phrases, without vectors and search", "70.06", "72.06", "+2.0", "**ahead**"),
        ("vectors, with phrases", "72.06", "81.06", "+9.0", "**ahead**"),
        ("search, with phrases", "81.06", "81.06", "0.0", "the same runs"),
        ("all three", "70.06", "81.06", "+11.0", "**ahead**"),
        ("in place of tf-idf + SVM, with phrases", "81.20", "81.06", "-0.1", "**equal**"),
        ("in place of NB-SVM, with phrases", "83.50", "81.06", "-2.4", "**behind**"),
    ]
    assert [row[2] for row in rows[-2:]] == ["5 / 1", "5 / 1"]
    assert rows[6][5:7] == ["0.0 (0.0 to 0.0)", ""]  # the same answers


@pytest.mark.parametrize(
    "asked",
    [
        {"left_out": [("cnn", "sst-2-phrases")]},
        {"left_out": [("cnn-random", "sst-2")]},
        {"seeds": (1, 2)},
        {"note": f"{CUT} 2 of 30 epochs, the limit of the scale or row"},
        {"verdict": UNVERIFIED},
    ],
    ids=["a cell is missing", "the first cell is missing", "two runs are too few", "cut", "answers not compared"],
)
def test_a_network_without_all_cells_of_whole_trainings_is_left_out(made, asked):
    assert made(**asked) is None


def test_each_step_adds_one_thing_to_one_cell():
    for network in ("cnn", "fcsr"):
        for step in steps_of(network):
            changed = [one != other for one, other in zip(step.before, step.after, strict=True)]
            assert sum(changed) == (2 if step.added == ALL else 1), step
            assert {step.before, step.after} <= {(row.id, column.id) for row in TABLE.rows for column in TABLE.columns}
