"""Word vectors: which rows are trained."""

import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.text.vocabulary import PADDING

VECTORS = torch.arange(1.0, 13.0).view(6, 2)


@pytest.mark.parametrize("tuned", [0, 4, 6])
def test_tuned_and_fixed_rows_are_looked_up_alike(tuned):
    words = tensor([[1, 3, 4], [5, 2, PADDING]])
    expected = VECTORS.clone()
    expected[PADDING] = 0.0
    assert_close(WordEmbedding(VECTORS, tuned=tuned)(words), expected[words])


@pytest.mark.parametrize("sparse", [False, True])
def test_only_the_tuned_rows_of_real_words_learn(sparse):
    embedding = WordEmbedding(VECTORS, tuned=4, sparse=sparse)
    optimiser = torch.optim.SGD(embedding.parameters(), lr=1.0)
    embedding(tensor([[PADDING, 2, 5]])).sum().backward()
    optimiser.step()
    after = embedding(torch.arange(6).unsqueeze(0))[0]
    changed = (after != WordEmbedding(VECTORS, tuned=4)(torch.arange(6).unsqueeze(0))[0]).any(dim=1)
    assert changed.nonzero().flatten().tolist() == [2]


@pytest.mark.parametrize("tuned", [0, 4, 6])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_total_is_the_sum_of_the_vectors_and_so_is_its_gradient(tuned, sparse):
    words = tensor([[1, 3, 4, 4], [5, 3, PADDING, PADDING]])
    gradients = []
    for total in (False, True):
        embedding = WordEmbedding(VECTORS, tuned=tuned, sparse=sparse)
        sums = embedding.total(words) if total else embedding(words).sum(dim=1)
        assert_close(sums, tensor([[28.0, 32.0], [18.0, 20.0]]))
        if tuned:
            (sums * tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
            gradients.append(embedding.tuned.grad.to_dense())
    assert len(gradients) == (2 if tuned else 0)
    assert all(map(torch.equal, gradients[:1], gradients[1:]))


def test_a_sparse_gradient_holds_the_rows_of_the_batch_alone():
    embedding = WordEmbedding(VECTORS, tuned=6, sparse=True)
    embedding(tensor([[2, 2, 5]])).sum().backward()
    assert embedding.tuned.grad.is_sparse
    assert embedding.tuned.grad.coalesce().indices().flatten().tolist() == [2, 5]


def test_more_tuned_rows_than_vectors_are_refused():
    with pytest.raises(ValueError, match="tuned is 7; allowed: 0 to 6"):
        WordEmbedding(VECTORS, tuned=7)
