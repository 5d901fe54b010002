"""FOFE contexts, FCSR eq. 2-3."""

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

from retable.layers.context import full_scale_context


def slow_context(words: Tensor, mask: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    """One word after the other, straight from the paper, on the real words alone."""
    left, right = torch.zeros_like(words), torch.zeros_like(words)
    for text, length in enumerate(mask.sum(dim=1).tolist()):
        for t in range(1, length):
            left[text, t] = alpha * left[text, t - 1] + words[text, t - 1]
        for t in reversed(range(length - 1)):
            right[text, t] = alpha * right[text, t + 1] + words[text, t + 1]
    return left, right


def random_batch(length: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    """Three texts, one of full length, one of a single word, one in between."""
    torch.manual_seed(length)
    lengths = tensor([length, 1, (length + 1) // 2])
    return torch.randn(3, length, 4, dtype=dtype), torch.arange(length) < lengths.unsqueeze(1)


def test_context_of_three_words_by_hand():  # alpha = 0.5, words 1, 2, 4
    left, right = full_scale_context(tensor([[[1.0], [2.0], [4.0]]]), tensor([[True, True, True]]), alpha=0.5)
    assert_close(left.flatten(), tensor([0.0, 1.0, 2.5]))
    assert_close(right.flatten(), tensor([4.0, 4.0, 0.0]))


@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.9, 0.999])
@pytest.mark.parametrize("length", [1, 2, 31, 32, 33, 64, 65, 1100])  # a block is 32 words, a block of blocks 1,024
def test_blocks_match_the_loop_of_the_paper(length, alpha):
    words, mask = random_batch(length)
    assert_close(full_scale_context(words, mask, alpha), slow_context(words, mask, alpha))


@pytest.mark.parametrize("length", [2, 33, 1100])
def test_gradients_match_those_of_the_loop(length):
    words, mask = random_batch(length)
    words.requires_grad_()
    weights = torch.randn(2, *words.shape, dtype=words.dtype)
    for alpha in (0.0, 0.2, 0.9):
        gradients = []
        for context in (full_scale_context, slow_context):
            left, right = context(words, mask, alpha)
            loss = (left * weights[0] + right * weights[1]).sum()
            gradients.append(torch.autograd.grad(loss, words)[0])
        assert_close(*gradients)


def test_two_thousand_words_in_float32():
    words, mask = random_batch(2000, torch.float32)
    for alpha in (0.2, 0.99):
        exact = slow_context(words.double(), mask, alpha)
        for fast, slow in zip(full_scale_context(words, mask, alpha), exact, strict=True):
            assert_close(fast.double(), slow, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("alpha", [0.0, 1e-30, 0.05, 0.999999])
def test_powers_of_alpha_that_underflow_give_no_nan(alpha):
    words, mask = random_batch(2000, torch.float32)
    words.requires_grad_()
    left, right = full_scale_context(words, mask, alpha)
    (left.square().sum() + right.square().sum()).backward()
    assert left.isfinite().all()
    assert right.isfinite().all()
    assert words.grad.isfinite().all()


def test_alpha_zero_leaves_the_neighbours():
    words, mask = random_batch(40)
    left, right = full_scale_context(words[:1], mask[:1], alpha=0.0)
    assert_close(left[:, 1:], words[:1, :-1])
    assert_close(right[:, :-1], words[:1, 1:])


def test_a_single_word_has_no_context():
    words, mask = random_batch(1)
    for context in full_scale_context(words, mask):
        assert not context.any()


@pytest.mark.parametrize("padding", [7.0, torch.inf, torch.nan])
def test_what_stands_in_the_padding_contributes_nothing(padding):
    words, mask = random_batch(70)
    padded = words.masked_fill(~mask.unsqueeze(2), padding)
    contexts = full_scale_context(padded, mask, alpha=0.9)
    assert_close(contexts, slow_context(words, mask, alpha=0.9))
    for context in contexts:
        assert not context[~mask].any()


def test_cost_grows_with_the_words_and_not_with_their_square():
    flops = []
    for length in (1024, 2048):
        with FlopCounterMode(display=False) as counter:
            full_scale_context(*random_batch(length))
        flops.append(counter.get_total_flops())
    assert flops[1] < 2.1 * flops[0]


@pytest.mark.parametrize("alpha", [-0.1, 1.0, 2, float("nan")])
def test_alpha_outside_its_range_is_refused(alpha):
    with pytest.raises(ValueError, match=rf"alpha is {alpha}; allowed: 0 <= alpha < 1"):
        full_scale_context(*random_batch(3), alpha)
