"""Words or characters: the units in which a run reads its texts.

The tagged files hold words. A text in characters is the sequence of its words' characters (Unicode code points), each
with the part of speech of its word; white space between words is not included. Raw characters are all those of the
clean text, with case and white space, and have no parts of speech.
"""

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retable.errors import unknown_name
from retable.text.splits import Split

TokenUnit = Literal["words", "characters"]  # for which vectors are trained
Unit = Literal[TokenUnit, "raw-characters"]
RAW: Unit = "raw-characters"


def in_unit(split: Split, unit: Unit) -> Split:
    """Return a split of words unchanged, or in characters.

    Raises: InputError for an unknown unit.
    """
    if unit == "words":
        return split
    if unit == RAW:
        assert split.texts is not None, "raw characters need the clean texts, but this split was read without them"
        return replace(split, tokens=raw_characters_of(split.texts), parts=None)
    if unit != "characters":
        raise unknown_name("embedding.unit", unit, get_args(Unit))
    tokens, parts = characters_of(split.tokens, split.parts)
    return replace(split, tokens=tokens, parts=parts)


def characters_of(tokens: pa.ListArray, parts: pa.ListArray | None) -> tuple[pa.ListArray, pa.ListArray | None]:
    """Return the characters of every text and, if parts of speech are given, the part of each character's word.

    Args:
        tokens: the words, list<string> (text,).
        parts: their parts of speech, list<string> (text,), as long as `tokens` in every text.
    Returns: list<string> (text,) twice; no list is longer than its text has code points.
    """
    words = tokens.flatten()
    lengths = pc.utf8_length(words).to_numpy(zero_copy_only=False)  # characters in each word
    ends = np.concatenate([[0], np.cumsum(lengths)])
    offsets = pa.array(ends[offsets_from_zero(tokens)], pa.int32())
    characters = pa.ListArray.from_arrays(offsets, _split_into_characters(words))
    if parts is None:
        return characters, None
    of_character = pa.array(np.repeat(np.arange(len(words)), lengths))
    return characters, pa.ListArray.from_arrays(offsets, parts.flatten().take(of_character))


def raw_characters_of(texts: pa.StringArray) -> pa.ListArray:
    """Return the characters of every text, list<string> (text,)."""
    lengths = pc.utf8_length(texts).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
    return pa.ListArray.from_arrays(offsets, _split_into_characters(texts))


def _split_into_characters(words: pa.StringArray) -> pa.StringArray:
    """Return the characters of all words, in order: the same UTF-8 bytes, with an offset for each character."""
    if not len(words):
        return words
    _, offset_buffer, data = words.buffers()
    offsets = np.frombuffer(offset_buffer, np.int32)[words.offset : words.offset + len(words) + 1]
    start, stop = int(offsets[0]), int(offsets[-1])
    octets = np.frombuffer(data, np.uint8, stop - start, start) if stop > start else np.empty(0, np.uint8)
    first = np.flatnonzero((octets & 0xC0) != 0x80) + start  # later bytes of a character are 10xxxxxx
    starts = np.append(first, stop).astype(np.int32)
    return pa.StringArray.from_buffers(len(first), pa.py_buffer(starts), data)


def offsets_from_zero(lists: pa.ListArray) -> np.ndarray:
    """Return the start of each list in `lists.flatten()`, int64 (list + 1,)."""
    offsets = lists.offsets.to_numpy().astype(np.int64)
    return offsets - offsets[0]
