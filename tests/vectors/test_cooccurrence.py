"""Co-occurrences: counted by hand, against a slow count, whatever the runs, blocks, threads and budget."""

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.vectors import spill
from retable.vectors.cooccurrence import BUDGET_BYTES, PARTS, WIDEST_WINDOW, Run, count_cooccurrences

WORDS = "abcdefgh"


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
    assert as_dict(count_cooccurrences([], "ab", 9), "ab") == {}


def test_a_slice_of_a_batch_is_counted_alone():
    batch = lists([["a", "a"], ["a", "b"], ["b", "b"]])[1:2]
    assert as_dict(count_cooccurrences([batch], "ab", 9), "ab") == {"ab": 1, "ba": 1}


@pytest.mark.parametrize("window", [1, 3, 40])
@pytest.mark.parametrize(("words_at_once", "budget_bytes"), [(1, 0), (40, 200), (40, BUDGET_BYTES), (1 << 20, 0)])
def test_the_slow_count_whatever_the_runs_and_the_budget(window, words_at_once, budget_bytes):
    texts, batches = random_texts()
    counted = count_cooccurrences(
        batches, WORDS, window, blocks=3, threads=2, words_at_once=words_at_once, budget_bytes=budget_bytes
    )
    assert as_dict(counted, WORDS) == pytest.approx(slow_count(texts, WORDS, window), rel=1e-6)


@pytest.mark.parametrize("blocks", [1, 2, 3, 8])
def test_equal_bytes_whatever_the_runs_the_budget_and_the_threads(blocks):
    _, batches = random_texts()
    expected = rows(count_cooccurrences(batches, WORDS, 5, blocks=blocks), blocks)
    for words_at_once, budget_bytes, threads in ((1, 0, 1), (1, 300, 3), (50, BUDGET_BYTES, 2), (1 << 20, 0, 2)):
        counted = count_cooccurrences(
            batches, WORDS, 5, blocks=blocks, threads=threads, words_at_once=words_at_once, budget_bytes=budget_bytes
        )
        assert len(counted.runs) > 1 or words_at_once > 1
        assert rows(counted, blocks) == expected
    assert rows(count_cooccurrences(batches, WORDS, 5), 1) == expected, "whatever the blocks"


def test_what_is_over_the_budget_lies_in_files_that_nobody_else_sees(tmp_path, monkeypatch):
    monkeypatch.setattr(spill.tempfile, "tempdir", str(tmp_path))
    mapped, memmap = [], np.memmap
    monkeypatch.setattr(spill.np, "memmap", lambda *args, **options: mapped.append(args) or memmap(*args, **options))
    _, batches = random_texts()
    within = count_cooccurrences(batches, WORDS, 3, budget_bytes=10_000)
    assert not mapped
    spilled = count_cooccurrences(batches, WORDS, 3, budget_bytes=0)
    assert len(mapped) == 2  # contexts and sums of the only block
    assert list(tmp_path.iterdir()) == []
    assert rows(spilled, 1) == rows(within, 1)


def test_the_budget_is_used_up(monkeypatch):
    monkeypatch.setattr(spill, "_mapped", lambda array: None)
    kept = spill.Spill(100)
    assert [kept.keep(np.zeros(size, np.uint8)) is not None for size in (60, 60, 40, 1)] == [True, False, True, False]


def test_a_full_disk_is_said(monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    class Full(np.ndarray):
        tofile = full

    with pytest.raises(InputError, match=r"has no room for 24 bytes.*No space left.*TMPDIR"):
        spill.Spill(0).keep(np.zeros(3).view(Full))


def test_a_frequent_pair_is_counted_exactly():  # 2^24 + 1 is no float32; the sum is rounded once, at the end
    counted = count_cooccurrences([lists([["a", "b"]])], "ab", 1)
    run = counted.runs[0][0]
    often = Run(run.starts, run.contexts, run.sums * np.uint64(2**24 + 3))
    assert as_dict(counted._replace(runs=[[often]]), "ab")["ab"] == np.float32(2**24 + 3)
    assert int(often.sums[0]) == (2**24 + 3) * int(PARTS)


def test_rows_of_a_large_vocabulary_do_not_mix():
    vocabulary = [f"w{number}" for number in range(70_000)]
    assert sorted(rows(count_cooccurrences([lists([["w69999", "w0", "w65536"]])], vocabulary, 2), 1)) == [
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


def as_dict(counted, vocabulary):
    entries = rows(counted, len(counted.runs[0]))
    assert len(entries) == len({entry[:2] for entry in entries}), "no entry comes twice"
    return {vocabulary[word] + vocabulary[context]: count for word, context, count in entries}


def rows(counted, blocks):
    """(word, context, count) of all entries: rows in ascending order, what is in a row in the order it has there."""
    entries = []
    for block in range(blocks):
        starts, contexts, counts = counted.block(block)
        for number, (start, end) in enumerate(pairwise(starts)):
            word = block + number * blocks
            entries += [
                (word, *entry) for entry in zip(*(part[start:end].tolist() for part in (contexts, counts)), strict=True)
            ]
    return sorted(entries, key=lambda entry: entry[0])


def random_texts():
    draw = random.Random(1)
    texts = [draw.choices(WORDS + "?", k=draw.randrange(30)) for _ in range(60)]
    return texts, [lists(texts[:7]), lists(texts[7:8]), lists(texts[8:])]


def slow_count(texts, vocabulary, window):
    counts = Counter()
    for text in texts:
        known = [word for word in text if word in vocabulary]
        for place, word in enumerate(known):
            for other, context in enumerate(known):
                if 0 < abs(place - other) <= window:
                    counts[word + context] += 1 / abs(place - other)
    return dict(counts)
