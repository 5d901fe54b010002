"""The figures of a paper's table of corpora, by hand."""

import numpy as np

from retable.corpora import Example, corpus
from retable.text.cleaning import Removed
from retable.text.leakage import Leaks
from retable.text.statistics import corpus_statistics, split_statistics

TRAIN = [
    Example("x/0", "train", "A good film", "positive"),
    Example("x/1", "train", "a bad film", "negative"),
    Example("x/2", "train", "a bad film", "positive"),
]
TEST = [Example("x/3", "test", "Film !", "negative")]


def test_statistics_of_three_texts_by_hand():
    assert split_statistics(TRAIN, ("negative", "positive")) == {
        "texts": 3,
        "labels": {"negative": 1, "positive": 2},
        "average-length": 3.0,
        "average-length-characters": 10.3333,  # 11 + 10 + 10
        "vocabulary": 4,
        "copies": 1,
        "contradicting-labels": 1,
    }


def test_statistics_of_a_corpus_by_hand():
    leak = {("train", "test"): Leaks(np.array([True]), np.array([False]))}
    splits = {"train": TRAIN, "dev": [], "test": TEST}
    stats = corpus_statistics(
        corpus("sample-en"), [*TRAIN, *TEST, TEST[0]], splits, [Removed("x/4", "copy", "x/3")], leak
    )
    assert (stats["classes"], stats["instances"], stats["instances-published"]) == (2, 4, 5)
    assert (stats["average-length"], stats["vocabulary"], stats["vocabulary-train"]) == (2.75, 5, 4)
    assert stats["removed"] == {"copy": 1}
    assert stats["leakage"] == {"test-in-train": {"exact": 1, "near": 0}}
