"""Stream the texts of a pool, or of a tagged split: memory does not grow with their number."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

TEXTS_IN_BATCH = 1_000
LONGEST_SENTENCE = 10_000  # gensim drops the rest of a longer one in silence


class TokenLists:
    """The column `tokens` of a Parquet file, as often as wanted; a very long text comes in pieces."""

    def __init__(self, file: Path, *, lowercase: bool, on_words: Callable[[int], None] = lambda words: None) -> None:
        self.file, self.lowercase, self.on_words = file, lowercase, on_words

    def batches(self) -> Iterator[pa.ListArray]:
        """The texts, in batches."""
        for batch in pq.ParquetFile(self.file).iter_batches(TEXTS_IN_BATCH, columns=["tokens"]):
            tokens = batch["tokens"]
            words = pc.utf8_lower(tokens.values) if self.lowercase else tokens.values
            yield pa.ListArray.from_arrays(tokens.offsets, words)

    def __iter__(self) -> Iterator[list[str]]:
        for batch in self.batches():
            for tokens in batch.to_pylist():
                for start in range(0, len(tokens), LONGEST_SENTENCE):
                    yield tokens[start : start + LONGEST_SENTENCE]
            self.on_words(len(batch.flatten()))

    def counts(self) -> Counter[str]:
        """Occurrences of every word."""
        counts: Counter[str] = Counter()
        for batch in self.batches():
            counted = pc.value_counts(batch.flatten())
            words, occurrences = counted.field("values").to_pylist(), counted.field("counts").to_pylist()
            counts.update(dict(zip(words, occurrences, strict=True)))
        return counts
