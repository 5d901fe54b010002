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

    `parts` int64 (text, word) are parts of speech, None for a network that reads none. `domains` int64 (text,) say
    whose classifier answers, None where there is one for all.
    """

    words: Tensor
    mask: Tensor
    parts: Tensor | None
    classes: Tensor
    domains: Tensor | None = None

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What the network is called with."""
        return (self.words, self.mask, *(given for given in (self.parts, self.domains) if given is not None))


class BatchMaker:
    """Padded batches cut from one flat tensor that lies on the device, so that nothing is copied to it in the loop.

    Args:
        encoded: the texts.
        device: where the batches are wanted.
        per_domain: whether every domain of a joint corpus has a classifier of its own.
    """

    def __init__(self, encoded: Encoded, device: torch.device, *, per_domain: bool = False) -> None:
        self.words = torch.from_numpy(encoded.words.astype(np.int64)).to(device)
        self.parts = None if encoded.parts is None else torch.from_numpy(encoded.parts.astype(np.int64)).to(device)
        self.offsets = torch.from_numpy(encoded.offsets).to(device)
        self.classes = torch.from_numpy(encoded.classes).to(device)
        domains = encoded.domains if per_domain else None
        self.domains = None if domains is None else torch.from_numpy(domains).to(device)
        self.lengths = encoded.lengths
        self.device = device

    def words_of(self, texts: np.ndarray) -> int:
        """How many words these texts have together."""
        return int(self.lengths[texts].sum())

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
        domains = None if self.domains is None else self.domains[chosen]
        return Batch(words, mask, parts, self.classes[chosen], domains)
