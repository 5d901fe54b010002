import csv
from dataclasses import replace

import pytest

from retable.errors import InputError
from retable.papers.paper import Column, ResultTable, Row
from retable.tables.lines import Line, read_lines, write_lines
from retable.tables.markdown import WIDE, half_interval, result_markdown, signed
from retable.tables.published import Published, read_published
from retable.tables.results import Cells, is_papers_kind, result_lines
from retable.tables.run_result import RunResult, is_whole
from retable.wording import listed

TABLE = ResultTable(
    name="made-up-table-1",
    title="A table",
    published="table-1",
    metric="accuracy",
    unit="%",
    vectors="glove",
    rows=(
        Row("net", "Net", model="net"),
        Row("other", "Other", reason="not built here yet"),
        Row("tfidf-svm", "tf-idf", model="tfidf-svm", extra=True),
    ),
    columns=(
        Column("a", "A", corpus="corpus-a", split="paper"),
        Column("b", "B", reason="not obtainable"),
        Column("sample", "Sample", corpus="sample", split="paper", extra=True),
    ),
)


def printed(row, column, value, own="yes"):
    return Published(row, column, "accuracy", value, "%", own, "")


def run(value, clean=None, vectors="pool-en.word2vec-300", turned=True):
    return RunResult(value, clean, 1000, vectors, 0.97 if vectors else None, 8, turned)


RUN = run(0.8)
METRICS = {
    "test": {"accuracy": 0.5, "texts": 800}, "test_clean": None, "vectors": None,
    "epochs": {"run": 3, "turned": True}, "parameters": {"training": {"max_words": 0}},
}  # fmt: skip
PRINTED = [
    printed("net", "a", "80.0"),
    printed("net", "b", "70.0"),
    printed("other", "a", "84.5"),
    printed("other", "b", "71.0", "cited"),
]


def lines_of(runs, missing=None):
    lines = result_lines(TABLE, PRINTED, Cells(runs, missing or {}))
    return {(line.row, line.column): line for line in lines}


def test_every_printed_cell_has_a_line_and_an_unmeasured_one_says_why():
    lines = lines_of({})
    assert {("net", "a"), ("net", "b"), ("other", "a"), ("other", "b"), ("tfidf-svm", "a"), ("tfidf-svm", "b")} == set(
        lines
    )
    assert lines["net", "a"].note == "not planned at any scale"
    assert lines["net", "b"].note == "not obtainable"
    assert lines["other", "a"].note == "not built here yet"
    assert all(line.verdict == "not-run" and not line.measured for line in lines.values())
    assert lines["other", "b"].match == "quoted"
    refused = lines_of({}, {("net", "a"): "refused: its data changed since then"})["net", "a"]
    assert (refused.note, refused.measured) == ("refused: its data changed since then", "")


def test_one_run_has_the_spread_of_the_other_rows_but_not_that_of_their_second_readings():
    more = (Row("one", "One", model="net"), Row("two", "Two", model="net"), Row("three", "Three", model="net"))
    table = replace(TABLE, rows=(*more, *TABLE.rows, Row("sgd", "", "net", reading_of="net")))
    runs = {("one", "a"): [run(0.8)], ("tfidf-svm", "a"): [run(0.70)]}
    runs |= {(row, "a"): [run(0.82), run(0.84)] for row in ("net", "two", "three")}
    of_others = interval_of(table, runs)
    assert interval_of(table, runs | {("sgd", "a"): [run(0.30), run(0.70)]}) == of_others != 0
    assert interval_of(table, runs | {("net", "a"): [run(0.30), run(0.70)]}) > of_others


def interval_of(table, runs):
    """Return the width of the interval of the cell of row `one` in column `a`."""
    line = next(
        line for line in result_lines(table, PRINTED, Cells(runs, {})) if (line.row, line.column) == ("one", "a")
    )
    return float(line.high) - float(line.low)


def test_a_measured_cell_by_hand():
    line = lines_of({("net", "a"): [run(0.826, clean=0.829), run(0.836, clean=0.829)]})["net", "a"]
    assert (line.measured, line.published, line.delta, line.clean, line.runs) == (
        "83.10", "80.0", "+3.10", "82.90", "2",
    )  # fmt: skip
    half = 12.7062 * (0.5 * 0.01**2 * 1.5) ** 0.5  # t(0.975, 1); the paper's test texts: seeds alone
    assert float(line.low) == pytest.approx(83.1 - 100 * half, abs=0.01)
    assert line.verdict == "uninformative"
    assert line.match == "proxy"  # the paper's vectors are GloVe
    assert lines_of({("net", "a"): [run(0.80, vectors="glove.6b-300")]})["net", "a"].match == "exact"
    assert "share of the training tokens with a vector: 97.0%" in line.note


