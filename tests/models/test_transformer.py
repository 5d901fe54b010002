"""The plain Transformer encoder, Vaswani et al. 2017."""

import torch
from torch import nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.layers.positions import sinusoidal_positions
from retable.models.transformer import Transformer
from tests.models.test_every_model import with_random_weights


def small_network(**options):
    torch.manual_seed(4)
    return with_random_weights(Transformer(WordEmbedding(torch.randn(20, 6), tuned=20), 2, layers=2, size=8, **options))


def test_the_whole_agrees_with_torchs_encoder():
    for heads in (1, 4):
        network = small_network(heads=heads)
        layer = nn.TransformerEncoderLayer(8, heads, dim_feedforward=32, batch_first=True, norm_first=False)
        theirs = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
        # Both list a layer's weights in the order of its sublayers, except for the norms.
        order = ("attention", "widen", "narrow", "attention_norm", "feed_forward_norm")
        own = [weight for part in network.layers for name in order for weight in getattr(part, name).parameters()]
        for weight, other in zip(own, theirs.parameters(), strict=True):
            other.data.copy_(weight.data)
        words, mask = torch.randint(2, 20, (3, 7)), torch.arange(7) < tensor([[7], [1], [4]])
        x = network.inputs.projection(network.embedding(words)) * 8**0.5 + sinusoidal_positions(7, 8)
        encoded = theirs(x, src_key_padding_mask=~mask)
        for text in range(3):
            mean = encoded[text][mask[text]].mean(dim=0)
            assert_close(network(words, mask)[text], network.output(mean), rtol=1e-4, atol=1e-5)


def test_the_order_of_words_matters_through_positions_alone(monkeypatch):
    network = small_network()
    words, mask = tensor([[3, 4, 5, 6]]), torch.ones(1, 4, dtype=torch.bool)
    assert not torch.allclose(network(words, mask), network(words.flip(1), mask))
    monkeypatch.setattr(
        "retable.layers.encoder.sinusoidal_positions", lambda length, size, device: torch.zeros(length, size)
    )
    assert_close(network(words, mask), network(words.flip(1), mask))
