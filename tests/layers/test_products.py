"""A linear layer with oneDNN's products."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from retable.layers import products
from retable.layers.products import Linear, _Linear

needs_operator = pytest.mark.skipif(
    not hasattr(torch.ops.mkldnn, "_linear_pointwise"), reason="this torch has no such operator"
)


@pytest.fixture
def asked(monkeypatch):
    """Use oneDNN's products on this processor, whatever it is, and count the calls."""
    calls = []
    real = products.product
    monkeypatch.setattr(products, "onednn_is_faster", lambda: True)
    monkeypatch.setattr(products, "product", lambda *inputs: calls.append(1) or real(*inputs))
    return calls


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [(1,), (7,), (130,), (3, 5), (2, 3, 4)])
@needs_operator
def test_values_and_gradients_are_torchs(asked, bias, rows):
    ours, plain = Linear(33, 65, bias=bias), nn.Linear(33, 65, bias=bias)
    plain.load_state_dict(ours.state_dict())
    x = torch.randn(*rows, 33)
    found = []
    for layer in (ours, plain):
        inputs = x.clone().requires_grad_()
        layer(inputs).square().sum().backward()
        found.append([layer(x), inputs.grad, *(weight.grad for weight in layer.parameters())])
    assert len(asked) == 4  # forward twice, backward two products
    for one, other in zip(*found, strict=True):
        assert_close(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("bias", [True, False])
def test_gradients_by_differences(monkeypatch, bias):
    """In float64, which oneDNN does not multiply: torch's product is used instead."""
    monkeypatch.setattr(products, "product", F.linear)
    x, weight, added = (
        torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((5, 4), (3, 4), (3,))
    )
    assert torch.autograd.gradcheck(_Linear.apply, (x, weight, added if bias else None))


def test_what_onednn_is_not_asked_for_is_torchs(asked):
    Linear(3, 2)(torch.ones(3))
    Linear(3, 2).double()(torch.ones(4, 3).double())
    with torch.autocast("cpu", torch.bfloat16):
        Linear(3, 2)(torch.ones(4, 3))
    assert not asked


@pytest.mark.parametrize(("vendor", "faster"), [("AuthenticAMD", True), ("GenuineIntel", False), ("", False)])
@needs_operator
def test_intels_processors_and_unknown_ones_keep_their_products(monkeypatch, vendor, faster):
    monkeypatch.setattr(products, "processor_fact", lambda name: vendor)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    assert products.onednn_is_faster.__wrapped__() == faster


@needs_operator
@pytest.mark.parametrize(
    "strided",
    [lambda x: x[:, :33], lambda x: x[:, ::2], lambda x: x[:1, :33].expand(7, 33)],
    ids=["part", "gaps", "one row"],
)
def test_gradients_of_words_with_gaps_between_are_torchs_and_asked_of_dense_rows(asked, monkeypatch, strided):
    """With gaps in a second operand the operator's slow code takes a thousand times as long (25 s for 24 ms)."""
    operands = []
    real = torch.ops.mkldnn._linear_pointwise
    monkeypatch.setattr(
        torch.ops.mkldnn,
        "_linear_pointwise",
        lambda x, weight, *rest: operands.append(weight) or real(x, weight, *rest),
    )
    ours, plain = Linear(33, 65), nn.Linear(33, 65)
    plain.load_state_dict(ours.state_dict())
    words, found = torch.randn(7, 66), []
    for layer in (ours, plain):
        inputs = words.clone().requires_grad_()
        layer(strided(inputs)).square().sum().backward()
        found.append([inputs.grad, *(weight.grad for weight in layer.parameters())])
    for one, other in zip(*found, strict=True):
        assert_close(one, other, rtol=1e-4, atol=1e-4)
    assert all(operand.is_contiguous() or operand.t().is_contiguous() for operand in operands)
    assert len(operands) == 3
