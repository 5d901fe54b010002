"""Multi-query attention (CSPAN, eq. 10-13)."""

import math

import torch
from torch import nn, tensor
from torch.testing import assert_close

from retable.layers.multi_query import MultiQueryAttention


def test_two_queries_by_hand():
    """d = 1, m = 2, words x and 0 with tanh x = 1/2: queries 2 ln 3 and 0 give weights 3/4, 1/4 and 1/2, 1/2."""
    attention, x = MultiQueryAttention(1, 2), math.atanh(0.5)
    with torch.no_grad():
        attention.hidden.weight.fill_(1.0)  # eq. 10
        attention.hidden.bias.zero_()
        attention.queries.weight.copy_(tensor([[2 * math.log(3)], [0.0]]))  # eq. 11
        attention.fusion.weight.copy_(tensor([[10.0, 100.0]]))  # eq. 13: 10 F_1 + 100 F_2
    words, mask = tensor([[[x], [0.0], [99.0]]]), tensor([[True, True, False]])
    assert_close(attention(words, mask), tensor([[10 * 0.75 * x + 100 * 0.5 * x]]))


def test_the_bias_moves_the_words_before_the_tanh():
    """eq. 10: W^h = 0, b^h = atanh 1/2 gives every word the same score, so the result is the mean."""
    attention = MultiQueryAttention(1, 1)
    with torch.no_grad():
        attention.hidden.weight.zero_()
        attention.hidden.bias.fill_(math.atanh(0.5))
        attention.fusion.weight.fill_(1.0)
    x = torch.randn(1, 4, 1)
    assert_close(attention(x, torch.ones(1, 4, dtype=torch.bool)), x.mean(dim=1))


def test_every_query_sees_the_one_word_of_a_text():
    attention, x = MultiQueryAttention(4, 3), torch.randn(2, 1, 4)
    expected = x[:, 0] @ attention.fusion.weight.T.unflatten(0, (3, 4)).sum(dim=0)
    assert_close(attention(x, torch.ones(2, 1, dtype=torch.bool)), expected)


def test_the_fusion_matrix_reads_the_queries_one_after_the_other():
    """Equal queries: m of them equal a single one with the sum of their blocks of W^f."""
    one, many = MultiQueryAttention(4, 1), MultiQueryAttention(4, 3)
    with torch.no_grad():
        many.hidden.load_state_dict(one.hidden.state_dict())
        many.queries.weight.copy_(one.queries.weight.expand(3, -1))
        many.fusion.weight.copy_(torch.cat([one.fusion.weight, torch.zeros(4, 4), one.fusion.weight], dim=1))
    x, mask = torch.randn(2, 5, 4), torch.arange(5) < tensor([[5], [2]])
    assert_close(many(x, mask), 2 * one(x, mask))


def test_padding_gets_no_weight():
    attention, x = MultiQueryAttention(4, 2), torch.randn(3, 6, 4)
    nn.init.normal_(attention.queries.weight)
    mask = torch.arange(6).expand(3, 6) < 2
    assert_close(attention(x, mask), attention(x[:, :2], mask[:, :2]))
