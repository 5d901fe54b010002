"""Hashed n-grams of fastText."""

import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.fasttext import PADDING, FastText, ngram_rows


def test_every_bigram_and_trigram_of_the_real_words_has_a_row():
    words, mask = tensor([[5, 6, 7, 0], [5, 0, 0, 0]]), tensor([[1, 1, 1, 0], [1, 0, 0, 0]], dtype=torch.bool)
    rows = ngram_rows(words, mask, ngrams=3, buckets=1000)
    is_ngram = tensor([[1, 1, 0, 0, 1, 0, 0, 0], [0] * 8], dtype=torch.bool)
    assert (rows != PADDING).equal(is_ngram)
    assert rows.min() >= 0
    assert rows.max() <= 1000


def test_equal_ngrams_share_a_row_and_their_order_counts():
    rows = ngram_rows(tensor([[5, 6, 5, 6]]), torch.ones(1, 4, dtype=torch.bool), ngrams=2, buckets=10**6)[0]
    assert rows[0] == rows[2] != rows[1]


def test_bigrams_spread_over_the_buckets_no_worse_than_random_ones():
    """Expect 1/e = 36.8% of the buckets empty by chance, for 250,000 bigrams of frequent words in as many buckets."""
    first, second = torch.meshgrid(torch.arange(2, 502), torch.arange(2, 502), indexing="ij")
    words = torch.stack((first.flatten(), second.flatten()), dim=1)
    rows = ngram_rows(words, torch.ones_like(words, dtype=torch.bool), ngrams=2, buckets=250_000)[:, 0]
    assert 1 - len(rows.unique()) / 250_000 < 0.375


def test_average_of_words_and_bigrams_by_hand():
    """Word vectors 1 and 3, one bigram of 8: their mean is 4."""
    network = FastText(WordEmbedding(tensor([[0.0], [0.0], [1.0], [3.0]]), tuned=0), 1, buckets=1)
    with torch.no_grad():
        network.table.weight[1] = 8.0
        network.output.weight.fill_(1.0)
    assert_close(network(tensor([[2, 3, 0]]), tensor([[True, True, False]])), tensor([[4.0]]))


def test_first_values_are_fasttexts():
    network = FastText(WordEmbedding(torch.randn(5, 100), tuned=5), 2, buckets=1000)
    assert not network.output.weight.any()
    assert 0.0099 < network.table.weight.max() <= 0.01


def test_gradients_of_the_table_are_sparse():
    network = FastText(WordEmbedding(torch.randn(5, 4), tuned=5, sparse=True), 2, buckets=1000)
    torch.nn.init.ones_(network.output.weight)
    network(tensor([[2, 3, 4, 0]]), tensor([[True, True, True, False]]))[0, 0].backward()
    assert network.table.weight.grad.coalesce().indices().shape[1] == 2  # two bigrams, no padding
    assert network.embedding.tuned.grad.is_sparse
