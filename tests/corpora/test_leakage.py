"""Exact and near copies: by hand, against a slow comparison of all pairs, and on real corpora."""

from collections import defaultdict
from itertools import product
from random import Random

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from retable.corpora import corpus
from retable.text.leaks.leakage import (
    NEAR,
    _equal_pairs,
    candidates,
    digest,
    fingerprints,
    gram_hashes,
    jaccard,
    leaks,
    normalised,
)


def leaked(asked: list[str], known: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return which texts have an exact copy and which have only a near copy among the known ones."""
    groups = np.repeat([0, 1], [len(known), len(asked)])
    found = leaks(fingerprints([*known, *asked]), groups, 2)
    return found.exact[groups == 1, 0], found.near[groups == 1, 0]


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
    _, near = leaked([twelve, eleven], [known])
    assert jaccard(gram_hashes(twelve), gram_hashes(known)) == pytest.approx(12 / 28)
    assert near.tolist() == [True, False]


def test_a_short_text_is_compared_exactly_only():
    known = ["a good film", "a fine film that i would see again"]
    exact, near = leaked(["A good film!", "a good films", "a fine film that i will see again", ""], known)
    assert exact.tolist() == [True, False, False, False]
    assert near.tolist() == [False, False, True, False]


def test_empty_splits_leak_nothing():
    one = ["a text that is long enough"]
    assert leaked([], one)[1].size == 0
    assert leaked(one, [])[0].tolist() == [False]
    assert leaked([], [])[0].tolist() == []


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
    got = np.logical_or(*leaked(asked, known))
    assert 60 < expected.sum() < 190
    assert not (got & ~expected).any(), "every candidate is verified"
    assert (got & expected).sum() >= 0.98 * expected.sum()
    assert got[best > 0.5].all()


def test_blocks_of_pairs_are_all_pairs_of_two_groups(monkeypatch):
    monkeypatch.setattr("retable.text.leaks.leakage.PAIRS_AT_ONCE", 7)
    random = np.random.default_rng(0)
    for texts, kinds, most in ((70, 5, 3), (40, 40, 2), (30, 1, 1), (1, 1, 1), (0, 1, 1)):
        keys, groups = random.integers(0, kinds, texts).astype(np.uint64), random.integers(0, most, texts)
        blocks = list(_equal_pairs(keys, groups))
        got = [(int(i), int(j)) for block in blocks for i, j in zip(*block, strict=True)]
        pairs = product(range(texts), repeat=2)
        assert sorted(got) == [(i, j) for i, j in pairs if keys[i] == keys[j] and groups[i] < groups[j]]
        assert all(len(left) <= 7 for left, _ in blocks)


def test_groups_that_are_merged_meanwhile_are_spared_their_pairs():
    prints = fingerprints(["a fine film that i would see again"] * 3)
    groups = np.arange(3)
    blocks = candidates(prints, groups)
    left, right = next(blocks)
    assert sorted(zip(left.tolist(), right.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    groups[:] = 0
    assert list(blocks) == []


def test_all_pairs_of_splits_at_once_are_each_pair_alone():
    random = Random(3)
    forms = [[f"{letter}{size + number}ing" for number in range(size)] for letter in "abcdef" for size in (3, 9)]
    texts = []
    for _ in range(300):
        words = [random.choice("xyz") if random.random() < 0.1 else word for word in random.choice(forms)]
        texts.append(random.choice(("- ".join(words).upper(), "".join(words), " ".join(words))))
    groups = np.array(random.choices(range(4), (6, 1, 1, 2), k=300))
    found = leaks(fingerprints(texts), groups, 4)
    assert not (found.exact & found.near).any()
    for asked, known in product(range(4), repeat=2):
        of = [[text for text, own in zip(texts, groups, strict=True) if own == group] for group in range(4)]
        exact, near = leaked(of[asked], of[known]) if known < asked else (np.zeros(len(of[asked])),) * 2
        assert found.exact[groups == asked, known].tolist() == exact.tolist()
        assert found.near[groups == asked, known].tolist() == near.tolist()
        assert (exact.any() and near.any()) == (known < asked)


def brute_force(texts: list[str], others: list[str]) -> np.ndarray:
    """Return every text's highest similarity with any of the others: all pairs, by a product of sparse matrices."""
    number: dict[str, int] = defaultdict(lambda: len(number))
    sides = []
    for forms in (texts, others):
        grams = [{number[form[i : i + 5]] for i in range(len(form) - 4)} for form in map(normalised, forms)]
        ends = np.cumsum([0, *map(len, grams)])
        columns = np.fromiter((gram for own in grams for gram in own), np.int32, ends[-1])
        sides.append((columns, ends))
    left, right = (
        csr_matrix((np.ones(len(columns), np.int32), columns, ends), (len(ends) - 1, len(number)))
        for columns, ends in sides
    )
    common = (left @ right.T).tocoo()
    union = np.diff(left.indptr)[common.row] + np.diff(right.indptr)[common.col] - common.data
    best = np.zeros(len(texts))
    np.maximum.at(best, common.row, common.data / union)
    return best


def recall(asked: list[str], known: list[str]) -> tuple[int, int]:
    """Count by brute force the texts with a copy at 0.4 or more, and those of them that are found: all at 0.5."""
    best = brute_force(asked, known)
    exact, found = leaked(asked, known)
    near = best >= NEAR
    assert not (found & ~near).any(), "every candidate is verified"
    missed = near & ~exact & ~found
    assert best[missed].max(initial=0) < 0.5
    return int(near.sum()), int((near & ~missed).sum())


def test_recall_on_two_thousand_made_notices():
    random = Random(5)
    words = ["".join(random.choices("abdegilmnoprstu", k=random.randint(2, 8))) for _ in range(400)]
    templates = [random.choices(words, k=random.randint(8, 30)) for _ in range(300)]
    texts = []
    for _ in range(4000):
        change = random.random() / 2
        texts.append(
            " ".join(random.choice(words) if random.random() < change else w for w in random.choice(templates))
        )
    near, got = recall(texts[:2000], texts[2000:])
    assert 1000 < near < 1900
    assert got >= 0.985 * near


def test_recall_on_short_texts_of_which_half_is_another():
    random = Random(7)
    letters = [chr(code) for code in range(0x4E00, 0x9FA5)]
    known = ["".join(random.choices(letters, k=14)) for _ in range(1500)]
    asked = [text[:10] + "".join(random.choices(letters, k=4)) for text in known]  # 6 of 14 5-grams are common: 0.43
    near, got = recall(asked, known)
    assert near == 1500
    assert got >= 0.985 * near


def test_recall_on_real_news(raw_folder):
    train, test = (split_texts("r8", raw_folder("r8"), split) for split in ("train", "test"))
    near, got = recall(test[:700], train[:2000])
    assert near > 100
    assert got >= 0.985 * near


def test_recall_on_chinese_posts(raw_folder):
    posts = [text for text in split_texts("ced", raw_folder("ced"), "all") if len(normalised(text)) >= 20]
    near, got = recall(posts[::2], posts[1::2])
    assert near > 200
    assert got >= 0.985 * near


def split_texts(name: str, folder, split: str) -> list[str]:
    return [example.text for example in corpus(name).examples(folder) if example.split == split]


def test_sst_2_has_2_exact_and_4_near_copies_of_training_text(raw_folder):
    texts = {split: split_texts("sst-2", raw_folder("sst-2"), split) for split in ("train", "test")}
    exact, near = leaked(texts["test"], texts["train"])
    assert (exact.sum(), near.sum()) == (2, 4)


class TestChinese:
    def test_characters_are_letters_and_full_width_signs_are_none(self):
        assert normalised("\u3010快讯\u3011ＣＢＡ：北京 vs 广东，98\u201499！") == "快讯 ｃｂａ 北京 vs 广东 98 99"

    def test_ten_characters_are_long_enough_where_twenty_letters_are(self):
        assert gram_hashes("美股期货上升道指期").size == 0  # nine
        assert gram_hashes("美股期货上升道指期货").size == 6
        assert gram_hashes("nineteen letters of").size == 0
        assert gram_hashes("twenty letters of it").size == 16
        assert gram_hashes("期货 pvc 5月挂牌").size == 0  # 6 wide characters of 12: 18 columns

    def test_headlines_of_one_template_are_near_copies(self):
        known = ["2月4日上市公司晚间公告速递", "好"]
        exact, near = leaked(["11月4日上市公司晚间公告速递", "上市公司明日公告", "好！"], known)
        assert near.tolist() == [True, False, False]
        assert exact.tolist() == [False, False, True]
