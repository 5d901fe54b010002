"""What two processes of one training do in test_parallel.py: python ranks.py FOLDER RANK. Results lie in FOLDER."""

import os
import signal
import sys
import time
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.models import network_class
from retable.project.stopping import LostProcess, Stopped
from retable.text.vocabulary import Encoded
from retable.training import state
from retable.training.options import SILENT
from retable.training.parallel import ALONE, joined
from retable.training.seeds import seed_everything
from retable.training.state import StateFile
from tests.training.fitting import fit

WORDS, DIM = 40, 6
SILENCE_S = 6.0
SGD = {"optimiser": "sgd", "learning_rate": 0.1, "momentum": 0.9}
# Name -> model, its options, and those of the training. SGD follows the gradient; Adam would make a step of the
# rounding where a gradient is zero (as that of an attention's key bias is).
CASES = {
    "fcsr": ("fcsr", {"dropout": 0.0}, SGD),
    "fcsr-adam": ("fcsr", {"dropout": 0.0}, {"optimiser": "adam", "learning_rate": 0.01}),
    "fcsr-clipped": ("fcsr", {"dropout": 0.0}, SGD | {"clip": 0.05, "weight_decay": 0.01}),
    "fcsr-fp": ("fcsr-fp", {"dropout": 0.0}, SGD),
    "bilstm": ("bilstm", {"hidden": 6, "dropout": 0.0}, SGD),
    "cspan": ("cspan", {"queries": 2}, SGD),
    "lama": ("lama", {"heads": 2, "hidden": 6, "mlp_hidden": 4, "dropout": 0.0, "disagreement_weight": 0.5}, SGD),
    "structured-self-attention": (
        "structured-self-attention",
        {"hidden": 6, "attention_hidden": 4, "heads": 2, "mlp_hidden": 4, "dropout": 0.0, "penalty": 0.5},
        SGD,
    ),
    "universal-transformer": (
        "universal-transformer",
        {"size": 6, "heads": 2, "steps": 3, "dropout": 0.0, "halting": "adaptive", "ponder": 0.5},
        SGD,
    ),
    "transformer": ("transformer", {"layers": 1, "size": 6, "heads": 2, "dropout": 0.0}, SGD),
    "fasttext-adagrad": ("fasttext", {"buckets": 30}, {"optimiser": "adagrad", "learning_rate": 0.1}),
    "fasttext-adam": ("fasttext", {"buckets": 30}, {"optimiser": "adam", "learning_rate": 0.01}),
    "batches-of-one": ("fasttext", {"buckets": 30}, {"optimiser": "adagrad", "learning_rate": 0.1, "batch_size": 1}),
    "batches-of-one-dense": ("bilstm", {"hidden": 6, "dropout": 0.0}, SGD | {"batch_size": 1}),
    "unused": ("unused", {}, {"optimiser": "adam", "learning_rate": 0.01, "weight_decay": 0.1}),
}
DROPPED = ("bilstm", {"hidden": 6, "dropout": 0.3}, {"optimiser": "adam", "learning_rate": 0.01})


class Unused(Network):
    """A weight without a gradient: its decay must not reach it."""

    def __init__(self, embedding, classes):
        super().__init__()
        self.embedding, self.output = embedding, nn.Linear(embedding.dim, classes)
        self.unused = nn.Parameter(torch.ones(3))

    def forward(self, words, mask):
        return self.output((self.embedding(words) * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True))


def made_up(texts, seed):
    """Texts of 1 to 9 words of three classes."""
    chance = np.random.default_rng(seed)
    lengths = chance.integers(1, 10, size=texts)
    words = chance.integers(2, WORDS, size=lengths.sum()).astype(np.int32)
    return Encoded(words, np.concatenate([[0], np.cumsum(lengths)]), chance.integers(3, size=texts))


def network(model, options):
    """As it is before training, in float64, so that what is left of a difference is an error."""
    seed_everything(3)
    embedding = WordEmbedding(torch.randn(WORDS, DIM), tuned=30, sparse=model == "fasttext")
    build = Unused if model == "unused" else network_class(model)
    return build(embedding, 3, **options).double()


def train(case, ranks=ALONE, *, file=None, on_batch=None, dev=7):
    """Weights, and the curve without seconds. 23 texts in batches of 5 leave a last one of 3."""
    model, options, training = case
    trained = network(model, options)
    history = fit(
        trained, made_up(23, 1), made_up(dev, 2), seed=4, device=torch.device("cpu"), schedule="warmup", state=file,
        ranks=ranks, on_batch=on_batch or SILENT.on_batch, **{"epochs": 3, "patience": 3, "batch_size": 5} | training,
    )  # fmt: skip
    curve = [{name: value for name, value in asdict(line).items() if name != "seconds"} for line in history.epochs]
    return {"weights": [weight.detach() for weight in trained.parameters()], "curve": curve}


def compare(folder, ranks):
    """Every case, and dev splits that are too small for two."""
    for name, case in CASES.items():
        torch.save(train(case, ranks), folder / f"{name}.{ranks.rank}")
    torch.save(train(CASES["fcsr"], ranks, dev=1), folder / f"one-dev-text.{ranks.rank}")
    answers = torch.arange(10.0).view(5, 2)
    assert torch.equal(ranks.whole(answers[ranks.rank :: 2], 5), answers)


def stop_and_go_on(folder, ranks):
    """With dropout: unbroken, and stopped by a signal that reaches one process alone."""
    torch.save(train(DROPPED, ranks), folder / f"dropped.{ranks.rank}")

    def file():
        return StateFile(folder / "state", "key", told.append)

    told = []
    steps = 0

    def stop(epoch, words):
        nonlocal steps
        steps += 1
        if steps == 7 and ranks.rank == 1:
            signal.raise_signal(signal.SIGTERM)

    try:
        train(DROPPED, ranks, file=file(), on_batch=stop)
    except Stopped as stopped:
        (folder / f"stopped.{ranks.rank}").write_text(f"{stopped.code} {stopped}")
    if ranks.first:
        (folder / "copy").write_bytes((folder / "state").read_bytes())
    torch.save(train(DROPPED, ranks, file=file()), folder / f"gone-on.{ranks.rank}")
    (folder / f"told.{ranks.rank}").write_text("\n".join(told))


def lose(folder, ranks, act, name):
    """The second process acts after its seventh step; what the first one learns of it."""
    file = StateFile(folder / f"{name}.state", "key", print, every_s=0.0)
    steps = 0

    def on_batch(epoch, words):
        nonlocal steps
        steps += 1
        if steps == 7 and ranks.rank == 1:
            act()

    start = time.monotonic()
    try:
        train(DROPPED, ranks, file=file, on_batch=on_batch)
    except LostProcess as error:
        (folder / f"{name}.{ranks.rank}").write_text(f"{time.monotonic() - start:.1f}\n{error}")


def be_silent(folder):
    """Until the first process has given up."""
    while not (folder / "silent.0").exists():
        time.sleep(0.1)


def main(folder, rank):
    warnings.simplefilter("ignore")
    state.LARGEST_SHARE = float("inf")
    with joined(rank, 2, rank, f"file://{folder}/meet-1") as ranks:
        compare(folder, ranks)
        stop_and_go_on(folder, ranks)
        ranks.gather(0)
    with joined(rank, 2, rank, f"file://{folder}/meet-2", timeout_s=SILENCE_S) as ranks:
        lose(folder, ranks, lambda: be_silent(folder), "silent")
    with joined(rank, 2, rank, f"file://{folder}/meet-3") as ranks:
        lose(folder, ranks, lambda: os.kill(os.getpid(), signal.SIGKILL), "killed")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
