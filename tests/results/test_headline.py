"""The first screen: counts, sizes, the linear model's lead and the short table, each by hand."""

from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from retable.figures.forest import Difference, forest_picture
from retable.papers import paper, result_table
from retable.papers.claims import claims
from retable.results import headline, outcomes
from retable.results.claims import kept_leads
from retable.results.judging import Judged, after_holm, in_points
from retable.results.leads import leads_of
from retable.results.tables import published_numbers
from retable.site.templating import render
from retable.tables.comparison import compare_units
from retable.tables.lines import Line
from retable.tables.results import Cells, result_lines

TABLE = result_table("fcsr-table-3")
CLAIMS = [
    replace(claims()[0], table="fcsr-table-3", sentence=sentence, sign=sign, measured=measured)
    for sentence, sign, measured in (("said", ">", "own"), ("meant", ">=", "own"), ("", ">", "ours"))
]
FAR = np.linspace(0.0, 0.01, 10)  # over ten folds, around the difference


def line(claim, first, second, difference, printed=None, on="Polar"):
    """Return a comparison over ten folds with almost no spread; with None it has no verdict."""
    ours = None
    if difference is not None:
        ours = compare_units((0.5 + difference + FAR)[None], (0.5 + FAR[::-1])[None], 10_000)
    return Judged(
        CLAIMS[claim], TABLE.row(first), TABLE.row(second), on, 10_000, (10, 10), difference or 0.0, printed, ours
    )


@pytest.fixture
def lines():
    return [
        replace(line(0, "fcsr", "cnn", 0.05, 5.0), columns=("polarity",)),  # a split of ours
        line(0, "fcsr", "bilstm", -0.05, 9.0),
        line(0, "fcsr", "cnn", 0.0, 2.0, on="SST"),
        line(0, "fcsr-relu-features", "cnn", 0.05, 5.0),  # a reading
        line(1, "fcsr", "cnn", 0.05, 5.0),  # from another claim, with the same picture
        line(2, "fcsr", "nb-svm", 0.05),  # ours
        replace(line(0, "fcsr", "cnn", 0.05, on="AG"), columns=("ag-news-5k",)),  # a column of ours
        line(0, "fcsr", "cnn", None, 5.0, on="Final"),
    ]


def test_a_claim_counts_as_its_sign_asks(lines):
    sizes, judged, *others = headline.headline(lines)
    assert judged.title == (
        "Of 5 comparisons that the papers make and fully trained runs can test, 3 come out as claimed and 1 the other "
        "way."
    )
    assert judged.text == (
        "0 are undecided, 1 equal where a lead is claimed. After "
        "[Holm's correction](docs/protocol.md#1-a-comparison-of-two-rows) over all tests on a paper, other readings "
        "and our own questions included, 3 (from FCSR's paper) come out as claimed (3 ahead, 0 not behind) and 1 (from "
        "FCSR's paper) the other way; over these comparisons alone 3 and 1."
    )
    assert not others  # no comparison with the printed rate on both sides
    assert judged.markdown == f"- **{judged.title}** {judged.text} [Every comparison](docs/claims.md)"
    assert judged._replace(text="").markdown == f"- **{judged.title}** [Every comparison](docs/claims.md)"
    # printed +5, +9 and +2 where ours are +5, -5 and 0, each pair of rows once
    assert sizes.title == (
        "The median printed difference between two models is 5.0 points; ours, in the same direction, is 0.0."
    )
    assert sizes.text.startswith("Of 3 (from FCSR's paper) 1 have the other sign here, 2 are printed above our 95%")
    assert sizes.text.endswith("; 0 of the 3 intervals hold zero as well as the printed difference.")
    assert headline.headline(lines[-1:]) == []


def test_the_sites_index_of_claims_counts_those_that_hold_after_holm(lines):
    papers = [("fcsr", "FCSR", outcomes.counted(lines))]
    page = render("claims-index.html", "claims/index.html", {"papers": papers})
    assert "3 of 5 comparisons come out as claimed, 3 after Holm's correction." in page


