"""Write data/clean/<corpus>/<split>.parquet text after text: equal texts give equal bytes, however they came."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from retable.text.clean.cleaned import CleanedTexts
from retable.text.clean.statistics import SplitStatistics, split_statistics
from retable.text.splits import Facts, clean_schema

ROWS_IN_A_GROUP = 8192


class SplitFile(AbstractContextManager["SplitFile"]):
    """One split: every row group but the last has `ROWS_IN_A_GROUP` rows, as if all had been written at once."""

    def __init__(self, path: Path, facts: Facts) -> None:
        self._schema = clean_schema(facts)
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._groups = 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None and (self._rows or not self._groups):
            self._write(self._rows)
        self._writer.close()

    def add(self, columns: dict[str, pa.Array]) -> None:
        """Some rows more."""
        self._waiting.append(pa.record_batch([columns[name] for name in self._schema.names], schema=self._schema))
        self._rows += len(self._waiting[-1])
        while self._rows >= ROWS_IN_A_GROUP:
            self._write(ROWS_IN_A_GROUP)

    def _write(self, rows: int) -> None:
        table = pa.Table.from_batches(self._waiting, self._schema)
        # In one piece: where a page ends depends on the pieces.
        self._writer.write_table(table.slice(0, rows).combine_chunks(), row_group_size=ROWS_IN_A_GROUP)
        self._waiting = table.slice(rows).to_batches()
        self._rows -= rows
        self._groups += 1


class SplitFiles(AbstractContextManager["SplitFiles"]):
    """The files of all splits; `counted` is what was written."""

    def __init__(self, folder: Path, facts: Facts, splits: Sequence[str]) -> None:
        self._labels = facts.labels
        self._files = {split: SplitFile(folder / f"{split}.parquet", facts) for split in splits}
        self.counted = {split: SplitStatistics() for split in splits}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files.values():
            file.__exit__(kind, error, trace)

    def write(self, texts: CleanedTexts, split_of: npt.NDArray[np.int8], clean: npt.NDArray[np.bool_]) -> None:
        """Write every text into its split.

        Args:
            split_of: a place in the splits, -1 for none, int8 (text,).
            clean: bool (text,).
        """
        names = pa.array([*self._labels, ""])  # -1, no label, is the last
        for places, found in texts.batches():
            for number, split in enumerate(self._files):
                chosen = np.flatnonzero(split_of[places] == number)
                if not len(chosen):
                    continue
                rows = places[chosen]
                columns = {
                    "id": texts.ids.take(rows),
                    "text": found.take(chosen),
                    "label": names.take(texts.labels[rows] % len(names)),
                    "clean": pa.array(clean[rows]),
                }
                self._files[split].add(columns)
                for text in columns["text"].to_pylist():
                    self.counted[split].add(text)

    def statistics(self, texts: CleanedTexts, split_of: npt.NDArray[np.int8]) -> dict[str, dict[str, Any]]:
        """`split_statistics` of every split that was written."""
        return {
            split: split_statistics(
                counted, self._labels, texts.labels[split_of == number], texts.digests[split_of == number]
            )
            for number, (split, counted) in enumerate(self.counted.items())
        }