@pytest.mark.parametrize(
    ("wanted", "vectors", "own"),
    [
        ("glove", "glove.6b-300", True),
        ("glove", "glove.840b-300", True),
        ("glove", "pool-en.glove-300", False),  # GloVe's method on our texts is not its release
        ("glove", "", False),
        ("corpus.word2vec", "r8.word2vec-100", True),
        ("corpus.word2vec", "imdb.word2vec-100", False),
        ("corpus.word2vec", "r8.glove-100", False),
        ("chinese-word-vectors", "pool-zh.word2vec-characters-300", False),
        ("", "pool-en.word2vec-300", True),
    ],
)
def test_vectors_are_the_papers_own_by_source_or_by_corpus_and_method(wanted, vectors, own):
    assert is_papers_kind(wanted, vectors, "r8") is own


def test_vectors_of_another_size_are_not_the_papers():
    assert is_papers_kind("glove", "glove.6b-300", "mr", 300)
    assert not is_papers_kind("glove", "glove.6b-100", "mr", 300)


def test_a_column_of_another_score_shows_the_same_runs_beside_its_own_printed_number():
    columns = (*TABLE.columns, Column("a-f1", "A, F1", corpus="corpus-a", metric="macro_f1", runs_of="a"))
    table = replace(TABLE, columns=columns)
    assert [column.id for column in table.showing("a")] == ["a", "a-f1"]
    assert [column.id for column in table.showing("b")] == ["b"]
    numbers = [*PRINTED, Published("net", "a", "macro_f1", "78.5", "%", "yes", "averaging not stated")]
    runs = {("net", "a"): [run(0.831)], ("net", "a-f1"): [run(0.790)]}
    lines = {(line.row, line.column): line for line in result_lines(table, numbers, Cells(runs, {}))}
    accuracy, f1 = lines["net", "a"], lines["net", "a-f1"]
    assert (accuracy.metric, accuracy.measured, accuracy.published) == ("accuracy", "83.10", "80.0")
    assert (f1.metric, f1.measured, f1.published, f1.delta) == ("macro_f1", "79.00", "78.5", "+0.50")
    assert "averaging not stated" in f1.note
    assert ("other", "a-f1") not in lines  # its F1 is not printed


def test_tables_share_a_cell_of_equal_options_corpus_and_unit():
    def filled(other, row, column):
        found = TABLE.shown_as(other, row, column, lambda row: {"layers": 1} | row.overrides)
        return [(own.id, shown.id) for own, shown in found]

    assert filled(TABLE, "net", "a") == [("net", "a")]
    assert filled(TABLE, "net", "b") == []  # no corpus
    other = replace(TABLE, columns=(Column("elsewhere", "A", corpus="corpus-a"),))
    assert filled(other, "net", "elsewhere") == [("net", "a")]
    other = replace(TABLE, columns=(Column("a", "A", corpus="corpus-a", unit="characters"),))
    assert filled(other, "net", "a") == []
    other = replace(TABLE, rows=(Row("deep", "Net", model="net", overrides={"layers": 2}),))
    assert filled(other, "deep", "a") == []
    other = replace(TABLE, rows=(Row("flat", "Net", model="net", overrides={"layers": 1}),))
    assert filled(other, "flat", "a") == [("net", "a")]  # another name for the same options


def test_a_column_may_be_the_mean_of_others():
    columns = (*TABLE.columns, Column("average", "Avg.", split="paper", mean_of=("a", "sample")))
    table = replace(TABLE, columns=columns)
    runs = {
        ("net", "a"): [run(0.8, clean=0.7)],
        ("net", "sample"): [run(0.9, clean=0.8)],
        ("tfidf-svm", "a"): [run(0.5)],
    }
    numbers = [printed("net", "average", "84.0"), printed("other", "average", "80.0")]
    lines = {(line.row, line.column): line for line in result_lines(table, numbers, Cells(runs, {}))}
    line = lines["net", "average"]
    assert (line.measured, line.clean, line.delta, line.runs) == ("85.00", "75.00", "+1.00", "1")
    assert (line.low, line.verdict) == ("", "one-run")
    two = {key: [*found, replace(found[0], value=found[0].value + 0.01)] for key, found in runs.items()}
    line = {(line.row, line.column): line for line in result_lines(table, numbers, Cells(two, {}))}["net", "average"]
    assert float(line.high) - 85.5 == pytest.approx(100 * 12.7062 * (0.5 * 0.01**2 * 1.5) ** 0.5, abs=0.01)
    assert lines["tfidf-svm", "average"].note == "1 of its 2 columns are measured"


