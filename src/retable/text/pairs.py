"""Two texts as one: the first, a mark that no corpus uses, the second. The mark is a separate token.

Models of single texts read a pair in this form; a network that reads "sides" also gets the side of each word.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retable.errors import InputError
from retable.text.splits import Split
from retable.text.units import Unit, in_unit, offsets_from_zero

MARK = "␞"  # U+241E, the picture of a record separator
FIRST, BETWEEN, SECOND = 0, 1, 2  # sides


def joined(first: str, second: str) -> str:
    """Join two texts into the text of an example."""
    return f"{first} {MARK} {second}"


def side_of_words(split: Split) -> np.ndarray:
    """Return the side of each word of all texts, FIRST, BETWEEN (the mark) or SECOND: int32 (word,).

    Raises: InputError if a text is not a pair, or one of its two texts has no word.
    """
    tokens = split.tokens
    marks = pc.equal(tokens.flatten(), MARK).to_numpy(zero_copy_only=False).astype(np.int64)
    offsets = offsets_from_zero(tokens)
    before = np.concatenate([[0], np.cumsum(marks)])  # marks before each word, over all texts
    of_text = np.repeat(np.arange(len(tokens)), np.diff(offsets))
    behind = before[1:] - before[offsets[:-1]][of_text]  # marks within its own text, up to and including a word
    sides = np.where(marks == 1, BETWEEN, np.where(behind > 0, SECOND, FIRST)).astype(np.int32)
    counts = [np.bincount(of_text[sides == side], minlength=len(tokens)) for side in (FIRST, BETWEEN, SECOND)]
    wrong = np.flatnonzero((counts[FIRST] == 0) | (counts[BETWEEN] != 1) | (counts[SECOND] == 0))
    if len(wrong):
        raise InputError(
            f"text {split.ids[wrong[0]]} of {split.facts.corpus} is not a pair of texts; "
            "this network reads two texts: choose a corpus of pairs, or another model."
        )
    return sides


def pairs_of(split: Split, unit: Unit, *, lowercase: bool) -> list[tuple[list[str], list[str]]]:
    """Return the tokens of both texts of every pair, in this unit. Raises: InputError if a text is not a pair."""
    found = []
    for number, tokens in enumerate(in_unit(split, unit).tokens.to_pylist()):
        if tokens.count(MARK) != 1:
            raise InputError(
                f"text {split.ids[number]} of {split.facts.corpus} is not a pair of texts; "
                "this model compares two: choose a corpus of pairs, or another model."
            )
        words = [word.lower() for word in tokens] if lowercase else tokens
        middle = words.index(MARK)
        found.append((words[:middle], words[middle + 1 :]))
    return found


def questions_of(tokens: pa.ListArray) -> np.ndarray:
    """Return the number of each pair's first text, int64 (text,): candidates of one question share the number.

    Args:
        tokens: pairs, list<string> (text,).
    """
    numbers: dict[tuple[str, ...], int] = {}
    firsts = [tuple(words[: words.index(MARK)]) for words in tokens.to_pylist()]
    return np.array([numbers.setdefault(first, len(numbers)) for first in firsts], dtype=np.int64)
