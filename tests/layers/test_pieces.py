"""Pieces of texts as one batch, in groups of similar length."""

import pytest
from torch import tensor

from retable.layers.pieces import first_words, groups, in_rows, lengths_of_pieces, vectors_of_pieces


def test_rows_by_hand():
    rows, real = in_rows(tensor([[1.0], [2.0], [3.0]]), tensor([1, 2]))
    assert rows.tolist() == [[[1.0], [0.0]], [[2.0], [3.0]]]
    assert real.tolist() == [[True, False], [True, True]]


def test_sentences_by_hand():
    mask = tensor([[True, True, True], [True, True, False]])
    begins = first_words(mask, tensor([[0, 0, 1], [0, 1, 1]]))
    assert begins.tolist() == [[True, False, True], [True, True, False]]
    assert lengths_of_pieces(begins, mask).tolist() == [2, 1, 1, 1]


def test_groups_end_at_powers_of_two():
    found = [chosen.nonzero()[:, 0].tolist() for chosen in groups(tensor([4, 1, 3, 2, 5]), apart=True)]
    assert found == [[1], [3], [0, 2], [4]]
    assert [chosen.all().item() for chosen in groups(tensor([4, 1]), apart=False)] == [True]


@pytest.mark.parametrize("apart", [True, False])
def test_each_vector_is_that_of_its_own_piece(apart):
    x, lengths = tensor([[1.0], [2.0], [4.0], [8.0], [16.0], [32.0]]), tensor([1, 3, 2])
    sums = vectors_of_pieces(lambda rows, real: rows.sum(dim=1), x, lengths, 1, apart=apart)
    assert sums.flatten().tolist() == [1.0, 14.0, 48.0]
