"""Compare every network on a GPU with the same network on the CPU, and time trainings on both.

    python -m benchmarks.gpu check [MODEL ...]
    python -m benchmarks.gpu speed [--device cpu] [MODEL ...]

check      On the probe's texts, 1 to 70 words: the logits and gradients of the untrained network on the GPU
           beside those on the CPU, from the same weights, without dropout; then two training steps, twice, with
           `deterministic: true`: are the weights the same bits?
speed      Training on SST-2 from random word vectors of 300 dimensions, in words per second: `train_epoch` on batches
           of the preset, one process. The limit is the network's FLOPs, forward and backward, at the rate of matrix
           products that the same run measures.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.inputs import Prepared, prepared, split_of
from benchmarks.loop import training_flops
from probe.samples import VECTORS, write_samples
from probe.training import parameters_of
from retable.experiments.scale import model_preset
from retable.models import MODELS
from retable.text.splits import Split, read_split, read_texts
from retable.training.batches import BatchMaker, shuffled_batches
from retable.training.determinism import deterministic, float32_layers
from retable.training.loop import Precision, cross_entropy, train_epoch
from retable.training.network import choose_device, training_of, untrained_classifier
from retable.training.optimisers import build_optimisers
from retable.training.schedules import learning_rates
from retable.training.seeds import seed_everything
from retable.vectors.store import NO_VECTORS, WordVectors, read_vectors

SPEED = (
    "avg-embedding", "textcnn", "dpcnn", "lstm", "bilstm", "bigru", "att-blstm", "structured-self-attention", "cspan",
    "lama", "fcsr", "fcsr-fp", "s-lstm", "disan", "transformer", "universal-transformer",
)  # fmt: skip
STEPS = {"cpu": (1, 4), "cuda": (10, 60)}  # uncounted and counted steps
TEXTS = 8  # of a step of `check`
SQUARE = 4096  # rows and columns of the matrices whose product gives the rate


@contextmanager
def samples() -> Iterator[Callable[[str], tuple[dict[str, Any], Split, WordVectors]]]:
    """Yield a function that returns a model's parameters, the texts that it reads, and its vectors."""
    with tempfile.TemporaryDirectory() as scratch:
        clean, tagged, vectors = (Path(scratch) / name for name in ("clean", "tagged", "vectors"))
        write_samples(clean, tagged, vectors)

        def given(model: str) -> tuple[dict[str, Any], Split, WordVectors]:
            parameters = parameters_of(model, {})
            corpus = parameters["corpus"]["name"]
            train = read_split(tagged / corpus, "train")
            train = replace(train, texts=read_texts(clean / corpus / "train.parquet", train.ids))
            named = parameters["embedding"]["vectors"] == VECTORS
            return parameters, train, read_vectors(vectors / VECTORS) if named else NO_VECTORS

        yield given


def step(classifier: Any, train: Split, training: dict[str, Any], device: torch.device) -> None:
    """Take two training steps as `train_epoch` does, then go over the texts once as evaluation does.

    Values that are read only at the end of an epoch are left out.
    """
    network, own = classifier.network.train(), training_of(training)
    maker = BatchMaker(classifier.encoded(train), device, reads=network.reads)
    optimisers = build_optimisers(network, own.optimiser, own.learning_rate, own.weight_decay, own.momentum)
    for batch in maker.batches([np.arange(start, start + TEXTS) for start in (0, TEXTS)]):
        loss = cross_entropy(network(*batch.inputs), batch.classes)
        added = network.auxiliary_loss(batch.classes)
        (loss if added is None else loss + added).backward()
        if own.clip:
            nn.utils.clip_grad_norm_(network.parameters(), own.clip)
        for optimiser in optimisers:
            optimiser.step()
    with torch.no_grad():
        network.eval()(*maker(np.arange(TEXTS)).inputs)


def built(parameters: dict[str, Any], train: Split, vectors: WordVectors, device: str) -> Any:
    """Return a network before its first step."""
    return untrained_classifier(
        train,
        vectors,
        **{name: parameters[name] for name in ("model", "embedding", "training", "seed")},
        device=torch.device(device),
        precision="float32",
    )


def check(models: list[str]) -> None:
    """Print a line for each network."""
    with samples() as given:
        for model in models:
            print(f"{model}: {compared(*given(model))}", flush=True)


def compared(parameters: dict[str, Any], train: Split, vectors: WordVectors) -> str:
    """Return how far the logits differ, and whether two trainings give the same bits."""
    try:
        on_both = zip(*(one_pass(parameters, train, vectors, device) for device in ("cpu", "cuda")), strict=True)
        logits, gradients = (f"{relative(here, there):.1e}" for here, there in on_both)
        return f"logits {logits}, gradients {gradients}; two trainings: {twice(parameters, train, vectors)}"
    except (RuntimeError, NotImplementedError, TypeError, ValueError) as error:
        return f"FAILED {type(error).__name__}: {str(error).splitlines()[0][:160]}"


