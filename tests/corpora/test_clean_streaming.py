"""The stage `clean` streams: the bytes of texts in memory, and memory that does not hold the texts."""

import tracemalloc
from dataclasses import replace
from itertools import combinations
from random import Random

import in_memory
import numpy as np
import pytest

import retable.stages.clean
from retable.corpora import Example, corpus
from retable.text.leaks.clusters import near_duplicate_clusters
from retable.text.leaks.copies import clusters_of, leaks_between
from retable.text.leaks.fingerprint_store import FingerprintStore, distinct_forms
from retable.text.leaks.leakage import BANDS, ROWS, fingerprints, first_equal, leaks

WORDS = ["".join(Random(seed).choices("abdegilmnoprstu", k=2 + seed % 7)) for seed in range(300)]
FORMS = [Random(seed).choices(WORDS, k=4 + seed % 20) for seed in range(60)]


def made_texts(count: int, random: Random) -> list[str]:
    """Texts that often repeat each other: exactly, but for case and spaces, and nearly; some are short, some empty."""
    texts = []
    for _ in range(count):
        change = random.choice((0.0, 0.0, 0.1, 0.5))
        text = [random.choice(WORDS) if random.random() < change else word for word in random.choice(FORMS)]
        kind = random.randrange(8)
        texts.append({0: "  ", 1: text[0], 2: "- ".join(text).upper(), 3: "".join(text)}.get(kind, " ".join(text)))
    return texts


def small_blocks(monkeypatch):
    """Every block that the stage works in ends many times in a few hundred texts."""
    for name, size in (
        ("clean.cleaned.TEXTS_IN_BATCH", 7), ("leaks.fingerprint_store.TEXTS_IN_BLOCK", 11),
        ("clean.clean_files.ROWS_IN_A_GROUP", 16), ("leaks.fingerprint_store.FORMS_REMEMBERED", 3),
        ("leaks.leakage.CLOSE_AT_ONCE", 5), ("leaks.leakage.GRAMS_AT_ONCE", 9),
    ):  # fmt: skip
        monkeypatch.setattr(f"retable.text.{name}", size)


