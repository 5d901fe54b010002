import math

import pytest
import torch
from torch import nn, tensor
from torch.testing import assert_close

from retable.layers import attention
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


@pytest.mark.parametrize("words", [1, 40, 300])
def test_a_batch_of_long_texts_has_the_same_answers_and_gradients(monkeypatch, words):
    torch.manual_seed(1)
    layer, mask = DotProductAttention(12, 3), torch.arange(words) < tensor([[words], [1], [(words + 1) // 2]])
    x, found = torch.randn(3, words, 12, requires_grad=True), []
    for kept in (3 * 3 * words**2, 3 * 3 * words**2 - 1):
        monkeypatch.setattr(attention, "KEPT_SCORES", kept)
        y = layer(x, padding_bias(mask))
        found.append((y, *torch.autograd.grad((y * mask.unsqueeze(2)).square().sum(), [x, *layer.parameters()])))
    assert_close(found[1], found[0])


@pytest.mark.parametrize(("kept", "most"), [(0, 8 * 600), (1 << 28, 600**2)], ids=["by text", "at once"])
def test_the_scores_of_long_texts_are_not_kept(monkeypatch, kept, most):
    layer, words = DotProductAttention(2, 1), 600
    x, numbers = torch.randn(1, words, 2, requires_grad=True), [0]
    monkeypatch.setattr(attention, "KEPT_SCORES", kept)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: numbers.append(t.numel()) or t, lambda t: t):
        layer(x, padding_bias(torch.ones(1, words, dtype=torch.bool)))
    assert max(numbers) == most if kept else max(numbers) <= most
