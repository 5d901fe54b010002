"""Batches of texts of about the same length, so that little of a batch is padding."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from retable.layers.embedding import PADDING
from retable.text.vocabulary import Encoded

BATCHES_SORTED_TOGETHER = 100


def shuffled_batches(lengths: np.ndarray, batch_size: int, generator: np.random.Generator) -> list[np.ndarray]:
    """Every text once, in batches of similar length and in random order.

    Texts are shuffled, then sorted by length within groups of 100 batches: a text meets other neighbours each epoch.
    """
    order = generator.permutation(len(lengths))
    group = batch_size * BATCHES_SORTED_TOGETHER
    batches: list[np.ndarray] = []
    for start in range(0, len(order), group):
        texts = order[start : start + group]
        texts = texts[np.argsort(lengths[texts], kind="stable")]
        batches += [texts[first : first + batch_size] for first in range(0, len(texts), batch_size)]
    return [batches[index] for index in generator.permutation(len(batches))]


def sorted_batches(lengths: np.ndarray, words_in_batch: int) -> Iterator[np.ndarray]:
    """Every text once, shortest first, with at most `words_in_batch` words (padding included) a batch."""
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and lengths[order[stop]] * (stop + 1 - start) <= words_in_batch:
            stop += 1
        yield order[start:stop]
        start = stop


class Batch(NamedTuple):
    """Texts of one batch: `words` int64 (text, word), `mask` bool (text, word), `classes` int64 (text,).

    `parts` int64 (text, word) are parts of speech, None for a network that reads none.
    """

    words: Tensor
    mask: Tensor
    parts: Tensor | None
    classes: Tensor

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What the network is called with."""
        return (self.words, self.mask) if self.parts is None else (self.words, self.mask, self.parts)


class BatchMaker:
    """Padded batches cut from one flat tensor that lies on the device, so that nothing is copied to it in the loop."""

    def __init__(self, encoded: Encoded, device: torch.device) -> None:
        self.words = torch.from_numpy(encoded.words.astype(np.int64)).to(device)
        self.parts = None if encoded.parts is None else torch.from_numpy(encoded.parts.astype(np.int64)).to(device)
        self.offsets = torch.from_numpy(encoded.offsets).to(device)
        self.classes = torch.from_numpy(encoded.classes).to(device)
        self.lengths = encoded.lengths
        self.device = device

    def __call__(self, texts: np.ndarray) -> Batch:
        """The batch of these texts."""
        longest = int(self.lengths[texts].max())
        chosen = torch.from_numpy(texts).to(self.device)
        start, stop = self.offsets[chosen], self.offsets[chosen + 1]
        position = start.unsqueeze(1) + torch.arange(longest, device=self.device)
        mask = position < stop.unsqueeze(1)
        where = position.clamp(max=len(self.words) - 1)
        words = self.words[where].masked_fill(~mask, PADDING)
        parts = None if self.parts is None else self.parts[where].masked_fill(~mask, 0)
        return Batch(words, mask, parts, self.classes[chosen])