def test_the_score_on_a_domain_of_a_joint_corpus():
    scores = {"test": {"accuracy": 0.9, "texts": 400}, "test_clean": {"accuracy": 0.85}}
    metrics = METRICS | {"domains": {"one": scores}}
    assert RunResult.from_metrics(metrics, {}, "accuracy").value == 0.5
    result = RunResult.from_metrics(metrics, {}, "accuracy", "one")
    assert (result.value, result.clean, result.texts) == (0.9, 0.85, 400)
    column = Column("one", "One", corpus="joint", domain="one", runs_of="joint")
    assert TABLE.printed_as(column) == ("one", "accuracy")  # not in the joint corpus's column


def test_a_linear_row_of_a_paper_trained_in_bfloat16_is_no_bfloat16_run():
    parameters = {"training": {}, "precision": "bfloat16"}
    linear = METRICS | {"parameters": parameters, "epochs": {"run": None, "turned": None}}
    network = METRICS | {"parameters": parameters}
    assert RunResult.from_metrics(linear, {}, "accuracy").precision == "float32"
    assert RunResult.from_metrics(network, {}, "accuracy").precision == "bfloat16"


def test_a_cost_is_shown_in_its_own_unit_and_not_judged():
    table = replace(TABLE, columns=(Column("memory", "Memory", corpus="c", metric="peak_memory_mb", runs_of="a"),))
    runs = {("net", "memory"): [RunResult.from_metrics(METRICS, {"peak_memory_mb": 812.3}, "peak_memory_mb")]}
    numbers = [Published("net", "a", "peak_memory_mb", "2000", "MB", "yes", "")]
    (line, _) = result_lines(table, numbers, Cells(runs, {}))
    assert (line.measured, line.unit, line.delta, line.low, line.verdict) == ("812", "MB", "-1188", "", "uninformative")


@pytest.mark.parametrize(
    ("result", "match", "said"),
    [
        (RUN, "exact", ""),
        (replace(RUN, max_words=200), "proxy", "texts cut after 200 words"),
        (replace(RUN, of_epochs=30), "proxy", "cut: ended after 8 of 30 epochs, the limit of the scale or row"),
        (replace(RUN, cut=40), "proxy", "the schedule of 40 epochs was stopped after 8"),
        (replace(RUN, precision="bfloat16"), "exact", "trained in bfloat16"),
        (replace(RUN, turned=False), "exact", "best dev score in the last epoch (8)"),
    ],
)
def test_what_shortened_a_run_is_told_and_makes_no_exact_match(result, match, said):
    line, *_ = result_lines(replace(TABLE, vectors=""), PRINTED, Cells({("net", "a"): [result]}, {}))
    told = line.note.partition("; ")[2].removesuffix(
        "one run, and fewer than three other rows of the column have two: no interval"
    )
    assert (line.match, told.removesuffix("; ")) == (match, said)


CONSTANT = {"schedule": "constant", "epochs": 10, "epochs_max": 40, "patience": 3}


@pytest.mark.parametrize(
    ("ran", "curve", "of_row", "options", "whole"),
    [
        (None, (), 0, {}, True),  # a linear model
        (10, (), 10, {}, True),
        (10, (), 20, {}, False),
        (9, (), 20, {}, True),  # patience ended it before the limit
        (10, (80.0,) * 10, 20, {}, True),  # and this one at the limit
        (10, (80.0,) * 7 + (81.0, 81.0, 81.0), 20, {}, False),
        (10, (80.0,) * 6 + (81.0, 81.0, 81.0, 80.0), 20, {}, True),
        (12, (), 40, {"schedule": "fcsr", "epochs": 12}, True),  # the rate is 1/6,600 of the first
        (5, (), 40, {"schedule": "fcsr", "epochs": 5}, False),
        (1, (), 20, {"schedule": "warmup", "epochs": 1}, False),
        (10, (), 30, {"schedule": "steps", "epochs_max": 30}, False),
        (10, (), 30, {"schedule": "halving"}, False),  # its batches are not known
    ],
)
def test_a_training_is_whole_by_patience_by_its_epochs_or_by_its_rate(ran, curve, of_row, options, whole):
    assert is_whole(CONSTANT | options, ran, curve, of_row) is whole


