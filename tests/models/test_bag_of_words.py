"""Naive Bayes and SVM on bags of words, Wang and Manning 2012; delta tf-idf, Martineau and Finin 2009."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from retable.models.bag_of_words import (
    delta_weights,
    idf_difference,
    naive_bayes_weights,
    train_bow_svm,
    train_delta_tfidf,
    train_naive_bayes,
)
from retable.models.linear import load_linear, log_count_ratio, svm_weights, weigh
from tests.models.declared import train_as_a_run
from tests.training.conftest import make_split

GOOD = ["a fine film", "fine and lovely", "not dull , lovely", "great fun", "lovely great film", "fine fun"]
BAD = ["a dull film", "dull and awful", "not fine , awful", "poor plot", "awful poor film", "dull plot"]
TRAIN = make_split(GOOD + BAD, [1] * 6 + [0] * 6)
DEV = make_split(["a lovely film", "an awful plot", "great and fine", "poor and Dull"], [1, 0, 1, 0])
TRAINERS = [train_naive_bayes, train_bow_svm, train_delta_tfidf]
COUNTS = sparse.csr_matrix(np.array([[2, 1, 0], [1, 0, 0], [0, 1, 3], [0, 0, 1], [1, 1, 1]], np.float32))


def slow_posterior(train, classes, text, smoothing):
    """Apply Bayes' rule word by word: p(c) times the product of p(word | c), smoothed."""
    joint = []
    for target in sorted(set(classes)):
        own = [words for words, label in zip(train, classes, strict=True) if label == target]
        known = {word for words in train for word in words}
        total = sum(map(len, own)) + smoothing * len(known)
        chance = len(own) / len(train)
        for word in text:
            if word in known:
                chance *= (sum(words.count(word) for words in own) + smoothing) / total
        joint.append(chance)
    return [each / sum(joint) for each in joint]


@pytest.mark.parametrize("smoothing", [1.0, 0.3])
def test_naive_bayes_is_bayes_rule_word_by_word_for_three_classes(smoothing):
    texts = ["red red apple", "red cherry", "green pear red", "green", "blue sea sea", "blue sky red", "blue"]
    split = make_split(texts, [0, 0, 1, 1, 2, 2, 2], ("red", "green", "blue"))
    classifier, _ = train_naive_bayes(
        split, split, lowercase=True, seed=1, features=("words-1",), binary=False, smoothing=smoothing
    )
    asked = ["red sea sea", "green cherry", "unheard of"]
    answers = replace(classifier, scale=1.0).probabilities(make_split(asked, [0, 1, 2]))
    words = [text.split() for text in texts]
    expected = [slow_posterior(words, split.classes, text.split(), smoothing) for text in asked]
    assert answers == pytest.approx(np.array(expected), rel=1e-4)


def test_naive_bayes_of_two_classes_is_half_the_log_count_ratio_of_wang_and_manning():
    classes = np.array([1, 1, 0, 0, 1])
    weights, bias = naive_bayes_weights(COUNTS, classes, 1.0)
    ratio = log_count_ratio(COUNTS, classes)
    assert weights[1] == pytest.approx(ratio / 2, rel=1e-5)
    assert np.array_equal(weights[0], -weights[1])
    assert bias == pytest.approx([-math.log(3 / 2) / 2, math.log(3 / 2) / 2])


def test_binary_naive_bayes_reads_a_word_once_in_training_and_in_answers():
    texts, labels = ["fine fine fine", "dull dull", "dull fine"], [1, 0, 0]
    once = [" ".join(dict.fromkeys(text.split())) for text in texts]
    options = {"lowercase": True, "seed": 1, "features": ("words-1",)}
    split, reduced = make_split(texts, labels), make_split(once, labels)
    answers = train_naive_bayes(split, split, **options)[0].probabilities(split)
    assert np.array_equal(train_naive_bayes(reduced, reduced, **options)[0].probabilities(reduced), answers)
    assert not np.array_equal(train_naive_bayes(split, split, binary=False, **options)[0].probabilities(split), answers)


def test_bags_by_hand():
    counts = sparse.csr_matrix(np.array([[2.0, 0.0, 5.0], [0.0, 0.0, 0.0]], np.float32))
    ones = np.ones(3, np.float32)
    assert weigh(counts, "binary-unit-length", ones).toarray() == pytest.approx(
        np.array([[0.5**0.5, 0, 0.5**0.5], [0, 0, 0]])
    )
    assert weigh(counts, "counts", ones).toarray().tolist() == [[2, 0, 5], [0, 0, 0]]


