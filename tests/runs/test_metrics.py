import time

import numpy as np
import pytest

from retable.runs.metrics import score
from retable.runs.sampling import sampling_of_correlation, sampling_of_f1


def test_scores_of_five_texts_by_hand():
    classes = np.array([0, 0, 0, 1, 1])
    probabilities = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7], [0.2, 0.8], [0.55, 0.45]])
    scores = score(probabilities, classes)  # predicted 0 0 1 1 0
    assert scores["accuracy"] == pytest.approx(3 / 5)
    assert scores["error_rate"] == pytest.approx(2 / 5)
    assert scores["precision"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert scores["recall"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert scores["macro_f1"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert scores["micro_f1"] == scores["accuracy"]
    # correctly ordered pairs (positive, negative): 0.8 beats all three, 0.45 beats 0.1 and 0.4
    assert scores["macro_auc"] == pytest.approx(5 / 6)
    assert scores["loss"] == pytest.approx(-np.log([0.9, 0.6, 0.3, 0.8, 0.45]).mean())


def test_the_sampling_of_a_mean_f1_is_that_of_new_test_texts():
    draw = np.random.default_rng(5)

    def drawn(texts):
        classes = draw.choice(3, size=texts, p=(0.6, 0.3, 0.1))
        answers = np.where(draw.random(texts) < 0.8, classes, draw.integers(0, 3, texts))
        return classes, np.eye(3)[answers]

    scores = [score(answers, classes)["macro_f1"] for classes, answers in (drawn(300) for _ in range(400))]
    found = np.mean([sampling_of_f1(*drawn(300)) for _ in range(30)])
    assert found == pytest.approx(np.var(scores), rel=0.25)
    classes, answers = drawn(300)
    assert sampling_of_f1(classes, answers) == sampling_of_f1(classes, answers)  # a fixed seed


def test_a_class_without_texts_does_not_spoil_the_auc():
    probabilities = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1]])
    scores = score(probabilities, np.array([0, 1]))
    assert scores["macro_auc"] == 1.0
    assert scores["accuracy"] == 1.0


def test_one_class_alone_has_no_auc():
    assert score(np.array([[0.7, 0.3]]), np.array([0]))["macro_auc"] is None


def test_ten_classes_and_sixty_thousand_texts_take_a_second_at_most():
    generator = np.random.default_rng(0)
    probabilities = generator.dirichlet(np.ones(10), size=60_000)
    classes = generator.integers(10, size=60_000)
    start = time.process_time()
    score(probabilities, classes)
    assert time.process_time() - start < 2.0  # under 1 s on an idle core


@pytest.mark.parametrize("correlation", [-0.3, 0.0, 0.8])
def test_the_variance_of_a_correlation_is_that_of_simulated_pairs(correlation):
    generator = np.random.default_rng(4)
    drawn = generator.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], (2000, 200))
    found = np.var([np.corrcoef(*pairs.T)[0, 1] for pairs in drawn])
    assert sampling_of_correlation(correlation, 200) == pytest.approx(found, rel=0.12)
