"""What is compared of the texts of a corpus, on the disk: a few bytes a text stay in memory.

In memory, for every text: digests of its exact form and of its normalised form, 32 bytes. For every text with 5-grams:
one bit of every number of its signature, 24 bytes, its place, and where its form begins in the file, 16 bytes.
On the disk: its signature, 768 bytes, once more its lowest bits, 192 bytes, and its normalised form, from which the
5-grams are made anew for the few texts that are looked at.

Texts of one normalised form are compared once.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from retable.text.leaks.leakage import (
    BANDS,
    ROWS,
    Digests,
    Hashes,
    Places,
    as_digests,
    first_equal,
    gram_hashes,
    normalised,
    seen_bits,
    sign,
)

NUMBERS = BANDS * ROWS
TEXTS_IN_BLOCK = 1 << 12
FORMS_REMEMBERED = 1 << 10


class FingerprintStore(AbstractContextManager["FingerprintStore"]):
    """The fingerprints of texts, in three files of a folder; `add` them all, then `finish`, then compare."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = {name: (folder / name).open("w+b") for name in ("signatures", "lowest", "forms")}
        self._exact, self._forms = bytearray(), bytearray()
        self._block: Hashes = np.empty((TEXTS_IN_BLOCK, NUMBERS), dtype=np.uint32)
        self._bits: list[npt.NDArray[np.uint64]] = []
        self._places, self._offsets = bytearray(), bytearray()  # int64 each
        self._size = self._texts = self._signed = 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files.values():
            file.close()

    def add(self, text: str) -> None:
        """Fingerprint one text more."""
        form = normalised(text)
        letters = form.encode("utf-8")
        self._exact += hashlib.sha256(letters.replace(b" ", b"")).digest()[:16]
        self._forms += hashlib.sha256(letters).digest()[:16]
        hashes = gram_hashes(form)
        if hashes.size:
            sign(hashes, self._block[self._signed % TEXTS_IN_BLOCK])
            self._places += self._texts.to_bytes(8, "little")
            self._offsets += self._size.to_bytes(8, "little")
            self._files["forms"].write(letters)
            self._size += len(letters)
            self._signed += 1
            if self._signed % TEXTS_IN_BLOCK == 0:
                self._write_block(self._block)
        self._texts += 1

    def finish(self) -> None:
        """Write what is left; nothing is added afterwards."""
        self._write_block(self._block[: self._signed % TEXTS_IN_BLOCK])
        self._offsets += self._size.to_bytes(8, "little")
        for file in self._files.values():
            file.flush()
        self.exact: Digests = as_digests(self._exact)
        self.forms: Digests = as_digests(self._forms)
        self.offsets: Places = np.frombuffer(self._offsets, dtype=np.int64)
        self.places: Places = np.frombuffer(self._places, dtype=np.int64)
        self.bits: npt.NDArray[np.uint64] = np.concatenate([np.empty((0, 3), np.uint64), *self._bits])
        self._bits.clear()
        self._exact, self._forms, self._block = bytearray(), bytearray(), np.empty((0, NUMBERS), np.uint32)

    def __len__(self) -> int:
        return self._texts

    def compared(self, texts: Places) -> "Stored":
        """What is compared of some of the texts, given in the order of their places."""
        return Stored(self, texts)

    def form(self, row: int) -> str:
        """The normalised form of a text that has a signature."""
        begin, end = int(self.offsets[row]), int(self.offsets[row + 1])
        return os.pread(self._files["forms"].fileno(), end - begin, begin).decode("utf-8")

    def band(self, band: int) -> Hashes:
        """Three numbers of every signature, uint32 (signed, 3)."""
        found: Hashes = np.empty((self._signed, ROWS), dtype=np.uint32)
        for start in range(0, self._signed, TEXTS_IN_BLOCK):
            count = min(TEXTS_IN_BLOCK, self._signed - start)
            place = 4 * (start * NUMBERS + band * ROWS * count)
            columns = os.pread(self._files["signatures"].fileno(), 4 * ROWS * count, place)
            found[start : start + count] = np.frombuffer(columns, dtype=np.uint32).reshape(ROWS, count).T
        return found

    def lowest(self, rows: Places) -> npt.NDArray[np.uint8]:
        """The lowest eight bits of every number of some signatures, (row, 192)."""
        distinct, inverse = np.unique(rows, return_inverse=True)
        handle = self._files["lowest"].fileno()
        read = b"".join(os.pread(handle, NUMBERS, NUMBERS * row) for row in distinct.tolist())
        return np.frombuffer(read, dtype=np.uint8).reshape(-1, NUMBERS)[inverse]

    def _write_block(self, block: Hashes) -> None:
        """A block's numbers stand column by column, so that a band is read without the others."""
        self._files["signatures"].write(np.ascontiguousarray(block.T).tobytes())
        self._files["lowest"].write(block.astype(np.uint8).tobytes())
        self._bits.append(seen_bits(block))


class Stored:
    """Some of the texts of a store (`leakage.Compared`); a place is one in this choice."""

    def __init__(self, store: FingerprintStore, texts: Places) -> None:
        self._store = store
        rows = np.searchsorted(store.places, texts)
        there = np.append(store.places, -1)[rows] == texts
        self._long, self._rows = np.flatnonzero(there), rows[there]
        self._row_of = np.where(there, rows, -1)
        self.grams = RememberedGrams(store, self._row_of)

    def long(self) -> Places:
        """The places of the texts that have a signature."""
        return self._long

    def band(self, band: int) -> Hashes:
        """Three numbers of each of their signatures."""
        return self._store.band(band)[self._rows]

    def seen_bits(self) -> npt.NDArray[np.uint64]:
        """One bit of every number of their signatures."""
        return self._store.bits[self._rows].T.copy()

    def lowest(self, rows: Places) -> npt.NDArray[np.uint8]:
        """The lowest bits of some of their signatures."""
        return self._store.lowest(self._rows[rows])


class RememberedGrams:
    """The 5-gram hashes of texts, made from their forms when they are asked for."""

    def __init__(self, store: FingerprintStore, row_of: Places) -> None:
        self._made = lru_cache(FORMS_REMEMBERED)(lambda place: gram_hashes(store.form(int(row_of[place]))))

    def __getitem__(self, place: int, /) -> Hashes:
        return self._made(place)


def distinct_forms(forms: Digests, among: Sequence[int] | Places | None = None) -> tuple[Places, Places]:
    """The first text of every normalised form, and for every text which of these has its form.

    Args:
        among: places of the texts that are looked at; None for all.
    Returns: places in the store, int64 (form,); index into them, int64 (text,).
    """
    chosen = np.arange(len(forms)) if among is None else np.asarray(among, dtype=np.int64)
    first = first_equal(forms if among is None else forms[chosen])
    firsts = np.flatnonzero(first == np.arange(len(first)))
    return chosen[firsts], np.searchsorted(firsts, first)
