"""Co-occurrences: counted by hand, against a slow count, whatever the blocks, in bounded memory."""

import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.vectors.cooccurrence import WIDEST_WINDOW, count_cooccurrences


def test_by_hand():  # window 2, X_ij = sum of 1/distance
    counted = count([["a", "b", "c", "a"]], "abc", window=2)
    assert counted == {
        "ab": 1 + 1 / 2,  # places 0-1, and 1-3
        "ba": 1 + 1 / 2,
        "bc": 1,
        "cb": 1,
        "ac": 1 / 2 + 1,  # places 0-2 and 2-3; places 0 and 3 are too far apart
        "ca": 1 / 2 + 1,
    }


def test_a_word_beside_itself_is_the_context_of_both_places():  # as for any two places: X_aa = 1 + 1
    assert count([["a", "a"]], "a", window=5) == {"aa": 2}


def test_unknown_words_are_skipped_as_if_they_did_not_stand_there():  # as in the authors' program
    assert count([["a", "?", "?", "?", "b"]], "ab", window=1) == {"ab": 1, "ba": 1}


def test_nothing_is_counted_across_texts_or_batches():
    assert count([["a"], ["b"], [], ["?"], ["a"]], "ab", window=9) == {}
    assert as_dict(count_cooccurrences([lists([["a"]]), lists([["b"]])], "ab", 9), "ab") == {}


def test_a_slice_of_a_batch_is_counted_alone():
    batch = lists([["a", "a"], ["a", "b"], ["b", "b"]])[1:2]
    assert as_dict(count_cooccurrences([batch], "ab", 9), "ab") == {"ab": 1, "ba": 1}


@pytest.mark.parametrize("window", [1, 3, 40])
@pytest.mark.parametrize("pairs_at_once", [40, 97, 1 << 20])
def test_the_slow_count_whatever_the_blocks(window, pairs_at_once):
    draw = random.Random(1)
    words = "abcdefgh?"
    texts = [draw.choices(words, k=draw.randrange(30)) for _ in range(60)]
    batches = [lists(texts[:7]), lists(texts[7:8]), lists(texts[8:])]
    entries = count_cooccurrences(batches, words[:-1], window, pairs_at_once=pairs_at_once)
    assert as_dict(entries, words) == pytest.approx(slow_count(texts, words[:-1], window), rel=1e-6)
    assert len(entries) == len(np.unique(entries[["word", "context"]])), "no entry comes twice"


def test_rows_of_a_large_vocabulary_do_not_mix():  # row and distance share one number
    vocabulary = [f"w{number}" for number in range(70_000)]
    entries = count_cooccurrences([lists([["w69999", "w0", "w65536"]])], vocabulary, 2)
    assert sorted(entries.tolist()) == [
        (0, 65536, 1.0), (0, 69999, 1.0), (65536, 0, 1.0), (65536, 69999, 0.5), (69999, 0, 1.0), (69999, 65536, 0.5),
    ]  # fmt: skip


def test_the_widest_window():
    text = ["a", *["?"] * 3, *["b"] * WIDEST_WINDOW, "c"]
    counted = count([text], "abc", window=WIDEST_WINDOW)
    assert counted["ab"] == pytest.approx(sum(1 / distance for distance in range(1, WIDEST_WINDOW + 1)))
    assert "ac" not in counted


@pytest.mark.parametrize("window", [0, 256])
def test_a_window_that_cannot_be_counted(window):
    with pytest.raises(InputError, match=rf"window of word vectors is {window}; allowed: 1 to 255"):
        count_cooccurrences([], [], window)


def test_every_word_read_is_told():
    told = []
    count_cooccurrences([lists([["a", "?"], ["b"]]), lists([["?"]])], "ab", 2, on_words=told.append)
    assert told == [3, 1]


def lists(texts):
    return pa.array(texts, pa.list_(pa.string()))


def count(texts, vocabulary, window):
    return as_dict(count_cooccurrences([lists(texts)], vocabulary, window), vocabulary)


def as_dict(entries, vocabulary):
    return {vocabulary[word] + vocabulary[context]: value for word, context, value in entries.tolist()}


def slow_count(texts, vocabulary, window):
    counts = Counter()
    for text in texts:
        known = [word for word in text if word in vocabulary]
        for place, word in enumerate(known):
            for other, context in enumerate(known):
                if 0 < abs(place - other) <= window:
                    counts[word + context] += 1 / abs(place - other)
    return dict(counts)