def test_the_bag_of_words_is_of_unit_length_or_not():
    for unit_length in (True, False):
        classifier, _ = train_bow_svm(TRAIN, DEV, lowercase=True, seed=1, costs=(1.0,), unit_length=unit_length)
        texts = [text.split() for text in GOOD + BAD]
        x = np.array([[float(word in text) for word in classifier.ngrams] for text in texts], np.float32)
        x /= np.sqrt(x.sum(axis=1, keepdims=True)) if unit_length else 1.0
        assert classifier.weights == pytest.approx(svm_weights(x, TRAIN.classes, 1.0, 1)[0], abs=1e-3)


def test_difference_of_idf_by_hand():
    """|P| = 2, |N| = 3; the first word in 2 and 1 texts, the second in 1 and 2, the third in 0 and 3."""
    found = idf_difference(COUNTS, np.array([1, 1, 0, 0, 0]), 0.5)
    pairs = [(2.5, 1.5), (1.5, 2.5), (0.5, 3.5)]
    assert found == pytest.approx([math.log2(2 / p) - math.log2(3 / n) for p, n in pairs], rel=1e-6)


def test_a_word_of_equal_shares_in_both_classes_has_no_weight_and_another_loses_its_sign():
    x = sparse.csr_matrix(np.array([[1, 4], [1, 0], [1, 0], [1, 0]], np.float32))
    assert idf_difference(x, np.array([1, 1, 0, 0]), 0.5)[0] == 0
    assert idf_difference(x, np.array([1, 1, 0, 0]), 0.5)[1] == -idf_difference(x, np.array([0, 0, 1, 1]), 0.5)[1] != 0


def test_delta_weights_of_three_classes_are_those_of_each_class_against_the_rest():
    classes = np.array([0, 0, 1, 1, 2])
    weights, bias = delta_weights(COUNTS, classes, 0.1, 1, 0.5)
    assert weights.shape == (3, 3)
    for target in range(3):
        positive = (classes == target).astype(np.int64)
        delta = idf_difference(COUNTS, positive, 0.5)
        machine, of_class = svm_weights(sparse.csr_matrix(COUNTS.toarray() * delta), positive, 0.1, 1)
        scores = COUNTS.toarray() * delta @ machine[1] + of_class[1]
        assert COUNTS @ weights[target] + bias[target] == pytest.approx(scores, abs=1e-5)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_it_learns_chooses_on_dev_repeats_and_survives_saving(trainer, tmp_path):
    classifier, tried = trainer(TRAIN, DEV, lowercase=True, seed=1)
    answers = classifier.probabilities(DEV)
    assert answers.sum(axis=1) == pytest.approx(np.ones(4))
    accuracy = (answers.argmax(axis=1) == DEV.classes).mean()
    assert accuracy == max(candidate.dev_accuracy for candidate in tried) >= 0.75
    assert np.array_equal(classifier.weights[0], -classifier.weights[1])
    for name in ("once", "again"):
        trainer(TRAIN, DEV, lowercase=True, seed=1)[0].save(tmp_path / name)
    for file in ("weights.safetensors", "vocabulary.json"):
        assert (tmp_path / "once" / file).read_bytes() == (tmp_path / "again" / file).read_bytes()
    assert np.array_equal(load_linear(tmp_path / "once").probabilities(DEV), answers)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_words_that_nobody_knows_and_texts_of_one_word_have_answers(trainer):
    classifier, _ = trainer(TRAIN, DEV, lowercase=True, seed=1)
    unheard, _, one = classifier.probabilities(make_split(["xyz", "", "lovely"], [0, 0, 1]))
    bias = classifier.scale * classifier.bias
    assert unheard == pytest.approx(np.exp(bias) / np.exp(bias).sum(), rel=1e-5)
    assert one[1] > 0.5


def test_a_machine_without_a_cost_tells_of_none():
    _, tried = train_naive_bayes(TRAIN, DEV, lowercase=True, seed=1, features=("words-1",))
    assert [candidate.line for candidate in tried] == [{"features": "words-1", "dev_accuracy": tried[0].dev_accuracy}]
    _, tried = train_bow_svm(TRAIN, DEV, lowercase=True, seed=1, costs=(1.0,))
    assert tried[0].settings == {"features": "words-1", "cost": 1.0}


def test_nothing_to_choose_from_is_refused():
    for model in ("naive-bayes", "bow-svm", "delta-tfidf"):
        with pytest.raises(ValueError, match=r"^features is \[\]"):
            train_as_a_run(model, TRAIN, DEV, features=())
    for model in ("bow-svm", "delta-tfidf"):
        with pytest.raises(ValueError, match=r"^costs is \[0\]"):
            train_as_a_run(model, TRAIN, DEV, costs=[0])
    for model in ("naive-bayes", "delta-tfidf"):
        with pytest.raises(ValueError, match=r"^smoothing is 0; allowed: above 0"):
            train_as_a_run(model, TRAIN, DEV, smoothing=0)
