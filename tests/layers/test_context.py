"""FOFE contexts, FCSR eq. 2-3."""

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

from retable.layers.context import full_scale_context


def slow_context(words: Tensor, mask: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    """Compute one word after the other, straight from the paper, on the real words alone."""
    left, right = torch.zeros_like(words), torch.zeros_like(words)
    for text, length in enumerate(mask.sum(dim=1).tolist()):
        for t in range(1, length):
            left[text, t] = alpha * left[text, t - 1] + words[text, t - 1]
        for t in reversed(range(length - 1)):
            right[text, t] = alpha * right[text, t + 1] + words[text, t + 1]
    return left, right


def slow_near_context(words: Tensor, mask: Tensor, alpha: float, reach: int) -> tuple[Tensor, Tensor]:
    """Compute eq. 12 on the words at a distance of at most the reach: alpha**(distance - 1) each, on the real words."""
    left, right = torch.zeros_like(words), torch.zeros_like(words)
    for text, length in enumerate(mask.sum(dim=1).tolist()):
        for t in range(length):
            for other in range(max(0, t - reach), min(length, t + reach + 1)):
                if other != t:
                    side = left if other < t else right
                    side[text, t] += alpha ** (abs(t - other) - 1) * words[text, other]
    return left, right


def random_batch(length: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    """Return three texts: one of full length, one of a single word, one in between."""
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


def test_near_context_of_five_words_by_hand():  # alpha = 0.5, reach 2, words 1, 2, 4, 8, 16
    words = tensor([[[1.0], [2.0], [4.0], [8.0], [16.0]]])
    left, right = full_scale_context(words, torch.ones(1, 5, dtype=torch.bool), alpha=0.5, reach=2)
    assert_close(left.flatten(), tensor([0.0, 1.0, 2 + 0.5, 4 + 1.0, 8 + 2.0]))
    assert_close(right.flatten(), tensor([2 + 2.0, 4 + 4.0, 8 + 8.0, 16.0, 0.0]))


@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.999])
@pytest.mark.parametrize("reach", [1, 2, 3, 7, 8, 31, 33, 40])
@pytest.mark.parametrize("length", [1, 2, 8, 33, 71])
def test_near_contexts_match_the_sum_over_the_nearest_words(length, reach, alpha):
    words, mask = random_batch(length)
    assert_close(full_scale_context(words, mask, alpha, reach=reach), slow_near_context(words, mask, alpha, reach))


@pytest.mark.parametrize("length", [1, 7, 40])
def test_a_reach_to_the_end_of_the_text_is_the_whole_of_it_to_the_last_bit(length):
    words, mask = random_batch(length)
    for whole, near in zip(
        full_scale_context(words, mask, 0.7), full_scale_context(words, mask, 0.7, reach=length), strict=True
    ):
        assert near.equal(whole)
    short = full_scale_context(words, mask, 0.7, reach=max(1, length - 2))
    assert_close(short, slow_near_context(words, mask, 0.7, max(1, length - 2)))


def test_a_reach_of_nothing_leaves_no_context():
    for context in full_scale_context(*random_batch(9), alpha=0.5, reach=0):
        assert not context.any()


def test_a_far_word_has_no_influence_at_all():  # the recurrence minus its tail leaves its rounding errors
    words, mask = random_batch(100, torch.float32)
    shifted = words.clone()
    shifted[:, 0] = 1e6
    for alpha in (0.2, 0.999):
        before, after = (full_scale_context(x, mask, alpha, reach=10)[0][:1, 11:] for x in (words, shifted))
        assert after.equal(before)


def test_near_contexts_are_exact_in_float32_where_the_recurrence_grows_large():
    words, mask = random_batch(2000, torch.float32)
    words += 1.0
    exact = slow_near_context(words.double(), mask, 0.9999, 5)
    for fast, slow in zip(full_scale_context(words, mask, 0.9999, reach=5), exact, strict=True):
        assert_close(fast.double(), slow, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("reach", [1, 5, 20])
def test_gradients_of_near_contexts_match_those_of_the_sum(reach):
    words, mask = random_batch(33)
    words.requires_grad_()
    weights = torch.randn(2, *words.shape, dtype=words.dtype)
    gradients = []
    for context in (lambda *given: full_scale_context(*given, reach=reach),
                    lambda *given: slow_near_context(*given, reach)):  # fmt: skip
        left, right = context(words, mask, 0.6)
        gradients.append(torch.autograd.grad((left * weights[0] + right * weights[1]).sum(), words)[0])
    assert_close(*gradients)


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


@pytest.mark.parametrize("reach", [None, 1500])
@pytest.mark.parametrize("alpha", [0.0, 1e-30, 0.05, 0.999999])
def test_powers_of_alpha_that_underflow_give_no_nan(alpha, reach):
    words, mask = random_batch(2000, torch.float32)
    words.requires_grad_()
    left, right = full_scale_context(words, mask, alpha, reach=reach)
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
    for contexts, expected in (
        (full_scale_context(padded, mask, alpha=0.9), slow_context(words, mask, alpha=0.9)),
        (full_scale_context(padded, mask, alpha=0.9, reach=6), slow_near_context(words, mask, 0.9, 6)),
    ):
        assert_close(contexts, expected)
        for context in contexts:
            assert not context[~mask].any()


@pytest.mark.parametrize("reach", [None, 3, 100])
def test_cost_grows_with_the_words_and_not_with_their_square(reach):
    flops = []
    for length in (1024, 2048):
        with FlopCounterMode(display=False) as counter:
            full_scale_context(*random_batch(length), reach=reach)
        flops.append(counter.get_total_flops())
    assert flops[1] < 2.1 * flops[0]


@pytest.mark.parametrize("alpha", [-0.1, 1.0, 2, float("nan")])
def test_alpha_outside_its_range_is_refused(alpha):
    with pytest.raises(ValueError, match=rf"alpha is {alpha}; allowed: 0 <= alpha < 1"):
        full_scale_context(*random_batch(3), alpha)


def test_a_reach_below_zero_is_refused():
    with pytest.raises(ValueError, match="reach is -1; allowed: reach >= 0"):
        full_scale_context(*random_batch(3), reach=-1)
