"""Time FCSR's training as a share of the machine's matrix-product rate, in float32 and in bfloat16.

The limit is 3 x 33 n^2 multiply-adds per word (forward and backward) at the rate of products of the gates' size, timed
in turns with the steps and in their precision. FCSR itself multiplies with oneDNN where torch has MKL and oneDNN is
faster, so its share may exceed 100%. benchmarks/NOTES.md, "FCSR", says what was expected and tried.
"""

from collections.abc import Callable
from statistics import median

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.report import Row, timed_row
from benchmarks.timing import OPERATIONS, PRODUCTS, in_turns, product, training_epoch
from retable.layers.context import full_scale_context
from retable.layers.embedding import WordEmbedding
from retable.models.bilstm import BiLSTM
from retable.models.fcsr import FCSR
from retable.training.loop import Precision
from retable.training.precision import forward_pass, wide_products

SIZE, TEXTS, WORDS, VOCABULARY = 300, 50, 25, 8000  # SST-2 has 8,000 words that occur twice in training
BATCHES, REPEATS = 8, 5
Batch = tuple[Tensor, Tensor, Tensor]  # words and mask (text, word), classes (text,)


def measure(quick: bool) -> list[Row]:
    """Return rows for FCSR in both precisions, and for its contexts."""
    torch.manual_seed(0)
    batches = bucketed_batches(1 if quick else BATCHES)
    vectors = 0.1 * torch.randn(VOCABULARY, SIZE)
    fcsr = FCSR(WordEmbedding(vectors, tuned=VOCABULARY), 2)
    bilstm = BiLSTM(WordEmbedding(vectors, tuned=VOCABULARY), 2, hidden=SIZE)
    ways: dict[str, Callable[[], object]] = {
        "product in float32": product(),
        "float32": epoch(fcsr, batches),
        "product in bfloat16": product(torch.bfloat16),
        "bfloat16": epoch(fcsr, batches, precision="bfloat16"),
        "contexts": lambda: contexts_alone(batches),
        "bilstm": epoch(bilstm, batches),
    }
    times = in_turns(ways, 1 if quick else REPEATS)
    words = sum(int(mask.sum()) for _, mask, _ in batches)
    return rows_of(times, words, 3 * fcsr.flops_per_word(words / len(batches) / TEXTS))


def rows_of(times: dict[str, list[float]], words: int, flops: float) -> list[Row]:
    """Make the rows.

    Args:
        times: of each way, one number per epoch or product.
        words: per epoch.
        flops: per word, forward and backward.
    """

    def row(path: str, ours: str, peer: str, name: str, precision: str, goal: str) -> Row:
        limit = OPERATIONS / median(times[f"product in {precision}"]) / flops
        pair = {"ours": times[ours], "peer": times[peer]}
        limit_name = f"{PRODUCTS} in {precision}"
        return timed_row(path, "words/s", pair, work=words, peer=name, limit=limit_name, limit_value=limit, goal=goal)

    share = median(part / whole for part, whole in zip(times["contexts"], times["float32"], strict=True))
    path = f"FCSR training, {{}}, n = {SIZE}, {TEXTS} x {WORDS} words"
    return [
        row(path.format("float32"), "float32", "bilstm", f"BiLSTM of {SIZE} states", "float32", ">= 75% of the limit"),
        row(path.format("bfloat16"), "bfloat16", "float32", "FCSR in float32", "bfloat16", ">= 1.7x the peer"),
        Row("FCSR contexts, forward and backward", "% of the step", 100 * share, goal="<= 5 %"),
    ]


def bucketed_batches(count: int) -> list[Batch]:
    """Draw batches of texts of similar length, as a bucketing sampler does."""
    lengths = (WORDS + 9 * torch.randn(4 * count * TEXTS)).round().long().clamp(3, 60).sort().values.view(-1, TEXTS)
    batches = []
    for batch in lengths[torch.randperm(len(lengths))[:count]]:
        mask = torch.arange(int(batch.max())) < batch.unsqueeze(1)
        words = torch.randint(2, VOCABULARY, mask.shape) * mask
        batches.append((words, mask, torch.randint(2, (TEXTS,))))
    return batches


def epoch(network: nn.Module, batches: list[Batch], *, precision: Precision = "float32") -> Callable[[], None]:
    """Return a function that runs an epoch of Adam on the batches."""

    def loss(words: Tensor, mask: Tensor, classes: Tensor) -> Tensor:
        with forward_pass("cpu", precision):
            logits = network(words, mask)
        return F.cross_entropy(logits.float(), classes)

    steps = training_epoch(loss, torch.optim.Adam(network.parameters(), lr=1e-4, fused=True), batches)

    def in_precision() -> None:
        with wide_products("cpu", precision):
            steps()

    return in_precision


def contexts_alone(batches: list[Batch]) -> None:
    """Run forward and backward through the contexts alone, on vectors of the batches' shapes."""
    for words, mask, _ in batches:
        vectors = torch.randn(*words.shape, SIZE, requires_grad=True)
        left, right = full_scale_context(vectors, mask)
        torch.autograd.backward((left, right), (left.detach(), right.detach()))
