"""Batches of texts of similar length, so that little of a batch is padding."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from retable.layers.network import Given
from retable.text.vocabulary import PADDING, Encoded

BATCHES_SORTED_TOGETHER = 100
OF_ONE_DOMAIN = 10  # sorted together: 100 would cover a whole small domain, hence nearly the same batches each epoch
PLACES_AHEAD = 1 << 15  # words made at a time, padding included: tens of small batches, little memory


def shuffled_batches(
    lengths: np.ndarray, batch_size: int, generator: np.random.Generator, domains: np.ndarray | None = None
) -> list[np.ndarray]:
    """Return every text once, in batches of similar length and in random order.

    Texts are shuffled, then sorted by length within groups of 100 batches, so a text has new neighbours each epoch.

    Args:
        domains: of the texts, int64 (text,); if given, a batch holds texts of one domain only, and a group 10 batches.
    """
    order = generator.permutation(len(lengths))
    group = batch_size * (BATCHES_SORTED_TOGETHER if domains is None else OF_ONE_DOMAIN)
    batches: list[np.ndarray] = []
    for own in [order] if domains is None else [order[domains[order] == domain] for domain in np.unique(domains)]:
        for start in range(0, len(own), group):
            texts = own[start : start + group]
            texts = texts[np.argsort(lengths[texts], kind="stable")]
            batches += [texts[first : first + batch_size] for first in range(0, len(texts), batch_size)]
    return [batches[index] for index in generator.permutation(len(batches))]


def sorted_batches(lengths: np.ndarray, words_in_batch: int) -> Iterator[np.ndarray]:
    """Yield every text once, shortest first, with at most `words_in_batch` words (padding included) per batch."""
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

    `goal`, which the loss compares the logits with, are the classes, or the distributions over the grades of a graded
    corpus, float (text, class).

    Inputs that the network does not read are None: `parts` int64 (text, word), the parts of speech; `domains` int64
    (text,), the domains of a joint corpus; `sentences` int64 (text, word), the sentence numbers; `sides` int64
    (text, word), the sides of a pair of texts; `nodes` int64 (text, word), the kinds of the tokens of a tree.
    """

    words: Tensor
    mask: Tensor
    parts: Tensor | None
    classes: Tensor
    goal: Tensor
    domains: Tensor | None = None
    sentences: Tensor | None = None
    sides: Tensor | None = None
    nodes: Tensor | None = None

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """Return the network's inputs."""
        given = (self.parts, self.sentences, self.sides, self.nodes, self.domains)
        return (self.words, self.mask, *(each for each in given if each is not None))


class BatchMaker:
    """Make padded batches from one flat tensor on the device, so that the loop copies nothing to the device.

    Args:
        encoded: the texts.
        device: the device of the batches.
        reads: what the network reads besides the words.
    """

    def __init__(self, encoded: Encoded, device: torch.device, *, reads: Sequence[Given] = ()) -> None:
        def given(name: Given, values: np.ndarray | None) -> Tensor | None:
            if name not in reads:
                return None
            assert values is not None, f"the network reads {name}, but these texts were encoded without them"
            return torch.from_numpy(values.astype(np.int64)).to(device)

        self.words = torch.from_numpy(encoded.words.astype(np.int64)).to(device)
        self.parts, self.sentences = given("parts", encoded.parts), given("sentences", encoded.sentences)
        self.sides, self.nodes = given("sides", encoded.sides), given("nodes", encoded.nodes)
        self.domains = given("domains", encoded.domains)
        self.offsets = torch.from_numpy(encoded.offsets).to(device)
        self.classes = torch.from_numpy(encoded.classes).to(device)
        self.goal = self.classes if encoded.targets is None else torch.from_numpy(encoded.targets).to(device)
        self.lengths = encoded.lengths
        self.device = device

    def words_of(self, texts: np.ndarray) -> int:
        """Return the total number of words in these texts."""
        return int(self.lengths[texts].sum())

    def words_in(self, many: Sequence[np.ndarray]) -> list[int]:
        """Return the number of words in each of these batches."""
        if not len(many):
            return []
        sizes = np.array([len(texts) for texts in many])
        words: list[int] = np.add.reduceat(self.lengths[np.concatenate(many)], np.cumsum(sizes) - sizes).tolist()
        return words

    def __call__(self, texts: np.ndarray) -> Batch:
        """Return the batch of these texts."""
        return next(self.batches([texts]))

    def batches(self, many: Sequence[np.ndarray]) -> Iterator[Batch]:
        """Yield the batches of these texts in order; empty ones are skipped.

        Many small ones are made in one go, as each torch operation costs some microseconds, however small.
        """
        many = [texts for texts in many if len(texts)]
        if not many:
            return
        sizes = np.array([len(texts) for texts in many])
        longest = np.maximum.reduceat(self.lengths[np.concatenate(many)], np.cumsum(sizes) - sizes)
        stretches = np.cumsum(sizes * longest) // PLACES_AHEAD
        bounds = [0, *(np.flatnonzero(np.diff(stretches)) + 1).tolist(), len(many)]
        for first, stop in pairwise(bounds):
            yield from self._made(np.concatenate(many[first:stop]), sizes[first:stop], longest[first:stop])

    def _made(self, numbers: np.ndarray, sizes: np.ndarray, longest: np.ndarray) -> list[Batch]:
        """Return batches as views of the same tensors.

        Args:
            numbers: the texts of all batches.
            sizes: number of texts in each batch.
            longest: number of words in the longest text of each batch.
        """
        places = (sizes * longest).tolist()
        texts = torch.from_numpy(numbers).to(self.device)
        widths = torch.from_numpy(np.repeat(longest, sizes)).to(self.device)  # padded length of each text
        begins = widths.cumsum(0) - widths  # first position of each text
        start, stop = self.offsets[texts], self.offsets[texts + 1]  # of its words in the flat tensor
        text = torch.repeat_interleave(widths, output_size=sum(places))  # at each position
        where = (start - begins).index_select(0, text) + torch.arange(sum(places), device=self.device)
        mask = where < stop.index_select(0, text)
        where.clamp_(max=len(self.words) - 1)

        def shaped(flat: Tensor) -> list[Tensor]:
            return [each.view(size, -1) for each, size in zip(flat.split(places), sizes.tolist(), strict=True)]

        def of_texts(values: Tensor) -> Sequence[Tensor]:
            return values[texts].split(sizes.tolist())

        def of_words(values: Tensor | None) -> Sequence[Tensor | None]:
            return none if values is None else shaped(values.index_select(0, where).masked_fill_(~mask, 0))

        none, classes = [None] * len(sizes), of_texts(self.classes)
        return [
            Batch(*fields)
            for fields in zip(
                shaped(self.words.index_select(0, where).masked_fill_(~mask, PADDING)),
                shaped(mask),
                of_words(self.parts),
                classes,
                classes if self.goal is self.classes else of_texts(self.goal),
                none if self.domains is None else of_texts(self.domains),
                of_words(self.sentences),
                of_words(self.sides),
                of_words(self.nodes),
                strict=True,
            )
        ]
