"""The figures of a paper's table of corpora, by hand."""

import in_memory
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retable.corpora import Example, corpus
from retable.text.clean.cleaned import digest_of
from retable.text.clean.cleaning import Removed
from retable.text.clean.statistics import (
    Distinct,
    PublishedStatistics,
    SplitStatistics,
    StatisticsWithUnlabelled,
    corpus_statistics,
    split_statistics,
)
from retable.text.leaks.leakage import Leaks, as_digests

LABELS = ("negative", "positive")
TRAIN = [
    Example("x/0", "train", "A good film", "positive"),
    Example("x/1", "train", "a bad film", "negative"),
    Example("x/2", "train", "a bad film", "positive"),
]
TEST = [Example("x/3", "test", "Film !", "negative")]


def counted_split(examples):
    """What was counted of a split, and its statistics."""
    counted = SplitStatistics()
    for example in examples:
        counted.add(example.text)
    label_of = np.array([(*LABELS, "").index(example.label) for example in examples], np.int16)
    label_of[label_of == len(LABELS)] = -1
    digests = as_digests(b"".join(digest_of(example.text) for example in examples))
    return counted, split_statistics(counted, LABELS, label_of, digests)


def statistics(read, splits, removed, leak, clusters):
    published = PublishedStatistics(unlabelled="unlabelled" in splits)
    for example in read:
        published.add(example)
    counted = {split: counted_split(examples) for split, examples in splits.items()}
    return corpus_statistics(
        corpus("sample-en"), published, {split: found for split, (_, found) in counted.items()},
        {split: own.vocabulary for split, (own, _) in counted.items()}, removed, leak, clusters,
    )  # fmt: skip


def test_statistics_of_three_texts_by_hand():
    _, found = counted_split(TRAIN)
    assert found.pop("totals") == {"average-length": 9, "average-length-characters": 31}
    assert found == {
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
    stats = statistics(read, splits, {"copy": 1}, leak, np.array([0, 1, 1, 3]))
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
    stats = statistics(read, splits, {}, {}, np.arange(4))
    assert (stats["instances"], stats["instances-published"], stats["vocabulary"]) == (4, 4, 5)
    assert (stats["unlabelled"], stats["published-unlabelled"]) == (1, 1)
    assert stats["published-vocabulary-words"] == 5
    assert stats["with-unlabelled-average-tokens"] == 2.8  # 3 + 3 + 3 + 2 + 3 tokens of 5 texts
    assert stats["splits"]["unlabelled"]["texts"] == 1


WORDS = st.lists(st.sampled_from(["a", "film", "Film", ".", "'s", "good", "n't", "\u00e9", "\u4eca\u5929"]), max_size=6)


@given(
    st.lists(st.tuples(st.sampled_from(["train", "test", "unlabelled"]), WORDS, st.sampled_from(LABELS)), min_size=3)
)
def test_counting_text_after_text_is_counting_them_all(drawn):
    read = [
        Example(str(place), split, " ".join(words), "" if split == "unlabelled" else label)
        for place, (split, words, label) in enumerate(drawn)
    ]
    splits = {split: [text for text in read if text.split == split] for split in ("train", "dev", "test", "unlabelled")}
    if not splits["unlabelled"]:
        del splits["unlabelled"]
    clusters = np.arange(len(read))
    removed = [Removed("y", "copy", "0"), Removed("z", "empty", "")]
    found = statistics(read, splits, {"empty": 1, "copy": 1}, {}, clusters)
    assert found == in_memory.corpus_statistics(corpus("sample-en"), read, splits, removed, {}, clusters)


def test_published_lengths_by_hand():
    published = PublishedStatistics(unlabelled=False)
    for text in ("It's good.  Really!", "\u4eca\u5929\u5f88\u597d\u3002\u660e\u5929\u5462\uff1f"):
        published.add(Example("x", "all", text, ""))
    stats = published.values()
    assert (stats.pop("instances-published"), stats.pop("published-all")) == (2, 2)
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
    counted = StatisticsWithUnlabelled()
    for text in ("it 's good , really good .", "It's good, really."):
        counted.add(text)
    assert counted.values() == {
        "with-unlabelled-average-tokens": 5.0,  # 7 and 3
        "with-unlabelled-average-words": 4.0,  # it 's good really good and 3
        "with-unlabelled-vocabulary": 9,
        "with-unlabelled-vocabulary-untokenised": 6,  # it's good, really good. and It's really.
    }


def test_distinct_words_are_counted_whatever_is_merged_when(monkeypatch):
    monkeypatch.setattr("retable.text.clean.statistics.WORDS_AT_ONCE", 5)
    distinct, words = Distinct(), [f"w{number * number % 37}" for number in range(200)]
    for start in range(0, 200, 3):
        distinct.add(words[start : start + 3])
        assert len(distinct) == len(set(words[: start + 3]))
    assert (np.diff(distinct.hashes()) > 0).all()
