"""Segmentation: jieba's own words and parts, on real and made-up text; the search over paths and states by hand."""

from functools import cache
from itertools import pairwise, product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retable.corpora import corpus
from retable.text.segmentation.jieba_tables import character_kinds, cutter, dictionary_lines
from retable.text.segmentation.segmenter import LETTER, SMALLEST, SPACE, PlainModel, Words, plain_run

SAMPLE = Path(__file__).resolve().parents[2] / "data/sample/sample-zh"
MIRROR = Path(__file__).resolve().parents[3] / "shared/corpora"


@cache
def jieba():
    """Return jieba itself, with its dictionary in memory."""
    from jieba import dt, posseg

    dt.FREQ, dt.total = dt.gen_pfdict(dt.get_dict_file())
    dt.initialized = True
    return dt, posseg.dt


@cache
def dictionary():
    """Return the lines of jieba's dictionary, read once."""
    return dictionary_lines()


def by_jieba(texts, *, tagged):
    plain, tagging = jieba()
    if not tagged:
        return [[word for word in plain.cut(text) if not word.isspace()] for text in texts]
    pairs = [[(pair.word, pair.flag) for pair in tagging.cut(text) if not pair.word.isspace()] for text in texts]
    return [[word for word, _ in text] for text in pairs], [[part for _, part in text] for text in pairs]


def check(texts):
    words, parts = cutter().cut(texts, tagged=True)
    assert (words.to_pylist(), parts.to_pylist()) == by_jieba(texts, tagged=True)
    assert cutter().cut(texts, tagged=False)[0].to_pylist() == by_jieba(texts, tagged=False)


def test_sample_texts():
    check((SAMPLE / "dev.txt").read_text(encoding="utf-8").split("\n")[:40])


def test_no_text_and_empty_texts():
    check([])
    check(["", " ", "", "\u597d", ""])


@pytest.mark.skipif(not (MIRROR / "ced").is_dir(), reason="no mirror beside the checkout")
@pytest.mark.parametrize("name", ["ced", "thucnews-45k"])
def test_real_texts(name):
    files = sorted((MIRROR / {"ced": "ced", "thucnews-45k": "thucnews10"}[name]).rglob("*.*"))
    assert corpus(name).language == "zh"
    lines = [line for file in files[:40] for line in file.read_bytes().decode("utf-8", "replace").split("\n")[:60]]
    check(lines[:300])


# Characters of every kind that jieba's expressions distinguish, known and unknown to its models, in and out of words.
LETTERS = (
    "\u7684\u6211\u597d\u4eba\u8fd9\u90e8\u7535\u5f71\u4e00\u4e8c\u4e2d\u56fd\u5317\u4eac\u5927\u5b66\u751f\u6d3b\u4e0d\u662f\u4e86\u5728\u6709\u9f98\u9ebb\u8fb2\u5b78\u9fd5\u9fd6\u3400\U00020bb7"
    "aZx09.+#&_%-@!\uff21\u3002\uff0c\U0001f600\u200d\ufffd \n\r\t\u3000\u0085\u001c\u0660"
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.text(alphabet=st.one_of(st.sampled_from(LETTERS), st.characters(codec="utf-8")), max_size=30), max_size=3
    )
)
def test_any_text(texts):
    check(texts)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(LETTERS[:31]), max_size=14), st.integers(0, 9999))
def test_words_of_the_dictionary_in_any_order(letters, seed):
    entries, draw = dictionary(), Random(seed)
    mixed = [*letters, *(draw.choice(entries)[0] for _ in range(6))]
    draw.shuffle(mixed)
    check(["".join(mixed)])


def test_every_kind_of_character():
    kinds = character_kinds()
    assert [chr(code) for code in np.flatnonzero(kinds == SPACE)] == [chr(c) for c in range(65536) if chr(c).isspace()]
    assert (kinds == LETTER).sum() == 52


def test_the_best_states_of_a_run_are_those_of_a_complete_comparison():
    """Compare with all state sequences of runs of four characters; plain Python, not compiled."""
    draw = np.random.default_rng(0)
    allowed = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1]], bool)  # B, E, M, S
    for _ in range(20):
        change = np.where(allowed, draw.normal(size=(4, 4)), SMALLEST)
        model = PlainModel(draw.normal(size=4), change, draw.normal(size=(4, 5)))
        codes = draw.integers(0, 5, 4).astype(np.int32)
        words = Words(np.zeros(9, np.int64), np.zeros(9, np.int64), np.zeros(9, np.uint8), np.zeros(1, np.int64))
        plain_run(codes, 0, 4, model, words)

        def value(states, model=model, codes=codes):
            total = model.start[states[0]] + model.emit[states[0], codes[0]]
            for place in range(1, 4):
                total += model.change[states[place - 1], states[place]] + model.emit[states[place], codes[place]]
            return total

        ways = [
            way
            for way in product(range(4), repeat=4)
            if way[3] in (1, 3) and all(allowed[a, b] for a, b in pairwise(way))
        ]
        best = max(ways, key=value)
        ends = [place + 1 for place, state in enumerate(best) if state in (1, 3)]
        assert words.end[: words.found[0]].tolist() == ends
