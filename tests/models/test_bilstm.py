"""BiLSTM: what stands for the text."""

import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.bilstm import BiLSTM


def pooled(pool: str) -> torch.Tensor:
    """What reaches the output layer for one text of three words and two of padding."""
    torch.manual_seed(0)
    network = BiLSTM(WordEmbedding(torch.randn(9, 4), tuned=0), 6, hidden=6, pool=pool).eval()
    with torch.no_grad():
        network.output.weight.copy_(torch.eye(6))
        network.output.bias.zero_()
    return network(tensor([[4, 5, 6, 7, 7]]), tensor([[True, True, True, False, False]]))


def states() -> torch.Tensor:
    """The states of the same network on the three words alone, (3, 6)."""
    torch.manual_seed(0)
    network = BiLSTM(WordEmbedding(torch.randn(9, 4), tuned=0), 6, hidden=6)
    return network.lstm(network.embedding(tensor([[4, 5, 6]])))[0][0]


def test_max_and_mean_run_over_the_real_words():
    assert_close(pooled("max")[0], states().amax(dim=0))
    assert_close(pooled("mean")[0], states().mean(dim=0))


def test_last_is_the_last_word_forwards_and_the_first_word_backwards():
    assert_close(pooled("last")[0], torch.cat((states()[-1, :3], states()[0, 3:])))
