"""The figures of a paper's corpus table, by hand."""

from retable.corpora import Example, corpus
from retable.text.clean.statistics import (
    corpus_statistics,
    lengths_as_published,
    lengths_with_unlabelled,
    published_statistics,
    split_statistics,
)

TRAIN = [
    Example("x/0", "train", "A good film", "positive"),
    Example("x/1", "train", "a bad film", "negative"),
    Example("x/2", "train", "a bad film", "positive"),
]
TEST = [Example("x/3", "test", "Film !", "negative")]


def test_statistics_of_three_texts_by_hand():
    assert split_statistics(TRAIN, corpus("sample-en")) == {
        "texts": 3,
        "labels": {"negative": 1, "positive": 2},
        "average-length": 3.0,
        "average-length-characters": 10.3333,  # 11 + 10 + 10
        "vocabulary": 4,
        "copies": 1,
        "contradicting-labels": 1,
    }


def test_a_text_between_two_grades_counts_for_the_nearer():
    graded = [Example(f"x/{score}", "train", f"scored {score}", score) for score in ("1", "1.4", "4.5", "3.6")]
    found = split_statistics(graded, corpus("sick-relatedness"))
    assert found["labels"] == {"1": 2, "2": 0, "3": 0, "4": 1, "5": 1}


def test_statistics_of_a_split_without_texts():
    found = split_statistics([], corpus("sample-en"))
    assert found.pop("labels") == {"negative": 0, "positive": 0}
    assert set(found.values()) == {0}


def test_statistics_of_a_corpus_by_hand():
    stats = corpus_statistics(corpus("sample-en"), {"train": TRAIN, "dev": [], "test": TEST}, ["copy"])
    assert (stats["classes"], stats["instances"]) == (2, 4)
    assert (stats["average-length"], stats["vocabulary"], stats["vocabulary-train"]) == (2.75, 5, 4)
    assert stats["removed"] == {"copy": 1}
    assert (stats["train"], stats["dev"], stats["test"]) == (3, 0, 1)


def test_published_texts_are_counted_with_their_copies():
    stats = published_statistics([*TRAIN, *TEST, TEST[0]])
    assert (stats["instances-published"], stats["published-train"], stats["published-test"]) == (5, 3, 2)
    assert "published-dev" not in stats
    assert not [name for name in stats if name.startswith("with-unlabelled")]


def test_unlabelled_texts_count_in_their_own_figures_alone():
    unlabelled = [Example("x/u/0", "unlabelled", "Never seen words", "")]
    splits = {"train": TRAIN, "dev": [], "test": TEST, "unlabelled": unlabelled}
    stats = corpus_statistics(corpus("sample-en"), splits, [])
    assert (stats["instances"], stats["vocabulary"], stats["unlabelled"]) == (4, 5, 1)
    assert stats["splits"]["unlabelled"]["texts"] == 1
    stats = published_statistics([*TRAIN, *TEST, *unlabelled])
    assert (stats["instances-published"], stats["published-unlabelled"]) == (4, 1)
    assert stats["published-vocabulary-words"] == 5
    assert stats["with-unlabelled-average-tokens"] == 2.8  # 3 + 3 + 3 + 2 + 3 tokens of 5 texts


def test_published_lengths_by_hand():
    stats = lengths_as_published(("It's good.  Really!", "\u4eca\u5929\u5f88\u597d\u3002\u660e\u5929\u5462\uff1f"))
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
    assert lengths_with_unlabelled(("it 's good , really good .", "It's good, really.")) == {
        "with-unlabelled-average-tokens": 5.0,  # 7 and 3
        "with-unlabelled-average-words": 4.0,  # it 's good really good and 3
        "with-unlabelled-vocabulary": 9,
        "with-unlabelled-vocabulary-untokenised": 6,  # it's good, really good. and It's really.
    }
