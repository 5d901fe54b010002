"""Co-occurrences: counted by hand, against a slow count, whatever the batches and blocks."""

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.vectors import cooccurrence
from retable.vectors.cooccurrence import WIDEST_WINDOW, count_cooccurrences

WORDS = "abcdefgh"


@pytest.mark.parametrize(
    ("texts", "vocabulary", "window", "expected"),
    [
        (  # X_ij = sum of 1/distance; places 0 and 3 are too far apart
            [["a", "b", "c", "a"]], "abc", 2,
            {"ab": 1 + 1 / 2, "ba": 1 + 1 / 2, "bc": 1, "cb": 1, "ac": 1 / 2 + 1, "ca": 1 / 2 + 1},
        ),
        ([["a", "a"]], "a", 5, {"aa": 2}),  # as for any two places, each is the context of the other
        ([["a", "?", "?", "?", "b"]], "ab", 1, {"ab": 1, "ba": 1}),  # unknown words are skipped
        ([["a"], ["b"], [], ["?"], ["a"]], "ab", 9, {}),  # nothing is counted across texts
        ([], "ab", 9, {}),
    ],
)  # fmt: skip
def test_by_hand(texts, vocabulary, window, expected):
    assert count([lists(texts)], vocabulary, window) == expected


def test_nothing_is_counted_across_batches_and_a_slice_of_a_batch_is_counted_alone():
    assert count([lists([["a"]]), lists([["b"]])], "ab", 9) == {}
    assert count([lists([["a", "a"], ["a", "b"], ["b", "b"]])[1:2]], "ab", 9) == {"ab": 1, "ba": 1}


@pytest.mark.parametrize("window", [1, 3, 40])
def test_the_slow_count_whatever_the_blocks(window):
    draw = random.Random(1)
    texts = [draw.choices(WORDS + "?", k=draw.randrange(30)) for _ in range(60)]
    counted = count_cooccurrences([lists(texts[:7]), lists(texts[7:8]), lists(texts[8:])], WORDS, window)
    expected = rows(counted, 1)
    assert as_dict(expected, WORDS) == pytest.approx(slow_count(texts, WORDS, window), rel=1e-6)
    assert all(rows(counted, blocks) == expected for blocks in (2, 3, 8)), "in order, to the last bit"


def test_a_frequent_pair_is_counted_exactly():  # 2^24 + 1 is no float32; the sum is rounded once, at the end
    counted = count_cooccurrences([lists([["a", "b"]])], "ab", 1)
    often = counted._replace(weights=counted.weights * np.uint64(2**24 + 3))
    assert as_dict(rows(often, 1), "ab")["ab"] == np.float32(2**24 + 3)


def test_rows_of_a_large_vocabulary_do_not_mix():
    vocabulary = [f"w{number}" for number in range(70_000)]
    assert sorted(rows(count_cooccurrences([lists([["w69999", "w0", "w65536"]])], vocabulary, 2), 1)) == [
        (0, 65536, 1.0), (0, 69999, 1.0), (65536, 0, 1.0), (65536, 69999, 0.5), (69999, 0, 1.0), (69999, 65536, 0.5),
    ]  # fmt: skip


def test_the_widest_window():
    text = ["a", *["?"] * 3, *["b"] * WIDEST_WINDOW, "c"]
    counted = count([lists([text])], "abc", WIDEST_WINDOW)
    assert counted["ab"] == pytest.approx(sum(1 / distance for distance in range(1, WIDEST_WINDOW + 1)))
    assert "ac" not in counted


def test_what_cannot_be_counted(monkeypatch):
    for window in (0, 256):
        with pytest.raises(InputError, match=rf"window of word vectors is {window}; allowed: 1 to 255"):
            count_cooccurrences([], [], window)
    monkeypatch.setattr(cooccurrence, "MOST_WORDS", 3)
    with pytest.raises(InputError, match="GloVe counts pools of at most 3 words"):
        count_cooccurrences([lists([["a", "b"]])], "ab", 1)  # two words and two ends of text


def test_every_word_read_is_told():
    counts = []
    count_cooccurrences([lists([["a", "?"], ["b"]]), lists([["?"]])], "ab", 2, on_words=counts.append)
    assert counts == [3, 1]


def lists(texts):
    return pa.array(texts, pa.list_(pa.string()))


def count(batches, vocabulary, window):
    return as_dict(rows(count_cooccurrences(batches, vocabulary, window), 1), vocabulary)


def as_dict(entries, vocabulary):
    assert len(entries) == len({entry[:2] for entry in entries}), "no entry comes twice"
    return {vocabulary[word] + vocabulary[context]: count for word, context, count in entries}


def rows(counted, blocks):
    """Return (word, context, count) of all entries, with rows in ascending order and entries in their stored order."""
    entries = []
    for block in range(blocks):
        starts, contexts, counts = (part.tolist() for part in counted.block(block, blocks))
        for number, (start, end) in enumerate(pairwise(starts)):
            entries += [(block + number * blocks, contexts[entry], counts[entry]) for entry in range(start, end)]
    return sorted(entries, key=lambda entry: entry[0])


def slow_count(texts, vocabulary, window):
    counts = Counter()
    for text in texts:
        known = [word for word in text if word in vocabulary]
        for place, word in enumerate(known):
            for other, context in enumerate(known):
                if 0 < abs(place - other) <= window:
                    counts[word + context] += 1 / abs(place - other)
    return dict(counts)