def test_a_cut_training_and_a_single_run_get_no_verdict():
    assert lines_of({("net", "a"): [run(0.9)]})["net", "a"].verdict == "one-run"
    cut = [replace(run(value), of_epochs=30) for value in (0.9, 0.91)]
    lines = lines_of({("net", "a"): cut, ("net", "sample"): cut})
    assert (lines["net", "a"].verdict, lines["net", "sample"].verdict) == ("cut", "")
    text = result_markdown(TABLE, list(lines.values()))
    assert "| 90.50 ± 10.2 *80.0* (cut) |" in text
    assert "**90.50**" not in text


def test_unverified_answers_get_no_verdict_nor_does_a_mean_with_them():
    table = replace(TABLE, columns=(*TABLE.columns, Column("average", "Avg.", split="paper", mean_of=("a", "sample"))))
    unverified = [replace(run(value), is_unverified=True) for value in (0.80, 0.81)]
    runs = {("net", "a"): [run(0.80), run(0.81)], ("net", "sample"): unverified}
    lines = {line.column: line for line in result_lines(table, PRINTED, Cells(runs, {})) if line.row == "net"}
    assert {name: line.verdict for name, line in lines.items()} == {
        "a": "uninformative", "b": "not-run", "sample": "unverified", "average": "unverified",
    }  # fmt: skip
    marked = [name for name, line in lines.items() if "unverified: imported, answers not compared" in line.note]
    assert marked == ["sample", "average"]
    assert "| **80.50** ± 11.0 unverified |" in result_markdown(TABLE, [lines["sample"]])


def test_a_single_run_takes_the_spread_of_other_networks_in_its_column():
    others = ("second", "third", "fourth")
    table = replace(TABLE, rows=(*TABLE.rows, *(Row(row, "", model="net", extra=True) for row in others)))
    runs = {(row, "a"): [run(0.70), run(0.72)] for row in others}
    runs |= {("net", "a"): [run(0.83)], ("tfidf-svm", "a"): [run(0.8)]}
    lines = {line.row: line for line in result_lines(table, PRINTED, Cells(runs, {})) if line.column == "a"}
    half = 100 * 3.182446 * (2 * 0.5 * 0.02**2) ** 0.5  # t(0.975, 3)
    assert float(lines["net"].high) - 83 == pytest.approx(half, abs=0.01)
    assert (lines["tfidf-svm"].low, lines["tfidf-svm"].high) == ("80.00", "80.00")  # no seed, and the same texts


def test_a_printed_number_below_the_linear_rows_is_marked():
    lines = lines_of({("net", "a"): [run(0.80)], ("tfidf-svm", "a"): [run(0.817, vectors="")]})
    assert "printed number below the best floor: tfidf-svm 81.7" in lines["net", "a"].note
    assert lines["tfidf-svm", "a"].verdict == ""


def test_a_sample_column_appears_only_where_it_is_measured_or_a_scale_has_it():
    assert ("net", "sample") not in lines_of({})
    assert lines_of({("net", "sample"): [run(0.9)]})["net", "sample"].published == ""
    lines = lines_of({}, {("net", "sample"): "not run yet: planned at scale full"})
    assert (lines["net", "sample"].verdict, lines["net", "sample"].note) == (
        "not-run",
        "not run yet: planned at scale full",
    )
    assert ("tfidf-svm", "sample") not in lines
    assert "| Net (`net`) | – *80.0* | – *70.0* | – |" in result_markdown(TABLE, list(lines.values()))


@pytest.mark.parametrize(
    ("reasons", "of_mean"),
    [
        (("not run yet", "not run yet"), "not run yet"),
        (("not run yet", "refused"), "0 of its 2 columns are measured"),
        (("", ""), "not planned at any scale"),
    ],
)
def test_a_mean_of_nothing_says_what_its_columns_say(reasons, of_mean):
    table = replace(TABLE, columns=(*TABLE.columns, Column("average", "Avg.", mean_of=("a", "sample"))))
    missing = {("net", name): reason for name, reason in zip(("a", "sample"), reasons, strict=True) if reason}
    lines = result_lines(table, [printed("net", "average", "84.0")], Cells({}, missing))
    assert {line.note for line in lines if (line.row, line.column) == ("net", "average")} == {of_mean}


