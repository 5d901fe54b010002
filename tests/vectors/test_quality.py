"""Quality of word vectors: analogies and similarities by hand, a given word is no answer, what could be asked."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from retable.corpora.evaluation_sets import Pair
from retable.vectors.quality import (
    PROBES,
    WordSpace,
    analogy_scores,
    nearest_neighbours,
    probe_words,
    similarity_scores,
)
from retable.vectors.store import WordVectors

FIVE = {
    "man": [3, 0, 0],  # lengths do not matter
    "woman": [0, 1, 0],
    "king": [0.6, 0, 0.8],
    "queen": [0, 1.2, 1.6],
    "apple": [0, 0, 1],
}


def test_an_analogy_by_hand():
    """woman - man + king = (-0.4, 1, 0.8), length 1.342; queen 1.24 / 1.342, woman 1 / 1.342, apple 0.8 / 1.342."""
    found = analogy_scores(space(FIVE), {"family": [("man", "woman", "king", "queen")]})
    assert found["sections"]["family"] == {"questions": 1, "asked": 1, "covered": 1.0, "right": 1, "accuracy": 1.0}
    wrong = analogy_scores(space(FIVE), {"family": [("man", "woman", "king", "apple")]})
    assert wrong["accuracy"] == 0.0


def test_a_given_word_is_no_answer():
    """b - a + c lies 2 degrees from c (90 degrees) and 14 from d (106.3): c itself would be the answer."""
    vectors = {"a": [1, 0], "b": [0.96, 0.28], "c": [0, 1], "d": [-0.28, 0.96]}
    assert analogy_scores(space(vectors), {"s": [("a", "b", "c", "d")]})["right"] == 1
    without = analogy_scores(space(vectors), {"s": [("a", "b", "c", "c")]})
    assert without["accuracy"] == 0.0, "a question whose answer is given away cannot be won"


def test_sections_add_up_and_tell_their_coverage():
    sections = {
        "family": [("man", "woman", "king", "queen"), ("man", "woman", "prince", "princess")],
        "fruit": [("king", "queen", "apple", "man")],
        "unknown": [("x", "y", "z", "man")],
        "empty": [],
    }
    found = analogy_scores(space(FIVE), sections)
    parts = found.pop("sections")
    assert found == {"questions": 4, "asked": 2, "covered": 0.5, "right": 1, "accuracy": 0.5}
    assert {name: (part["questions"], part["asked"], part["right"]) for name, part in parts.items()} == {
        "family": (2, 1, 1), "fruit": (1, 1, 0), "unknown": (1, 0, 0), "empty": (0, 0, 0),
    }  # fmt: skip
    assert parts["unknown"]["accuracy"] is None
    assert parts["unknown"]["covered"] == 0.0


def test_only_candidates_are_asked_and_answer():
    question = {"s": [("man", "woman", "king", "queen")]}
    assert analogy_scores(space(FIVE, candidates=4), question)["right"] == 1
    assert analogy_scores(space(FIVE, candidates=3), question)["asked"] == 0
    apple_first = {word: FIVE[word] for word in ("apple", "man", "woman", "king", "queen")}
    assert list(nearest_neighbours(space(apple_first, candidates=2), ["queen"])["queen"]) == [
        ["apple", 0.8], ["man", 0.0],
    ]  # fmt: skip


def test_blocks_of_questions_change_nothing(monkeypatch):
    draw = np.random.default_rng(1)
    vectors = {f"w{number}": draw.normal(size=6) for number in range(40)}
    questions = {"s": [tuple(f"w{row}" for row in draw.choice(40, 4, replace=False)) for _ in range(700)]}
    whole = analogy_scores(space(vectors), questions)
    monkeypatch.setattr("retable.vectors.quality.QUESTIONS_AT_ONCE", 3)
    assert analogy_scores(space(vectors), questions) == whole
    assert whole["right"] == sum(slow_answer(vectors, question[:3]) == question[3] for question in questions["s"]) > 0


def test_spearman_by_hand():
    """Cosines with x fall 1, 0.8, 0.6, 0, -1 (ranks 5 4 3 2 1), judged 4 9 5 2 1 (ranks 3 5 4 2 1).

    rho = 1 - 6 * (2^2 + 1 + 1 + 0 + 0) / (5 * 24) = 0.7
    """
    vectors = {"x": [1, 0], "a": [2, 0], "b": [0.8, 0.6], "c": [0.6, -0.8], "d": [0, 1], "e": [-1, 0]}
    pairs = [Pair("x", word, score) for word, score in zip("abcde", (4, 9, 5, 2, 1), strict=True)]
    assert similarity_scores(space(vectors), pairs) == {
        "pairs": 5, "asked": 5, "covered": 1.0, "rho": pytest.approx(0.7),
    }  # fmt: skip


def test_ties_take_their_mean_rank():
    """Judged 1 2 2 3, ranks 1 2.5 2.5 4, cosines in order: correlation of the ranks 4.5 / sqrt(5 * 4.5)."""
    vectors = {"x": [1, 0], "a": [-1, 0], "b": [0, 1], "c": [0.6, 0.8], "d": [1, 0]}
    pairs = [Pair("x", word, score) for word, score in zip("abcd", (1, 2, 2, 3), strict=True)]
    assert similarity_scores(space(vectors), pairs)["rho"] == pytest.approx(4.5 / np.sqrt(5 * 4.5))
    judged = [pair.score for pair in pairs]
    assert spearmanr([-1, 0, 0.6, 1], judged).statistic == pytest.approx(4.5 / np.sqrt(5 * 4.5))


@pytest.mark.parametrize(
    ("pairs", "asked"),
    [
        ([], 0),
        ([Pair("man", "unknown", 1.0)], 0),
        ([Pair("man", "king", 1.0), Pair("x", "y", 2.0)], 1),
        ([Pair("man", "king", 1.0), Pair("man", "queen", 1.0)], 2),  # judged alike: no order to compare
    ],
)
def test_no_order_no_correlation(pairs, asked):
    found = similarity_scores(space(FIVE), pairs)
    assert (found["asked"], found["rho"]) == (asked, None)
    assert found["covered"] == asked / max(len(pairs), 1)


def test_questions_are_lower_cased_where_the_vectors_are():
    question, pair = {"s": [("Man", "Woman", "King", "Queen")]}, [Pair("MAN", "king", 1.0)]
    assert analogy_scores(space(FIVE), question)["right"] == 1
    assert similarity_scores(space(FIVE), pair)["asked"] == 1
    assert analogy_scores(space(FIVE, lowercase=False), question)["asked"] == 0
    assert similarity_scores(space(FIVE, lowercase=False), pair)["asked"] == 0


def test_neighbours_nearest_first_without_the_word_itself():
    found = nearest_neighbours(space(FIVE), ["queen", "man"], count=2)
    assert found == {"queen": [["apple", 0.8], ["king", 0.64]], "man": [["king", 0.6], ["woman", 0.0]]}


def test_a_vector_of_zeros_is_near_nothing():
    found = nearest_neighbours(space({"zero": [0, 0], "a": [1, 0], "b": [-1, 0]}), ["a"])
    assert found == {"a": [["zero", 0.0], ["b", -1.0]]}


def test_probes_are_the_listed_words_then_the_frequent_ones():
    words = [",", "the", "film", *(f"word{number}" for number in range(3)), *"abcdefghi", "good"]
    numbers = space({word: [1, row] for row, word in enumerate(words)})
    assert probe_words(numbers, "en", "words") == ["good", "film", "the", *"abcdefg"]
    assert probe_words(numbers, "en", "characters")[:3] == ["the", "film", "a"]
    assert probe_words(space({"a": [1, 0]}), "zh", "words") == ["a"], "no more than there are"


def test_every_list_of_probes_is_long_enough():
    assert all(10 <= len(set(words)) == len(words) <= 12 for words in PROBES.values())
    assert all(len(character) == 1 for character in PROBES["zh", "characters"])


def space(vectors, *, lowercase=True, candidates=30_000):
    matrix = np.array(list(vectors.values()), np.float32)
    return WordSpace(WordVectors(list(vectors), matrix, {}), lowercase=lowercase, candidates=candidates)


def slow_answer(vectors, given):
    unit = {word: vector / np.linalg.norm(vector) for word, vector in vectors.items()}
    a, b, c = (unit[word] for word in given)
    return max((word for word in unit if word not in given), key=lambda word: unit[word] @ (b - a + c))
