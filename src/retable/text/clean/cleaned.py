"""The texts of a corpus, cleaned, on their way from its raw files to its splits: texts on the disk, numbers in memory.

First all texts are `read_cleaned`: each is cleaned, counted, fingerprinted, and written to a file. When all are known,
splits are drawn; then the file is read once more and its texts go into their splits.
"""

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from retable.declaration import Corpus
from retable.text.clean.cleaning import Copies, Removed, clean_text
from retable.text.clean.splitting import ALL
from retable.text.clean.statistics import PublishedStatistics
from retable.text.leaks.fingerprint_store import FingerprintStore
from retable.text.leaks.leakage import Digests, Places, as_digests
from retable.text.splits import SPLITS, TEXT, UNLABELLED

TEXTS_IN_BATCH = 1 << 10
PUBLISHED = {**{split: place for place, split in enumerate(SPLITS)}, "all": ALL, UNLABELLED: len(SPLITS)}


class CleanedTexts(AbstractContextManager["CleanedTexts"]):
    """Texts in the order in which they were read; of each, its id, the place of its label and its published split."""

    def __init__(self, folder: Path) -> None:
        self.prints = FingerprintStore(folder)
        self._path = folder / "texts"
        self._schema = pa.schema([TEXT])
        self._writer = pa.ipc.new_stream(pa.OSFile(str(self._path), "wb"), self._schema)
        self._texts: list[str] = []
        self._ids: list[str] = []
        self._id_chunks: list[pa.StringArray] = []
        self._labels, self._published, self._digests = array("h"), array("b"), bytearray()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()
        self.prints.__exit__(kind, error, trace)

    def __len__(self) -> int:
        return len(self._labels)

    def add(self, name: str, text: str, digest: bytes, label: int, published: int) -> None:
        """One text more."""
        self.prints.add(text)
        self._labels.append(label)
        self._published.append(published)
        self._digests += digest
        self._ids.append(name)
        self._texts.append(text)
        if len(self._texts) == TEXTS_IN_BATCH:
            self._write()

    def finish(self) -> None:
        """Write what is left; nothing is added afterwards."""
        self._write()
        self._writer.close()
        self.prints.finish()
        self.ids: pa.StringArray = pa.concat_arrays([pa.array([], pa.string()), *self._id_chunks])
        self._id_chunks.clear()
        self.labels: npt.NDArray[np.int16] = np.frombuffer(self._labels, dtype=np.int16)
        self.published: npt.NDArray[np.int8] = np.frombuffer(self._published, dtype=np.int8)
        self.digests: Digests = as_digests(self._digests)
        self._digests = bytearray()

    def batches(self) -> Iterator[tuple[Places, pa.StringArray]]:
        """Places and texts, all once more in their order."""
        place = 0
        with pa.OSFile(str(self._path)) as file, pa.ipc.open_stream(file) as reader:
            for batch in reader:
                yield np.arange(place, place + len(batch)), batch.column(0)
                place += len(batch)

    def _write(self) -> None:
        self._writer.write_batch(pa.record_batch([pa.array(self._texts, pa.string())], schema=self._schema))
        self._id_chunks.append(pa.array(self._ids, pa.string()))
        self._texts.clear()
        self._ids.clear()


def digest_of(text: str) -> bytes:
    """16 bytes that only equal texts share."""
    return hashlib.sha256(text.encode("utf-8")).digest()[:16]


def read_cleaned(
    corpus: Corpus, raw: Path, texts: CleanedTexts, on_texts: Callable[[int], None] = lambda texts: None
) -> tuple[PublishedStatistics, npt.NDArray[np.bool_], list[Removed]]:
    """Read a corpus and clean every text.

    Texts of which nothing is left are dropped; where we draw the splits, so are copies, and texts that contradict each
    other. Unlabelled texts keep their copies.

    Args:
        raw: data/raw/<corpus>/.
        texts: filled, and finished.
        on_texts: told how many texts were read.
    Returns: figures of the texts as published; which of `texts` stay, bool (text,); which texts do not.
    Raises: InputError as `Corpus.counted`.
    """
    published = PublishedStatistics(unlabelled=corpus.unlabelled > 0)
    numbers = {label: number for number, label in enumerate(corpus.labels)} | {"": -1}
    copies = Copies() if corpus.split == "own" else None
    empty: dict[bool, list[Removed]] = {True: [], False: []}
    for example in corpus.counted(raw):
        published.add(example)
        if published.splits.total() % TEXTS_IN_BATCH == 0:
            on_texts(TEXTS_IN_BATCH)
        text = clean_text(example.text, markup=corpus.html)
        labelled = example.split != UNLABELLED
        if not text:
            empty[labelled].append(Removed(example.id, "empty", ""))
            continue
        digest, label = digest_of(text), numbers[example.label]
        if not (labelled and copies and copies.is_copy(digest, label, example.id, len(texts))):
            texts.add(example.id, text, digest, label, PUBLISHED[example.split])
    on_texts(published.splits.total() % TEXTS_IN_BATCH)
    texts.finish()
    stays = np.ones(len(texts), dtype=np.bool_)
    going, removed = copies.removed(lambda place: texts.ids[place].as_py()) if copies else ([], [])
    stays[going] = False
    return published, stays, [*empty[True], *removed, *empty[False]]


def counted_reasons(removed: list[Removed]) -> Counter[str]:
    """Reason -> how many texts are not left."""
    return Counter(text.reason for text in removed)
