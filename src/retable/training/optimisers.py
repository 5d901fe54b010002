"""Optimisers, with row-wise updates for tables of which a batch touches few rows.

Start      torch imports its compiler (1.5 s) when its first optimiser is built, to mark methods that must not be
           compiled. Nothing here is compiled, so `WithoutCompiler` restores these methods from before torch wrapped
           them; functools keeps them as `__wrapped__`. The arithmetic is torch's.
Hooks      torch wraps every step in a profiler record, which takes 0.17 ms if the step has emptied the caches; it skips
           a step that is marked as `hooked`. So hooks on a step are not called.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from retable.layers.embedding import WordEmbedding

EPS = 1e-10  # of AdaGrad, added to the root
Optimiser = Literal["adam", "sgd", "adagrad"]


def unrecorded(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return a step that torch does not wrap, and that records no gradients."""
    plain = torch.no_grad()(inspect.unwrap(step))
    plain.hooked = True
    return plain


class WithoutCompiler(Optimizer):
    """An optimiser that does not import torch's compiler; it must precede torch's own class among the bases."""

    add_param_group = inspect.unwrap(Optimizer.add_param_group)
    zero_grad = inspect.unwrap(Optimizer.zero_grad)
    state_dict = inspect.unwrap(Optimizer.state_dict)
    load_state_dict = inspect.unwrap(Optimizer.load_state_dict)


class Adam(WithoutCompiler, torch.optim.Adam):
    """torch's Adam."""

    step = unrecorded(torch.optim.Adam.step)


class SparseAdam(WithoutCompiler, torch.optim.SparseAdam):
    """torch's SparseAdam."""

    step = unrecorded(torch.optim.SparseAdam.step)


class SGD(WithoutCompiler, torch.optim.SGD):
    """torch's SGD."""

    step = unrecorded(torch.optim.SGD.step)


class Adagrad(WithoutCompiler):
    """AdaGrad; for a table with sparse gradients it reads and writes only the rows in the gradient.

    torch's version has the same formula, but uses sparse tensors as large as the table and takes three times as long.

    Source: Duchi, Hazan, Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization", JMLR
        2011, figure 1, diagonal: w -= rate * g / (eps + root of the sum of all g^2 so far).
    Args:
        weights: of any shape; a table is (row, dim); or groups of them, as torch's optimisers take.
        lr: learning rate.
        weight_decay: factor of the L2 term in a dense gradient; a sparse one takes none.
    """

    def __init__(self, weights: Iterable[Any], lr: float, weight_decay: float = 0.0) -> None:
        super().__init__(weights, {"lr": lr, "weight_decay": weight_decay, "eps": EPS})
        for group in self.param_groups:
            for weight in group["params"]:
                self.state[weight]["sum"] = torch.zeros_like(weight)

    @unrecorded
    def step(self, closure: None = None) -> None:
        """Update every weight that has a gradient."""
        for group in self.param_groups:
            rate, decay, eps = group["lr"], group["weight_decay"], group["eps"]
            for weight in group["params"]:
                squares, gradient = self.state[weight]["sum"], weight.grad
                if gradient is None:
                    continue
                if gradient.is_sparse:
                    rows, gradient = rows_of(gradient)
                    of_rows = squares.index_select(0, rows).addcmul_(gradient, gradient)
                    squares.index_copy_(0, rows, of_rows)
                    roots = of_rows.sqrt_().add_(eps)
                    # gather, update and write back: torch's `index_add_` on rows takes twice as long
                    changed = weight.index_select(0, rows).addcdiv_(gradient, roots, value=-rate)
                    weight.index_copy_(0, rows, changed)
                else:
                    gradient = gradient.add(weight, alpha=decay) if decay else gradient
                    squares.addcmul_(gradient, gradient)
                    weight.addcdiv_(gradient, squares.sqrt().add_(eps), value=-rate)


def rows_of(gradient: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct row numbers and the values of a sparse gradient (row, dim).

    torch forgets on the way to `grad` that a gradient was coalesced, and would sort its rows again.
    """
    rows = gradient._indices()[0]
    if not bool((rows[1:] > rows[:-1]).all()):
        gradient = gradient.coalesce()
    return gradient._indices()[0], gradient._values()


def build_optimisers(
    network: nn.Module, optimiser: Optimiser, learning_rate: float, weight_decay: float, momentum: float = 0.0
) -> list[Optimizer]:
    """Return one optimiser for the dense weights and, if a layer has sparse gradients, one for its table.

    AdaGrad handles both in one.

    Weight decay is the classic L2 term in the gradient (not decoupled), as in the papers; `momentum` applies to sgd.
    Sparse tables use neither. AdaGrad scales a gradient of L2 alone to a whole step, which would wipe out the vectors
    of words that no batch has held yet, so word vectors have no L2 term there. Adam scales it too, by smaller steps,
    and keeps it (docs/protocol.md).
    """
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    if optimiser == "adagrad":
        of_words = {id(module.tuned) for module in network.modules() if isinstance(module, WordEmbedding)}
        groups: list[dict[str, Any]] = [
            {"params": [weight for weight in weights if id(weight) in of_words], "weight_decay": 0.0},
            {"params": [weight for weight in weights if id(weight) not in of_words]},
        ]
        return [Adagrad([group for group in groups if group["params"]], learning_rate, weight_decay)]
    sparse_weights = {
        id(weight)
        for module in network.modules()
        if getattr(module, "sparse", False)
        for weight in module.parameters(recurse=False)
    }
    dense = [weight for weight in weights if id(weight) not in sparse_weights]
    sparse = [weight for weight in weights if id(weight) in sparse_weights]
    optimisers: list[Optimizer] = []
    if dense:
        optimisers.append(_of_dense(dense, optimiser, learning_rate, weight_decay, momentum))
    if sparse:
        optimisers.append((SparseAdam if optimiser == "adam" else SGD)(sparse, lr=learning_rate))
    return optimisers


def _of_dense(
    weights: list[nn.Parameter], optimiser: Optimiser, learning_rate: float, weight_decay: float, momentum: float
) -> Optimizer:
    if optimiser == "adam":
        return Adam(weights, lr=learning_rate, weight_decay=weight_decay, fused=True)
    return SGD(weights, lr=learning_rate, weight_decay=weight_decay, momentum=momentum)


def set_learning_rate(optimisers: list[Optimizer], learning_rate: float) -> None:
    """Give every group of weights this rate."""
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["lr"] = learning_rate
