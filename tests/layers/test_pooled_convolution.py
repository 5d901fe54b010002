"""A convolution that keeps only the maximum over time."""

import pytest
import torch
from torch import nn, tensor
from torch.testing import assert_close

from retable.layers import pooled_convolution, products
from retable.layers.pooled_convolution import PooledConv1d, _Pooled, by_torch

needs_operator = pytest.mark.skipif(
    not hasattr(torch.ops.mkldnn, "_linear_pointwise"), reason="this torch has no such operator"
)


@pytest.fixture
def torchs(monkeypatch):
    """Count the calls of torch's own convolution."""
    calls = []
    monkeypatch.setattr(pooled_convolution, "by_torch", lambda *inputs: calls.append(1) or by_torch(*inputs))
    return calls


def of_all_windows(convolution, x, real):
    """Return what the layer replaces: all windows, then the maximum over the valid ones."""
    return convolution(x.transpose(1, 2)).masked_fill(~real.unsqueeze(1), -torch.inf).amax(dim=2)


@pytest.mark.parametrize("onednn", [pytest.param(True, marks=needs_operator), False])
@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize(("texts", "words"), [(4, 9), (1, 9), (3, 2), (1, 1)])
def test_values_and_gradients_are_torchs(monkeypatch, torchs, onednn, width, texts, words):
    monkeypatch.setattr(products, "onednn_is_faster", lambda: onednn)
    ours, plain = PooledConv1d(6, 7, width), nn.Conv1d(6, 7, width, padding=width - 1)
    plain.load_state_dict(ours.state_dict())
    real = torch.rand(texts, words + width - 1) > 0.3
    real[:, 0] = True
    given, upstream, found = torch.randn(texts, words, 6), torch.randn(texts, 7), []
    for layer, answer in ((ours, ours), (plain, lambda x, real: of_all_windows(plain, x, real))):
        x = given.clone().requires_grad_()
        best = answer(x, real)
        best.backward(upstream)
        found.append([best, x.grad, *(weight.grad for weight in layer.parameters())])
    assert not torchs
    for one, other in zip(*found, strict=True):
        assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_gradients_by_differences():
    """In float64, where the maxima do not move between the two sides of a difference."""
    real = torch.tensor([[True, True, True, True, False, False], [True, False, True, True, True, True]])
    inputs = [torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((2, 4, 3), (5, 3, 3), (5,))]
    assert torch.autograd.gradcheck(lambda *inputs: _Pooled.apply(*inputs, real)[0], inputs)


def test_equal_windows_share_a_gradient():
    """Words 2, 2, 1 and a filter of one word: each 2 gets half, as from torch's amax."""
    layer = PooledConv1d(1, 1, 1)
    x = tensor([[[2.0], [2.0], [1.0]]], requires_grad=True)
    with torch.no_grad():
        layer.weight.fill_(3.0)
        layer.bias.fill_(1.0)
    best = layer(x, torch.ones(1, 3, dtype=torch.bool))
    best.sum().backward()
    assert_close(best, tensor([[7.0]]))
    assert_close(x.grad, tensor([[[1.5], [1.5], [0.0]]]))
    assert_close(layer.weight.grad, tensor([[[2.0]]]))


def test_a_text_without_a_window_leaves_the_weights_alone():
    layer = PooledConv1d(2, 3, 1)
    best = layer(torch.ones(1, 4, 2), torch.zeros(1, 4, dtype=torch.bool))
    best.sum().backward()
    assert best.tolist() == [[-torch.inf] * 3]
    for weight in layer.parameters():
        assert not weight.grad.any()


def test_vectors_that_are_not_tuned_cost_no_gradient(monkeypatch):
    monkeypatch.setattr(pooled_convolution, "gradient_of_words", None)
    layer = PooledConv1d(2, 3, 2)
    layer(torch.randn(2, 4, 2), torch.ones(2, 5, dtype=torch.bool)).sum().backward()
    assert layer.weight.grad.any()


def test_a_network_that_has_diverged_does_not_stop_in_its_gradient():
    layer = PooledConv1d(2, 3, 2)
    best = layer(torch.full((2, 4, 2), torch.nan), torch.ones(2, 5, dtype=torch.bool))
    best.sum().backward()
    assert best.isnan().all()


def test_other_types_are_torchs(torchs):
    real = torch.ones(4, 7, dtype=torch.bool)
    PooledConv1d(3, 2, 3).double()(torch.ones(4, 5, 3).double(), real)
    with torch.autocast("cpu", torch.bfloat16):
        assert PooledConv1d(3, 2, 3)(torch.ones(4, 5, 3), real).dtype == torch.bfloat16
    assert len(torchs) == 2


def test_in_doubles_a_window_that_does_not_count_never_wins():
    """For torch's convolution too: the window of the word -9 and bias 1 gives -8, one of padding would give 1."""
    layer = PooledConv1d(1, 1, 1).double()
    nn.init.ones_(layer.weight)
    nn.init.ones_(layer.bias)
    best = layer(tensor([[[-9.0], [0.0]]]).double(), tensor([[True, False]]))
    assert best.tolist() == [[-8.0]]


def test_weights_and_seeds_are_those_of_a_plain_convolution():
    states = []
    for build in (lambda: PooledConv1d(6, 7, 4), lambda: nn.Conv1d(6, 7, 4, padding=3)):
        torch.manual_seed(3)
        states.append(build().state_dict())
    assert list(states[0]) == list(states[1])
    for name in states[0]:
        assert torch.equal(states[0][name], states[1][name])
