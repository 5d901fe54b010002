"""Features of two texts, Bowman et al. 2015; BLEU, Papineni et al. 2002."""

import math
from itertools import product

import numpy as np
import pytest

from retable.errors import InputError
from retable.models import loader_of
from retable.models.pair_features import bleu, features_of, matrix, train_pair_features
from retable.text.pairs import joined, pairs_of
from tests.models.declared import train_as_a_run
from tests.training.conftest import make_split

A, B = ["a", "dog", "runs"], ["a", "dog", "sleeps", "here"]
FIRSTS = ["a man sings", "two dogs run", "the sea is blue", "children play outside"]
ENTAILED = ["somebody sings", "animals run", "the sea is not red", "children are outside"]
OTHER = ["nobody sings", "two dogs sleep", "the sea is red", "children are asleep"]
TEXTS = [joined(first, second) for seconds in (ENTAILED, OTHER) for first, second in zip(FIRSTS, seconds, strict=True)]
SPLIT = make_split(TEXTS, [1] * 4 + [0] * 4, ("no", "yes"))
OPTIONS = {"lowercase": True, "seed": 1, "costs": (10.0,)}


@pytest.mark.parametrize(
    ("reference", "text", "longest", "expected"),
    [
        ("a b c d", "a b c d", 4, 1.0),
        ("a b c d", "a b x d", 1, 3 / 4),
        ("a b c d", "a b x d", 2, math.sqrt(3 / 4 * 1 / 3)),
        ("a b c d", "a b x d", 3, 0.0),  # no three words are shared
        ("the cat", "the the the", 1, 1 / 3),  # a word counts at most as often as in the reference
        ("a b c d", "a b", 1, math.exp(1 - 4 / 2)),  # brevity penalty
        ("a", "", 1, 0.0),
    ],
)
def test_bleu_by_hand(reference, text, longest, expected):
    assert bleu(reference.split(), text.split(), longest) == pytest.approx(expected)


def test_features_of_a_pair_by_hand():
    found = features_of((A, B), "lexicalized")
    assert found.pop("length") == 1
    assert found.pop("shared") == 2
    assert found.pop("share") == pytest.approx(2 / 3)
    assert found.pop("bleu 1") == pytest.approx(2 / 4)
    assert found.pop("bleu 2") == pytest.approx(math.sqrt(2 / 4 * 1 / 3))  # "a dog"; three words are not shared
    second = [f"second: {word}" for word in (*B, "a dog", "dog sleeps", "sleeps here")]
    across = [f"across: {ours} | {theirs}" for ours, theirs in product(A, B)]
    neighbours = ("a dog", "dog runs"), ("a dog", "dog sleeps", "sleeps here")
    across += [f"across: {ours} | {theirs}" for ours, theirs in product(*neighbours)]
    assert found == dict.fromkeys([*second, *across], 1.0)


@pytest.mark.parametrize(("features", "count"), [("unlexicalized", 5), ("unigrams", 5 + 4 + 12), ("lexicalized", 30)])
def test_each_set_of_features_has_those_of_the_one_before(features, count):
    found = features_of((A, B), features)
    assert len(found) == count  # of seven, no three or four words are shared
    assert features_of((A, B), "unlexicalized").items() <= found.items()


def test_which_text_is_the_second_matters():
    assert features_of((A, B), "unigrams") != features_of((B, A), "unigrams")


def test_a_feature_without_a_column_is_left_out():
    found = matrix([{"a": 2.0, "unseen": 1.0}, {}, {"b": 3.0}], ["a", "b"])
    np.testing.assert_array_equal(found.toarray(), [[2, 0], [0, 0], [0, 3]])
    assert matrix([{}], ["a"]).shape == (1, 1)


def test_a_feature_of_one_training_pair_is_left_out():
    classifier, _ = train_pair_features(SPLIT, SPLIT, **OPTIONS)
    assert "second: sings" in classifier.names  # in two
    assert "second: somebody" not in classifier.names


def test_words_across_tell_what_words_alone_do_not():
    """The second text is right if it names the first one's opposite: no single text's words decide."""
    opposites = [two.split() for two in ("hot cold", "up down", "old new", "big small")]
    right = [joined(*two) for two in opposites]
    wrong = [joined(first, opposites[place - 1][1]) for place, (first, _) in enumerate(opposites)]
    split = make_split((right + wrong) * 2, ([1] * 4 + [0] * 4) * 2, ("no", "yes"))
    _, tried = train_pair_features(split, split, features="unigrams", **OPTIONS)
    _, without = train_pair_features(split, split, features="unlexicalized", **OPTIONS)
    assert (tried[0].dev_accuracy, without[0].dev_accuracy) == (1.0, 0.5)


def test_a_saved_classifier_answers_as_before(tmp_path):
    classifier, _ = train_pair_features(SPLIT, SPLIT, **OPTIONS)
    classifier.save(tmp_path)
    np.testing.assert_array_equal(
        loader_of("pair-features")(tmp_path).probabilities(SPLIT), classifier.probabilities(SPLIT)
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"features": "words-1"}, 'features is "words-1"; allowed: unlexicalized, unigrams, lexicalized'),
        ({"costs": ()}, r"costs is \[\]; allowed: one or more numbers above 0"),
    ],
)
def test_an_option_out_of_range_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        train_as_a_run("pair-features", SPLIT, SPLIT, **changed)


def test_a_text_that_is_no_pair_is_named():
    with pytest.raises(InputError, match="is not a pair of texts; this model compares two"):
        pairs_of(make_split(["one text alone"], [0]), "words", lowercase=True)
