"""The fastText row with bigrams, from texts in memory to the chosen epoch: accuracy on test, and seconds.

Peer       the program in C++ (github.com/facebookresearch/fastText) in the same run, where RETABLE_PEERS names a folder
           that holds it built (`fasttext`), with bigrams, as many rows for them as ours, ten epochs at a first rate of
           0.5, and a thread a core; else its figures on the machine of 195 GFLOP/s, the seconds scaled. Its time
           includes reading the file of texts and writing its model.
Ours       the preset, whole: vocabulary, epochs until dev no longer rises, dev after each. How many epochs that are is
           a matter of chance (4 to 15 on the headlines), so every repeat has another seed; medians.
Goal       accuracy is the same if it is less than a point below the peer's.
"""

import os
import random
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.inputs import first, split_of
from benchmarks.rows import Row
from benchmarks.timing import matrix_rate, scaled_s, seconds
from pipeline.scale import model_preset
from retable.errors import InputError
from retable.text.splits import Split
from retable.text.units import in_unit
from retable.training.run import Trained, train_classifier
from retable.vectors.store import NO_VECTORS

PEERS = "RETABLE_PEERS"  # a folder with programs that were built elsewhere
# As many rows as ours. Its first rate of 0.1 and five epochs leave it at 60% on the headlines.
PEER_OPTIONS = ("-wordNgrams", "2", "-bucket", "200000", "-epoch", "10", "-lr", "0.5", "-verbose", "0")
REPEATS, QUICK_TEXTS = 3, 40
POINT = 1.0  # of accuracy, %


@dataclass(frozen=True)
class Asked:
    """A corpus, in which unit, how many training texts (0: all), and what the program in C++ made of it elsewhere."""

    corpus: str
    unit: str
    texts: int
    accuracy: float
    seconds: float


ASKED = (Asked("mr", "words", 0, 76.1, 4.6), Asked("thucnews-45k", "characters", 10_000, 84.7, 3.5))


def measure(quick: bool) -> list[Row]:
    """Two rows a corpus.

    Raises: InputError if a corpus is not prepared, or the folder of peers lacks the program.
    """
    return [row for asked in ASKED for row in rows_of(asked, quick=quick)]


def rows_of(asked: Asked, *, quick: bool) -> list[Row]:
    """Seconds and accuracy on one corpus."""
    train, dev, test = (split_of(asked.corpus, part, quick=quick) for part in ("train", "dev", "test"))
    if asked.texts or quick:
        train = first(train, QUICK_TEXTS if quick else asked.texts)
    parameters = parameters_of(asked, quick=quick)
    trained: list[Trained] = []
    ways: dict[str, Callable[[], object]] = {
        "ours": lambda: trained.append(
            train_classifier(parameters | {"seed": 1 + len(trained)}, train, dev, NO_VECTORS)
        )
    }
    accuracies: list[float] = []
    program = program_of_peers("fasttext")
    name = "fastText in C++, same run"
    with tempfile.TemporaryDirectory() as folder:
        if program:
            files = [
                write_texts(Path(folder) / f"{part}.txt", split, asked.unit)
                for part, split in (("train", train), ("test", test))
            ]
            ways["peer"] = lambda: accuracies.append(run_program(program, *files))
        times: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(1 if quick else REPEATS):
            for way, function in ways.items():
                times[way].append(seconds(function))
    peer_s, peer_accuracy = scaled_s(asked.seconds, matrix_rate()), asked.accuracy
    if program:
        peer_s, peer_accuracy = median(times["peer"]), median(accuracies)
    answers = [each.classifier.probabilities(test).argmax(axis=1) for each in trained]
    accuracy = 100 * median(float((each == test.classes).mean()) for each in answers)
    path = f"fasttext with bigrams, {asked.corpus}, {len(train.ids):,} texts"
    return [
        Row(
            path,
            "s",
            median(times["ours"]),
            peer_s,
            name if program else f"fastText in C++: {asked.seconds:g} s elsewhere, scaled",
            None,
            "",
            "<= 2x the peer",
        ),
        Row(
            f"{path}, accuracy on test",
            "%",
            accuracy,
            peer_accuracy,
            name if program else "fastText in C++, elsewhere",
            None,
            "",
            f">= {peer_accuracy - POINT:.1f} %",
        ),
    ]


def parameters_of(asked: Asked, *, quick: bool) -> dict[str, Any]:
    """The sections of a run of the preset."""
    preset = model_preset("fasttext")
    preset["embedding"]["unit"] = asked.unit
    if quick:
        preset["training"] |= {"epochs": 1}
        preset["model"] |= {"buckets": 1000}
    return {"corpus": {"name": asked.corpus}, "device": "cpu", "precision": "float32", **preset}


def program_of_peers(name: str) -> Path | None:
    """A program in the folder of peers; None where no folder is named.

    Raises: InputError if the folder that is named does not hold it.
    """
    folder = os.environ.get(PEERS)
    if not folder:
        return None
    program = Path(folder) / name
    if not os.access(program, os.X_OK) or program.is_dir():
        raise InputError(f"{PEERS} is {folder}, which holds no program {name}; build it there, or unset {PEERS}.")
    return program


def write_texts(path: Path, split: Split, unit: str) -> Path:
    """A split as the program reads it, "__label__<class> word word ..." a line; shuffled, as it shuffles nothing."""
    texts = in_unit(split, unit).tokens.to_pylist()  # type: ignore[arg-type]
    lines = [f"__label__{label} {' '.join(text).lower()}\n" for label, text in zip(split.classes, texts, strict=True)]
    random.Random(1).shuffle(lines)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def run_program(program: Path, train: Path, test: Path) -> float:
    """Train and test the program in C++; the share of right answers, %.

    Raises: InputError if it fails or says what cannot be read.
    """
    model = train.with_name("model")
    options = [*PEER_OPTIONS, "-thread", str(os.cpu_count())]
    try:
        subprocess.run(
            [program, "supervised", "-input", train, "-output", model, *options], check=True, capture_output=True
        )
        told = subprocess.run(
            [program, "test", f"{model}.bin", test], check=True, capture_output=True, text=True
        ).stdout
        return 100 * float(next(line.split()[1] for line in told.splitlines() if line.startswith("P@1")))
    except (subprocess.CalledProcessError, StopIteration, ValueError) as error:
        raise InputError(
            f"{program} did not train and test as fastText does ({error}); build it anew, or unset {PEERS}."
        ) from None
