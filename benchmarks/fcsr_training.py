"""FCSR's training speed as a share of what the machine's matrix products allow, beside a BiLSTM of the same width.

Run   PYTHONPATH=src .venv/bin/python benchmarks/fcsr_training.py [--threads 2] [--repeats 5]
Read  benchmarks/NOTES.md, "FCSR"

Every step is timed right after a matrix product of its own size, so that another program on the machine slows both: the
share is the median of the pairs' quotients. The limit is 3 x 33 n^2 multiply-adds a word (forward and backward).
"""

import argparse
import time
from collections.abc import Callable
from statistics import median

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.context import full_scale_context
from retable.layers.embedding import WordEmbedding
from retable.models.bilstm import BiLSTM
from retable.models.fcsr import FCSR

SIZE, TEXTS, WORDS, VOCABULARY = 300, 50, 25, 8000  # SST-2 has 8,000 words that occur twice in training
Batch = tuple[Tensor, Tensor, Tensor]


def bucketed_batches(count: int) -> list[Batch]:
    """Words, mask and classes of batches whose texts are about equally long, as a bucketing sampler makes them."""
    lengths = (WORDS + 9 * torch.randn(4 * count * TEXTS)).round().long().clamp(3, 60).sort().values.view(-1, TEXTS)
    batches = []
    for batch in lengths[torch.randperm(len(lengths))[:count]]:
        mask = torch.arange(int(batch.max())) < batch.unsqueeze(1)
        words = torch.randint(2, VOCABULARY, mask.shape) * mask
        batches.append((words, mask, torch.randint(2, (TEXTS,))))
    return batches


def seconds(function: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def training_step(network: nn.Module) -> Callable[[Batch], None]:
    """One step of Adam on a batch."""
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4, fused=True)

    def step(batch: Batch) -> None:
        words, mask, classes = batch
        optimiser.zero_grad()
        F.cross_entropy(network(words, mask), classes).backward()
        optimiser.step()

    return step


def context_step(batch: Batch) -> Callable[[], None]:
    """Forward and backward through the contexts alone, on vectors that exist already."""
    vectors = torch.randn(*batch[0].shape, SIZE, requires_grad=True)

    def step() -> None:
        left, right = full_scale_context(vectors, batch[1])
        torch.autograd.backward((left, right), (left.detach(), right.detach()))

    return step


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5, help="passes over eight batches, after one to warm up")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    batches = bucketed_batches(8)
    vectors = 0.1 * torch.randn(VOCABULARY, SIZE)
    fcsr = FCSR(WordEmbedding(vectors, tuned=VOCABULARY), 2)
    fcsr_step = training_step(fcsr)
    bilstm_step = training_step(BiLSTM(WordEmbedding(vectors, tuned=VOCABULARY), 2, hidden=SIZE))
    left, right = torch.randn(TEXTS * WORDS, 3 * SIZE), torch.randn(3 * SIZE, 4 * SIZE)  # the product of the gates
    operations = 2 * TEXTS * WORDS * 3 * SIZE * 4 * SIZE
    rates, limits, speeds, peers, shares, contexts = [], [], [], [], [], []
    for repeat in range(1 + arguments.repeats):
        for batch in batches:
            words = int(batch[1].sum())
            rate = 3 * operations / seconds(lambda: [left @ right for _ in range(3)])
            step_s = seconds(lambda batch=batch: fcsr_step(batch))
            context_s = seconds(context_step(batch))
            peer_s = seconds(lambda batch=batch: bilstm_step(batch))
            if repeat:
                limit = rate / (3 * fcsr.flops_per_word(words / TEXTS))
                rates.append(rate / 1e9)
                limits.append(limit)
                speeds.append(words / step_s)
                shares.append(words / step_s / limit)
                contexts.append(context_s / step_s)
                peers.append(words / peer_s)
    padding = 1 - sum(int(mask.sum()) for _, mask, _ in batches) / sum(mask.numel() for _, mask, _ in batches)
    print(
        f"{arguments.threads} threads, {len(speeds)} steps, {TEXTS} texts of about {WORDS} words, {padding:.1%} padding"
    )
    print(f"{'':34}{'median':>9}{'best':>9}")
    for name, values, best, form in (
        ("matrix product, GFLOP/s, float32", rates, max, "9.0f"),
        ("limit, words/s", limits, max, "9,.0f"),
        ("FCSR training, words/s", speeds, max, "9,.0f"),
        ("share of the limit, pair by pair", shares, max, "9.0%"),
        ("contexts, share of the step", contexts, min, "9.1%"),
        ("BiLSTM training, words/s", peers, max, "9,.0f"),
    ):
        print(f"{name:34}{median(values):{form}}{best(values):{form}}")
    print(f"best FCSR step against the best product: {max(speeds) / max(limits):.0%} of the limit")


if __name__ == "__main__":
    main()
