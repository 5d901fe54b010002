"""The comparison of two rows: numbers by hand, limiting cases, and another library's standard errors."""

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from retable.tables.comparison import Comparison, Part, compare, compare_units, holm, verdict
from retable.tables.comparison import freedom as freedom_of
from retable.text.folds import held_out_ratio


def right(*counts):
    """Return the answers of one run, (1, text): `counts` alternate, correct ones first."""
    return np.concatenate([np.full(count, float(position % 2 == 0)) for position, count in enumerate(counts)])[None]


def made(value, error=0.01, freedom=1e6, texts=5000):
    """Return a comparison with a standard error."""
    return Comparison(texts, (5, 5), value, (Part(error**2, error**2, freedom),))


def test_two_rows_without_seeds_by_hand():
    first, second = right(80, 20), right(70, 10, 5, 15)  # 10 texts only by the first, 5 only by the second
    found = compare(first, second, seedless=(True, True))
    assert (found.texts, found.runs, found.value) == (100, (1, 1), pytest.approx(0.05))
    variance = (15 - 25 / 100) / 100**2 * 100 / 99  # McNemar's, unbiased
    assert found.error**2 == pytest.approx(variance)
    half = student.ppf(0.975, 99) * variance**0.5
    assert found.interval() == pytest.approx((0.05 - half, 0.05 + half))
    assert found.p_of_no_difference == pytest.approx(2 * student.sf(0.05 / variance**0.5, 99))
    assert found.verdict == "undecided"


def test_the_parts_of_runs_by_hand():
    # Four texts, two runs, with accuracies 1/2 and 1: their variance is 1/8. The text-run interaction is -+1/4
    # everywhere, so the mean of its squares is 1/16.
    first = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    found = compare(first, np.ones((1, 4)), seedless=(False, True))
    of_texts, of_runs = found.parts
    assert found.value == pytest.approx(-0.25)
    assert of_texts.value == pytest.approx(4 * 0.25**2 / 16 * 4 / 3)  # (sum of squares) / n^2, n / (n - 1)
    together = 2 * (4 * 0.25**2 / 16 * 4 / 3) / (2 * 1)
    assert of_runs.value == pytest.approx(0.125 / 2 - together)
    assert (of_texts.freedom, of_runs.freedom) == (3, 1)
    whole = of_texts.value + of_runs.value  # Cochran and Cox: each part's own quantile, weighted by its variance
    half = (of_texts.value * student.ppf(0.975, 3) + of_runs.value * student.ppf(0.975, 1)) / whole * whole**0.5
    assert found.interval()[1] - found.value == pytest.approx(half)
    assert [part.value for part in found.of_theirs] == pytest.approx([0.125 / 2 + 0.125])  # same texts: only runs vary
    assert freedom_of(found.of_theirs) == pytest.approx(1)


@pytest.mark.parametrize("value", [0.0, 0.004, 0.02, 0.1, 0.5])
def test_the_p_value_is_that_at_which_the_interval_ends_at_zero(value):
    found = Comparison(1000, (3, 1), value, (Part(1e-4, 1e-4, 999), Part(2e-4, 3e-4, 2)))
    low, high = found.interval(1 - found.p_of_no_difference)
    assert (low, high) == pytest.approx((0.0, 2 * value), abs=1e-9)
    alone = Comparison(1000, (3, 1), value, (Part(1e-4, 1e-4, 9),))
    assert alone.p_of_no_difference == pytest.approx(2 * student.sf(100 * value, 9))  # one part: Student's t


def test_of_theirs_on_other_texts_counts_the_texts_twice():
    first, second = right(80, 20), right(70, 10, 5, 15)
    found = compare(first, second, seedless=(True, True), same_texts=False)
    (low, high), (narrow_low, narrow_high) = found.expected, found.interval()
    assert high - low == pytest.approx(2**0.5 * (narrow_high - narrow_low), rel=0.01)


def test_rows_without_seeds_repeat_their_difference_on_the_same_texts():
    found = compare(right(80, 20), right(70, 10, 5, 15), seedless=(True, True))
    assert found.expected == (found.value, found.value)


