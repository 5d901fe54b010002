"""The fastText row with bigrams, from texts in memory to the answers on test: accuracy, and seconds.

Peer       the program in C++ (github.com/facebookresearch/fastText) in the same run, where RETABLE_PEERS names a folder
           that holds it built (`fasttext`), with bigrams, as many rows for them as ours, ten epochs at a first rate of
           0.5, and a thread a core; else its figures on the machine of 195 GFLOP/s, the seconds scaled. Its time
           includes reading the file of texts and writing its model.
Ours       vocabulary, epochs, dev after each, the best epoch taken. The preset goes on until dev no longer rises: after
           4 to 15 epochs on the headlines, a matter of chance. So it is timed both as it is and with four epochs, the
           fewest after which it may stop. Every repeat has another seed; medians.
Goal       the peer's accuracy in twice its time. Accuracy is the same if it is less than a point below the peer's; the
           time is asked of the four epochs, as the program does not look for its best one.
"""

import os
import random
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.inputs import first, split_of
from benchmarks.rows import Row
from benchmarks.timing import matrix_rate, scaled_s
from retable.errors import InputError
from retable.experiments.scale import model_preset
from retable.text.splits import Split
from retable.text.units import in_unit
from retable.training.run import train_classifier
from retable.vectors.store import NO_VECTORS

PEERS = "RETABLE_PEERS"  # a folder with programs that were built elsewhere
# As many rows as ours. Its first rate of 0.1 and five epochs leave it at 60% on the headlines.
PEER_OPTIONS = ("-wordNgrams", "2", "-bucket", "200000", "-epoch", "10", "-lr", "0.5", "-verbose", "0")
FEW_EPOCHS, REPEATS, QUICK_TEXTS = 4, 3, 40
POINT = 1.0  # of accuracy, %


@dataclass(frozen=True)
class Asked:
    """A corpus, in which unit, how many training texts (0: all), and what the program in C++ made of it elsewhere."""

    corpus: str
    unit: str
    texts: int
    accuracy: float
    seconds: float


class Found(NamedTuple):
    """Medians of a way: seconds, and accuracy on test, %."""

    seconds: float
    accuracy: float
    name: str


ASKED = (Asked("mr", "words", 0, 76.1, 4.6), Asked("thucnews-45k", "characters", 10_000, 84.7, 3.5))
FEW, WHOLE, PEER = f"{FEW_EPOCHS} epochs", "the preset", "fastText in C++, same run"
GOALS = {FEW: "<= 2x the peer", WHOLE: ""}


def measure(quick: bool) -> list[Row]:
    """Two rows a corpus and way.

    Raises: InputError if a corpus is not prepared, or the folder of peers lacks the program.
    """
    return [row for asked in ASKED for row in rows_of(asked, quick=quick)]


def rows_of(asked: Asked, *, quick: bool) -> list[Row]:
    """Seconds and accuracy on one corpus, of four epochs and of the preset."""
    train, dev, test = (split_of(asked.corpus, part, quick=quick) for part in ("train", "dev", "test"))
    if asked.texts or quick:
        train = first(train, QUICK_TEXTS if quick else asked.texts)
    found = run_in_turns(asked, train, dev, test, quick=quick)
    elsewhere = f"fastText in C++: {asked.seconds:g} s elsewhere, scaled"
    peer = found.get(PEER) or Found(scaled_s(asked.seconds, matrix_rate()), asked.accuracy, elsewhere)
    rows = []
    for way, goal in GOALS.items():
        path, ours = f"fasttext with bigrams, {asked.corpus}, {len(train.ids):,} texts, {way}", found[way]
        rows += [
            Row(path, "s", ours.seconds, peer.seconds, peer.name, None, "", goal),
            Row(
                f"{path}: accuracy on test", "%", ours.accuracy, peer.accuracy, peer.name, None, "",
                f">= {peer.accuracy - POINT:.1f} %",
            ),
        ]  # fmt: skip
    return rows


def run_in_turns(asked: Asked, train: Split, dev: Split, test: Split, *, quick: bool) -> dict[str, Found]:
    """Our two ways and, where it is built, the program in C++; every repeat has another seed."""
    program = program_of_peers("fasttext")
    with tempfile.TemporaryDirectory() as folder:
        ways: dict[str, Callable[[int], tuple[float, float]]] = {
            way: partial(run_ours, parameters_of(asked, way, quick=quick), train, dev, test) for way in (FEW, WHOLE)
        }
        if program:
            files = [
                write_texts(Path(folder) / f"{part}.txt", split, asked.unit)
                for part, split in (("train", train), ("test", test))
            ]
            ways[PEER] = lambda seed: run_program(program, *files, seed)
        taken: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for repeat in range(1 if quick else REPEATS):
            for way, function in ways.items():
                taken[way].append(function(1 + repeat))
    return {
        way: Found(median(took for took, _ in each), median(accuracy for _, accuracy in each), way)
        for way, each in taken.items()
    }


def parameters_of(asked: Asked, way: str, *, quick: bool) -> dict[str, Any]:
    """The sections of a run of the preset, with four epochs if so asked."""
    preset = model_preset("fasttext")
    preset["embedding"]["unit"] = asked.unit
    if way == FEW:
        preset["training"] |= {"epochs": FEW_EPOCHS}
    if quick:
        preset["training"] |= {"epochs": 1}
        preset["model"] |= {"buckets": 1000}
    return {"corpus": {"name": asked.corpus}, "device": "cpu", "precision": "float32", **preset}


def run_ours(parameters: dict[str, Any], train: Split, dev: Split, test: Split, seed: int) -> tuple[float, float]:
    """Seconds of training and testing, and the share of right answers, %."""
    start = perf_counter()
    trained = train_classifier(parameters | {"seed": seed}, train, dev, NO_VECTORS)
    answers = trained.classifier.probabilities(test).argmax(axis=1)
    return perf_counter() - start, 100 * float((answers == test.classes).mean())


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


def run_program(program: Path, train: Path, test: Path, seed: int) -> tuple[float, float]:
    """Train and test the program in C++: seconds of both, and the share of right answers, %.

    Raises: InputError if it fails or says what cannot be read.
    """
    model = train.with_name("model")
    options = [*PEER_OPTIONS, "-seed", str(seed), "-thread", str(os.cpu_count())]
    start = perf_counter()
    try:
        subprocess.run(
            [program, "supervised", "-input", train, "-output", model, *options], check=True, capture_output=True
        )
        told = subprocess.run(
            [program, "test", f"{model}.bin", test], check=True, capture_output=True, text=True
        ).stdout
        accuracy = 100 * float(next(line.split()[1] for line in told.splitlines() if line.startswith("P@1")))
    except (subprocess.CalledProcessError, StopIteration, ValueError) as error:
        raise InputError(
            f"{program} did not train and test as fastText does ({error}); build it anew, or unset {PEERS}."
        ) from None
    return perf_counter() - start, accuracy