def test_what_to_know_before_quoting(lines):
    told = "\n".join(headline.caveats(lines, []))
    assert (
        "*As claimed* is ahead (3 of the 3) or, for a claim “at least equal”, equal or not behind by more than a"
        in told
    )
    assert "\n2 of the 5 are on a sample of the paper's corpus or on a split of ours (2 as claimed)." in told
    assert "\nOne sentence, “said”, makes 4 of the 5 (2 as claimed); comparisons that share" in told
    turned = (
        "\nOf the 3, {} are contradicted by another [reading](docs/findings/readings.md) of their paper, or with a "
        "printed option where ours departs from it ({} also after Holm's correction); {} more are undecided under one."
        "\nFor {} of the 3 an option that the paper gives to all networks (learning rate as printed) is not measured "
        "for "
        "both rows."
    )

    def of(*more):
        return "\n" + "\n".join(headline.caveats([*lines, *more], []))

    assert turned.format(1, 1, 0, 3) in of()  # this claim has both rivals on Polar
    assert turned.format(1, 1, 0, 2) in of(line(0, "fcsr-printed-rate", "cnn-printed-rate", 0.05, on="AG"))
    assert turned.format(2, 2, 0, 3) in of(line(0, "fcsr-relu-features", "cnn", -0.05, on="AG"))
    wide = compare_units((0.501 + 20 * FAR)[None], (0.5 + 20 * FAR[::-1])[None], 10_000)
    undecided = replace(line(0, "fcsr-relu-features", "cnn", 0.0, on="AG"), comparison=wide)
    assert turned.format(1, 1, 1, 3) in of(undecided)
    one_test = compare_units((0.465 + 7 * FAR)[None], (0.5 + 7 * FAR[::-1])[None], 10_000)
    assert (
        0.03 < one_test.p_of_no_difference < 0.05
    )  # behind, and not after the correction: two tests have such a p-value or a larger one
    barely = replace(line(0, "fcsr-relu-features", "cnn", 0.0, on="AG"), comparison=one_test)
    assert turned.format(2, 1, 0, 3) in of(barely)
    cells = [score("cnn", "sst-2", measured="80.00", published="81.0", verdict="lower")]
    assert headline.caveats([], [cells]) == headline.reproduced(cells)  # nothing to say of no comparison


def test_a_printed_number_that_is_measured_is_not_taken_for_one_that_is_reproduced():
    printed = {"measured": "80.00", "published": "81.0"}
    cells = [
        *(score("cnn", "sst-2", **printed, verdict=verdict) for verdict in ("higher", "higher", "lower", "agrees")),
        score("fcsr", "sst-2", **printed, verdict="uninformative", match="exact"),
        score("fcsr", "polarity", **printed, verdict="one-run", match="exact"),
        score("fcsr", "ag-news", **printed, verdict="cut"),
        score("fcsr", "ag-news", **printed, verdict="unverified"),
        score("nb-svm", "sst-2", measured="80.00"),  # nothing printed
    ]
    assert headline.reproduced(cells) == [
        "*Measured* is not *reproduced*. Printed numbers that are measured: 7; 2 higher here; 1 lower; 1 in our "
        "interval; "
        "1 undecided, because ours vary widely; 1 without a verdict, from one run; 1 without one, from a cut training. "
        "With word vectors of the paper's kind, its split and its texts: 2."
    ]
    assert headline.reproduced(cells[-2:]) == []


def test_a_reading_for_all_networks_is_a_point_of_its_own(lines):
    at_rate = [
        line(0, "fcsr-printed-rate", "cnn-printed-rate", -0.05, on="AG"),
        line(1, "fcsr-printed-rate", "cnn-printed-rate", -0.05, on="AG"),  # of another claim, the same pair
        line(0, "fcsr-printed-rate", "bilstm-printed-rate", -0.125),
        line(0, "fcsr-printed-rate-glove", "cnn-printed-rate-glove", 0.05),
        line(0, "fcsr-printed-rate", "cnn-printed-rate", None, on="SST"),  # without a verdict
        line(0, "fcsr-printed-rate", "nb-svm", -0.3),  # which has no learning rate
    ]
    (point,) = headline.under_a_reading_for_all([*lines, *at_rate])
    assert point.title == (
        "With the learning rate as printed, which FCSR's paper gives to all networks, FCSR is behind CNN and BiLSTM "
        "in 2 of 3 comparisons, after Holm's correction in 2."
    )
    assert point.text == (
        "By 5.0 to 12.5 points. 1 of them are with the paper's kind of word vectors. The counts above use an option "
        "chosen on dev."
    )


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ([], "none"),
        (["FCSR"], "1 (from FCSR's paper)"),
        (["FCSR", "FCSR"], "2 (from FCSR's paper)"),
        (["LAMA", "FCSR", "FCSR"], "3 (FCSR 2, LAMA 1)"),
    ],
)
def test_how_many_and_of_which_papers(names, shown):
    assert headline.shared(names) == shown


