import pytest
import torch
from torch import nn, tensor
from torch.testing import assert_close

from retable.layers.attention import DotProductAttention, padding_bias
from retable.layers.encoder import EncoderInput, EncoderLayer, first_weights, mean_over_words
from retable.layers.positions import sinusoidal_positions


def test_a_layer_agrees_with_torchs_own():
    torch.manual_seed(2)
    own = EncoderLayer(DotProductAttention(8, 2), 8, dropout=0.3).eval()
    theirs = nn.TransformerEncoderLayer(8, 2, dim_feedforward=32, batch_first=True, norm_first=False).eval()
    for parameter in own.parameters():
        nn.init.normal_(parameter, std=0.5)
    pairs = {
        "self_attn.in_proj_weight": own.attention.projections.weight,
        "self_attn.in_proj_bias": own.attention.projections.bias,
        "self_attn.out_proj.weight": own.attention.output.weight, "self_attn.out_proj.bias": own.attention.output.bias,
        "linear1.weight": own.widen.weight, "linear1.bias": own.widen.bias, "linear2.weight": own.narrow.weight,
        "linear2.bias": own.narrow.bias, "norm1.weight": own.attention_norm.weight,
        "norm1.bias": own.attention_norm.bias, "norm2.weight": own.feed_forward_norm.weight,
        "norm2.bias": own.feed_forward_norm.bias,
    }  # fmt: skip
    theirs.load_state_dict(pairs)
    x, mask = torch.randn(3, 5, 8), torch.arange(5) < tensor([[5], [1], [3]])
    ours, expected = own(x, padding_bias(mask)), theirs(x, src_key_padding_mask=~mask)
    assert_close(ours[mask], expected[mask])


def test_input_is_words_times_root_of_size_plus_positions():
    vectors = torch.randn(2, 3, 4)
    positions = sinusoidal_positions(3, 4)
    assert_close(EncoderInput(4, 4, scale=True, dropout=0.0)(vectors), 2 * vectors + positions)
    assert_close(EncoderInput(4, 4, scale=False, dropout=0.0)(vectors), vectors + positions)
    wider = EncoderInput(4, 16, scale=True, dropout=0.0)
    assert_close(wider(vectors), 4 * wider.projection(vectors) + sinusoidal_positions(3, 16))
    assert wider.flops_per_word() == 2 * 4 * 16
    assert EncoderInput(4, 4, scale=True, dropout=0.0).flops_per_word() == 0


def test_mean_counts_real_words_alone():
    x = tensor([[[2.0], [4.0], [100.0]], [[5.0], [7.0], [100.0]]])
    assert_close(mean_over_words(x, tensor([[True, True, False], [True, False, False]])), tensor([[3.0], [5.0]]))


def test_first_weights_are_xavier_and_biases_zero():
    torch.manual_seed(0)
    network = nn.ModuleDict({"layer": EncoderLayer(DotProductAttention(64, 1), 64, dropout=0.1)})
    network["embedding"] = nn.Linear(4, 4)
    before = network["embedding"].weight.clone()
    first_weights(network)
    layer = network["layer"]
    bound = (6 / (64 + 256)) ** 0.5
    assert layer.widen.weight.abs().max() <= bound
    assert layer.widen.weight.std().item() == pytest.approx(bound / 3**0.5, rel=0.02)
    assert not any(parameter.any() for name, parameter in layer.named_parameters() if name.endswith("bias"))
    assert_close(layer.attention_norm.weight, torch.ones(64))
    assert network["embedding"].weight.equal(before)
