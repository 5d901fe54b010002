"""Turn clean texts into tokens and parts of speech, one batch at a time: memory use does not grow with the corpus."""

import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import cycle
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from retable.errors import InputError
from retable.text.splits import CLEAN, ID, LABEL, TEXT, read_batches, read_facts, tagged_schema
from retable.text.tokens import Tokenise

TokeniseWithParts = Callable[[Sequence[str]], tuple[pa.ListArray, pa.ListArray]]
TagParts = Callable[[pa.ListArray], pa.ListArray]
Tokenised = tuple[pa.RecordBatch, pa.ListArray, pa.ListArray | None]


def tag_split(
    source: Path,
    target: Path,
    tokenise: Tokenise | TokeniseWithParts,
    tag_parts: TagParts | None = None,
    *,
    parts: bool,
    processes: int = 1,
    on_texts: Callable[[int], None] = lambda texts: None,
) -> None:
    """Write data/tagged/<corpus>/<split>.parquet from data/clean/<corpus>/<split>.parquet.

    Args:
        tokenise: maps texts to tokens, or to tokens and parts; pickled by name if there are several processes.
        tag_parts: maps tokens to parts, batch by batch in this process; None if `tokenise` finds them.
        parts: whether the file has a column of parts of speech.
        processes: number of tokenising processes; 1 uses this one. The file is the same.
        on_texts: called with the number of texts in each finished batch.
    Raises: InputError if a text has no token.
    """
    schema = tagged_schema(read_facts(source), parts=parts)
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch, tokens, found in tokenised(source, tokenise, processes):
            empty = pc.index(pc.list_value_length(tokens), 0).as_py()
            if empty >= 0:
                raise InputError(f"{source}: text {batch['id'][empty]} has no token; `clean` must remove empty texts.")
            columns = {name: batch[name] for name in ("id", "label", "clean")} | {"tokens": tokens}
            if parts:
                columns["parts"] = tag_parts(tokens) if tag_parts else found
            writer.write_batch(pa.record_batch([columns[name] for name in schema.names], schema=schema))
            on_texts(len(batch))


def tokenised(source: Path, tokenise: Tokenise | TokeniseWithParts, processes: int = 1) -> Iterator[Tokenised]:
    """Yield the rows of data/clean/<corpus>/<split>.parquet in batches, in order, with tokens and parts if found.

    Each of several processes holds one batch.
    """
    batches = read_batches(source, [ID, TEXT, LABEL, CLEAN])
    if processes == 1:
        for batch in batches:
            yield batch, *_pair(tokenise(batch["text"].to_pylist()))
        return
    in_hand: deque[tuple[pa.RecordBatch, Connection]] = deque()
    for batch, process in zip(batches, cycle([_start(tokenise) for _ in range(processes)]), strict=False):
        finished = _receive(in_hand.popleft()) if len(in_hand) == processes else None
        process.send(batch["text"].to_pylist())
        in_hand.append((batch, process))
        if finished:
            yield finished
    while in_hand:
        yield _receive(in_hand.popleft())


def _pair(found: pa.ListArray | tuple[pa.ListArray, pa.ListArray]) -> tuple[pa.ListArray, pa.ListArray | None]:
    return found if isinstance(found, tuple) else (found, None)


def _receive(item: tuple[pa.RecordBatch, Connection]) -> Tokenised:
    batch, process = item
    return batch, *_pair(process.recv())


def _start(tokenise: Tokenise | TokeniseWithParts) -> Connection:
    here, there = (context := get_context("spawn")).Pipe()
    context.Process(target=_serve, args=(tokenise, there), daemon=True).start()
    there.close()
    return here


def _serve(tokenise: Tokenise | TokeniseWithParts, parent: Connection) -> None:
    """Tokenise incoming batches until the parent closes its end, or is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, ConnectionError):
        while True:
            parent.send(tokenise(parent.recv()))
