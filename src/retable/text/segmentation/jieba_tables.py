"""jieba's dictionary and models as arrays, with compiled versions of its two segmentation modes (`segmenter.py`).

jieba itself segments nothing here: its files are read once per process. The dictionary is dict.txt of the package,
unmodified: no cache is read or written, and there is no user dictionary.
"""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from retable.text.segmentation import segmenter as segmentation
from retable.text.segmentation.segmenter import (
    DIGIT,
    HAN,
    HYPHEN,
    LETTER,
    MARK,
    PERCENT,
    PLACES_OF_HASH,
    POINT,
    SMALLEST,
    SPACE,
    Dictionary,
    PartsModel,
    PlainModel,
    Words,
)

PLANE = 1 << 16
FIRST_HAN, LAST_HAN = 0x4E00, 0x9FD5
# Called by compiled functions; `cut_texts`, `add_words` and `spell` are called from Python.
INNER = ("slot_of", "child", "kind", "best_way", "is_word", "add", "plain_run", "parts_run", "plain_singles",
         "parts_singles", "cut_block")  # fmt: skip


class Cutter:
    """jieba's segmentation, with its models in memory."""

    def __init__(self) -> None:
        lines = dictionary_lines()
        self.parts = part_names(lines)
        self.kinds = character_kinds()
        numbers = {part: number for number, part in enumerate(self.parts)}
        self.flags = (numbers["m"], numbers["eng"], numbers["x"])
        self.dictionary = dictionary_of(lines, numbers)
        self.models = (plain_model(), parts_model(numbers))

    def cut(self, texts: Sequence[str], *, tagged: bool) -> tuple[pa.ListArray, pa.ListArray]:
        """Segment texts.

        Args:
            texts: any texts; white space is not a word.
            tagged: segment like posseg, with parts of speech; else by plain segmentation, whose parts are meaningless.
        Returns: words and parts, list<string> (text,).
        """
        codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.int32)
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        size = len(codes)
        words = Words(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.uint8), np.zeros(1, int))
        counts = np.zeros(len(texts), np.int32)
        compiled("cut_texts")(codes, ends, self.kinds, self.dictionary, *self.models, tagged, self.flags, words, counts)
        found = int(words.found[0])
        begins, stops = words.begin[:found], words.end[:found]
        offsets, letters = np.empty(found + 1, np.int32), np.empty(4 * int((stops - begins).sum()), np.uint8)
        length = compiled("spell")(codes, begins, stops, offsets, letters)
        flat = pa.StringArray.from_buffers(found, pa.py_buffer(offsets), pa.py_buffer(letters[:length]))
        of_texts = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
        lists = pa.ListArray.from_arrays(of_texts, flat)
        parts = pa.array(self.parts).take(pa.array(words.part[:found]))
        return lists, pa.ListArray.from_arrays(of_texts, parts)


@cache
def cutter() -> Cutter:
    """Return the cutter of this process: built in about a second, compiled once per machine."""
    return Cutter()


@cache
def compiled(name: str) -> Any:
    """Return a function of `segmenter`, compiled and cached next to the source for other processes."""
    import numba

    _register_inner()
    return numba.njit(cache=True, nogil=True)(getattr(segmentation, name))


@cache
def _register_inner() -> None:
    """Make the functions that only compiled functions call available to them."""
    from numba.extending import register_jitable

    for name in INNER:
        register_jitable(getattr(segmentation, name))


def dictionary_lines() -> list[tuple[str, int, str]]:
    """Return the lines of dict.txt: word, the authors' count of it, part of speech. Of equal words the last counts."""
    lines = (files("jieba") / "dict.txt").read_bytes().decode("utf-8").splitlines()
    return [(word, int(count), part) for word, count, part in (line.split(" ") for line in lines)]


