"""A forward pass in bfloat16 works on every processor, also where oneDNN's LSTM refuses it."""

import pytest
import torch
from torch import nn

from retable.training.precision import forward_pass


@pytest.mark.parametrize("supported", [True, False])
@pytest.mark.parametrize(("precision", "dtype"), [("float32", torch.float32), ("bfloat16", torch.bfloat16)])
def test_an_lstm_computes_in_the_precision_that_is_asked_and_onednn_is_as_before_afterwards(
    precision, dtype, supported, monkeypatch
):
    if supported and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        pytest.skip("the processor's oneDNN has no bfloat16")
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: supported)
    torch.manual_seed(1)
    lstm, x = nn.LSTM(6, 4, batch_first=True), torch.randn(2, 3, 6)
    before = torch.backends.mkldnn.enabled
    with forward_pass("cpu", precision):
        states, _ = lstm(x)
    assert torch.backends.mkldnn.enabled == before
    assert states.dtype == (dtype if supported else torch.float32)
    states.float().sum().backward()
    torch.testing.assert_close(states.float(), lstm(x)[0], atol=0.02, rtol=0.02)
