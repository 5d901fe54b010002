import math

import torch
from torch import nn, tensor
from torch.testing import assert_close

from retable.layers.attention import DotProductAttention, attend, padding_bias, split_heads


def test_padding_gets_no_weight_and_real_words_no_bias():
    bias = padding_bias(tensor([[True, True, False]]))
    assert bias.shape == (1, 1, 1, 3)
    assert bias.flatten().tolist() == [0, 0, -math.inf]


def test_heads_are_slices_of_the_components():
    x = torch.arange(24.0).view(1, 3, 8)
    heads = split_heads(x, 2)
    assert heads.shape == (1, 2, 3, 4)
    assert heads[0, 1, 2].tolist() == [20, 21, 22, 23]


def test_attention_by_hand():  # two words, scores ln 3 and 0: weights 3/4 and 1/4
    scores = tensor([[[[math.log(3), 0.0], [0.0, 0.0]]]])
    values = tensor([[[[4.0], [8.0]]]])
    assert_close(attend(scores, values), tensor([[[5.0], [6.0]]]))


def test_dot_product_attention_agrees_with_torchs_own():
    torch.manual_seed(1)
    for heads in (1, 2):
        own, theirs = DotProductAttention(8, heads), nn.MultiheadAttention(8, heads, batch_first=True)
        theirs.in_proj_weight.data.copy_(own.projections.weight)
        theirs.in_proj_bias.data.copy_(own.projections.bias)
        theirs.out_proj.load_state_dict(own.output.state_dict())
        x, mask = torch.randn(3, 5, 8), torch.arange(5) < tensor([[5], [1], [3]])
        expected, _ = theirs(x, x, x, key_padding_mask=~mask)
        assert_close(own(x, padding_bias(mask)), expected)
