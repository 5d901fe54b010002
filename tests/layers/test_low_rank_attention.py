"""LAMA's attention, eq. 7-13."""

import math

import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.low_rank_attention import LowRankAttention

ALL = torch.ones(1, 2, dtype=torch.bool)


def attention_by_hand(heads: int) -> LowRankAttention:
    """n = 1: W_w = 1 and b_w = 0, P = (1, 2), Q = (1, 1), repeated for the number of heads."""
    layer = LowRankAttention(1, 1, heads)
    with torch.no_grad():
        layer.transform.weight.fill_(1.0)
        layer.transform.bias.zero_()
        layer.of_context.weight.copy_(tensor([[1.0], [2.0]])[:heads])
        layer.of_words.weight.copy_(tensor([[1.0], [1.0]])[:heads])
    return layer


def test_scores_by_hand():
    """States atanh(1/2) and 0 are u = 1/2 and 0 (eq. 7); c = 3 makes f = (3/2, 3) and (0, 0) (eq. 11), then tanh."""
    states, context = tensor([[[math.atanh(0.5)], [0.0]]]), tensor([[3.0]])
    first, second = math.tanh(1.5), math.tanh(3.0)
    one_head = attention_by_hand(1)
    assert_close(one_head.scores(states, context), tensor([[[first], [0.0]]]))
    weight = math.exp(first) / (math.exp(first) + 1)
    assert_close(one_head(states, context, ALL), tensor([[[weight, 1 - weight]]]))  # eq. 12

    two_heads = attention_by_hand(2)
    norm = math.hypot(first, second)  # l2 over the heads
    assert_close(two_heads.scores(states, context), tensor([[[first / norm, second / norm], [0.0, 0.0]]]))
    weights = [math.exp(score / norm) / (math.exp(score / norm) + 1) for score in (first, second)]
    assert_close(
        two_heads(states, context, ALL), tensor([[[weights[0], 1 - weights[0]], [weights[1], 1 - weights[1]]]])
    )


@pytest.mark.parametrize("heads", [1, 3])
def test_scores_match_the_bilinear_forms(heads):
    """Compare with every head's full matrix W_i = p_i q_i^T (eq. 8 and 10), which the layer never forms."""
    torch.manual_seed(3)
    layer = LowRankAttention(4, 5, heads).double()
    states, context = torch.randn(2, 6, 4, dtype=torch.float64), torch.randn(2, 5, dtype=torch.float64)
    scores = layer.scores(states, context)
    for text in range(2):
        for t in range(6):
            u = torch.tanh(layer.transform.weight @ states[text, t] + layer.transform.bias)  # eq. 7
            full = [torch.outer(p, q) for p, q in zip(layer.of_context.weight, layer.of_words.weight, strict=True)]
            f = torch.tanh(torch.stack([context[text] @ w @ u for w in full]))  # eq. 8, one form per head
            assert_close(scores[text, t], f if heads == 1 else f / f.square().sum().sqrt())


def test_with_one_head_the_norm_is_left_out():
    """Without this, every score would become +1 or -1."""
    torch.manual_seed(4)
    scores = LowRankAttention(4, 4, 1).scores(torch.randn(1, 9, 4), torch.randn(1, 4))
    assert scores.abs().max() < 0.9


def test_with_several_heads_no_word_weighs_more_than_e_squared_times_another():
    torch.manual_seed(4)
    layer = LowRankAttention(4, 4, 2)
    weights = layer(100 * torch.randn(1, 50, 4), 100 * torch.randn(1, 4), torch.ones(1, 50, dtype=torch.bool))
    assert 2.0 < (weights.amax(dim=2) / weights.amin(dim=2)).max().item() <= math.exp(2) + 1e-4


def test_identical_words_get_equal_weights_and_one_word_gets_all():
    torch.manual_seed(5)
    layer, word, context = LowRankAttention(4, 4, 3), torch.randn(1, 1, 4), torch.randn(1, 4)
    mask = tensor([[True] * 5 + [False] * 2])
    assert_close(layer(word.expand(1, 7, 4), context, mask), mask.float().expand(3, 7).unsqueeze(0) / 5)
    assert layer(word, context, tensor([[True]])).equal(torch.ones(1, 3, 1))


def test_a_context_that_no_head_hears_leaves_the_words_equal():
    layer = LowRankAttention(4, 4, 3)
    weights = layer(torch.randn(2, 6, 4), torch.zeros(4), torch.ones(2, 6, dtype=torch.bool))
    assert_close(weights, torch.full((2, 3, 6), 1 / 6))


def test_one_context_for_all_texts_is_the_same_as_one_for_each():
    torch.manual_seed(6)
    layer, states, context = LowRankAttention(4, 4, 3), torch.randn(2, 6, 4), torch.randn(4)
    mask = torch.arange(6) < tensor([[6], [2]])
    assert_close(layer(states, context, mask), layer(states, context.expand(2, 4), mask))


def test_first_weights_are_gaussian_with_a_tenth_as_spread():
    torch.manual_seed(7)
    layer = LowRankAttention(100, 100, 50)
    for parameter in layer.parameters():
        assert parameter.std().item() == pytest.approx(0.1, rel=0.3)
        assert parameter.mean().item() == pytest.approx(0.0, abs=0.05)
