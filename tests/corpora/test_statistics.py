"""The figures of a paper's table of corpora, by hand."""

import numpy as np

from retable.corpora import Example, corpus
from retable.text.cleaning import Removed
from retable.text.leakage import Leaks
from retable.text.statistics import (
    corpus_statistics,
    published_statistics,
    split_statistics,
    statistics_with_unlabelled,
)

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
    read = [*TRAIN, *TEST, TEST[0]]
    removed = [Removed("x/4", "copy", "x/3")]
    stats = corpus_statistics(corpus("sample-en"), read, splits, removed, leak, np.array([0, 1, 1, 3]))
    assert (stats["classes"], stats["instances"], stats["instances-published"]) == (2, 4, 5)
    assert (stats["average-length"], stats["vocabulary"], stats["vocabulary-train"]) == (2.75, 5, 4)
    assert stats["removed"] == {"copy": 1}
    assert stats["leakage"] == {"test-in-train": {"exact": 1, "near": 0}}
    assert (stats["train"], stats["dev"], stats["test"]) == (3, 0, 1)
    assert (stats["published-train"], stats["published-test"]) == (3, 2)
    assert "published-dev" not in stats
    assert stats["near-duplicates"] == {"texts": 2, "clusters": 1, "largest": 2}
    assert not [name for name in stats if name.startswith("with-unlabelled")]


def test_unlabelled_texts_count_in_their_own_figures_alone():
    unlabelled = [Example("x/u/0", "unlabelled", "Never seen words", "")]
    splits = {"train": TRAIN, "dev": [], "test": TEST, "unlabelled": unlabelled}
    read = [*TRAIN, *TEST, *unlabelled]
    stats = corpus_statistics(corpus("sample-en"), read, splits, [], {}, np.arange(4))
    assert (stats["instances"], stats["instances-published"], stats["vocabulary"]) == (4, 4, 5)
    assert (stats["unlabelled"], stats["published-unlabelled"]) == (1, 1)
    assert stats["published-vocabulary-words"] == 5
    assert stats["with-unlabelled-average-tokens"] == 2.8  # 3 + 3 + 3 + 2 + 3 tokens of 5 texts
    assert stats["splits"]["unlabelled"]["texts"] == 1


def test_published_lengths_by_hand():
    stats = published_statistics(["It's good.  Really!", "今天很好。明天呢？"])
    assert {name.removeprefix("published-"): value for name, value in stats.items()} == {
        "average-words": 2.0,  # 3 and 1
        "max-words": 3,
        "average-words-and-marks": 5.5,  # It ' s good . Really ! and 4
        "max-words-and-marks": 7,
        "average-characters": 14.0,  # 19 and 9
        "max-characters": 19,
        "average-sentences": 2.0,
        "max-sentences": 2,
        "vocabulary-words": 4,
        "vocabulary-characters": 23,  # 15 and 8
    }


def test_tokenised_and_raw_texts_are_counted_as_raw_ones():
    stats = statistics_with_unlabelled(["it 's good , really good .", "It's good, really."])
    assert stats == {
        "with-unlabelled-average-tokens": 5.0,  # 7 and 3
        "with-unlabelled-average-words": 4.0,  # it 's good really good and 3
        "with-unlabelled-vocabulary": 9,
        "with-unlabelled-vocabulary-untokenised": 6,  # it's good, really good. and It's really.
    }
