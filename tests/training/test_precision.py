"""bfloat16 is computed on every processor, and without instructions for it in float32 products that are rounded."""

import pytest
import torch
from torch import nn

from retable.training.precision import WideProducts, emulated, forward_pass, products

torch.manual_seed(1)
ROWS, STACK = torch.randn(4, 6), torch.randn(2, 4, 6)
OPERATIONS = {
    "matrices": (torch.mm, (ROWS, torch.randn(6, 3))),
    "batches of matrices": (torch.bmm, (STACK, torch.randn(2, 6, 3))),
    "a matrix and a bias": (torch.addmm, (torch.randn(3), ROWS, torch.randn(6, 3))),
    "batches and a bias": (torch.baddbmm, (torch.randn(2, 4, 3), STACK, torch.randn(2, 6, 3))),
    "a convolution": (torch.conv1d, (STACK, torch.randn(5, 4, 3), torch.randn(5))),
}


@pytest.fixture(params=[True, False], ids=["instructions", "none"])
def supported(request, monkeypatch):
    if request.param and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        pytest.skip("the processor's oneDNN has no bfloat16")
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: request.param)
    return request.param


@pytest.mark.parametrize(("precision", "dtype"), [("float32", torch.float32), ("bfloat16", torch.bfloat16)])
@pytest.mark.parametrize("layer", [nn.Linear(6, 4), nn.LSTM(6, 4, batch_first=True), nn.Conv1d(4, 4, 3)], ids=type)
def test_a_layer_computes_in_the_precision_that_is_asked(layer, precision, dtype, supported):
    x = torch.randn(2, 4, 6)

    def output():
        found = layer(x)
        return found[0] if isinstance(found, tuple) else found

    def gradients_of(answers):
        return torch.autograd.grad(answers.float().pow(2).sum(), list(layer.parameters()))

    with products("cpu", precision):
        with forward_pass("cpu", precision):
            answers = output()
        gradients = gradients_of(answers)
    assert answers.dtype == dtype
    torch.testing.assert_close(answers.float(), output(), atol=0.02, rtol=0.02)
    torch.testing.assert_close(gradients, gradients_of(output()), atol=0.1, rtol=0.05)


@pytest.mark.parametrize("what", OPERATIONS)
def test_bfloat16_products_are_float32_products_of_the_same_numbers_rounded(what):
    operation, given = OPERATIONS[what]
    narrow = [each.bfloat16() for each in given]
    with WideProducts():
        found = operation(*narrow)
    assert found.equal(operation(*(each.float() for each in narrow)).bfloat16())


def test_other_products_are_left_alone():
    exact = torch.randn(3, 3, dtype=torch.float64)
    with WideProducts():
        assert (exact @ exact).equal(exact.mm(exact))
        assert (exact.float() @ exact.float()).dtype == torch.float32


def test_products_are_widened_for_bfloat16_on_a_processor_without_it_alone(supported):
    assert emulated("cpu", "bfloat16") == (not supported)
    assert not emulated("cpu", "float32")
    assert not emulated("cuda", "bfloat16")