def test_a_lead_that_holm_leaves_not_behind_is_not_counted_as_ahead_after_it():
    barely = compare_units((0.506 + FAR)[None], (0.5 + FAR[::-1])[None], 10_000)
    lead = replace(line(1, "fcsr", "cnn", 0.006), comparison=barely, at_least=True)
    others = [replace(line(1, "fcsr", name, 0.0), at_least=True) for name in ("bilstm", "s-lstm", "transformer")]
    found = outcomes.counted([lead, *others])
    assert (found.hold, found.ahead, found.kept) == (4, 1, ("FCSR",))  # the three are equal, each by a single test
    assert outcomes.adjusted_of([lead, *others])[id(lead)] == "not behind"


def test_the_leads_that_remain_after_holm_are_named_with_the_readings_under_which_they_do():
    lines = [
        line(0, "fcsr", "cnn", 0.05),
        line(0, "fcsr-relu-features", "cnn", -0.05),
        line(0, "fcsr-fp", "cnn", None),  # without a verdict
        line(0, "fcsr", "bilstm", 0.05, on="SST"),
        line(0, "fcsr", "bilstm", 0.0, on="Final"),  # equal
        line(2, "fcsr", "nb-svm", 0.05),  # ours
        replace(line(0, "fcsr", "s-lstm", 0.05), claim=replace(CLAIMS[0], sign="=")),
    ]
    said = "Leads that the paper claims and that remain after Holm's correction: "
    assert kept_leads(lines, after_holm(lines)) == (
        f"{said}FCSR over CNN, Polar (under 1 of 2 readings); FCSR over BiLSTM, SST.\n"
    )
    assert kept_leads(lines[1:2], after_holm(lines)) == f"{said}none.\n"


def test_comparisons_of_two_tables_that_read_alike_are_both_shown():
    """FCSR > CNN, mean of 16: by a network per domain, and by one for all; one of them was lost."""
    other = replace(CLAIMS[0], table="fcsr-table-4", sentence="")
    lines = [line(0, "fcsr", "cnn", 0.05, 5.0), replace(line(0, "fcsr", "cnn", 0.02, 2.0), claim=other)]
    found = outcomes.printed_differences(lines)
    assert [(each.name[-9:], each.printed) for each in found] == [("(table 3)", 5.0), ("(table 4)", 2.0)]


@pytest.mark.parametrize(
    ("sign", "supporting"), [(">", {"ahead"}), (">=", {"ahead", "equal", "not behind"}), ("=", {"equal"})]
)
def test_which_verdicts_support_a_claim(sign, supporting):
    verdicts = ("ahead", "behind", "equal", "not behind", "undecided")
    assert {
        each for each in verdicts if outcomes.holds(SimpleNamespace(claim=SimpleNamespace(sign=sign)), each)
    } == supporting


def test_the_picture_has_each_printed_comparison_once(lines):
    found = outcomes.printed_differences(lines)
    assert [(each.name, each.printed, round(each.ours, 6)) for each in found] == [
        ("FCSR vs. CNN, Polar", 5.0, 5.0),
        ("FCSR vs. BiLSTM, Polar", 9.0, -5.0),
        ("FCSR vs. CNN, SST", 2.0, 0.0),
    ]
    assert all(each.least < each.low < each.ours < each.high < each.most for each in found)
    assert [each.is_expected for each in found] == [True, False, False]


def test_a_name_is_text_and_no_markup():
    difference = Difference("FCSR", "<b> & $x$ beside $y$", 1.0, 0.5, 0.0, 1.0, -1.0, 2.0)
    picture = forest_picture([difference])
    assert picture == forest_picture([difference])
    texts = {"".join(each.itertext()).strip() for each in ElementTree.fromstring(picture).iter()}
    assert "<b> & $x$ beside $y$" in texts


def score(row, column, **cells):
    return Line(row=row, column=column, metric="accuracy", **cells)


