"""Ranking scores: how close to the top of the candidates a question's answers are.

Source     trec_eval (NIST): average precision and reciprocal rank, averaged over the questions that have an answer. Of
           candidates with equal scores the later one ranks first, as in its order of document numbers.
"""

import numpy as np


def ranks_of_answers(scores: np.ndarray, answers: np.ndarray, questions: np.ndarray) -> list[np.ndarray]:
    """Return, for each question that has an answer, the ranks of its answers from 1, the best first.

    Args:
        scores: of each candidate, float (candidate,); the highest is ranked first.
        answers: whether it answers its question, bool (candidate,).
        questions: the number of its question, int (candidate,).
    """
    position = np.arange(len(scores))
    order = np.lexsort((-position, -scores, questions))  # by question, then descending score, then the later first
    sorted_questions, sorted_answers = questions[order], answers[order]
    starts = np.flatnonzero(np.diff(sorted_questions, prepend=sorted_questions[:1] - 1))
    lists = np.split(sorted_answers, starts[1:])
    return [np.flatnonzero(each) + 1 for each in lists if each.any()]


def ranking_scores(scores: np.ndarray, answers: np.ndarray, questions: np.ndarray) -> dict[str, float]:
    """Return map (mean average precision), mrr (mean reciprocal rank of the first answer) and the questions that count.

    Args: as in `ranks_of_answers`. If no question has an answer, both means are 0.
    """
    ranks = ranks_of_answers(scores, answers, questions)
    precisions = [float((np.arange(1, len(each) + 1) / each).mean()) for each in ranks]
    first = [1.0 / float(each[0]) for each in ranks]
    return {
        "map": float(np.mean(precisions)) if ranks else 0.0,
        "mrr": float(np.mean(first)) if ranks else 0.0,
        "questions": len(ranks),
    }