def test_lines_survive_the_csv(tmp_path):
    lines = list(lines_of({("net", "a"): [run(0.831)]}).values())
    write_lines(tmp_path / "t.csv", lines)
    assert read_lines(tmp_path / "t.csv") == lines
    header = "row,column,metric,measured,low,high,runs,clean,published,delta,unit,match,verdict,note"
    assert (tmp_path / "t.csv").read_text().splitlines()[0] == header


@pytest.mark.parametrize(
    ("count", "head", "first"),
    [(WIDE + 1, "|  | Net (`net`) |", "| C0 | **83.20**"), (WIDE, "|  | C0 | C1 |", "| Net (`net`) | **8")],
)
def test_a_table_wider_than_a_page_is_turned(count, head, first):
    columns = tuple(Column(f"c{number}", f"C{number}", corpus="c") for number in range(count))
    table = replace(TABLE, columns=columns, published=None)
    cells = Cells({("net", column.id): [run(0.831), run(0.833)] for column in columns}, {})
    text = result_markdown(table, result_lines(table, [], cells))
    grid = [line for line in text.splitlines() if line.startswith("| ")]
    assert grid[0].startswith(head)
    assert grid[2].startswith(first)


@pytest.mark.parametrize(
    ("points", "shown"), [(0.5, "+0.5"), (-0.06, "-0.1"), (0.0, "0.0"), (-0.0, "0.0"), (0.04, "0.0"), (-0.04, "0.0")]
)
def test_a_difference_that_rounds_to_zero_has_no_sign(points, shown):
    assert signed(points) == shown


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ([], ""), (["MR"], "MR"), (["MR", "SST-2"], "MR and SST-2"), (["MR", "SST-2", "R8"], "MR, SST-2 and R8"),
        (["MR", "SST-2", "AG, a sample"], "MR; SST-2; and AG, a sample"), (["AG, a sample"], "AG, a sample"),
        (["MR", "AG, a sample"], "MR and AG, a sample"), (["AG, a sample", "MR"], "AG, a sample; and MR"),
    ],
)  # fmt: skip
def test_names_with_a_comma_are_listed_with_semicolons(names, shown):
    assert listed(names) == shown


def test_markdown_shows_measured_beside_published():
    text = result_markdown(TABLE, list(lines_of({("net", "a"): [run(0.831), run(0.833)]}).values()))
    assert "**83.20** ± 2.2 *80.0* (▲)" in text
    assert "- not obtainable (column b)" in text


@pytest.mark.parametrize(("low", "high", "half"), [("96.98", "97.04", "0.1"), ("0.9610", "0.9613", "0.001")])
def test_a_narrow_interval_is_never_shown_as_nought(low, high, half):
    assert half_interval(Line("net", "a", "accuracy", measured=low, low=low, high=high)) == half


def test_a_broken_published_file_is_named(tmp_path):
    path = tmp_path / "paper.csv"
    with pytest.raises(InputError, match=r"paper\.csv is missing"):
        read_published(path, "table-1")
    rows = [
        ["table", "row", "column", "metric", "value", "unit", "own", "note"],
        ["table-1", "a", "b", "accuracy", "8O.1", "%", "yes", ""],
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    with pytest.raises(InputError, match=r"line 2: the value '8O\.1' is not a number"):
        read_published(path, "table-1")


@pytest.mark.parametrize(("published", "verdict"), [("71.3", "agrees"), ("71.2", "higher"), ("71.26", "agrees")])
def test_a_row_without_spread_agrees_with_what_rounds_to_its_score(published, verdict):
    number = [printed("tfidf-svm", "a", published), printed("net", "a", "80.0")]
    (line, *_) = [
        line
        for line in result_lines(TABLE, number, Cells({("tfidf-svm", "a"): [run(0.7126, vectors="")] * 2}, {}))
        if line.row == "tfidf-svm"
    ]
    assert (line.low, line.high, line.verdict) == ("71.26", "71.26", verdict)


def test_texts_that_are_all_answered_rightly_vary_too():
    assert run(1.0).of_texts == pytest.approx((1002 / 1004) * (2 / 1004) / 1000)
    assert run(0.5).of_texts == pytest.approx(0.25 / 1000)
