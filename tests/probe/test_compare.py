"""Check the demands of the comparison of two sides: table by table, with hand-made arrays."""

import numpy as np
import pytest

from probe.compare import EQUAL, MAJOR, MINOR, Outcome, compare, demands, raised, twins
from retable.errors import InputError

ONE, BUMPED = {"fcsr": "1.0", "loop": "1.2"}, {"fcsr": "1.0", "loop": "1.3"}


def outcome(numbers=(0.5, 2.0), kind="float64", recipe=ONE, asked=None, rounding=0.0, name="numbers"):
    return Outcome(asked or {"seed": 1}, recipe, {name: np.array(numbers, dtype=kind)}, rounding)


@pytest.mark.parametrize(
    ("before", "now", "level"),
    [
        (outcome(), outcome(), EQUAL),
        (outcome(), outcome((0.5 + 9e-10, 2.0)), MINOR),
        (outcome(), outcome((0.5 + 2e-9, 2.0)), MAJOR),
        (outcome((0.5, 2000.0)), outcome((0.5, 2000.0 + 1e-6)), MINOR),  # relative above 1
        (outcome((0.5, 2000.0)), outcome((0.5, 2000.0 + 1e-5)), MAJOR),
        (outcome(kind="float32"), outcome((0.5 + 9e-5, 2.0), "float32"), MINOR),
        (outcome(kind="float32"), outcome((0.5 + 2e-4, 2.0), "float32"), MAJOR),
        (outcome(kind="float32"), outcome((0.51, 2.0), "float32", rounding=0.05), MINOR),  # declared by bfloat16
        (outcome((1, 2), "int64"), outcome((1, 3), "int64"), MAJOR),
        (outcome(("agrees",), "str"), outcome(("higher",), "str"), MAJOR),
        (outcome(), outcome((0.5,)), MAJOR),
        (outcome(), outcome(kind="float32"), MINOR),  # only the type differs
        (outcome((np.nan, 1.0)), outcome((np.nan, 1.0)), EQUAL),
        (outcome(), outcome((np.nan, 2.0)), MAJOR),
        (outcome((np.nan, 2.0)), outcome(), MAJOR),
        (outcome(), outcome((np.inf, 2.0)), MAJOR),
        (outcome(), outcome((9.0, 9.0), name="another"), EQUAL),  # only one side has it
    ],
)
def test_level_of_a_difference(before, now, level):
    assert compare(before, now).level == level


def test_largest_difference_is_told():
    before, now = outcome(), Outcome({}, ONE, {"small": np.array([1.0]), "numbers": np.array([0.5, 3.0])})
    assert compare(before, now).sentence == "beyond rounding, numbers differs by 0.5"


@pytest.mark.parametrize(
    ("before", "now", "alike"),
    [
        ({"training": {"clip": 0.0}}, {"training": {"clip": 0.0, "new": 1}}, True),  # an option that one side lacks
        ({"training": {"clip": 0.0}}, {"training": {"clip": 0.1}}, False),
        ({"training": {"clip": 0.0, "old": 1}}, {"training": {"clip": 0.0}}, True),
        ({"widths": [3, 4]}, {"widths": [3, 5]}, False),
        ({"training": {}}, {"training": 1}, False),
    ],
)
def test_cases_asked_otherwise_are_not_compared(before, now, alike):
    found = compare(outcome(asked=before), outcome((9.0, 9.0), asked=now))
    assert (found is not None) == alike
    assert bool(demands({"a": outcome(asked=before)}, {"a": outcome((9.0, 9.0), asked=now)})) == alike


ROUNDED, OTHER = (0.5 + 5e-10, 2.0), (0.7, 2.0)
MAJOR_LOOP = {"fcsr": "1.0", "loop": "2.0"}


@pytest.mark.parametrize(
    ("numbers", "recipe", "asked"),
    [
        ((0.5, 2.0), ONE, ""),
        (ROUNDED, ONE, "raise the minor version of one of fcsr 1.0, loop 1.2"),
        (ROUNDED, BUMPED, ""),
        (ROUNDED, MAJOR_LOOP, "loop: its version was raised, and its cases are within rounding"),
        (OTHER, ONE, "raise the major version"),
        (OTHER, BUMPED, "raise the major version"),
        (OTHER, MAJOR_LOOP, ""),
        ((0.5, 2.0), BUMPED, "loop: its version was raised, and its cases are equal"),
        ((0.5, 2.0), MAJOR_LOOP, "loop: its version was raised, and its cases are equal"),
    ],
)
def test_versions_that_are_demanded(numbers, recipe, asked):
    sentences = demands({"case": outcome()}, {"case": outcome(numbers, recipe=recipe)})
    assert len(sentences) == bool(asked)
    assert all(asked in sentence for sentence in sentences)


def test_new_and_gone_cases_are_compared_with_nothing():
    assert demands({"gone": outcome()}, {"new": outcome(OTHER)}) == []
    assert demands({"a": outcome()}, {"a": outcome(recipe=ONE | {"folds": "3.0"})}) == []  # a new unit


def test_a_case_may_differ_with_a_unit_that_it_did_not_use_before():
    before, other = {"a": outcome(), "b": outcome()}, ONE | {"folds": "1.0"}
    assert demands(before, {"a": outcome(OTHER, recipe=other), "b": outcome()}) == []
    (sentence,) = demands(before, {"a": outcome(OTHER, recipe=other), "b": outcome(OTHER)})
    assert sentence.startswith("b: beyond rounding")


def test_raising_a_unit_of_another_case_does_not_serve():
    before = {"a": outcome(recipe={"lama": "1.0"}), "b": outcome(recipe={"fcsr": "1.0"})}
    now = {"a": outcome(OTHER, recipe={"lama": "1.0"}), "b": outcome(OTHER, recipe={"fcsr": "2.0"})}
    sentences = demands(before, now)
    assert len(sentences) == 1
    assert sentences[0].startswith("a: beyond rounding")


def test_a_unit_of_several_cases_may_differ_in_one():
    before = {"a": outcome(), "b": outcome()}
    assert demands(before, {"a": outcome(OTHER, recipe=MAJOR_LOOP), "b": outcome(recipe=MAJOR_LOOP)}) == []


@pytest.mark.parametrize(
    ("before", "now", "part"),
    [("1.2", "1.2", EQUAL), ("1.2", "1.10", MINOR), ("1.2", "2.0", MAJOR), ("9.9", "10.0", MAJOR)],
)
def test_part_that_was_raised(before, now, part):
    assert raised(before, now) == part


@pytest.mark.parametrize(("before", "now"), [("1.2", "1.1"), ("2.0", "1.9")])
def test_a_version_that_went_back(before, now):
    with pytest.raises(InputError, match=f"a version went back, from {before} to {now}"):
        raised(before, now)


def test_cases_that_watch_nothing():
    asked = {"seed": 1, "clip": 0.1}
    assert twins({"a": outcome(), "b": outcome(OTHER, asked=asked), "c": outcome(name="others", asked=asked)}) == []
    sentences = twins({"a": outcome(), "b": outcome(asked=asked), "c": outcome()})
    assert [sentence.split(":")[0] for sentence in sentences] == ["b gives the numbers of a"]
