"""What a network does with batches of one size and another: found out before training, on made-up texts.

No random number is used up, and no weight is changed; the network is left with gradients and with what it keeps of a
batch, so that a copy is to be probed.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from retable.errors import InputError
from retable.layers.domains import PerDomain
from retable.layers.embedding import UNKNOWN
from retable.training.fused.inside import Watching
from retable.training.fused.masks import Dropout

PROBES = ((2, 5), (3, 5), (2, 7))  # texts and words: the second has more texts than the first, the third more words


def dropouts_of(network: nn.Module, *, reads_parts: bool) -> list[Dropout]:
    """The dropouts of a network in the order in which it calls them.

    A run's masks have the shapes of the run alone, not those of the stack, which are padded: so it must be known which
    of their dimensions are those of texts and of words.

    Args:
        network: in training mode.
        reads_parts: whether it is given parts of speech.
    Raises: InputError if it drops what is neither of a text nor of a word.
    """
    calls = []
    with torch.no_grad(), own_numbers(network):
        for probe in PROBES:
            with Watching() as watching:
                network(*made_up(network, *probe, reads_parts=reads_parts))
            calls.append(watching.seen)
    model = type(network).__name__
    if len({len(each) for each in calls}) > 1:
        raise InputError(f"{model} drops more often where texts are longer; train its runs one by one.")
    found = []
    for seen in zip(*calls, strict=True):
        shapes = [shape for shape, _, _ in seen]
        _, p, order = seen[0]
        dropout = Dropout(tuple(map(_name, *shapes)), p, order)
        if [dropout.of(*probe) for probe in PROBES] != shapes:
            raise InputError(f"{model} drops components of shape {shapes[0]}; train its runs one by one.")
        found.append(dropout)
    return found


def _name(size: int, with_more_texts: int, with_more_words: int) -> int | str:
    return "texts" if with_more_texts != size else "words" if with_more_words != size else size


def shortest_texts(network: nn.Module, longest: int, *, reads_parts: bool) -> dict[str, int]:
    """How many words the longest text of a batch must have at least, for a weight to take part in the step.

    DPCNN does not reach its last blocks where all texts are short: alone, their weights have no gradient then and stay
    as they are, momentum and all. In a stack with runs that reach them they would have one, of zeros.

    Args:
        longest: words of the longest text that there is; weights that take no part even there get one more.
    """
    names = {name for name, _ in network.named_parameters()}
    needs = {name: longest + 1 for name, _ in network.named_parameters()}

    def taking_part(words: int) -> set[str]:
        return weights_with_gradient(network, words, reads_parts=reads_parts)

    def look_between(below: int, of_below: set[str], above: int, of_above: set[str]) -> None:
        """Weights that take part in `above` words and not in `below`: from where on?"""
        if of_above <= of_below:
            return
        if above == below + 1:
            needs.update(dict.fromkeys(of_above - of_below, above))
            return
        middle = (below + above) // 2
        of_middle = taking_part(middle)
        look_between(below, of_below, middle, of_middle)
        look_between(middle, of_middle, above, of_above)

    of_one = taking_part(1)
    needs.update(dict.fromkeys(of_one, 1))
    if of_one != names:
        look_between(1, of_one, longest, taking_part(longest))
    return needs


def weights_with_gradient(network: nn.Module, words: int, *, reads_parts: bool) -> set[str]:
    """The weights that take part in a step on one text of so many words."""
    batch = made_up(network, 1, words, reads_parts=reads_parts)
    auxiliary = getattr(network, "auxiliary_loss", None)
    network.zero_grad()
    with own_numbers(network):
        loss: Tensor = network(*batch).sum()
        loss = loss + auxiliary(batch[0].new_zeros(1)) if auxiliary else loss
        loss.backward()
    return {name for name, weight in network.named_parameters() if weight.grad is not None}


def made_up(network: nn.Module, texts: int, words: int, *, reads_parts: bool) -> list[Tensor]:
    """A batch of texts of equal length, as the network is called with it."""
    rows = torch.full((texts, words), UNKNOWN, device=next(network.parameters()).device)
    parts = [torch.zeros_like(rows)] if reads_parts else []
    domains = [rows.new_zeros(texts)] if isinstance(network, PerDomain) else []
    return [rows, torch.ones_like(rows, dtype=torch.bool), *parts, *domains]


@contextmanager
def own_numbers(network: nn.Module) -> Iterator[None]:
    """Give torch's random numbers back as they were."""
    device = next(network.parameters()).device
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        yield
