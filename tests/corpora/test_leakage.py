"""Exact and near copies: by hand, against a slow and complete comparison, and on real corpora."""

from itertools import product
from random import Random

import numpy as np
import pytest

from retable.corpora import corpus
from retable.text.leakage import NEAR, _equal_pairs, digest, fingerprints, gram_hashes, jaccard, leaks, normalised


def test_normalised_form_keeps_letters_and_digits():
    assert normalised("  It's -- the 2nd_Film, CAFÉ!\u2026 ") == "it s the 2nd film café"
    assert normalised("?!") == ""


def test_digest_ignores_how_a_text_was_tokenised():
    assert digest("I do n't like it .") == digest("I don't like it.") != digest("I do like it.")
    assert len(digest("x")) == 32


def test_jaccard_of_two_sentences_by_hand():
    # 24 and 24 characters, so 20 5-grams each, none twice; they differ in the last four, so 16 are common: 16 / 24
    left, right = gram_hashes("abcdefghijklmnopqrstuvwx"), gram_hashes("abcdefghijklmnopqrst1234")
    assert (left.size, right.size) == (20, 20)
    assert jaccard(left, right) == pytest.approx(16 / 24)


def test_the_threshold_lies_at_two_fifths():
    known = "abcdefghijklmnopqrstuvwx"  # 20 5-grams; k common of 40 - k: 0.4 needs k = 11.43, so 12
    twelve, eleven = "abcdefghijklmnop12345678", "abcdefghijklmno123456789"
    found = leaks(fingerprints([twelve, eleven]), fingerprints([known]))
    assert jaccard(gram_hashes(twelve), gram_hashes(known)) == pytest.approx(12 / 28)
    assert found.near.tolist() == [True, False]


def test_a_short_text_is_compared_exactly_only():
    known = fingerprints(["a good film", "a fine film that i would see again"])
    asked = fingerprints(["A good film!", "a good films", "a fine film that i will see again", ""])
    found = leaks(asked, known)
    assert found.exact.tolist() == [True, False, False, False]
    assert found.near.tolist() == [False, False, True, False]


def test_empty_splits_leak_nothing():
    none, one = fingerprints([]), fingerprints(["a text that is long enough"])
    assert leaks(none, one).near.size == 0
    assert leaks(one, none).exact.tolist() == [False]


def slow_jaccard(left: str, right: str) -> float:
    sets = [{form[i : i + 5] for i in range(len(form) - 4)} for form in (normalised(left), normalised(right))]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def test_near_copies_are_those_of_a_complete_comparison():
    random = Random(3)
    words = [f"{a}{b}{c}" for a, b, c in product(("ba", "ke", "li", "mo", "nu"), ("ra", "st", "x"), ("", "en", "ing"))]
    known = [" ".join(random.choices(words, k=random.randint(5, 20))) for _ in range(200)]
    asked = []
    for text in known:  # each a copy with some of its words replaced: similarities from 0 to 1
        change = random.random()
        asked.append(" ".join(random.choice(words) if random.random() < change else word for word in text.split()))
    best = np.array([max(slow_jaccard(text, other) for other in known) for text in asked])
    expected = best >= NEAR
    found = leaks(fingerprints(asked), fingerprints(known))
    got = found.exact | found.near
    assert 60 < expected.sum() < 190
    assert not (got & ~expected).any(), "every candidate is verified"
    assert (got & expected).sum() >= 0.98 * expected.sum()
    assert got[best > 0.5].all()


def test_blocks_of_pairs_are_all_pairs(monkeypatch):
    monkeypatch.setattr("retable.text.leakage.PAIRS_AT_ONCE", 7)
    random = np.random.default_rng(0)
    left, right = (random.integers(0, 5, size).astype(np.uint64) for size in (30, 40))
    got = [(int(i), int(j)) for block in _equal_pairs(left, right) for i, j in zip(*block, strict=True)]
    assert sorted(got) == [(i, j) for i in range(30) for j in range(40) if left[i] == right[j]]


def split_texts(name: str, folder, split: str) -> list[str]:
    return [example.text for example in corpus(name).examples(folder) if example.split == split]


def test_sst_2_has_2_exact_and_4_near_copies_of_training_text(raw_folder):
    texts = {split: split_texts("sst-2", raw_folder("sst-2"), split) for split in ("train", "test")}
    found = leaks(fingerprints(texts["test"]), fingerprints(texts["train"]))
    assert (found.exact.sum(), found.near.sum()) == (2, 4)


def test_most_of_sst_2_stands_in_mr(raw_folder):
    known = {digest(text) for text in split_texts("mr", raw_folder("mr"), "all")}
    test = split_texts("sst-2", raw_folder("sst-2"), "test")
    assert sum(digest(text) in known for text in test) >= 1327  # that many after lower-casing and dropping punctuation
