"""Whether a stack answers as its networks do: looked at before training, on a few texts of every run."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from retable.errors import InputError
from retable.layers.domains import PerDomain
from retable.training.batches import BatchMaker
from retable.training.fused.group import Group
from retable.training.fused.runs import Run
from retable.training.parallel import texts_of

TEXTS = 4  # of each run
FARTHEST = 1e-3  # that a stacked logit may lie from the network's own, as a share of 1 + the largest


@torch.no_grad()
def check_group(group: Group) -> None:
    """Compare the answers of a group's stack with those of its networks.

    Raises: InputError if vmap cannot follow the network, or if the answers differ.
    """
    count = min(TEXTS, *(len(run.train) for run in group.running))
    model = type(group.running[0].network).__name__
    try:
        stacked_answers(group, count)  # a network may do more in training
        with in_eval_mode(group):
            together = stacked_answers(group, count)
    except RuntimeError as error:  # what vmap raises where it has no rule
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"{model} cannot be trained fused ({reason}); train its runs one by one.") from error
    with in_eval_mode(group):
        for run, logits in zip(group.running, together, strict=True):
            alone = own_answers(run, count)
            if not (logits - alone).abs().max() <= FARTHEST * (1 + alone.abs().max()):
                raise InputError(f"{model} answers otherwise in a stack than alone; train its runs one by one.")


@contextmanager
def in_eval_mode(group: Group) -> Iterator[None]:
    """Without dropout while the block runs."""
    networks = [group.stack.template, *(run.network for run in group.running)]
    for network in networks:
        network.eval()
    yield
    for network in networks:
        network.train()


def stacked_answers(group: Group, count: int) -> Tensor:
    """Logits of the first training texts of every run, (k, count, C)."""
    texts = np.arange(count) + group.first_text[:, None]
    batch = group.maker(texts.ravel())
    inputs = [given.unflatten(0, texts.shape) for given in batch.inputs]
    longest = batch.words.shape[1]
    nothing_dropped = [
        torch.ones(len(texts), *dropout.of(count, longest), device=group.device) for dropout in group.dropouts
    ]
    return group.stack.forward(inputs, batch.classes.view(texts.shape), nothing_dropped)[0]


def own_answers(run: Run, count: int) -> Tensor:
    """Logits of the first training texts of a run by its own network, (count, C)."""
    own = texts_of(run.train, np.arange(count))
    maker = BatchMaker(own, run.generator.device, per_domain=isinstance(run.network, PerDomain))
    logits: Tensor = run.network(*maker(np.arange(count)).inputs)
    return logits
