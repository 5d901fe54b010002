"""Evaluation of a network on a test split, beside its forward passes alone.

Ours       all that a run does after training: the texts into row numbers, the answers, predictions.parquet, every
           score.
Limit      the forward passes on the same batches, made before. What is over the limit is what evaluation adds to them.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch

from benchmarks.inputs import first, prepared, split_of, vectors_of
from benchmarks.loop import real_words
from benchmarks.rows import Row
from benchmarks.timing import in_turns
from retable.experiments.scale import model_preset
from retable.runs.metrics import score
from retable.runs.predictions import write_predictions
from retable.text.vocabulary import encode
from retable.training.batches import BatchMaker, sorted_batches
from retable.training.network import NetworkClassifier
from retable.training.predict import WORDS_IN_BATCH

# Model -> corpus and vectors
ASKED = {
    "fcsr": ("sst-2", "pool-en.word2vec-300"),
    "textcnn": ("sst-2", "pool-en.word2vec-300"),
    "bilstm": ("sst-2", "pool-en.word2vec-300"),
    "lama": ("r8", "r8.word2vec-100"),
}
REPEATS, QUICK_TEXTS = 3, 20


def measure(quick: bool) -> list[Row]:
    """A row a model.

    Raises: InputError if a corpus or set of vectors is not made.
    """
    return [row_of(model, *asked, quick=quick) for model, asked in ASKED.items()]


def row_of(model: str, name: str, vectors: str, *, quick: bool) -> Row:
    """Words of the test split a second."""
    preset, cpu = model_preset(model), torch.device("cpu")
    train, test = (split_of(name, part, quick=quick) for part in ("train", "test"))
    if quick:
        train, test = first(train, QUICK_TEXTS), first(test, QUICK_TEXTS)
    made = prepared(preset, train, vectors_of(vectors, quick=quick))
    classifier = NetworkClassifier(made.network, made.vocabulary, cpu, "float32", 0)
    encoded = encode(test, made.vocabulary)
    maker = BatchMaker(encoded, cpu, reads=made.network.reads)
    inputs = [maker(texts).inputs for texts in sorted_batches(encoded.lengths, WORDS_IN_BATCH)]

    def forward() -> None:
        made.network.eval()
        with torch.no_grad():
            for batch in inputs:
                made.network(*batch)

    with tempfile.TemporaryDirectory() as folder:

        def evaluate() -> None:
            answers = classifier.probabilities(test)
            write_predictions(Path(folder) / "predictions.parquet", test, answers)
            score(answers, test.classes)

        ways: dict[str, Callable[[], object]] = {"ours": evaluate, "forward": forward}
        times = in_turns(ways, 1 if quick else REPEATS)
    words = real_words(encoded)
    return Row(
        f"evaluate {model}, {name}, {len(test.ids):,} texts",
        "words/s",
        words / median(times["ours"]),
        None,
        "",
        words / median(times["forward"]),
        "its forward passes alone, same run",
        ">= 90% of the limit",
    )
