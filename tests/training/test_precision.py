"""bfloat16 is computed on every processor, and without instructions for it in float32 products that are rounded."""

import pytest
import torch
from torch import nn

from retable.training.precision import PRODUCTS, WideProducts, forward_pass, lacks_bfloat16, wide_products
from tests.training.dtypes import Dtypes

torch.manual_seed(1)
A, B, C = torch.randn(4, 6), torch.randn(6, 3), torch.randn(2, 4, 6)
LAYERS = {"linear": nn.Linear(6, 4), "lstm": nn.LSTM(6, 4, batch_first=True), "convolution": nn.Conv1d(4, 4, 3)}
OPERATIONS = {
    "mm": (torch.mm, (A, B)),
    "bmm": (torch.bmm, (C, torch.randn(2, 6, 3))),
    "addmm": (torch.addmm, (torch.randn(3), A, B)),
    "baddbmm": (torch.baddbmm, (torch.randn(2, 4, 3), C, torch.randn(2, 6, 3))),
    "convolution": (torch.conv1d, (C, torch.randn(5, 4, 3), torch.randn(5))),
}


@pytest.fixture
def without_bfloat16(monkeypatch):
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)


def output_of(layer):
    found = layer(C)
    return found[0] if isinstance(found, tuple) else found


def gradients_of(layer, answers):
    return torch.autograd.grad(answers.float().pow(2).sum(), list(layer.parameters()))


@pytest.mark.parametrize("without", [False, True])
@pytest.mark.parametrize(("precision", "dtype"), [("float32", torch.float32), ("bfloat16", torch.bfloat16)])
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_a_layer_computes_in_the_precision_that_is_asked(layer, precision, dtype, without, request):
    if without:
        request.getfixturevalue("without_bfloat16")
    before = torch.backends.mkldnn.enabled
    with wide_products("cpu", precision):
        with forward_pass("cpu", precision):
            answers = output_of(layer)
        gradients = gradients_of(layer, answers)
    assert torch.backends.mkldnn.enabled == before
    assert answers.dtype == dtype
    torch.testing.assert_close(answers.float(), output_of(layer), atol=0.02, rtol=0.02)
    torch.testing.assert_close(gradients, gradients_of(layer, output_of(layer)), atol=0.1, rtol=0.05)


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_without_instructions_every_product_of_a_step_is_in_float32(layer, without_bfloat16):
    with Dtypes(PRODUCTS) as seen, wide_products("cpu", "bfloat16"):
        with forward_pass("cpu", "bfloat16"):
            answers = output_of(layer)
        forward = set(seen.of)
        gradients_of(layer, answers)
    assert forward
    assert set(seen.of) > forward
    assert set.union(*seen.of.values()) == {torch.float32}


@pytest.mark.parametrize("name", OPERATIONS)
def test_bfloat16_products_are_float32_products_of_the_same_numbers_rounded(name):
    operation, given = OPERATIONS[name]
    narrow = [each.bfloat16() for each in given]
    with Dtypes(PRODUCTS) as seen, WideProducts():
        found = operation(*narrow)
    assert seen.of == {getattr(torch.ops.aten, name).default: {torch.float32}}
    assert found.equal(operation(*(each.float() for each in narrow)).bfloat16())


def test_other_products_are_left_alone():
    exact = torch.randn(3, 3, dtype=torch.float64)
    with WideProducts():
        assert (exact @ exact).equal(exact.mm(exact))
        assert (exact.float() @ exact.float()).dtype == torch.float32
        with pytest.raises(RuntimeError, match="dtype"):
            exact.bfloat16() @ exact.float()


@pytest.mark.parametrize("instructions", [True, False])
def test_products_are_widened_for_bfloat16_on_a_processor_without_it_alone(instructions, monkeypatch):
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: instructions)
    assert lacks_bfloat16("cpu", "bfloat16") == (not instructions)
    assert not lacks_bfloat16("cpu", "float32")
    assert not lacks_bfloat16("cuda", "bfloat16")
