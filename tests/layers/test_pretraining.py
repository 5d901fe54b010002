"""The loop of pretraining."""

import torch
from torch import nn, tensor
from torch.testing import assert_close

from retable.layers.pretraining import learn


def test_a_batch_without_a_loss_is_skipped_and_epochs_are_counted_from_one():
    weight, seen = nn.Parameter(tensor([1.0])), []

    def loss(batch, epoch):
        seen.append((batch[0].item(), epoch))
        return None if batch[0].item() < 0 else (weight * batch[0]).sum()

    steps = learn([weight], lambda: iter([(tensor(-1.0),), (tensor(2.0),)]), loss, 2, 0.5)
    assert seen == [(-1.0, 1), (2.0, 1), (-1.0, 2), (2.0, 2)]
    assert steps == 2
    assert_close(weight.detach(), tensor([0.0]))  # Adam's steps along an equal gradient are as long as the rate
    assert weight.grad is None


def test_gradients_are_clipped_to_the_norm_of_all_weights(monkeypatch):
    weights, norms, step = [nn.Parameter(tensor([1.0])), nn.Parameter(tensor([1.0]))], [], torch.optim.Adam.step

    def noted(optimiser):
        norms.append(torch.stack([weight.grad for weight in weights]).norm().item())
        return step(optimiser)

    monkeypatch.setattr(torch.optim.Adam, "step", noted)
    for clip in (False, True):
        learn(weights, lambda: iter([()]), lambda *_: 6 * weights[0].sum() + 8 * weights[1].sum(), 1, 0.1, clip=clip)
    assert_close(norms, [10.0, 5.0], rtol=1e-5, atol=1e-5)
