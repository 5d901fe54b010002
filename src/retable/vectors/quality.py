"""How good word vectors are: analogies, similarities, nearest neighbours (coverage is in store.py).

Analogies   3CosAdd (Mikolov et al., "Linguistic Regularities in Continuous Space Word Representations", NAACL 2013): of
            "a is to b as c to ?" the answer is the word nearest to b - a + c by cosine, all vectors scaled to length 1;
            a, b and c cannot be answers. A question counts if all four words are candidates.
Similarity  Spearman's rank correlation of the cosine of two words with what people said; ties take their mean rank.
Both are told with the share of the questions or pairs that could be asked at all: a score on few of them says little.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

from retable.corpora.evaluation_sets import Pair, Question
from retable.vectors.store import WordVectors

CANDIDATES = 30_000
NEIGHBOURS = 8
PROBES_AT_LEAST = 10
QUESTIONS_AT_ONCE = 256  # bounds the memory: so many scores for every candidate

Flags = npt.NDArray[np.bool_]

# Frequent words with a meaning that a reader can judge, by language and unit.
PROBES = {
    ("en", "words"): (
        "good", "terrible", "film", "actor", "music", "book", "money", "war", "school", "computer", "water", "mother",
    ),
    ("zh", "words"): (
        "中国", "电影", "经济", "学生", "手机", "公司", "政府", "足球", "音乐", "北京", "孩子", "喜欢",
    ),
    ("zh", "characters"): ("人", "水", "国", "学", "女", "钱", "山", "车", "球", "病", "红", "好"),
}  # fmt: skip


class WordSpace:
    """Word vectors of length 1, for questions to them.

    Args:
        vectors: the most frequent word first.
        lowercase: whether the vectors are of lower-cased words; questions are lower-cased then.
        candidates: answers and neighbours are sought among so many of the first words.
    """

    def __init__(self, vectors: WordVectors, *, lowercase: bool, candidates: int = CANDIDATES) -> None:
        matrix = np.asarray(vectors.matrix, np.float32)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        self.words, self.lowercase = vectors.words, lowercase
        self.unit = matrix / np.maximum(lengths, np.finfo(np.float32).tiny)  # (word, dim)
        self.candidates = self.unit[:candidates]
        self.rows = {word: row for row, word in enumerate(vectors.words)}

    def row(self, word: str) -> int:
        """The row of a word; -1 if it has no vector."""
        return self.rows.get(word.lower() if self.lowercase else word, -1)


def analogy_scores(space: WordSpace, sections: Mapping[str, Sequence[Question]]) -> dict[str, Any]:
    """How many questions of each section, and of all, were asked and answered rightly."""
    questions = [question for section in sections.values() for question in section]
    rows = np.array([[space.row(word) for word in question] for question in questions], np.int64).reshape(-1, 4)
    asked: Flags = np.all((rows >= 0) & (rows < len(space.candidates)), axis=1)
    right = np.zeros(len(rows), np.bool_)
    right[asked] = _answers(space, rows[asked, :3]) == rows[asked, 3]
    ends = np.cumsum([len(section) for section in sections.values()])
    return _accuracy(asked, right) | {
        "sections": {
            name: _accuracy(asked[end - len(section) : end], right[end - len(section) : end])
            for (name, section), end in zip(sections.items(), ends, strict=True)
        }
    }


def _accuracy(asked: Flags, right: Flags) -> dict[str, Any]:
    questions, answered = len(asked), int(asked.sum())
    return {
        "questions": questions,
        "asked": answered,
        "covered": answered / max(questions, 1),
        "right": int(right.sum()),
        "accuracy": int(right.sum()) / answered if answered else None,
    }


def _answers(space: WordSpace, given: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The row of the answer to each question (question, 3)."""
    answers = np.empty(len(given), np.int64)
    for start in range(0, len(given), QUESTIONS_AT_ONCE):
        block = given[start : start + QUESTIONS_AT_ONCE]
        a, b, c = (space.unit[block[:, place]] for place in range(3))
        scores = (b - a + c) @ space.candidates.T  # (question, candidate); its own length does not change the order
        np.put_along_axis(scores, block, -np.inf, axis=1)
        answers[start : start + len(block)] = scores.argmax(axis=1)
    return answers


def similarity_scores(space: WordSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Spearman's rho over the pairs of which both words have a vector; None where there is no order to compare."""
    rows = np.array([[space.row(pair.first), space.row(pair.second)] for pair in pairs], np.int64).reshape(-1, 2)
    asked = (rows >= 0).all(axis=1)
    first, second = rows[asked].T
    cosines = np.einsum("nd,nd->n", space.unit[first], space.unit[second])
    judged = np.array([pair.score for pair in pairs])[asked]
    comparable = len(judged) > 1 and np.ptp(judged) > 0 and np.ptp(cosines) > 0
    return {
        "pairs": len(pairs),
        "asked": len(judged),
        "covered": len(judged) / max(len(pairs), 1),
        "rho": float(spearmanr(cosines, judged).statistic) if comparable else None,
    }


def nearest_neighbours(space: WordSpace, words: Sequence[str], count: int = NEIGHBOURS) -> dict[str, list[list[Any]]]:
    """Word -> its nearest candidates, each with its cosine, nearest first."""
    found = {}
    for word in words:
        row = space.row(word)
        cosines = space.candidates @ space.unit[row]
        nearest = [other for other in np.argsort(-cosines, kind="stable")[: count + 1] if other != row][:count]
        found[word] = [[space.words[other], round(float(cosines[other]), 4)] for other in nearest]
    return found


def probe_words(space: WordSpace, language: str, unit: str) -> list[str]:
    """The words whose neighbours are shown: those of `PROBES` that have a vector, then the most frequent ones."""
    probes = [word for word in PROBES.get((language, unit), ()) if space.row(word) >= 0]
    frequent = (word for word in space.words if word.isalpha() and word not in probes)
    while len(probes) < PROBES_AT_LEAST and (word := next(frequent, "")):
        probes.append(word)
    return probes
