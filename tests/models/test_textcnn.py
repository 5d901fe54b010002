"""TextCNN, Kim 2014."""

import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.textcnn import TextCNN


def test_feature_of_the_best_window_by_hand():
    """Words 1, 5, 2 and a filter (1, 2): windows 0 1, 1 5, 5 2, 2 0 give 2, 11, 9, 2; with bias -1 the best is 10."""
    network = TextCNN(
        WordEmbedding(tensor([[0.0], [0.0], [1.0], [5.0], [2.0]]), tuned=0), 1, widths=[2], filters=1
    ).eval()
    with torch.no_grad():
        network.convolutions[0].weight.copy_(tensor([[[1.0, 2.0]]]))
        network.convolutions[0].bias.fill_(-1.0)
        network.output.weight.fill_(1.0)
        network.output.bias.fill_(0.5)
    assert_close(network(tensor([[2, 3, 4]]), tensor([[True, True, True]])), tensor([[10.5]]))


def test_a_window_of_padding_never_wins():
    """Every real window is negative, so the feature is 0; a window of only padding would give the bias, 1."""
    network = TextCNN(WordEmbedding(tensor([[0.0], [0.0], [-9.0]]), tuned=0), 1, widths=[2], filters=1).eval()
    with torch.no_grad():
        network.convolutions[0].weight.fill_(1.0)
        network.convolutions[0].bias.fill_(1.0)
        network.output.weight.fill_(1.0)
        network.output.bias.zero_()
    assert_close(network(tensor([[2, 0, 0, 0]]), tensor([[True, False, False, False]])), tensor([[0.0]]))
