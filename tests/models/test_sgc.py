"""SGC, Wu et al. 2019, on a graph of words."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import softmax

from retable.layers.word_graph import word_graph
from retable.models import loader_of
from retable.models.sgc import extent, fitted, known_words, train_sgc
from tests.models.declared import train_as_a_run
from tests.training.conftest import make_split

TEXTS = ["red apple red", "red cherry apple", "cherry apple", "blue sea", "sea sky blue sky", "sky blue"] * 4
SPLIT = make_split(TEXTS, [0, 0, 0, 1, 1, 1] * 4, ("fruit", "water"))
DEV = make_split(["Apple cherry", "sky sea", "red", "blue"], [0, 1, 0, 1], ("fruit", "water"))
OPTIONS = {"lowercase": True, "seed": 1, "min_count": 1, "window": 2}
WORDS = ["apple", "blue", "cherry", "red", "sea", "sky"]


def whole_matrix(training, texts):
    """Return A~ of the words of the training texts, with other texts as rows below; words have no edges to texts."""
    numbers = [np.array([WORDS.index(word) for word in text.split()]) for text in training]
    graph = word_graph(numbers, len(WORDS), 2)
    matrix = np.zeros((len(WORDS) + len(texts),) * 2)
    matrix[: len(WORDS), : len(WORDS)] = graph.edges.toarray()
    for row, text in enumerate(texts, start=len(WORDS)):
        weights = np.zeros(len(WORDS))
        for word in text.lower().split():
            if word in WORDS:
                weights[WORDS.index(word)] += graph.idf[WORDS.index(word)]
        matrix[row, : len(WORDS)] = weights / np.sqrt((1 + weights.sum()) * graph.sums)
        matrix[row, row] = 1 / (1 + weights.sum())
    return matrix


def test_answers_are_those_of_the_square_of_the_whole_matrix():
    """Compare with rows of A~^2, without a text's self-connection, scaled to the training texts' range, times W."""
    chance = np.random.default_rng(0)
    training = [" ".join(chance.choice(WORDS, 8)) for _ in range(6)]
    split = make_split(training, [0, 1] * 3, ("fruit", "water"))
    classifier, _ = train_sgc(split, split, penalties=(1e-3,), **OPTIONS)
    texts = ["Apple cherry red red", "sea", "nothing", "blue apple"]
    square, of_training = (
        (matrix @ matrix)[len(WORDS) :, : len(WORDS)]
        for matrix in (whole_matrix(training, texts), whole_matrix(training, training))
    )
    least, most = of_training.min(axis=0), of_training.max(axis=0)
    assert least.any()  # some words have neighbours in every text
    weights = classifier.near * (most - least)[:, None]  # W itself
    scores = (square - least) / (most - least) @ weights
    found = classifier.probabilities(make_split(texts, [0] * 4, ("fruit", "water")))
    np.testing.assert_allclose(found, softmax(classifier.scale * scores, axis=1))


def test_features_by_hand():
    """Two words, A~ = [[1/2, 1/4], [1/4, 1/2]]; texts (1, 0) with loop 1/2 and (0, 2) with loop 1/4: features
    (1, 1/4) and (1/2, 3/2).
    """
    edges, x = sparse.csr_matrix([[0.5, 0.25], [0.25, 0.5]]), sparse.csr_matrix([[1.0, 0.0], [0.0, 2.0]])
    least, ranges = extent(x, np.array([0.5, 0.25]), edges)
    assert least.tolist() == [0.5, 0.25]
    assert ranges.tolist() == [0.5, 1.25]


def test_weights_are_where_the_loss_is_flat():
    """By differences of the loss as printed, at the fitted weights."""
    chance = np.random.default_rng(3)
    x, edges = sparse.csr_matrix(chance.random((9, 4))), chance.random((4, 4))
    edges, own, classes = sparse.csr_matrix(edges + edges.T), chance.random(9), chance.integers(0, 3, 9)
    least, ranges = extent(x, own, edges)
    weights = fitted(x, own, edges, least, ranges, classes, 0.01, np.zeros((4, 3)))
    features = ((x @ edges).toarray() + own[:, None] * x.toarray() - least) / ranges

    def loss(w):
        shares = softmax(features @ w, axis=1)
        return -np.log(shares[np.arange(9), classes]).mean() + 0.005 * (w**2).sum()

    for row in range(4):
        for column in range(3):
            step = np.zeros((4, 3))
            step[row, column] = 1e-5
            assert (loss(weights + step) - loss(weights - step)) / 2e-5 == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("unit", ["words", "characters"])
def test_it_learns_chooses_on_dev_repeats_and_survives_saving(unit, tmp_path):
    classifier, tried = train_sgc(SPLIT, DEV, penalties=(1e-1, 1e-4), unit=unit, **OPTIONS)
    answers = classifier.probabilities(DEV)
    assert answers.sum(axis=1) == pytest.approx(np.ones(4))
    assert (answers.argmax(axis=1) == DEV.classes).mean() == max(candidate.dev_accuracy for candidate in tried) >= 0.75
    assert [candidate.cost for candidate in tried] == [1e-1, 1e-4]
    classifier.save(tmp_path / "once")
    train_sgc(SPLIT, DEV, penalties=(1e-1, 1e-4), unit=unit, **OPTIONS)[0].save(tmp_path / "again")
    for file in ("weights.safetensors", "graph.json"):
        assert (tmp_path / "once" / file).read_bytes() == (tmp_path / "again" / file).read_bytes()
    assert np.array_equal(loader_of("sgc")(tmp_path / "once").probabilities(DEV), answers)


def test_rare_words_are_left_out_and_costs_are_counted():
    assert known_words(SPLIT, "words", lowercase=True, min_count=9) == ["apple", "blue", "red", "sky"]
    assert known_words(SPLIT, "words", lowercase=True, min_count=99) == WORDS
    classifier, _ = train_sgc(SPLIT, DEV, **OPTIONS)
    facts = classifier.cost_facts(4.0)
    assert facts["parameters"] == len(WORDS) * 2
    assert facts["flops_per_word"] == 2 * (2 * 2 + 2 / 4)


def test_three_classes_and_texts_without_a_known_word():
    texts = ["red apple", "red cherry", "green leaf", "green tree", "blue sea", "blue sky"] * 4
    split = make_split(texts, [0, 0, 1, 1, 2, 2] * 4, ("red", "green", "blue"))
    classifier, tried = train_sgc(split, split, **OPTIONS)
    assert tried[-1].dev_accuracy == 1.0
    unheard, empty, _ = classifier.probabilities(make_split(["xyz", "", "red"], [0, 0, 0]))
    assert np.array_equal(unheard, empty)


@pytest.mark.parametrize(("option", "value"), [("penalties", ()), ("penalties", (0,)), ("window", 0), ("min_count", 0)])
def test_options_out_of_range_are_refused(option, value):
    with pytest.raises(ValueError, match=f"^{option} is "):
        train_as_a_run("sgc", SPLIT, DEV, **{option: value})
