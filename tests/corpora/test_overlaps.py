"""Copies between corpora, by hand."""

import numpy as np

from retable.text.leaks.leakage import fingerprints
from retable.text.leaks.overlaps import Match, counts, matches

FILM = "a fine film that i would see again"
NEARLY = "a fine film that i will see again"
OTHER = "nothing like any of these texts"


def found(texts: list[list[str]], families: list[int]) -> tuple[list[Match], np.ndarray]:
    groups = np.repeat(np.arange(len(texts)), [len(group) for group in texts])
    return matches(fingerprints([text for group in texts for text in group]), groups, families), groups


def test_an_exact_copy_is_found_from_both_sides():
    got, _ = found([[OTHER, FILM], ["A fine film, that I would see again!"]], [0, 1])
    assert got == [Match(1, 1, 2, 1.0, exact=True), Match(2, 0, 1, 1.0, exact=True)]


def test_the_nearest_copy_is_told_and_an_exact_one_wins():
    worse = "a fine film that i will see again soon"
    got, _ = found([[FILM], [worse, NEARLY]], [0, 1])
    assert [(match.text, match.other, match.exact) for match in got] == [(0, 2, False), (1, 0, False), (2, 0, False)]
    assert 0.4 <= got[1].similarity < got[0].similarity == got[2].similarity < 1
    got, _ = found([[FILM], [NEARLY, FILM, FILM]], [0, 1])
    assert got[0] == Match(0, 1, 2, 1.0, exact=True)


def test_an_exact_copy_wins_over_a_text_of_the_same_5_grams():
    round_and_round = "abcde" * 6
    got, _ = found([[round_and_round], [round_and_round + "abcde", round_and_round]], [0, 1])
    assert got[0] == Match(0, 1, 2, 1.0, exact=True)
    assert got[1] == Match(1, 0, 0, 1.0, exact=False)


def test_a_text_is_asked_in_every_split_of_the_other_corpus():
    got, groups = found([[FILM, OTHER], [FILM], [NEARLY]], [0, 1, 1])
    assert [(match.text, match.group, match.exact) for match in got] == [
        (0, 1, True), (0, 2, False), (2, 0, True), (3, 0, False),
    ]  # fmt: skip
    assert counts(got, groups) == {(0, 1): (1, 0), (0, 2): (0, 1), (1, 0): (1, 0), (2, 0): (0, 1)}


def test_splits_of_one_corpus_and_corpora_of_the_same_texts_are_not_compared():
    got, _ = found([[FILM], [FILM], [NEARLY], [OTHER]], [0, 0, 0, 1])
    assert got == []


def test_short_texts_and_empty_groups():
    got, _ = found([["so good"], [], ["so good!", "so goody"]], [0, 1, 2])
    assert [(match.text, match.other) for match in got] == [(0, 1), (1, 0)]
    assert found([[], []], [0, 1])[0] == []


def test_many_corpora_of_the_same_sentences_give_one_match_a_pair():
    got, groups = found([[FILM]] * 4, [0, 1, 2, 3])
    assert len(got) == 12
    assert set(counts(got, groups).values()) == {(1, 0)}
