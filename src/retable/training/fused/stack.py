"""The networks of several runs as one: their weights one above the other, and one forward pass for all.

Padding    tables of words, and of parts of speech, differ in length from run to run: shorter ones are padded with rows
           that no text of their run refers to. A word without a tuned vector has a number above the tuned ones, so that
           `renumber` moves it up where the tuned table has become longer.
One table  all weights of a run lie behind each other in one row of `flat`, so that what is done to all weights (the
           optimiser's step, clipping) is a handful of operations, however many weights there are.
Shapes     k runs, P numbers in all weights of a run, B texts, T words (padded on the right), C classes.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

from retable.errors import InputError
from retable.layers.embedding import PADDING, WordEmbedding
from retable.training.fused.inside import InsideVmap


class Stack:
    """The weights of k networks that differ in their numbers, and in the lengths of their tables, in nothing else.

    Args:
        networks: those of the runs, in training mode; they are copied.
    Raises: InputError if they differ in more.
    """

    def __init__(self, networks: Sequence[nn.Module]) -> None:
        self.size = len(networks)
        self.template = copy.deepcopy(networks[0]).to("meta")
        self.tuned = max(tuned_rows(network) for network in networks)
        weights = by_name([dict(network.named_parameters()) for network in networks])
        of_names = {name: stacked(name, [weight.detach() for weight in each]) for name, each in weights.items()}
        self.shapes = {name: each.shape[1:] for name, each in of_names.items()}
        self.sizes = [shape.numel() for shape in self.shapes.values()]
        self.flat = torch.cat([each.flatten(1) for each in of_names.values()], dim=1).requires_grad_()  # (k, P)
        buffers = by_name([dict(network.named_buffers()) for network in networks])
        self.shared = {name: found[0] for name, found in buffers.items() if all(map(found[0].equal, found))}
        self.buffers = {name: stacked(name, found) for name, found in buffers.items() if name not in self.shared}

    def weights(self, rows: Tensor | None = None) -> dict[str, Tensor]:
        """Name -> weights (k, ...), as parts of the flat ones; of these runs, where not of all."""
        flat = self.flat if rows is None else self.flat.index_select(0, rows)
        parts = flat.split(self.sizes, dim=1)
        return {name: part.unflatten(1, shape) for (name, shape), part in zip(self.shapes.items(), parts, strict=True)}

    def forward(
        self, inputs: Sequence[Tensor], classes: Tensor, masks: Sequence[Tensor], rows: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Logits, and what each network adds to its loss.

        Args:
            inputs: what the networks are called with, each (k, B, ...).
            classes: int64 (k, B).
            masks: of the dropouts, each (k, ...).
            rows: places of the runs that take part, where not all do; then k is their number.
        Returns: (k, B, C), and (k,) or None.
        """
        buffers = {
            name: buffer if rows is None else buffer.index_select(0, rows) for name, buffer in self.buffers.items()
        }
        auxiliary: Callable[[Tensor], Tensor] | None = getattr(self.template, "auxiliary_loss", None)
        adds = auxiliary is not None and self.template.training

        def of_run(
            weights: dict[str, Tensor], buffers: dict[str, Tensor], inputs: Any, classes: Tensor, masks: Any
        ) -> tuple[Tensor, ...]:
            with InsideVmap(iter(masks)):
                logits = functional_call(self.template, (weights, buffers, self.shared), tuple(inputs))
                return (logits, auxiliary(classes)) if auxiliary and adds else (logits,)

        logits, *more = vmap(of_run)(self.weights(rows), buffers, list(inputs), classes, list(masks))
        return logits, more[0] if more else None

    def gradient(self) -> Tensor:
        """That of all weights, (k, P); padding, which never learns, has none (vmap drops F.embedding's padding_idx)."""
        assert self.flat.grad is not None, "backward comes first"
        begin = 0
        for (name, shape), size in zip(self.shapes.items(), self.sizes, strict=True):
            if is_tuned(name):
                row = begin + PADDING * shape[1]
                self.flat.grad[:, row : row + shape[1]] = 0.0
            begin += size
        return self.flat.grad

    @torch.no_grad()
    def take(self, row: int, network: nn.Module) -> None:
        """Write a run's weights into its network."""
        weights = self.weights()
        for name, weight in network.named_parameters():
            weight.copy_(weights[name][row][: len(weight)])

    @torch.no_grad()
    def keep(self, rows: Tensor) -> None:
        """Let the other runs go."""
        self.size = len(rows)
        self.flat = self.flat[rows].requires_grad_()
        self.buffers = {name: buffer[rows] for name, buffer in self.buffers.items()}

    def renumber(self, words: Any, network: nn.Module) -> Any:
        """The numbers of a run's words, as an array, for the stacked tables."""
        rows = tuned_rows(network)
        return words + (words >= rows) * (self.tuned - rows) if rows else words


def by_name(found: Sequence[dict[str, Tensor]]) -> dict[str, list[Tensor]]:
    """Name -> the tensors of all networks. Raises: InputError if the names differ."""
    for other in found[1:]:
        if other.keys() != found[0].keys():
            names = ", ".join(sorted(other.keys() ^ found[0].keys()))
            raise InputError(f"the networks of runs that are trained fused differ in {names}; train them alone.")
    return {name: [each[name] for each in found] for name in found[0]}


def stacked(name: str, tensors: Sequence[Tensor]) -> Tensor:
    """Tensors of equal shape but for the length of a table, padded with zeros, as (k, ...).

    Raises: InputError if they differ in more.
    """
    shapes = {tuple(tensor.shape[1:]) for tensor in tensors}
    longest = max(len(tensor) for tensor in tensors)
    if len(shapes) > 1 or (not is_table(name) and any(len(tensor) < longest for tensor in tensors)):
        told = ", ".join(str(tuple(tensor.shape)) for tensor in tensors)
        raise InputError(f"{name} has the shapes {told} in runs that are trained fused; train them alone.")
    found = tensors[0].new_zeros(len(tensors), longest, *tensors[0].shape[1:])
    for row, tensor in zip(found, tensors, strict=True):
        row[: len(tensor)] = tensor
    return found


def is_tuned(name: str) -> bool:
    """Whether a weight is the table of the tuned word vectors."""
    return name.endswith("embedding.tuned")


def is_table(name: str) -> bool:
    """Whether a tensor has a row for every word, or for every part of speech."""
    return is_tuned(name) or name.endswith(("embedding.fixed", "part_weights"))


def tuned_rows(network: nn.Module) -> int:
    """How many word vectors a network tunes."""
    found = [module.tuned for module in network.modules() if isinstance(module, WordEmbedding)]
    return sum(len(tuned) for tuned in found if tuned is not None)
