"""LDA, Blei et al. 2003, and a linear classifier on the topics."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import psi

from retable.models import loader_of
from retable.models.lda import fitted_topics, topic_shares, train_lda, vocabulary_of, word_counts
from tests.models.declared import train_as_a_run
from tests.training.conftest import make_split

TEXTS = ["red apple red", "red cherry apple", "cherry apple", "blue sea", "sea sky blue sky", "sky blue"] * 4
SPLIT = make_split(TEXTS, [0, 0, 0, 1, 1, 1] * 4, ("fruit", "water"))
DEV = make_split(["Apple cherry", "sky sea", "red", "blue"], [0, 1, 0, 1], ("fruit", "water"))
OPTIONS = {"lowercase": True, "seed": 1, "skip": 0}


def slow_shares(topics, counts):
    """Return gamma over its sum for one text, word by word, until it hardly changes."""
    alpha = 1 / len(topics)
    gamma = np.ones(len(topics))
    for _ in range(100):
        before, weight = gamma, np.exp(psi(gamma) - psi(gamma.sum()))
        gamma = np.full(len(topics), alpha)
        for word, count in enumerate(counts):
            if count:
                gamma = gamma + count * weight * topics[:, word] / (weight @ topics[:, word])
        if np.abs(gamma - before).mean() < 1e-3:
            break
    return gamma / gamma.sum()


def test_shares_match_the_equations_word_by_word():
    chance = np.random.default_rng(3)
    topics = chance.random((3, 7))
    counts = chance.poisson(0.8, (6, 7)).astype(float)
    counts[2] = 0
    expected = [slow_shares(topics, text) for text in counts]
    assert topic_shares(topics, sparse.csr_matrix(counts)) == pytest.approx(np.array(expected), rel=1e-9)


def test_shares_by_hand():
    """A word of the first topic alone, twice: gamma = 1/2 + 2 and 1/2; no word: equal shares."""
    topics = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = topic_shares(topics, sparse.csr_matrix(np.array([[2.0, 0.0], [0.0, 0.0]])))
    assert found == pytest.approx(np.array([[2.5 / 3, 0.5 / 3], [0.5, 0.5]]))


def test_one_topic_has_the_whole_text():
    assert topic_shares(np.ones((1, 2)), sparse.csr_matrix(np.array([[2.0, 1.0]]))).tolist() == [[1.0]]


def test_words_that_stand_together_make_a_topic():
    words = ["apple", "cherry", "sea", "sky", "blue"]
    topics = fitted_topics(word_counts(SPLIT, words, "words", lowercase=True), 2, 10, 1)
    largest = topics.argmax(axis=0)
    assert largest[0] == largest[1] != largest[2] == largest[3] == largest[4]


def test_the_vocabulary_leaves_the_most_frequent_words_out_and_orders_equals_by_the_alphabet():
    split = make_split(["a a a b", "c c b B d"], [0, 1])
    assert vocabulary_of(split, "words", lowercase=True, words=2, skip=1) == ["b", "c"]
    assert vocabulary_of(split, "words", lowercase=False, words=9, skip=1) == ["b", "c", "B", "d"]
    assert vocabulary_of(split, "words", lowercase=True, words=3, skip=4) == ["a", "b", "c"]
    assert vocabulary_of(split, "characters", lowercase=True, words=1, skip=0) == ["a"]


@pytest.mark.parametrize("unit", ["words", "characters"])
def test_it_learns_chooses_on_dev_repeats_and_survives_saving(unit, tmp_path):
    classifier, tried = train_lda(SPLIT, DEV, topics=(2, 4), costs=(1.0, 10.0), unit=unit, **OPTIONS)
    answers = classifier.probabilities(DEV)
    assert answers.sum(axis=1) == pytest.approx(np.ones(4))
    assert (answers.argmax(axis=1) == DEV.classes).mean() == max(candidate.dev_accuracy for candidate in tried) >= 0.75
    assert [candidate.features for candidate in tried] == ["topics-2"] * 2 + ["topics-4"] * 2
    classifier.save(tmp_path / "once")
    train_lda(SPLIT, DEV, topics=(2, 4), costs=(1.0, 10.0), unit=unit, **OPTIONS)[0].save(tmp_path / "again")
    for file in ("weights.safetensors", "topics.json"):
        assert (tmp_path / "once" / file).read_bytes() == (tmp_path / "again" / file).read_bytes()
    assert np.array_equal(loader_of("lda")(tmp_path / "once").probabilities(DEV), answers)


def test_of_equal_candidates_the_first_is_kept_and_costs_are_counted():
    classifier, tried = train_lda(SPLIT, DEV, topics=(2, 3), costs=(100.0,), **OPTIONS)
    assert [candidate.dev_accuracy for candidate in tried] == [1.0, 1.0]
    assert classifier.topics.shape == (2, 6)
    facts = classifier.cost_facts(3.0)
    assert facts["parameters"] == 2 * 6 + 2 * 2 + 2
    assert facts["flops_per_word"] == pytest.approx(2 * (100 * 2 * 2 + 2 * 2 / 3))


def test_three_classes_and_texts_without_a_known_word():
    texts = ["red apple", "red cherry", "green leaf", "green tree", "blue sea", "blue sky"] * 4
    split = make_split(texts, [0, 0, 1, 1, 2, 2] * 4, ("red", "green", "blue"))
    classifier, _ = train_lda(split, split, topics=(3, 6), **OPTIONS)
    assert classifier.scorer.weights.shape[0] == 3
    unheard, empty, _ = classifier.probabilities(make_split(["xyz", "", "red"], [0, 0, 0]))
    assert np.array_equal(unheard, empty)


@pytest.mark.parametrize(
    ("option", "value"), [("topics", ()), ("topics", (0,)), ("costs", (0,)), ("words", 0), ("skip", -1), ("passes", 0)]
)
def test_options_out_of_range_are_refused(option, value):
    with pytest.raises(ValueError, match=f"^{option} is "):
        train_as_a_run("lda", SPLIT, DEV, **{option: value})
