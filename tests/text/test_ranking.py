"""trec_eval's means by hand: https://trec.nist.gov/trec_eval/ (map and recip_rank)."""

import numpy as np
import pytest

from retable.text.ranking import ranking_scores

# question, score, whether it is an answer
BY_HAND = {
    "the answer first": ([(1, 0.9, 1), (1, 0.5, 0)], 1.0, 1.0, 1),
    "second of two": ([(1, 0.4, 1), (1, 0.5, 0)], 0.5, 0.5, 1),
    "two answers at ranks 1 and 3": ([(1, 0.9, 1), (1, 0.8, 0), (1, 0.7, 1)], (1 / 1 + 2 / 3) / 2, 1.0, 1),
    "ranks 2 and 4": ([(1, 0.9, 0), (1, 0.8, 1), (1, 0.7, 0), (1, 0.6, 1)], (1 / 2 + 2 / 4) / 2, 0.5, 1),
    "a question without an answer does not count": ([(1, 0.9, 0), (2, 0.1, 1), (2, 0.2, 0)], 0.5, 0.5, 1),
    "mean over questions": ([(1, 0.9, 1), (2, 0.1, 1), (2, 0.2, 0)], 0.75, 0.75, 2),
    "of equals the later first": ([(1, 0.5, 1), (1, 0.5, 0)], 0.5, 0.5, 1),
    "questions may be mixed": ([(2, 0.1, 1), (1, 0.9, 1), (2, 0.2, 0)], 0.75, 0.75, 2),
    "no answer at all": ([(1, 0.5, 0)], 0.0, 0.0, 0),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_means_by_hand(case):
    candidates, average_precision, reciprocal_rank, questions = BY_HAND[case]
    numbers, scores, answers = map(np.array, zip(*candidates, strict=True))
    found = ranking_scores(scores, answers == 1, numbers)
    assert found == {
        "map": pytest.approx(average_precision),
        "mrr": pytest.approx(reciprocal_rank),
        "questions": questions,
    }


def test_a_slow_loop_over_random_lists_agrees():
    generator = np.random.default_rng(5)
    numbers, answers = generator.integers(0, 9, 200), generator.random(200) < 0.2
    scores = generator.random(200).round(1)  # with ties
    precisions, firsts = [], []
    for question in range(9):
        of_question = [index for index in range(200) if numbers[index] == question]
        ranked = sorted(of_question, key=lambda index: (-scores[index], -index))
        ranks = [rank for rank, index in enumerate(ranked, start=1) if answers[index]]
        if ranks:
            precisions.append(sum(found / rank for found, rank in enumerate(ranks, start=1)) / len(ranks))
            firsts.append(1 / ranks[0])
    found = ranking_scores(scores, answers, numbers)
    assert (found["map"], found["mrr"]) == pytest.approx((np.mean(precisions), np.mean(firsts)))