def test_near_copies_are_one_text():
    first, second = right(80, 20), right(70, 10, 5, 15)
    plain = compare(first, second, seedless=(True, True))
    fourfold = compare(
        np.repeat(first, 4, axis=1), np.repeat(second, 4, axis=1), seedless=(True, True), copies=np.arange(400) // 4
    )
    assert (fourfold.value, fourfold.error) == (pytest.approx(plain.value), pytest.approx(plain.error))


def test_errors_agree_with_standard_errors_clustered_by_text_and_run():
    import statsmodels.api as sm  # Cameron, Gelbach and Miller (2011): many clusters both ways

    draw = np.random.default_rng(3)
    runs, texts = 60, 500
    levels = draw.normal(0.8, 0.1, texts)

    def row():
        return (draw.random((runs, texts)) < levels + draw.normal(0, 0.02, (runs, 1))).astype(float)

    first, second = row(), row()
    flat = np.concatenate([first.ravel(), second.ravel()])
    side = np.repeat([1.0, 0.0], runs * texts)
    groups = np.stack([np.tile(np.arange(texts), 2 * runs), np.repeat(np.arange(2 * runs), texts)], axis=1)
    fitted = sm.OLS(flat, sm.add_constant(side)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    found = compare(first, second)
    assert found.value == pytest.approx(fitted.params[1])
    assert found.error == pytest.approx(fitted.bse[1], rel=0.05)


def test_units_are_a_paired_t_test():
    from scipy.stats import ttest_1samp

    differences = np.array([[0.02, 0.01, 0.03, -0.01, 0.02, 0.0]])
    found, theirs = compare_units(0.8 + differences, np.full((1, 6), 0.8), 3000), ttest_1samp(differences[0], 0)
    assert found.runs == (6, 6)
    assert found.p_of_no_difference == pytest.approx(theirs.pvalue)
    assert found.interval() == pytest.approx(tuple(theirs.confidence_interval()))


@pytest.mark.parametrize(("mean", "verdict"), [(0.0105, "ahead"), (0.01, "undecided")])
def test_folds_that_share_training_texts_have_nadeau_and_bengios_variance(mean, verdict):
    differences = mean + 0.009 * np.array([1, -1, 1, -1, 1, -1, 1, -1, 1, -1])
    first, second = 0.7 + differences[None], np.full((1, 10), 0.7)
    ratio = held_out_ratio(10)
    assert ratio == pytest.approx(0.1 / 0.81)  # of ten folds: a tenth is tested, a tenth of the rest is dev
    found, corpora = compare_units(first, second, 10_000, shared=ratio), compare_units(first, second, 10_000)
    assert found.error == pytest.approx(0.009 * (10 / 9 * (1 / 10 + 0.1 / 0.81)) ** 0.5)
    assert found.verdict == verdict
    assert corpora.verdict == "ahead"  # they share nothing
    assert found.expected == corpora.expected  # the paper's folds contain the same texts


def test_equality_is_two_one_sided_tests():
    from statsmodels.stats.weightstats import ttost_paired

    draw = np.random.default_rng(4)
    differences = draw.normal(0.001, 0.004, 12)
    none = np.zeros((1, 12))
    found = compare_units(differences[None], none, 300_000)  # one more differing text does not matter here
    assert found.p_of_no_equality == pytest.approx(ttost_paired(differences, none[0], -0.005, 0.005)[0], rel=1e-3)
    wide = compare_units(differences[None], none, 1999)  # fewer texts: one point
    assert wide.p_of_no_equality < found.p_of_no_equality / 10


def test_not_behind_is_one_one_sided_test():
    found = made(0.002, 0.004)  # 5,000 texts: half a point
    assert found.p_of_behind == pytest.approx(norm.sf(0.007 / 0.004), rel=1e-2)
    assert (found.verdict, found.p_of_behind < 0.05) == ("undecided", True)
    assert made(-0.002, 0.004).p_of_behind == pytest.approx(norm.sf(0.003 / 0.004), rel=1e-2)
    assert made(-0.002, 0.004).p_of_behind == made(-0.002, 0.004).p_of_no_equality  # the side that decides equality
    assert made(-0.005).p_of_behind == pytest.approx(0.5)  # at the margin


def test_agreement_on_a_few_texts_shows_no_equality():
    for texts, verdict_of in ((5, "undecided"), (100, "undecided"), (400, "equal")):
        same = np.ones((2, texts))
        assert compare(same, same).verdict == verdict_of


def test_theirs_of_units_has_one_run_a_row_and_the_freedom_of_its_estimate():
    rng = np.random.default_rng(1)
    first, second = 0.8 + rng.normal(0, 0.02, (5, 10)), np.full((1, 10), 0.8)
    found = compare_units(first, second, 1000)
    variance = (first.mean(axis=0) - 0.8).var(ddof=1) / 10
    (part,) = found.of_theirs
    assert part.value == pytest.approx(2 * variance + first.var(axis=0, ddof=1).mean() * (1 - 1 / 5) / 10)
    assert freedom_of(found.of_theirs) == pytest.approx(9)


def test_theirs_of_an_unknown_split_is_one_fold():
    rng = np.random.default_rng(1)
    first, second = 0.8 + rng.normal(0, 0.02, (5, 10)), np.full((1, 10), 0.8)
    (part,) = compare_units(first, second, 1000, shared=held_out_ratio(10), same_split=False).of_theirs
    of_a_fold = (first.mean(axis=0) - 0.8).var(ddof=1)
    one_run = first.var(axis=0, ddof=1).mean() * (1 - 1 / 5)  # by how much more one run varies than the mean of five
    assert part.value == pytest.approx(of_a_fold / 10 + of_a_fold + one_run)


@pytest.mark.parametrize(
    ("value", "error", "texts", "expected"),
    [
        (0.021, 0.01, 5000, "ahead"),
        (-0.021, 0.01, 5000, "behind"),
        (0.019, 0.01, 5000, "undecided"),
        (0.0, 0.0029, 5000, "equal"),
        (0.0, 0.0031, 5000, "undecided"),
        (0.0, 0.0031, 1999, "equal"),
        (0.004, 0.001, 5000, "ahead"),  # small, but not zero
        (0.0, 0.0, 5000, "equal"),
        (0.004, 0.0, 5000, "ahead"),
    ],
)
def test_verdicts(value, error, texts, expected):
    assert made(value, error, texts=texts).verdict == expected


def test_what_could_be_shown_is_found_in_80_of_100_cases():
    found = made(0.0)
    assert found.detectable == pytest.approx(0.01 * (norm.ppf(0.975) + norm.ppf(0.8)), rel=1e-4)


def test_holm_by_hand():
    values = [0.0, 0.0225, 0.025, 0.05]  # p: 1, 0.0244, 0.0124, 6e-7; times 1, 2, 3, 4
    alone = [made(value).verdict for value in values]
    assert alone == ["undecided", "ahead", "ahead", "ahead"]
    assert holm([made(value) for value in values]) == ["undecided", "ahead", "ahead", "ahead"]
    assert holm([made(value) for value in [*values, 0.0]]) == ["undecided", "undecided", "ahead", "ahead", "undecided"]
    assert holm([]) == []
    lost = [made(0.0042, 0.002, texts=5000), *(made(0.02) for _ in range(6))]  # ahead alone, lost by Holm: not equal
    assert (lost[0].verdict, holm(lost)[0]) == ("ahead", "undecided")


def test_one_run_of_a_row_with_seeds_gives_no_comparison():
    with pytest.raises(ValueError, match="2 or more"):
        compare(right(3, 2), np.ones((2, 5)))
    with pytest.raises(ValueError, match="5 or more"):
        compare_units(np.ones((1, 4)), np.ones((1, 4)), 400)
    with pytest.raises(ValueError, match="near copies of one"):
        compare(np.ones((2, 3)), np.ones((2, 3)), copies=np.zeros(3, dtype=np.int64))


def test_a_difference_comes_before_equality():
    assert verdict(0.001, 0.01, 0.01) == "ahead"


def test_folds_that_differ_by_the_same_are_not_a_difference_of_certainty():
    found = compare_units(np.full((1, 5), 0.805), np.full((1, 5), 0.8), 1000)  # one text of 200 in each fold
    assert found.error == pytest.approx(1 / 1000)
    low, high = found.interval()
    assert (high - low) / 2 == pytest.approx(2.776445 / 1000)  # t(0.975, 4)
    assert found.p_of_no_difference == pytest.approx(2 * student.sf(5, 4))
