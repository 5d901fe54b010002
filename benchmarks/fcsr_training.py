"""FCSR's training speed as a share of what the machine's matrix products allow, in float32 and in bfloat16.

Every step is timed right after a matrix product of its own size, so that another program on the machine slows both. The
limit is 3 x 33 n^2 multiply-adds a word (forward and backward) at the rate of these products, in the step's own
precision; where torch multiplies by MKL and oneDNN is faster, which is then what FCSR multiplies with, a row says the
share of oneDNN's rate too, and another sets bfloat16 beside FCSR with torch's own products. Read benchmarks/NOTES.md,
"FCSR", for what was expected and tried.
"""

from collections.abc import Callable
from statistics import median
from typing import Literal
from unittest.mock import patch

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.rows import Row
from benchmarks.timing import gate_product, gate_product_by_onednn, seconds
from retable.layers.context import full_scale_context
from retable.layers.embedding import WordEmbedding
from retable.layers.products import onednn_is_faster
from retable.models.bilstm import BiLSTM
from retable.models.fcsr import FCSR

SIZE, TEXTS, WORDS, VOCABULARY = 300, 50, 25, 8000  # SST-2 has 8,000 words that occur twice in training
BATCHES, REPEATS = 8, 5
ONEDNN, BY_TORCH = "products by oneDNN", "float32 by torch's own products"
Batch = tuple[Tensor, Tensor, Tensor]
Precision = Literal["float32", "bfloat16"]


def measure(quick: bool) -> list[Row]:
    """FCSR in both precisions, and its contexts."""
    torch.manual_seed(0)
    batches = bucketed_batches(1 if quick else BATCHES)
    vectors = 0.1 * torch.randn(VOCABULARY, SIZE)
    fcsr = FCSR(WordEmbedding(vectors, tuned=VOCABULARY), 2)
    bilstm = BiLSTM(WordEmbedding(vectors, tuned=VOCABULARY), 2, hidden=SIZE)
    ways: dict[str, Callable[[Batch], None]] = {
        "product": product_of(torch.float32),
        "float32": training_step(fcsr),
        **(
            {ONEDNN: three_of(gate_product_by_onednn()), BY_TORCH: by_torch(training_step(fcsr))}
            if onednn_is_faster()
            else {}
        ),
        "product, bfloat16": product_of(torch.bfloat16),
        "bfloat16": training_step(fcsr, "bfloat16"),
        "contexts": contexts_alone,
        "bilstm": training_step(bilstm),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    words = []
    for repeat in range(1 + (1 if quick else REPEATS)):
        for batch in batches:
            for name, way in ways.items():
                took = seconds(lambda way=way, batch=batch: way(batch))  # type: ignore[misc]
                if repeat:
                    times[name].append(took)
            if repeat:
                words.append(int(batch[1].sum()))
    return rows_of(times, words, 3 * fcsr.flops_per_word(sum(words) / len(words) / TEXTS))


def rows_of(times: dict[str, list[float]], words: list[int], flops: float) -> list[Row]:
    """The rows.

    Args:
        times: of every way, a number for each batch.
        words: in each batch.
        flops: of a word, forward and backward.
    """
    speed = {
        name: median(count / took for count, took in zip(words, times[name], strict=True))
        for name in ("float32", "bfloat16", "bilstm", BY_TORCH)
        if name in times
    }
    operations = 3 * gate_product(torch.float32)[1]
    limit = {name: operations / median(took) / flops for name, took in times.items() if name.startswith("product")}
    share = median(part / whole for part, whole in zip(times["contexts"], times["float32"], strict=True))
    of_float32, of_bfloat16 = [], []
    if ONEDNN in limit:
        source = f"{ONEDNN}, in float32 of this run"
        of_float32.append(Row("the same", "words/s", speed["float32"], None, "", limit[ONEDNN], source, ""))
        peer = f"FCSR in {BY_TORCH}, same run"
        of_bfloat16.append(Row("the same", "words/s", speed["bfloat16"], speed[BY_TORCH], peer, None, "", ""))
    return [
        Row(
            f"FCSR training, float32, n = {SIZE}, {TEXTS} x {WORDS} words",
            "words/s",
            speed["float32"],
            speed["bilstm"],
            "BiLSTM of 300 states, same run",
            limit["product"],
            "matrix products in float32 of this run",
            ">= 75% of the limit",
        ),
        *of_float32,
        Row(
            "FCSR training, bfloat16 autocast",
            "words/s",
            speed["bfloat16"],
            speed["float32"],
            "FCSR in float32, same run",
            limit["product, bfloat16"],
            "matrix products in bfloat16 of this run",
            ">= 1.7x the peer",
        ),
        *of_bfloat16,
        Row("FCSR contexts, forward and backward", "% of the step", 100 * share, None, "", None, "", "<= 5 %"),
    ]


def bucketed_batches(count: int) -> list[Batch]:
    """Words, mask and classes of batches whose texts are about equally long, as a bucketing sampler makes them."""
    lengths = (WORDS + 9 * torch.randn(4 * count * TEXTS)).round().long().clamp(3, 60).sort().values.view(-1, TEXTS)
    batches = []
    for batch in lengths[torch.randperm(len(lengths))[:count]]:
        mask = torch.arange(int(batch.max())) < batch.unsqueeze(1)
        words = torch.randint(2, VOCABULARY, mask.shape) * mask
        batches.append((words, mask, torch.randint(2, (TEXTS,))))
    return batches


def training_step(network: nn.Module, precision: Precision = "float32") -> Callable[[Batch], None]:
    """One step of Adam on a batch."""
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4, fused=True)

    def step(batch: Batch) -> None:
        words, mask, classes = batch
        optimiser.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16"):
            logits = network(words, mask)
        F.cross_entropy(logits.float(), classes).backward()  # type: ignore[no-untyped-call]
        optimiser.step()

    return step


def by_torch(step: Callable[[Batch], None]) -> Callable[[Batch], None]:
    """A step that torch multiplies in, whatever this processor's faster library is."""

    def patched(batch: Batch) -> None:
        with patch("retable.layers.products.onednn_is_faster", return_value=False):
            step(batch)

    return patched


def product_of(dtype: torch.dtype) -> Callable[[Batch], None]:
    """The gates' matrix product, three times: forward and both gradients."""
    return three_of(gate_product(dtype)[0])


def three_of(product: Callable[[], Tensor]) -> Callable[[Batch], None]:
    """A product, three times, whatever the batch."""

    def three(batch: Batch) -> None:
        for _ in range(3):
            product()

    return three


def contexts_alone(batch: Batch) -> None:
    """Forward and backward through the contexts alone, on vectors of the batch's shape."""
    vectors = torch.randn(*batch[0].shape, SIZE, requires_grad=True)
    left, right = full_scale_context(vectors, batch[1])
    torch.autograd.backward((left, right), (left.detach(), right.detach()))
