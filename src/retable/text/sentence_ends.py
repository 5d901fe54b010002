"""Sentences of a tokenised text: an end mark that is its own token ends one; a run of end marks is a single end.

What follows the last mark is a sentence too. There is no handling of abbreviations or brackets: quotation marks after
a full stop begin the next sentence. `retable.text.clean.sentences` splits raw texts, for the papers' counts.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retable.text.units import offsets_from_zero

ENDS = (".", "!", "?", "…", "。", "！", "？")


def sentence_of_words(tokens: pa.ListArray) -> np.ndarray:
    """Return each word's sentence number within its text, from 0, for all texts: int32 (word,).

    Args:
        tokens: the words, list<string> (text,); every text has at least one.
    """
    ends = pc.is_in(tokens.flatten(), value_set=pa.array(ENDS)).to_numpy(zero_copy_only=False)
    begins = np.concatenate([[False], ends[:-1] & ~ends[1:]])
    number = begins.cumsum()
    offsets = offsets_from_zero(tokens)
    return (number - np.repeat(number[offsets[:-1]], np.diff(offsets))).astype(np.int32)
