"""Stream the texts of a pool, or of a tagged split, as words or characters, with constant memory use."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retable.errors import InputError, unknown_name
from retable.text.splits import TOKENS, read_batches
from retable.text.units import TokenUnit, characters_of, offsets_from_zero

LONGEST_SENTENCE = 10_000  # gensim silently drops the rest of a longer one


class TokenLists:
    """The column `tokens` of a Parquet file, readable repeatedly; a very long text is split into pieces.

    Args:
        unit: "words", the tokens unchanged, or "characters", those of their words.
        on_words: called with the number of further words (or characters) read.
    Raises: InputError for another unit.
    """

    def __init__(
        self,
        file: Path,
        *,
        lowercase: bool,
        unit: TokenUnit = "words",
        on_words: Callable[[int], None] = lambda words: None,
    ) -> None:
        if unit not in get_args(TokenUnit):
            raise unknown_name("unit of word vectors", unit, get_args(TokenUnit))
        self.file, self.lowercase, self.unit, self.on_words = file, lowercase, unit, on_words

    def batches(self) -> Iterator[pa.ListArray]:
        """Yield the texts in batches, without splitting any."""
        for batch in read_batches(self.file, [TOKENS]):
            tokens = batch["tokens"] if self.unit == "words" else characters_of(batch["tokens"], None)[0]
            words = pc.utf8_lower(tokens.values) if self.lowercase else tokens.values
            yield pa.ListArray.from_arrays(tokens.offsets, words)

    def __iter__(self) -> Iterator[list[str]]:
        for batch in self.batches():
            # each word of a batch is one object, however frequent: gensim looks up tokens by hash and identity
            encoded = batch.flatten().dictionary_encode()
            words = np.array(encoded.dictionary.to_pylist(), dtype=object)
            tokens = words[encoded.indices.to_numpy()].tolist()
            for text, end in pairwise(offsets_from_zero(batch).tolist()):
                for start in range(text, end, LONGEST_SENTENCE):
                    yield tokens[start : min(start + LONGEST_SENTENCE, end)]
            self.on_words(len(tokens))

    def counts(self) -> Counter[str]:
        """Return the number of occurrences of every word."""
        counts: Counter[str] = Counter()
        for batch in self.batches():
            counted = pc.value_counts(batch.flatten())
            words, occurrences = counted.field("values").to_pylist(), counted.field("counts").to_pylist()
            counts.update(dict(zip(words, occurrences, strict=True)))
        return counts


def frequent_words(counts: Counter[str], min_count: int, texts: Path) -> dict[str, int]:
    """Return the words that get a vector, most frequent first, ties by code point.

    Raises: InputError if no word of `texts` occurs `min_count` times.
    """
    frequent = {word: count for word, count in counts.items() if count >= min_count}
    if not frequent:
        raise InputError(f"no word of {texts} occurs {min_count} times or more; lower min_count.")
    return dict(sorted(frequent.items(), key=lambda item: (-item[1], item[0])))
