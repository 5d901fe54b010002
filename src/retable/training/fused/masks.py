"""Dropout of several runs: every run draws the numbers that it would draw alone, at the shapes that it has alone."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor


class Dropout(NamedTuple):
    """One dropout of a network: `shape` has "texts" and "words" where a number changes with the batch; p is dropped.

    `order` are the dimensions as they lie in memory, outermost first: the order in which torch may draw.
    """

    shape: tuple[int | str, ...]
    p: float
    order: tuple[int, ...]

    def of(self, texts: int, words: int) -> tuple[int, ...]:
        """The shape for a batch."""
        sizes = {"texts": texts, "words": words}
        return tuple(sizes[size] if isinstance(size, str) else size for size in self.shape)

    def draw(self, size: tuple[int, int], generator: torch.Generator, dtype: torch.dtype) -> Tensor:
        """1 for what stays, 0 for what is dropped, for a batch of so many texts and words."""
        shape = self.of(*size)
        in_memory = torch.empty([shape[dim] for dim in self.order], dtype=dtype, device=generator.device)
        places = sorted(range(len(shape)), key=self.order.__getitem__)
        return in_memory.permute(places).bernoulli_(1 - self.p, generator=generator)


def draw_masks(
    dropouts: Sequence[Dropout],
    sizes: Sequence[tuple[int, int]],
    generators: Sequence[torch.Generator],
    dtype: torch.dtype,
) -> list[Tensor]:
    """The masks of one step: 0, or 1 / (1 - p) where a component stays.

    Args:
        dropouts: k runs' common ones.
        sizes: texts and words of every run's batch; all have as many texts.
        generators: the runs' own.
        dtype: of the weights; on a CPU doubles take other random numbers than floats.
    Returns: for each dropout (k, ...), padded with 0 to the longest batch.
    """
    texts, longest = sizes[0][0], max(words for _, words in sizes)
    masks = []
    for dropout in dropouts:
        stacked = torch.zeros(len(sizes), *dropout.of(texts, longest), dtype=dtype, device=generators[0].device)
        for mask, size, generator in zip(stacked, sizes, generators, strict=True):
            mask[tuple(map(slice, dropout.of(*size)))] = dropout.draw(size, generator, dtype)
        masks.append(stacked.div_(1 - dropout.p))
    return masks


def own_generator(device: torch.device) -> torch.Generator:
    """A generator that goes on where torch's own of this device stands."""
    generator = torch.Generator(device)
    generator.set_state(torch.get_rng_state() if device.type == "cpu" else torch.cuda.get_rng_state(device))
    return generator