def test_the_linear_lead_is_the_largest_over_the_best_printed():
    scores = [
        score("cnn", "sst-2", measured="82.50", clean="82.40", published="77.2"),
        score("bilstm", "sst-2", measured="99.00", published="78.7", note="cut: ended after 8 epochs"),
        score("fasttext", "sst-2", measured="98.00"),  # no network
        score("fcsr", "sst-2", published="80.8"),
        score("nb-svm", "sst-2", measured="83.20", clean="83.14"),
        score("cnn", "sst-2", measured="99.00", verdict="unverified"),
        score("tfidf-svm", "sst-2", measured="98.00"),  # taking the better one would be a choice by test scores
        score("nb-svm", "ag-news-5k", measured="99.00"),  # nothing is printed there
    ]
    beside = [
        line(2, "fcsr", "nb-svm", -0.05, on="SST"),
        line(2, "fcsr", "nb-svm", -0.05),  # on another column
        line(2, "fcsr", "tfidf-svm", -0.05, on="SST"),
        line(2, "fcsr-relu-features", "nb-svm", -0.05, on="SST"),
        line(0, "fcsr", "cnn", -0.05, on="SST"),
    ]
    (found,) = headline.linear_lead(beside, [(TABLE, scores)])
    assert found.title == (
        "On SST, where the gap is largest, a linear model, NB-SVM, has an accuracy of 83.2%; the best number that FCSR "
        "prints there is 80.8."
    )
    interval = in_points(beside[0].comparison.interval())
    assert found.text == (
        f"FCSR less NB-SVM, both trained here: -5.0 points ({interval}; behind after Holm's correction). NB-SVM "
        "reaches 83.1% without near copies of training texts. The best network of that table trained here reaches "
        "82.5%. "
        "No test is made of a printed number."
    )
    (alone,) = headline.linear_lead([], [(TABLE, [replace(each, clean="") for each in scores])])
    assert alone.title == found.title
    assert alone.text.startswith("The best network")
    polarity = [score("nb-svm", "polarity", measured="82.00"), score("fcsr", "polarity", published="80.5")]
    (ours,) = headline.linear_lead([], [(TABLE, polarity)])
    assert ours.text == "No test is made of a printed number, and the split is ours."
    assert headline.linear_lead(beside, [(TABLE, scores[3:4])]) == []
    unverified = [replace(each, verdict="unverified") if each.row == "nb-svm" else each for each in scores]
    assert headline.linear_lead(beside, [(TABLE, unverified)]) == []
    (lead,) = leads_of(TABLE, scores)
    assert (lead.network, lead.is_domain, lead.is_own_split) == (82.5, False, False)  # neither cut nor unverified


def test_papers_have_their_outcomes_and_how_much_is_measured(lines):
    scores = [
        score("cnn", "sst-2", measured="82.50", published="77.2"),
        score("fcsr", "sst-2", published="80.8"),
        score("nb-svm", "sst-2", measured="83.20"),
    ]
    without_runs = {
        each.name: result_lines(each, published_numbers(source, each.published), Cells({}, {}))
        for source in (paper("fcsr"), paper("lama"))
        for each in source.results
    }
    table = headline.papers_table(lines, without_runs | {"fcsr-table-3": scores})
    published = {name: len(published_numbers(of, f"table-{name}")) for of in (paper("fcsr"),) for name in (4, 5)}
    assert f"| [FCSR](docs/tables/fcsr.md) | 5 | 3 | 1 | 1 | 3 / 1 | 1 of {2 + sum(published.values())} |\n" in table
    assert min(published.values()) > 50  # tables without runs
    cut = [replace(scores[0], note="cut: ended after three epochs"), *scores[1:]]
    table = headline.papers_table(lines, without_runs | {"fcsr-table-3": cut})
    assert f"| 1 of {2 + sum(published.values())} (1 cut) |\n" in table
    assert "| [LAMA](docs/tables/lama.md) | – | – | – | – | – | 0 of " in table
    assert headline.coverage(paper("fcsr"), {"fcsr-table-3": scores}).ours == 1


def test_without_readings_and_our_own_questions_holms_correction_is_for_fewer_tests():
    barely = compare_units((0.535 + 7 * FAR)[None], (0.5 + 7 * FAR[::-1])[None], 10_000)
    assert 0.03 < barely.p_of_no_difference < 0.05
    wide = compare_units((0.501 + 20 * FAR)[None], (0.5 + 20 * FAR[::-1])[None], 10_000)
    lead = replace(line(0, "fcsr", "cnn", 0.035), comparison=barely)
    reading = replace(line(0, "fcsr-relu-features", "cnn", 0.001), comparison=wide)
    found = outcomes.counted([lead, reading, replace(reading, claim=CLAIMS[2], first=lead.first)])
    assert (found.hold, found.kept, found.alone) == (1, (), (1, 0))
    assert "none come out as claimed and none the other way; over these comparisons alone 1 and 0." in (
        headline.headline([lead, reading])[0].text
    )


