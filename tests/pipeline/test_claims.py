"""The page about claims, from a made-up bank."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.corpora import FAMILIES
from retable.errors import InputError
from retable.papers import claims as of_papers
from retable.papers import paper_of_table, result_table
from retable.papers.claims import claims
from retable.results.claims import beside_readings, claims_markdown, notes_on_columns, through
from retable.results.judging import Judge, after_holm, judged_claims
from retable.results.pairing import accuracies_of_units, answers, clusters_of, units_of
from retable.tables.comparison import Part, compare, compare_units
from retable.text.folds import Fold, held_out_ratio

TEXTS = 100
LABELS = ["no", "yes", "no", "yes"] * 25
PROTOCOL = {"epochs": 0, "device": "cpu", "precision": "float32"}
JUDGE = Judge({}, lambda table: PROTOCOL)
TRAINING = {"epochs": 20, "epochs_max": 40, "schedule": "constant", "patience": 3, "max_words": 0}


def run(path, wrong, prefix="mr", fold=None, vectors="none", unverified=False, **training):
    """Return a run on a hundred texts with these answered incorrectly; it ended by patience after 5 epochs."""
    ids = [f"{prefix}/{text}" for text in range(TEXTS)]
    answered = [label if text not in wrong else "other" for text, label in enumerate(LABELS)]
    pq.write_table(pa.table({"id": ids, "label": LABELS, "predicted": answered}), path)
    metrics = {"epochs": {"run": 5}, "parameters": {"training": TRAINING | training}}
    folding = ("test", fold.folds) if fold else ("", 0)
    told = {"vectors": vectors, "is_unverified": unverified}
    return SimpleNamespace(predictions=path, folding=folding, fold=fold, metrics=metrics, curve=(80.0,) * 5, **told)


def seeds(folder, name, wrongs, **options):
    """Return the runs of a cell, one per seed."""
    return [[run(folder / f"{name}-{number}", wrong, **options)] for number, wrong in enumerate(wrongs)]


def page_of(shown, table="fcsr-table-3", judge=JUDGE):
    return claims_markdown(judged_claims(lambda name: shown if name == table else {}, judge))


def lines_with(page, rows):
    """Return the cells of the comparisons of these two rows."""
    return [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith(f"| {rows} |")]


@pytest.fixture
def shown(tmp_path):
    return {
        ("fcsr", "polarity"): seeds(tmp_path, "a", [range(10), range(2, 12), range(1, 11)]),
        ("cnn", "polarity"): seeds(tmp_path, "b", [range(40), range(41), range(39)]),
        ("fcsr", "sst-2"): seeds(tmp_path, "d", [(), (1,)]),
    }


def test_a_claim_is_judged_where_both_rows_were_measured(shown):
    (line,) = lines_with(page_of(shown), "FCSR ≥ CNN")
    assert line[:5] == ["FCSR ≥ CNN", "Polar", "3 / 3", "100", "+30.0 (+21.1 to +38.9)"]
    assert line[6:] == ["+1.8", "printed is smaller", "**ahead**", "ahead"]


def test_the_sentence_and_who_measured_stand_above(shown):
    quoted = "“achieves or exceeds state of the art models [section 1: ‘on some datasets’]”"
    assert f"**Abstract; table 3**: {quoted} (not stated who measured)" in page_of(shown)


def test_a_single_run_a_cut_training_and_other_words_give_no_verdict(shown, tmp_path):
    shown["cnn", "polarity"] = shown["cnn", "polarity"][:1]
    (line,) = lines_with(page_of(shown), "FCSR ≥ CNN")
    assert (line[4], line[8]) == ("+30.0", "none (one run of cnn)")
    shown["cnn", "polarity"] = seeds(tmp_path, "c", [range(40), range(41)], epochs=5, patience=9)
    (line,) = lines_with(page_of(shown), "FCSR ≥ CNN")
    assert line[8] == "none (cut: cnn)"
    shown["cnn", "polarity"] = seeds(tmp_path, "c", [range(40), range(41)], max_words=20)
    (line,) = lines_with(page_of(shown), "FCSR ≥ CNN")
    assert line[8] == "none (one row reads whole texts, the other parts)"
    shown["cnn", "polarity"] = seeds(tmp_path, "c", [range(40), range(41), range(39)], unverified=True)
    (line,) = lines_with(page_of(shown), "FCSR ≥ CNN")
    assert line[8] == "none (unverified: cnn)"


def test_rows_with_other_word_vectors_are_not_compared_but_with_one_that_has_none(shown, tmp_path):
    wrongs = [range(40), range(41), range(39)]
    shown["fcsr", "polarity"] = seeds(tmp_path, "g", wrongs, vectors="glove")
    assert lines_with(page_of(shown), "FCSR ≥ CNN")[0][8].startswith("**")
    shown["cnn", "polarity"] = seeds(tmp_path, "h", wrongs, vectors="word2vec")
    assert lines_with(page_of(shown), "FCSR ≥ CNN")[0][8] == "none (their word vectors differ)"


def test_a_linear_row_needs_one_run(shown, tmp_path):
    shown["tfidf-svm", "polarity"] = seeds(tmp_path, "svm", [range(40)])
    shown["tfidf-svm", "polarity"][0][0].metrics["epochs"]["run"] = None
    (line,) = lines_with(page_of(shown), "FCSR > tf-idf + SVM")
    assert (line[2], line[8]) == ("3 / 1", "**ahead**")


@pytest.mark.parametrize(("first", "second"), [("fcsr", "cnn"), ("cnn", "fcsr")])
def test_two_readings_with_the_same_vectors_are_both_compared_with_the_other_row_s(first, second):
    claim = replace(claims()[0], table="fcsr-table-3", first=first, second=second)
    pairs = {(one.id, other.id) for one, other in claim.pairs(result_table("fcsr-table-3"))}
    for reading in ("-glove", "-printed-rate", "-printed-rate-glove"):
        assert (f"{first}{reading}", f"{second}{reading}") in pairs
    for mark in ("-glove", "-printed-rate"):
        assert not {pair for pair in pairs if sum(mark in name for name in pair) == 1}


@pytest.mark.parametrize(("first", "second"), [("fcsr", "transformer"), ("transformer", "fcsr")])
def test_a_row_without_these_vectors_or_this_rate_is_not_compared_with_a_reading_that_has_them(first, second):
    claim = replace(claims()[0], table="fcsr-table-3", first=first, second=second)
    pairs = [(one.id, other.id) for one, other in claim.pairs(result_table("fcsr-table-3"))]
    others = ["fcsr", "fcsr-relu-features", "fcsr-fp"]  # none of GloVe's, none at the rate printed for all networks
    assert pairs == [(each, second) if first == "fcsr" else (first, each) for each in others]


@pytest.mark.parametrize("floor", ["nb-svm", "fasttext"])
@pytest.mark.parametrize("is_first", [True, False])
def test_every_reading_is_compared_with_a_row_that_has_no_given_vectors(floor, is_first):
    claim = replace(claims()[0], first="fcsr" if is_first else floor, second=floor if is_first else "fcsr")
    pairs = {(one.id, other.id) for one, other in claim.pairs(result_table("fcsr-table-3"))}
    names = {"fcsr", *(row.id for row in result_table("fcsr-table-3").rows if row.reading_of == "fcsr")}
    assert {"fcsr-glove", "fcsr-printed-rate", "fcsr-printed-rate-glove"} < names
    assert pairs == {(name, floor) if is_first else (floor, name) for name in names}


def test_the_same_reading_of_two_rows_is_compared_once():
    claim = replace(claims()[0], table="fcsr-table-4", first="stacked-lstm", second="lstm")
    pairs = [(one.id, other.id) for one, other in claim.pairs(result_table("fcsr-table-4"))]
    assert pairs == [("stacked-lstm", "lstm"), ("stacked-lstm-max", "lstm-max")]


def test_a_reading_with_two_kinds_of_vectors_is_one_reading():
    plain, rate, glove = (
        SimpleNamespace(printed="A", reading="", reading_of=""),
        *(
            SimpleNamespace(printed=f"A, rate{vectors}", reading="A, rate", reading_of="a")
            for vectors in ("", ", GloVe")
        ),
    )
    given = {"second": plain, "claim": None, "on": "SST", "at_least": False, "comparison": True}
    verdicts = (("ahead", plain), ("behind", rate), ("behind", glove))
    found = [SimpleNamespace(first=row, verdict=verdict, **given) for verdict, row in verdicts]
    assert through([found, found]) == " (2 of them through one: A, rate)"
    glove.reading = ""
    assert not through([found, found])  # without one of the two readings, the other still contradicts


def test_every_reading_is_judged_and_says_where_they_disagree(shown, tmp_path):
    shown["fcsr-relu-features", "polarity"] = seeds(tmp_path, "relu", [range(40), range(1, 41), range(39)])
    page = page_of(shown)
    (own,), (other,) = lines_with(page, "FCSR ≥ CNN"), lines_with(page, "*FCSR, ReLU over the features* ≥ CNN")
    assert own[8] == "**ahead**; not under every reading"
    assert other[8] == "**undecided**; not under every reading"
    shown["fcsr-relu-features", "polarity"] = seeds(tmp_path, "worse", [range(80), range(1, 81), range(79)])
    page = page_of(shown)
    (own,), (other,) = lines_with(page, "FCSR ≥ CNN"), lines_with(page, "*FCSR, ReLU over the features* ≥ CNN")
    assert (own[8], other[8]) == ("**ahead**; readings contradict", "**behind**; readings contradict")


def test_not_behind_supports_at_least_equal_and_no_other_claim(tmp_path):
    wrong = {"fcsr": range(2), "cnn": range(2, 9)}  # 7 of 100 texts only by the first, 2 only by the second
    shown = {(row, "polarity"): seeds(tmp_path, row, [texts] * 3) for row, texts in wrong.items()}
    (cells,) = lines_with(page_of(shown), "FCSR ≥ CNN")
    assert cells[8:] == ["**not behind**", "not behind"]
    (line,) = judged_claims(lambda name: shown if name == "fcsr-table-3" else {}, JUDGE)
    other = replace(line, at_least=False)
    assert other.comparison.p_of_behind < 0.05 < other.comparison.p_of_no_difference
    assert (other.verdict, after_holm([other])) == ("undecided", {id(other): "undecided"})
    behind = replace(
        line, comparison=replace(line.comparison, value=-0.0021, parts=(Part(1e-6, 1e-6, 1e6),), texts=7600)
    )
    assert (behind.verdict, behind.comparison.p_of_behind < 0.01) == ("behind", True)
    others = [replace(line, at_least=False) for _ in range(5)]
    assert after_holm([behind, *others])[id(behind)] == "undecided"  # not the opposite of what it was
    family = [replace(line) for _ in range(20)]  # each p is 0.03: one of twenty is not enough
    assert set(after_holm(family).values()) == {"undecided"}


@pytest.mark.parametrize(
    ("at_least", "verdicts", "said"),
    [
        (False, ("ahead", "equal"), "readings contradict"),
        (False, ("ahead", "undecided"), "not under every reading"),
        (False, ("ahead", "ahead"), ""),
        (True, ("ahead", "equal"), ""),
        (True, ("ahead", "equal", "undecided"), "not under every reading"),
        (True, ("behind", "not behind"), "readings contradict"),
        (True, ("behind", "undecided"), "not under every reading"),
    ],
)
def test_how_the_verdicts_of_readings_differ(at_least, verdicts, said):
    lines = [
        SimpleNamespace(claim=None, on="SST", verdict=verdict, at_least=at_least, comparison=True)
        for verdict in verdicts
    ]
    assert [beside_readings(line, lines) for line in lines] == [said] * len(lines)


def test_rows_without_a_shared_text_are_not_compared(shown, tmp_path):
    shown["cnn", "polarity"] = seeds(tmp_path, "other", [range(40)] * 3, prefix="other")
    (line,) = lines_with(page_of(shown), "FCSR ≥ CNN")
    assert line[8] == "none (they answered different test texts)"


def test_notes_on_columns_stand_once_above_a_papers_claims(tmp_path):
    column = result_table("fcsr-table-3").column("ag-news-5k")
    shown = {(row, column.id): seeds(tmp_path, row, [range(9)] * 3, prefix="a") for row in ("fcsr", "cnn", "bilstm")}
    assert page_of(shown).count(f"- {column.printed}: {column.note}\n") == 1


def test_rows_with_other_vectors_are_compared_with_each_other(shown, tmp_path):
    page = page_of(shown | {("fcsr-glove", "polarity"): shown["fcsr", "polarity"]})
    assert "GloVe" not in page  # its rival has none yet
    shown["fcsr-glove", "polarity"] = seeds(tmp_path, "e", [range(20), range(21)])
    shown["cnn-glove", "polarity"] = seeds(tmp_path, "f", [range(40), range(41)])
    shown["tfidf-svm", "polarity"] = seeds(tmp_path, "svm", [range(40)])
    page = page_of(shown)
    (line,) = lines_with(page, "*FCSR, GloVe 6B 100-d* ≥ *CNN, GloVe 6B 100-d*")
    assert line[4].startswith("+20.0")
    assert not lines_with(page, "*FCSR, GloVe 6B 100-d* ≥ CNN")
    assert lines_with(page, "*FCSR, GloVe 6B 100-d* > tf-idf + SVM")


def test_a_mean_over_corpora_with_a_network_each_is_one_comparison_of_its_corpora(tmp_path):
    rows = {"fcsr": 10, "lstm": 20}
    shown = {
        (row, name): seeds(tmp_path, f"{row}-{name}", [range(wrong + place % 3)], prefix=f"{name}/test")
        for row, wrong in rows.items()
        for place, name in enumerate(FAMILIES["fdu"])
    }
    (line,) = lines_with(page_of(shown, "fcsr-table-4"), "FCSR > LSTM")
    assert line[1:5] == ["mean of 16", "16 / 16", "1,600", "+10.0 (+9.9 to +10.1)"]
    assert (line[6], line[8]) == ("+4.3", "**ahead**")  # the printed means
    del shown["lstm", "fdu-mr"]
    (line,) = lines_with(page_of(shown, "fcsr-table-4"), "FCSR > LSTM")
    assert (line[1], line[6]) == ("mean of 15", "")  # the printed number is over sixteen
    assert line[8] == "none (15 of its 16 columns are measured)"


def test_of_one_network_on_all_domains_every_run_is_one_run(tmp_path):
    joint = {
        row: seeds(tmp_path, row, [range(wrong)], prefix="fdu-mr/test") for row, wrong in (("fcsr", 5), ("cnn", 30))
    }
    shown = {(row, name): cell for row, cell in joint.items() for name in FAMILIES["fdu"]}
    (line,) = lines_with(page_of(shown, "fcsr-table-5"), "FCSR > CNN")
    assert (line[3], line[8]) == ("100", "none (one run of fcsr and one run of cnn)")


def test_test_folds_are_units_each_with_its_run(tmp_path):
    def cell(name, wrong):
        folds = [Fold("test", 6, number) for number in range(1, 7)]
        return [
            [
                run(tmp_path / f"{name}-{fold.number}", range(wrong), prefix=f"mr/{fold.number}", fold=fold)
                for fold in folds
            ]
        ]

    shown = {("fcsr", "polarity"): cell("fcsr", 10), ("cnn", "polarity"): cell("cnn", 12)}
    (line,) = lines_with(page_of(shown), "FCSR ≥ CNN")
    assert (line[3], line[4], line[8]) == ("600", "+2.0 (+1.3 to +2.7)", "**ahead**")  # 2.571 / 600 * (1 + 6 / 4.5)^0.5
    pair = answers(shown["fcsr", "polarity"], shown["cnn", "polarity"])
    assert np.bincount(pair.folds).tolist() == [0, *[TEXTS] * 6]
    assert accuracies_of_units(pair.first, pair.folds)[0] == pytest.approx([0.9] * 6)


@pytest.mark.parametrize(("column", "is_papers"), [("polarity", False), ("sst-2", True)])
@pytest.mark.parametrize("folds", [0, 6])
def test_a_printed_size_may_differ_by_its_texts_only_where_the_papers_are_not_ours(tmp_path, column, is_papers, folds):
    def cell(name, wrong):
        of_seed = [Fold("test", folds, number) for number in range(1, folds + 1)] or [None]
        return [
            [
                run(tmp_path / f"{name}-{seed}-{at}", range(wrong + seed * at), prefix=f"mr/{at}", fold=fold)
                for at, fold in enumerate(of_seed, start=1)
            ]
            for seed in range(3)
        ]

    pair = answers(cell("fcsr", 10), cell("cnn", 20))
    units = [units_of([(right, pair.folds)], 3) for right in (pair.first, pair.second)]
    found = JUDGE.compared((False, False), result_table("fcsr-table-3").column(column), [pair], units)
    own, other = (
        compare_units(*units, len(pair.ids), shared=held_out_ratio(folds), same_split=same)
        if folds
        else compare(pair.first, pair.second, same_texts=same)
        for same in (is_papers, not is_papers)
    )
    assert found.expected == own.expected != other.expected
    assert found.interval() == own.interval() == other.interval()


def test_near_copies_widen_an_interval(shown):
    (plain,) = lines_with(page_of(shown), "FCSR ≥ CNN")
    copies = {"mr": {f"mr/{text}": text // 4 for text in range(TEXTS)}}
    (line,) = lines_with(page_of(shown, judge=Judge(copies, lambda table: PROTOCOL)), "FCSR ≥ CNN")
    assert line[4].startswith("+30.0")
    assert float(line[5]) > 1.5 * float(plain[5])
    assert clusters_of(["a", "b", "c", "d"], {"b": 3, "d": 3}).tolist() == [4, 3, 6, 3]


def test_claims_that_nothing_measures_are_listed_and_all_are_counted(shown):
    page = page_of(shown)
    assert "- CSPAN, section 3.4: (c) Embedding + Relative-Position = (a) Embedding\n" in page
    assert "| FCSR | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 1 |" in page


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: f"{claim.table}.{claim.first}.{claim.second}")
def test_a_claim_is_on_rows_that_are_built_and_its_readings_are_rows(claim):
    table = result_table(claim.table)
    assert table.row(claim.first).model
    assert table.row(claim.second).model
    assert claim.paper == paper_of_table(claim.table).name
    assert bool(claim.sentence) or claim.measured == "ours" or "table" in claim.place
    pairs = [(first.id, second.id) for first, second in claim.pairs(table)]
    assert pairs[0] == (claim.first, claim.second)
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (",>=,cnn,", ",<,cnn,", "sign is '<'; allowed: >, >=, =."),
        (",cnn,,unknown,", ",cnn,,nobody,", "measured is 'nobody'"),
        (",fcsr,>=,cnn,", ",fcsr,>=,cmn,", 'unknown row of fcsr-table-3: "cmn"'),
        ("fcsr-table-3,fcsr,>=,cnn,", "survey-table-4,nasm,>=,hyperqa,", "on map in survey-table-4; allowed: accuracy"),
    ],
)
def test_a_broken_line_is_named(tmp_path, monkeypatch, old, new, said):
    text = (of_papers.PUBLISHED / "claims.csv").read_text(encoding="utf-8")
    (tmp_path / "claims.csv").write_text(text.replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(of_papers, "PUBLISHED", tmp_path)
    with pytest.raises(InputError, match=r"claims\.csv, line 2: ") as error:
        claims.__wrapped__()
    assert said in str(error.value)


def test_notes_that_differ_between_tables_name_theirs():
    """FCSR's mean of sixteen domains stands in tables 4 and 5, with other notes."""
    of_table = {each.table: each for each in claims() if each.together}
    lines = [
        SimpleNamespace(comparison=True, claim=of_table[table], on="mean of 16")
        for table in ("fcsr-table-4", "fcsr-table-5")
    ]
    (both,), (alone,) = notes_on_columns(lines), notes_on_columns(lines[:1])
    assert [each.partition(":")[0] for each in both.splitlines()] == [
        "- mean of 16 (table 4)",
        "- mean of 16 (table 5)",
    ]
    assert alone.startswith("- mean of 16: ")