@cache
def models() -> tuple[Any, Any]:
    """Return jieba's modules that hold the models of plain segmentation and of posseg."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with an older setuptools jieba imports pkg_resources, which emits a warning
        from jieba import finalseg, posseg
    return finalseg, posseg


def part_names(lines: Iterable[tuple[str, int, str]]) -> list[str]:
    """Return every part of speech of the dictionary and of the model."""
    return sorted({part for _, _, part in lines} | {part for _, part in models()[1].start_P} | {"m", "eng", "x"})


def character_kinds() -> npt.NDArray[np.uint8]:
    """Return the kind of each character of the first plane, by jieba's expressions; white space is by `str.isspace`."""
    kinds = np.zeros(PLANE, np.uint8)
    kinds[FIRST_HAN : LAST_HAN + 1] = HAN
    for letters, of in (
        ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", LETTER), ("0123456789", DIGIT), (".", POINT),
        ("+#&_", MARK), ("%", PERCENT), ("-", HYPHEN),
        ((chr(code) for code in range(PLANE) if chr(code).isspace()), SPACE),
    ):  # fmt: skip
        for letter in letters:
            kinds[ord(letter)] = of
    return kinds


def dictionary_of(lines: Sequence[tuple[str, int, str]], numbers: Mapping[str, int]) -> Dictionary:
    """Return the prefix tree. Logarithms are Python's, as in jieba: numpy's may differ in the last bit."""
    total = math.log(sum(count for _, count, _ in lines))
    codes = np.frombuffer("".join(word for word, _, _ in lines).encode("utf-32-le"), dtype=np.int32)
    ends = np.cumsum([len(word) for word, _, _ in lines], dtype=np.int64)
    first = np.zeros(PLANE, np.int32)
    keys, nodes = np.full(PLACES_OF_HASH, -1, np.int64), np.zeros(PLACES_OF_HASH, np.int32)
    node_of_word = np.zeros(len(lines), np.int32)
    size = compiled("add_words")(codes, ends, first, keys, nodes, node_of_word)
    log, is_word = np.full(size, -np.inf), np.zeros(size, np.bool_)
    part = np.full(size, numbers["x"], np.uint8)
    counts = [count for _, count, _ in lines]
    log[node_of_word] = [math.log(count or 1) - total for count in counts]
    is_word[node_of_word] = np.array(counts) > 0
    part[node_of_word] = [numbers[part] for _, _, part in lines]
    return Dictionary(first, keys, nodes, log, is_word, part, math.log(1) - total)


def plain_model() -> PlainModel:
    """Return the model of plain segmentation."""
    start_of, change_of, emit_of = models()[0].start_P, models()[0].trans_P, models()[0].emit_P
    emit = np.full((4, PLANE), SMALLEST)
    for state, letter in enumerate("BEMS"):
        for character, value in emit_of[letter].items():
            emit[state, ord(character)] = value
    change = [[change_of[one].get(other, SMALLEST) for other in "BEMS"] for one in "BEMS"]
    return PlainModel(np.array([start_of[letter] for letter in "BEMS"]), np.array(change), emit)


def parts_model(numbers: Mapping[str, int]) -> PartsModel:
    """Return the model of posseg."""
    posseg = models()[1]
    states_of, start_of, change_of = posseg.char_state_tab_P, posseg.start_P, posseg.trans_P
    emit_of = posseg.emit_P
    states = sorted(change_of)
    index = {state: number for number, state in enumerate(states)}
    change = np.full((len(states), len(states)), -np.inf)
    follows = np.zeros((len(states), 4), np.uint64)
    for state, next_states in change_of.items():
        for other, value in next_states.items():
            change[index[state], index[other]] = value
            follows[index[state], index[other] >> 6] |= np.uint64(1 << (index[other] & 63))
    characters = sorted({*states_of, *(character for found in emit_of.values() for character in found)})
    row = np.full(PLANE, -1, np.int32)
    row[[ord(character) for character in characters]] = np.arange(len(characters))
    emissions: dict[str, list[tuple[int, float]]] = {character: [] for character in characters}
    for state in states:
        for character, value in emit_of[state].items():
            emissions[character].append((index[state], value))
    listed = [sorted(index[state] for state in states_of.get(character, ())) for character in characters]
    emitted = [emissions[character] for character in characters]
    return PartsModel(
        start=np.array([start_of[state] for state in states]),
        change=change,
        follows=follows,
        character=row,
        state_offsets=np.cumsum([0, *map(len, listed)]),
        states=np.array([state for found in listed for state in found], np.int32),
        emit_offsets=np.cumsum([0, *map(len, emitted)]),
        emit_states=np.array([state for found in emitted for state, _ in found], np.int32),
        emits=np.array([value for found in emitted for _, value in found]),
        letter=np.array(["BEMS".index(letter) for letter, _ in states], np.uint8),
        part=np.array([numbers[part] for _, part in states], np.uint8),
    )