KINDS = {
    "published, with unlabelled texts": (("train", "train", "train", "dev", "test", "unlabelled"), {}),
    "published without dev": (("train", "train", "test"), {}),
    "own": (("all",), {}),
    "own, of a given size": (("all",), {"test_texts": 23}),
    "own, grouped": (("all",), {"grouped": True}),
    "own, with unlabelled texts and markup": (("all", "all", "unlabelled"), {"html": True}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_are_those_of_texts_in_memory(tmp_path, monkeypatch, kind):
    small_blocks(monkeypatch)
    kinds, facts = KINDS[kind]
    random = Random(kind)
    splits = [random.choice(kinds) for _ in range(400)]
    labels = [
        "" if split == "unlabelled" else random.choice("abba"[: 2 + (place > 30)]) for place, split in enumerate(splits)
    ]
    read = [
        Example(f"made/{split}/{place}", split, text, label)
        for place, (split, text, label) in enumerate(zip(splits, made_texts(400, random), labels, strict=True))
    ]
    made = replace(
        corpus("sample-en"), name="made", labels=("b", "a"), texts=dict.fromkeys(set(splits) - {"unlabelled"}),
        read=lambda *_: iter(read), unlabelled=splits.count("unlabelled"), **facts,
    )  # fmt: skip
    monkeypatch.setattr("retable.stages.clean.corpus", lambda name: made)
    monkeypatch.setattr("retable.stages.clean.CLEAN", tmp_path / "streamed")
    retable.stages.clean.main("made")
    in_memory.clean_in_memory(made, tmp_path, tmp_path / "expected", rows_in_group=16)
    streamed, expected = (
        {file.name: file.read_bytes() for file in (tmp_path / folder).iterdir()}
        for folder in ("streamed/made", "expected")
    )
    assert streamed.keys() == expected.keys()
    for name in ("stats.json", *streamed):
        assert streamed[name] == expected[name], name


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Texts, their fingerprints in memory, and in a store."""
    small_blocks(monkeypatch)
    texts = made_texts(300, Random(3))
    with FingerprintStore(tmp_path) as store:
        for text in texts:
            store.add(text)
        store.finish()
        yield texts, fingerprints(texts), store


def test_a_store_holds_what_fingerprints_hold(stored):
    texts, prints, store = stored
    chosen = np.array([place for place in range(len(texts)) if place % 3])
    expected, compared = prints.take(chosen.tolist()), store.compared(chosen)
    assert (store.exact == prints.exact()).all()
    assert len(store) == len(texts)
    assert compared.long().tolist() == expected.long().tolist() != []
    for band in range(BANDS):
        assert (compared.band(band) == expected.band(band)).all()
        assert (compared.band(band) == expected.signatures[expected.long(), ROWS * band : ROWS * (band + 1)]).all()
    assert (compared.seen_bits() == expected.seen_bits()).all()
    rows = np.array([5, 1, 5, 0, len(compared.long()) - 1])
    assert (compared.lowest(rows) == expected.lowest(rows)).all()
    assert (compared.lowest(rows) == expected.signatures[expected.long()[rows]] % 256).all()
    for place in compared.long().tolist() * 2:
        assert (compared.grams[place] == expected.grams[place]).all()


def test_a_store_of_short_texts_and_of_none(tmp_path):
    for texts in ([], ["short", ""]):
        with FingerprintStore(tmp_path) as store:
            for text in texts:
                store.add(text)
            store.finish()
            assert clusters_of(store, np.arange(len(texts))).tolist() == list(range(len(texts)))
            found = leaks_between(store, np.zeros(len(texts), np.int8), ("train", "dev"))
            assert found["train", "dev"].any.tolist() == []


def test_clusters_are_those_of_texts_in_memory(stored):
    texts, prints, store = stored
    for chosen in (np.arange(len(texts)), np.arange(1, len(texts), 2)):
        expected = near_duplicate_clusters(prints.take(chosen.tolist())).tolist()
        assert clusters_of(store, chosen).tolist() == expected
        assert 5 < len(set(expected)) < 0.8 * len(expected)


def test_leaks_are_those_of_every_pair_of_splits(stored):
    texts, prints, store = stored
    splits = ("train", "dev", "test", "unlabelled")
    split_of = np.array([Random(place).choice((0, 0, 1, 2, 3, -1)) for place in range(len(texts))], np.int8)
    found = leaks_between(store, split_of, splits)
    parts = [prints.take(np.flatnonzero(split_of == place).tolist()) for place in range(4)]
    assert list(found) == list(combinations(splits, 2))
    for known, asked in combinations(range(4), 2):
        expected = leaks(parts[asked], parts[known])
        got = found[splits[known], splits[asked]]
        assert got.exact.tolist() == expected.exact.tolist()
        assert got.near.tolist() == expected.near.tolist()
        assert expected.exact.any()
        assert expected.near.any()


def test_the_first_of_equal_digests():
    rows = np.array([[1, 2], [1, 3], [1, 2], [0, 2], [1, 3], [1, 2]], np.uint64)
    assert first_equal(rows).tolist() == [0, 1, 0, 3, 1, 0]
    assert first_equal(rows[:0]).tolist() == []
    places, form_of = distinct_forms(rows, np.array([1, 2, 4, 5]))
    assert (places.tolist(), form_of.tolist()) == ([1, 2], [0, 1, 0, 1])


def test_memory_does_not_hold_the_texts(tmp_path, monkeypatch):
    """Of 420 characters each: they, their 5-grams and signatures took 5 KB a text in memory."""
    for name, size in (
        ("clean.cleaned.TEXTS_IN_BATCH", 64), ("leaks.fingerprint_store.TEXTS_IN_BLOCK", 64),
        ("clean.statistics.WORDS_AT_ONCE", 1000), ("clean.clean_files.ROWS_IN_A_GROUP", 128),
    ):  # fmt: skip
        monkeypatch.setattr(f"retable.text.{name}", size)
    words = ["".join(Random(number).choices("abdegilmnoprstu", k=6)) for number in range(3000)]
    peak = {}
    for count in (20, 1_000, 3_000):  # the first one imports what is imported late

        def read(*_, count=count):
            for place in range(count):
                text = " ".join(Random(place).choices(words, k=60))
                yield Example(f"made/{place}", "test" if place % 10 == 0 else "train", text, "ab"[place % 2])

        facts = {"labels": ("a", "b"), "texts": dict.fromkeys(("train", "test")), "read": read}
        made = replace(corpus("sample-en"), name="made", **facts)
        monkeypatch.setattr("retable.stages.clean.corpus", lambda name, made=made: made)
        monkeypatch.setattr("retable.stages.clean.CLEAN", tmp_path)
        tracemalloc.start()
        try:
            retable.stages.clean.main("made")
            peak[count] = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert 50 < (peak[3_000] - peak[1_000]) / 2_000 < 600, peak


def test_nothing_is_left_of_the_texts_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setattr("retable.stages.clean.CLEAN", tmp_path)
    broken = replace(corpus("sample-en"), read=lambda *_: iter([Example("x/0", "train", "a text", "positive")]))
    monkeypatch.setattr("retable.stages.clean.corpus", lambda name: broken)
    with pytest.raises(SystemExit):
        retable.stages.clean.main("sample-en")
    assert list(tmp_path.iterdir()) == [], "the counts are checked when all texts are read"
