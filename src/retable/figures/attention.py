"""The attention weights of a trained network, as the network computes them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from retable.figures.measured import AttendedText
from retable.layers.network import Network
from retable.text.splits import Split
from retable.text.vocabulary import Encoded, Vocabulary
from retable.training.batches import BatchMaker, sorted_batches
from retable.training.network import NetworkClassifier
from retable.training.predict import WORDS_IN_BATCH


class SoftmaxRecord(TorchFunctionMode):
    """Record the weights of every softmax over pairs of words, (B, h, T, T): one per attention layer.

    So no attention code is duplicated, and no model needs to know that it is observed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.layers: list[Tensor] = []

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        if function is torch.softmax and result.dim() == 4:
            self.layers.append(result.detach())
        return result


@torch.no_grad()
def attention_matrices(network: nn.Module, inputs: Sequence[Tensor]) -> list[np.ndarray]:
    """Return the weights of every self-attention layer for one text: (T, T) each, mean over the heads, rows sum to one.

    Args:
        network: a Transformer or Transformer-F.
        inputs: its arguments: words (1, T), mask (1, T), perhaps parts (1, T); without padding.
    """
    network.eval()
    with SoftmaxRecord() as record:
        network(*inputs)
    return [layer[0].float().mean(dim=0).cpu().numpy() for layer in record.layers]


@torch.no_grad()
def word_weights(network: Network, maker: BatchMaker) -> list[np.ndarray]:
    """Return the attention weights of the words of every text, (T,) each, mean over the heads; they sum to one.

    Args:
        network: has a method attention(words, mask) that returns (B, m, T).
    """
    network.eval()
    found: dict[int, np.ndarray] = {}
    for texts in sorted_batches(maker.lengths, WORDS_IN_BATCH):
        batch = maker(texts)
        weights = network.attention(*batch.inputs).float().mean(dim=1).cpu().numpy()  # type: ignore[operator]
        found |= {text: row[: maker.lengths[text]] for text, row in zip(texts.tolist(), weights, strict=True)}
    return [found[text] for text in range(len(maker.lengths))]


def words_read(encoded: Encoded, vocabulary: Vocabulary) -> list[tuple[str, ...]]:
    """Return the words of every text as the network reads them: lower-cased, cut, unknown ones replaced."""
    words = [vocabulary.words[row] for row in encoded.words.tolist()]
    bounds = encoded.offsets.tolist()
    return [tuple(words[start:stop]) for start, stop in pairwise(bounds)]


def attended_texts(classifier: NetworkClassifier, split: Split) -> list[AttendedText]:
    """Return every text of a split with the network's weights for its words."""
    encoded, network = classifier.encoded(split), classifier.network
    weights = word_weights(network, BatchMaker(encoded, classifier.device, reads=network.reads))
    labels = [split.facts.labels[index] for index in encoded.classes]
    found = zip(words_read(encoded, classifier.vocabulary), weights, labels, strict=True)
    return [AttendedText(words, given, label) for words, given, label in found]


def last_matrix(
    classifier: NetworkClassifier, split: Split, wanted: Sequence[str], longest: int
) -> tuple[tuple[str, ...], np.ndarray] | None:
    """Return words and last attention matrix of the first text that contains all of `wanted`; None if no text does.

    Args:
        wanted: strings that must occur in the text, its words (or characters) joined.
        longest: most words (or characters) of a text that a picture can still show legibly.
    """
    encoded, network = classifier.encoded(split), classifier.network
    for index, words in enumerate(words_read(encoded, classifier.vocabulary)):
        joined = ("" if classifier.vocabulary.unit == "characters" else " ").join(words)
        if len(words) <= longest and all(each in joined for each in wanted):
            batch = BatchMaker(encoded, classifier.device, reads=network.reads)(np.array([index]))
            return words, attention_matrices(network, batch.inputs)[-1]
    return None
