"""The authors' programs in C (github.com/stanfordnlp/GloVe), where the user has them built: times and loss."""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from benchmarks.timing import seconds
from retable.errors import InputError

PROGRAMS = ("vocab_count", "cooccur", "shuffle", "glove")
PEERS = "RETABLE_PEERS"  # the folder of built programs, as in fasttext_row.py
COST = re.compile(r"iter: \d+, cost: ([\d.]+)")


class InC(NamedTuple):
    """Seconds from texts to shuffled co-occurrences; of a pass; mean loss of every pass, as eq. 8 has it."""

    counting_s: float
    pass_s: float
    losses: list[float]


def programs(folder: Path | None) -> Path | None:
    """The folder that is named, or that of $RETABLE_PEERS; None where neither is, or the latter holds no GloVe.

    Raises: InputError if a program is missing in a folder that is named.
    """
    named = folder or Path(os.environ.get(PEERS) or "no folder")
    missing = [name for name in PROGRAMS if not os.access(named / name, os.X_OK)]
    if missing and folder:
        raise InputError(f"{folder} holds no program {missing[0]}; name the folder build/ of Stanford's GloVe.")
    return None if missing else named


def write_texts(texts: Path, file: Path) -> None:
    """A text a line, in lower case."""
    with file.open("w", encoding="utf-8") as lines:
        for batch in pq.ParquetFile(texts).iter_batches(1000, columns=["tokens"]):
            lines.writelines(" ".join(tokens).lower() + "\n" for tokens in batch["tokens"].to_pylist())


def run(
    folder: Path,
    texts: Path,
    work: Path,
    *,
    size: int,
    window: int,
    min_count: int,
    x_max: float,
    rate: float,
    threads: int,
) -> InC:
    """Count, and train two and three passes: their difference is a pass."""
    write_texts(texts, work / "texts.txt")
    vocabulary, counts, shuffled = work / "vocabulary.txt", work / "counts.bin", work / "shuffled.bin"

    def call(command: str, *options: object, source: Path, out: Path) -> None:
        with source.open("rb") as read, out.open("wb") as write:
            words = [folder / command, "-verbose", "0", *options]
            subprocess.run(
                [str(word) for word in words], stdin=read, stdout=write, stderr=subprocess.DEVNULL, check=True
            )

    def count() -> None:
        call("vocab_count", "-min-count", min_count, source=work / "texts.txt", out=vocabulary)
        options = (
            "-window-size",
            window,
            "-vocab-file",
            vocabulary,
            "-memory",
            "4",
            "-overflow-file",
            work / "overflow",
        )
        call("cooccur", *options, source=work / "texts.txt", out=counts)
        call("shuffle", "-memory", "4", "-temp-file", work / "shuffle", "-seed", 1, source=counts, out=shuffled)

    def train(passes: int) -> str:
        options = {
            "input-file": shuffled, "vocab-file": vocabulary, "save-file": work / "vectors", "iter": passes,
            "vector-size": size, "x-max": x_max, "eta": rate, "threads": threads, "seed": 1, "verbose": 2,
        }  # fmt: skip
        words = [folder / "glove", *(part for name, value in options.items() for part in (f"-{name}", value))]
        return subprocess.run([str(word) for word in words], capture_output=True, check=True, text=True).stderr

    counting_s = seconds(count)
    told: list[str] = []
    two_s, three_s = (seconds(lambda passes=passes: told.append(train(passes))) for passes in (2, 3))  # type: ignore[misc]
    # the program's cost is half of eq. 8
    return InC(counting_s, three_s - two_s, [2 * float(cost) for cost in COST.findall(told[-1])])
