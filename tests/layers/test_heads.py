"""Weights of several heads and their similarity: Lin et al., eq. 6 and 8; LAMA, eq. 12 and 19."""

import math

import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.heads import overlap_of_positions, similarity_of_embeddings, softmax_over_words


def test_softmax_runs_over_the_words_of_a_text_for_each_head():
    scores = tensor([[[0.0, math.log(3)], [math.log(3), 0.0], [50.0, 50.0]]])  # (1, 3, 2); the third is padding
    weights = softmax_over_words(scores, tensor([[True, True, False]]))
    assert_close(weights, tensor([[[0.25, 0.75, 0.0], [0.75, 0.25, 0.0]]]))


def test_overlap_by_hand():
    # A A^T = [[1, 1], [1, 1]] if both heads see the first word; [[1/2, 1/2], [1/2, 1]] if one sees both words.
    same, half = tensor([[1.0, 0.0], [1.0, 0.0]]), tensor([[0.5, 0.5], [1.0, 0.0]])
    assert overlap_of_positions(same.unsqueeze(0)).item() == 2.0
    assert overlap_of_positions(half.unsqueeze(0)).item() == 0.25 + 0.25 + 0.25
    assert overlap_of_positions(torch.stack((same, half))).item() == pytest.approx((2.0 + 0.75) / 2)  # mean over texts


def test_heads_on_words_of_their_own_do_not_overlap():
    assert overlap_of_positions(torch.eye(3, 5).unsqueeze(0)).item() == 0.0


def test_similarity_by_hand():  # eq. 19b: cosines 1, 0, 0, 1 give 2/4; 1, -1, -1, 1 give 0; 1 four times gives 1
    across, against, along = tensor([[[2.0, 0], [0, 3]], [[1.0, 1], [-2, -2]], [[1.0, 2], [3, 6]]])
    for heads, cosine in ((across, 0.5), (against, 0.0), (along, 1.0)):
        assert similarity_of_embeddings(heads.unsqueeze(0)).item() == pytest.approx(cosine)
    assert similarity_of_embeddings(torch.stack((across, along))).item() == pytest.approx(0.75)  # mean over texts


def test_similarity_matches_the_sum_over_pairs():
    torch.manual_seed(2)
    s = torch.randn(3, 4, 5, dtype=torch.float64)
    pairs = [
        s[text, i] @ s[text, j] / (s[text, i].norm() * s[text, j].norm())
        for text in range(3)
        for i in range(4)
        for j in range(4)
    ]
    assert_close(similarity_of_embeddings(s), torch.stack(pairs).sum() / (3 * 16))
