"""Sentences of a tokenised text: a mark that ends one, as a token of its own, ends it; a run of such marks is one end.

What stands behind the last mark is a sentence too. No abbreviation is known and no bracket closed: quotation marks
behind a full stop begin the next sentence. `retable.text.clean.sentences` cuts raw texts, for the papers' counts.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

ENDS = (".", "!", "?", "…", "。", "！", "？")


def sentence_of_words(tokens: pa.ListArray) -> np.ndarray:
    """Return the number of the sentence, from 0 in each text, in which every word of all texts stands: int32 (word,).

    Args:
        tokens: the words, list<string> (text,); every text has one.
    """
    ends = pc.is_in(tokens.flatten(), value_set=pa.array(ENDS)).to_numpy(zero_copy_only=False)
    begins = np.concatenate([[False], ends[:-1] & ~ends[1:]])
    number = begins.cumsum()
    offsets = tokens.offsets.to_numpy().astype(np.int64)
    firsts = offsets[:-1] - offsets[0]
    return (number - np.repeat(number[firsts], np.diff(offsets))).astype(np.int32)
