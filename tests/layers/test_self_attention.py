"""Self-attention without projections (CSPAN, eq. 4) and with relative positions (Shaw et al., eq. 3-4)."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.attention import padding_bias
from retable.layers.self_attention import RelativeSelfAttention, SelfAttention


def all_real(x: Tensor) -> Tensor:
    """Return the bias of texts without padding."""
    return padding_bias(torch.ones(x.shape[:2], dtype=torch.bool))


def slow_relative(module: RelativeSelfAttention, x: Tensor) -> Tensor:
    """Compute Shaw's eq. 3-4 for one text (T, d), pair by pair, W^Q = W^K = W^V = 1; before the norm."""
    k, length = module.distance, len(x)
    rows = []
    for i in range(length):
        place = [max(-k, min(k, j - i)) + k for j in range(length)]
        e = [(x[i] @ (x[j] + module.keys[place[j]])).item() / math.sqrt(x.shape[1]) for j in range(length)]
        alpha = [math.exp(score) / sum(map(math.exp, e)) for score in e]
        rows.append(sum(alpha[j] * (x[j] + module.values[place[j]]) for j in range(length)))
    return torch.stack(rows)


def test_attention_by_hand():
    """eq. 4, d = 2, words (a, 0) and (0, 0) with a^2 / sqrt(2) = ln 3: weights 3/4, 1/4 and 1/2, 1/2."""
    a = math.sqrt(math.sqrt(2) * math.log(3))
    attention = SelfAttention(2)
    attention.norm = nn.Identity()
    x = tensor([[[a, 0.0], [0.0, 0.0]]])
    assert_close(attention(x, all_real(x)), tensor([[[0.75 * a, 0.0], [0.5 * a, 0.0]]]))


def test_the_norm_comes_after_the_attention():
    attention = SelfAttention(2)
    x = tensor([[[3.0, 0.0], [0.0, 2.0]]])
    y = attention(x, all_real(x))
    assert_close(
        y, tensor([[[1.0, -1.0], [-1.0, 1.0]]]), atol=1e-4, rtol=0
    )  # two components are at distance one from their mean


def test_agrees_with_torchs_own():
    attention, x = SelfAttention(8), torch.randn(3, 5, 8)
    mask = torch.arange(5) < tensor([[5], [1], [3]])
    expected = nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=mask[:, None].expand(-1, 5, -1))
    assert_close(attention(x, padding_bias(mask))[mask], nn.functional.layer_norm(expected, (8,))[mask])


def test_a_word_alone_is_itself_normalised():
    x = torch.randn(1, 1, 6)
    assert_close(SelfAttention(6)(x, all_real(x)), nn.functional.layer_norm(x, (6,)))


@pytest.mark.parametrize("distance", [1, 2, 9])  # shorter and longer than the texts
def test_relative_positions_match_shaws_equations_pair_by_pair(distance):
    torch.manual_seed(4)
    module = RelativeSelfAttention(4, distance).double()
    for parameter in module.parameters():
        nn.init.normal_(parameter)
    x, lengths = torch.randn(3, 6, 4, dtype=torch.float64), (6, 1, 3)
    y = module(x, padding_bias(torch.arange(6) < tensor(lengths).unsqueeze(1)))
    for text, length in enumerate(lengths):
        assert_close(y[text, :length], module.norm(slow_relative(module, x[text, :length])))


def test_relative_positions_by_hand():
    """d = 2, k = 1, words of zeros, so that the keys have no effect and only the values remain: places -1, 0, 1, 1."""
    module = RelativeSelfAttention(2, 1)
    module.norm = nn.Identity()
    with torch.no_grad():
        module.values.copy_(tensor([[6.0, 0.0], [0.0, 3.0], [9.0, 0.0]]))
    y = module(torch.zeros(1, 3, 2), all_real(torch.zeros(1, 3, 2)))
    assert_close(y, tensor([[[(9 + 9) / 3, 1.0], [(6 + 9) / 3, 1.0], [(6 + 6) / 3, 1.0]]]))


def test_relative_vectors_of_zeros_leave_plain_self_attention():
    module, x = RelativeSelfAttention(4, 2), torch.randn(2, 5, 4)
    nn.init.zeros_(module.keys)
    nn.init.zeros_(module.values)
    assert_close(module(x, all_real(x)), SelfAttention(4)(x, all_real(x)))


def test_a_text_read_backwards_has_its_places_mirrored():
    module, mirrored, x = RelativeSelfAttention(4, 2), RelativeSelfAttention(4, 2), torch.randn(2, 5, 4)
    with torch.no_grad():
        mirrored.keys.copy_(module.keys.flip(0))
        mirrored.values.copy_(module.values.flip(0))
    assert_close(mirrored(x.flip(1), all_real(x)), module(x, all_real(x)).flip(1))