def test_differences_of_means_are_told_apart_from_those_on_one_column():
    of_mean = replace(line(0, "fcsr", "cnn", 0.03, 2.0, on="mean of 2"), columns=("sst-2", "polarity"))
    of_columns = [line(0, "fcsr", "cnn", 0.01, 4.0), line(0, "fcsr", "cnn", -0.02, 6.0, on="SST")]
    found = outcomes.sizes([of_mean, *of_columns])
    assert found.of_means == (1, 2.0, pytest.approx(3.0), pytest.approx(3.0))
    assert found.of_columns == (2, 5.0, pytest.approx(1.5), pytest.approx(-0.5))
    (point, _) = headline.headline([of_mean, *of_columns])
    assert point.text.endswith(
        " On means of several columns (1) the median is 2.0 in print and +3.0 here, on single columns 5.0 and -0.5."
    )
    wide = compare_units((0.501 + 20 * FAR)[None], (0.5 + 20 * FAR[::-1])[None], 10_000)
    assert outcomes.sizes([replace(of_columns[0], comparison=wide)]).unclear == 1
    assert outcomes.sizes(of_columns).unclear == 0


def test_ahead_of_a_claim_of_equality_goes_against_it_and_what_is_not_behind_holds():
    of_equality = replace(line(0, "fcsr", "cnn", 0.05), claim=replace(CLAIMS[0], sign="="))
    shown = replace(line(0, "fcsr", "cnn", 0.003), claim=replace(CLAIMS[0], sign=">="), at_least=True)
    assert shown.verdict == "not behind"
    found = outcomes.counted([of_equality, shown])
    assert (found.judged, found.hold, found.ahead, found.kept) == (2, 1, 0, ("FCSR",))
    assert (found.against, found.against_kept) == (1, ("FCSR",))
    assert outcomes.sizes([of_equality, shown]) is None


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        ({"measured": "83.20", "low": "81.00", "high": "85.40", "published": "80.8"}, "83.20 ± 2.2 (*80.8*)"),
        ({"measured": "83.20", "low": "81.00", "high": "85.40", "runs": "1"}, "83.20 ± 2.2, one run"),
        ({"measured": "83.20", "low": "81.00", "high": "85.40", "runs": "2"}, "83.20 ± 2.2, two runs"),
        ({"measured": "83.20", "low": "83.20", "high": "83.20"}, "83.20"),
        ({"measured": "83.20", "runs": "1"}, "83.20"),
        ({"measured": "83.20"}, "83.20"),
        ({"measured": "83.20", "note": "cut: ended after 8 epochs"}, "83.20, cut"),
        ({"measured": "83.20", "verdict": "unverified"}, "83.20, unverified"),
        (
            {"published": "66.7", "note": "38.03 on 1 of 10 folds, the rest is not run yet; split 9:1"},
            "38.03 on 1 of 10 folds (*66.7*)",
        ),
    ],
)
def test_a_cell_in_short(cells, shown):
    assert headline.front_cell(score("fcsr", "sst-2", **cells), TABLE.row("fcsr")) == shown


def test_a_linear_model_needs_no_second_run():
    cell = score("nb-svm", "polarity", measured="83.20", low="81.00", high="85.40", runs="1")
    assert headline.front_cell(cell, TABLE.row("nb-svm")) == "83.20 ± 2.2"


def test_the_short_table_leaves_out_rows_that_most_of_its_columns_lack():
    scores = [score("fcsr", column, measured="83.40") for column in ("sst-2", "covid-sentiment", "polarity")]
    found = headline.front_table(TABLE, [*scores, *(score("cnn", each.column, measured="80") for each in scores[:1])])
    assert "| FCSR |" in found
    assert "CNN" not in found
    assert headline.front_table(TABLE, []).count("\n") == 2


def test_the_short_table_has_measured_rows_and_no_readings():
    scores = [
        score("fcsr", "sst-2", measured="83.40"),
        score("fcsr-relu-features", "sst-2", measured="83.30"),
        score("cnn", "sst-2", published="77.2"),
    ]
    assert headline.front_table(TABLE, scores) == "|  | SST |\n| --- | --- |\n| FCSR | 83.40 |\n"
