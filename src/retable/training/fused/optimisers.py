"""The optimisers' steps over stacked weights: number by number they are torch's, with rates of each run's own.

Source     torch.optim.Adam (betas 0.9 and 0.999, eps 1e-8), SGD (momentum without dampening) and Adagrad (eps 1e-10);
           weight decay is the L2 term in the gradient. torch's take one rate for a tensor, ours one for each run.
Host       rates, steps and their corrections are reckoned there, and go to the device in one copy a step.
Idle       a weight that takes no part in a run's step (`probing.shortest_texts`) stays as it is, momentum and all, as
           it does in torch's without a gradient.
Shapes     k runs, P numbers in all weights of a run, W weights whose steps are counted by themselves, or 1 for all.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from retable.training.optimisers import Optimiser

FIRST, SECOND, ADAM_EPS, ADAGRAD_EPS = 0.9, 0.999, 1e-8, 1e-10


class StackedOptimiser:
    """One optimiser for the weights of k runs.

    Args:
        flat: the weights, (k, P).
        sizes: numbers in each of the W weights; one of size P where all take part in every step.
        optimiser, weight_decay, momentum: as `build_optimisers` has them.
    """

    def __init__(
        self, flat: Tensor, sizes: Sequence[int], *, optimiser: Optimiser, weight_decay: float, momentum: float
    ) -> None:
        self.kind, self.weight_decay, self.momentum = optimiser, weight_decay, momentum
        self.sizes = torch.tensor(sizes, device=flat.device)
        count = {"adam": 2, "sgd": 1 if momentum else 0, "adagrad": 1}[optimiser]
        self.kept = [torch.zeros_like(flat) for _ in range(count)]
        self.steps = np.zeros((len(flat), len(sizes)))

    @torch.no_grad()
    def step(self, flat: Tensor, gradient: Tensor, rates: np.ndarray, moves: np.ndarray) -> None:
        """Change the weights.

        Args:
            flat, gradient: (k, P).
            rates: learning rate of each run, (k, 1).
            moves: 1 where a weight takes part in a run's step, else 0, (k, W).
        """
        self.steps += moves
        rates = rates * moves
        if self.weight_decay:
            gradient = gradient.add(flat, alpha=self.weight_decay)
        if self.kind == "adam":
            self._adam(flat, gradient, rates, moves)
        elif self.kind == "adagrad":
            (squares,), (size, share) = self.kept, self.spread(flat, rates, moves)
            squares.add_(gradient.square() * share)
            flat.addcdiv_(gradient * size, squares.sqrt().add_(ADAGRAD_EPS), value=-1)
        else:
            size, share = self.spread(flat, rates, moves)
            for velocity in self.kept:
                gradient = velocity.lerp_(self.momentum * velocity + gradient, share)
            flat.sub_(gradient * size)

    def _adam(self, flat: Tensor, gradient: Tensor, rates: np.ndarray, moves: np.ndarray) -> None:
        mean, square = self.kept
        counted = self.steps.clip(min=1)
        first, second, size, correction = self.spread(
            flat,
            (1 - FIRST) * moves,
            (1 - SECOND) * moves,
            rates / (1 - FIRST**counted),
            1 / np.sqrt(1 - SECOND**counted),
        )
        mean.lerp_(gradient, first)
        square.lerp_(gradient.square(), second)
        flat.addcdiv_(mean * size, square.sqrt().mul_(correction).add_(ADAM_EPS), value=-1)

    def spread(self, flat: Tensor, *of_weights: np.ndarray) -> tuple[Tensor, ...]:
        """What each weight has, each (k, W), for all its numbers: (k, P), or (k, 1); one copy to the device."""
        values = torch.from_numpy(np.stack(of_weights)).to(flat)
        return (values if len(self.sizes) == 1 else values.repeat_interleave(self.sizes, dim=2)).unbind()

    def state(self) -> dict[str, Any]:
        """All that it keeps, as tensors and plain values."""
        return {"kept": self.kept, "steps": torch.from_numpy(self.steps)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what `state` gave."""
        self.steps[:] = state["steps"].numpy()
        for own, saved in zip(self.kept, state["kept"], strict=True):
            own.copy_(saved)

    def keep(self, rows: Tensor) -> None:
        """Let the other runs go."""
        self.kept = [each[rows] for each in self.kept]
        self.steps = self.steps[rows.cpu().numpy()]


def clip(gradient: Tensor, largest: float) -> None:
    """Shrink each run's gradient, (k, P), to a norm of at most `largest`, as `clip_grad_norm_` does."""
    norms = torch.linalg.vector_norm(gradient, dim=1, keepdim=True)
    gradient.mul_((largest / (norms + 1e-6)).clamp(max=1.0))
