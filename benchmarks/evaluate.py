"""Time the evaluation of a network on a test split, compared with its forward passes alone.

Ours       everything that a run does after training: texts to row numbers, answers, predictions.parquet, all
           scores.
Limit      the forward passes on the same batches, prepared in advance. The difference is the cost of evaluation.
"""

import tempfile
from pathlib import Path

import torch

from benchmarks.inputs import first, prepared, split_of, vectors_of
from benchmarks.models import R8, SST
from benchmarks.report import Row, timed_row
from benchmarks.timing import in_turns
from retable.experiments.scale import model_preset
from retable.runs.metrics import score
from retable.runs.predictions import write_predictions
from retable.text.vocabulary import encode
from retable.training.batches import BatchMaker, sorted_batches
from retable.training.network import NetworkClassifier
from retable.training.predict import WORDS_IN_BATCH

ASKED = {"fcsr": SST, "textcnn": SST, "bilstm": SST, "lama": R8}
REPEATS, QUICK_TEXTS = 3, 20


def measure(quick: bool) -> list[Row]:
    """Return one row per model."""
    return [row_of(model, *asked, quick=quick) for model, asked in ASKED.items()]


def row_of(model: str, corpus: str, vectors: str, *, quick: bool) -> Row:
    """Time the test split of one corpus."""
    preset, cpu = model_preset(model), torch.device("cpu")
    train, test = (split_of(corpus, part, quick=quick) for part in ("train", "test"))
    if quick:
        train, test = first(train, QUICK_TEXTS), first(test, QUICK_TEXTS)
    given = prepared(preset, train, vectors_of(vectors, quick=quick))
    classifier = NetworkClassifier(given.network, given.vocabulary, cpu, "float32", 0)
    encoded = encode(test, given.vocabulary)
    maker = BatchMaker(encoded, cpu, reads=given.network.reads)
    inputs = [maker(texts).inputs for texts in sorted_batches(encoded.lengths, WORDS_IN_BATCH)]

    def forward() -> None:
        given.network.eval()
        with torch.no_grad():
            for batch in inputs:
                given.network(*batch)

    with tempfile.TemporaryDirectory() as folder:

        def evaluate() -> None:
            answers = classifier.probabilities(test)
            write_predictions(Path(folder) / "predictions.parquet", test, answers)
            score(answers, test.classes)

        times = in_turns({"ours": evaluate, "limit": forward}, 1 if quick else REPEATS)
    return timed_row(
        f"evaluate {model}, {corpus}, {len(test.ids):,} texts",
        "words/s",
        times,
        work=int(encoded.lengths.sum()),
        limit="its forward passes alone",
        goal=">= 90% of the limit",
    )