def relative(here: torch.Tensor, there: torch.Tensor) -> float:
    """Return the norm of the difference as a share of the first; some networks start from zero weights."""
    return float((here - there).norm() / here.norm().clamp(min=1e-30))


def one_pass(
    parameters: dict[str, Any], train: Split, vectors: WordVectors, device: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the logits of an untrained network and all its gradients, float64 on the CPU."""
    classifier = built(parameters, train, vectors, device)
    network = classifier.network.eval()
    batch = BatchMaker(classifier.encoded(train), torch.device(device), reads=network.reads)(np.arange(TEXTS))
    with torch.backends.cudnn.flags(enabled=False):  # cuDNN's recurrent layers have no gradients without dropout
        logits = network(*batch.inputs)
        cross_entropy(logits, batch.classes).backward()
    found = [weight.grad for weight in network.parameters() if weight.grad is not None]
    gradients = torch.cat([(each.to_dense() if each.is_sparse else each).flatten() for each in found])
    return logits.detach().double().cpu(), gradients.double().cpu()


def twice(parameters: dict[str, Any], train: Split, vectors: WordVectors) -> str:
    """Train for two steps, twice, with deterministic algorithms alone; return whether the weights are equal."""
    found = []
    try:
        with deterministic(True):
            for _ in range(2):
                seed_everything(1)
                classifier = built(parameters, train, vectors, "cuda")
                step(classifier, train, parameters["training"], torch.device("cuda"))
                found.append(list(classifier.network.state_dict().values()))
    except RuntimeError as error:
        return f"refused ({str(error).splitlines()[0][:100]})"
    return "equal" if all(map(torch.equal, *found)) else "DIFFERENT"


def speed(models: list[str], device: torch.device) -> None:
    """Print words per second, TFLOP/s, the share of the matrix products' rate, and peak memory of each network."""
    torch.set_num_threads(1)
    train = split_of("sst-2", "train", quick=False)
    precisions: tuple[Precision, ...] = ("float32", "bfloat16") if device.type == "cuda" else ("float32",)
    rates = {precision: matrix_rate(device, precision) for precision in precisions}
    print(f"matrix products, TFLOP/s: {', '.join(f'{name} {rate:.3g}' for name, rate in rates.items())}", flush=True)
    for model in models:
        preset = model_preset(model)
        given = prepared(preset, train, NO_VECTORS)
        flops = training_flops(given.network, given.words / len(given.texts))
        for precision in precisions:
            words, memory = trained(given, preset["training"], device, precision)
            share = words * flops / 1e12 / rates[precision]
            print(
                f"{model}, {precision}: {words:.0f} words/s, {words * flops / 1e12:.3g} TFLOP/s, {share:.1%}, "
                f"{memory:.0f} MB",
                flush=True,
            )


def matrix_rate(device: torch.device, precision: Precision, repeats: int = 5) -> float:
    """Return the rate of matrix products in TFLOP/s."""
    side = SQUARE if device.type == "cuda" else SQUARE // 4
    square = torch.randn(side, side, device=device, dtype=getattr(torch, precision))
    times = []
    for _ in range(repeats):
        begun = now(device)
        square @ square
        times.append(now(device) - begun)
    return 2 * side**3 / sorted(times)[repeats // 2] / 1e12


def now(device: torch.device) -> float:
    """Return the time once the device has done all that was asked of it."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def trained(
    given: Prepared, section: dict[str, Any], device: torch.device, precision: Precision
) -> tuple[float, float]:
    """Train for some steps; return words per second, and the peak of the GPU's memory in MB."""
    network, training = given.network.to(device), training_of(section)
    optimisers = build_optimisers(
        network, training.optimiser, training.learning_rate, training.weight_decay, training.momentum
    )
    maker = BatchMaker(given.texts, device, reads=network.reads)
    batches = shuffled_batches(maker.lengths, training.batch_size, np.random.default_rng(1))
    uncounted, counted = STEPS[device.type]
    rate_at = learning_rates(training.schedule, training.learning_rate, training.epochs_max, len(batches))
    options: dict[str, Any] = {"epoch": 1, "precision": precision, "clip": training.clip}
    train_epoch(network, maker, batches[:uncounted], optimisers, rate_at, **options)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    timed = batches[uncounted : uncounted + counted]
    begun = now(device)
    train_epoch(network, maker, timed, optimisers, rate_at, **options)
    words = sum(map(maker.words_of, timed)) / (now(device) - begun)
    return words, torch.cuda.max_memory_allocated() / 1e6 if device.type == "cuda" else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("what", choices=("check", "speed"))
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="of speed (cuda)")
    options = parser.parse_args()
    with float32_layers():
        if options.what == "check":
            check(options.models or sorted(MODELS))
        else:
            speed(options.models or list(SPEED), choose_device(options.device))


if __name__ == "__main__":
    main()
