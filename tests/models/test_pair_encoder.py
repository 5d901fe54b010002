"""One encoder for both texts, and the combination of the two vectors."""

import pytest
import torch
from torch import eye, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.pair_encoder import PairEncoder
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights

MLP = {"hidden": 4, "mlp_hidden": 7}


def classifier(size: int) -> int:
    return 4 * size * 7 + 7 + 7 * CLASSES + CLASSES


def multiply_adds(t: float, *, encoder: str, **_: object) -> float:
    """Count four gates per direction at every word of either text; the classifier on four vectors."""
    size = DIM if encoder == "mean" else 4
    a_word = {"mean": DIM, "lstm": gates(4, DIM, 4), "bilstm": 2 * gates(4, DIM, 2)}[encoder]
    return t * a_word + 4 * size * 7 + 7 * CLASSES


def dropped(*, encoder: str, **_: object) -> list[tuple[int, ...]]:
    """Return the shapes of words and vector of each text, then the hidden layer; the texts have three words each."""
    size = DIM if encoder == "mean" else 4
    return [(8, 3, DIM), texts(size), (8, 3, DIM), texts(size), texts(7)]


EVERY_MODEL = Declared(
    cases=[
        Case("pair-encoder", classifier(DIM), {"encoder": "mean", **MLP}),
        Case("pair-encoder", 4 * 4 * (DIM + 4) + 2 * 4 * 4 + classifier(4), {"encoder": "lstm", **MLP}),
        Case("pair-encoder", 2 * (4 * 2 * (DIM + 2) + 2 * 4 * 2) + classifier(4), {"encoder": "bilstm", **MLP}),
    ],
    dropped=dropped,
    multiply_adds=multiply_adds,
    refused=[
        ({"encoder": "gru"}, 'encoder is "gru"; allowed: mean, lstm, bilstm'),
        ({"hidden": 1}, "hidden is 1; allowed: hidden >= 2"),
        ({"mlp_hidden": 0}, "mlp_hidden is 0; allowed: mlp_hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)

# Words 1 to 4 are unit vectors; the pair (1 2 | 3) and the pair (1 | 1 4), with a mark, word 5, in between.
WORDS = tensor([[1, 2, 5, 3], [1, 5, 1, 4]])
SIDES = tensor([[0, 0, 1, 2], [0, 1, 2, 2]])
MASK = WORDS != 0


def network_of_means() -> PairEncoder:
    embedding = WordEmbedding(torch.cat((torch.zeros(1, 4), eye(4), torch.ones(1, 4))), tuned=0)
    return with_random_weights(PairEncoder(embedding, 2, encoder="mean", mlp_hidden=3))


def test_means_are_compared_by_hand():
    network = network_of_means()
    u, v = tensor([0.5, 0.5, 0.0, 0.0]), tensor([0.0, 0.0, 1.0, 0.0])
    compared = torch.cat((u, v, tensor([0.5, 0.5, 1.0, 0.0]), torch.zeros(4)))
    expected = network.output(torch.tanh(network.hidden(compared)))
    assert_close(network(WORDS, MASK, SIDES)[0], expected)
    u, v = tensor([1.0, 0.0, 0.0, 0.0]), tensor([0.5, 0.0, 0.0, 0.5])
    compared = torch.cat((u, v, tensor([0.5, 0.0, 0.0, 0.5]), tensor([0.5, 0.0, 0.0, 0.0])))
    expected = network.output(torch.tanh(network.hidden(compared)))
    assert_close(network(WORDS, MASK, SIDES)[1], expected)


def test_the_mark_is_read_by_neither_text():
    network = network_of_means()
    other = WORDS.masked_fill(SIDES == 1, 2)
    assert network(other, MASK, SIDES).equal(network(WORDS, MASK, SIDES))


@pytest.mark.parametrize("encoder", ["lstm", "bilstm"])
def test_each_text_is_encoded_alone(encoder):
    torch.manual_seed(0)
    network = with_random_weights(
        PairEncoder(WordEmbedding(torch.randn(9, 3), tuned=0), 2, encoder=encoder, hidden=4, mlp_hidden=5)
    ).double()
    found = network(WORDS, MASK, SIDES)
    for pair, (first, second) in enumerate([([1, 2], [3]), ([1], [1, 4])]):
        vectors = []
        for text in (first, second):
            states, (last, _) = network.recurrent(network.embedding(tensor([text])))
            vectors.append(last[0, 0] if encoder == "lstm" else states[0].amax(dim=0))
        u, v = vectors
        expected = network.output(torch.tanh(network.hidden(torch.cat((u, v, (u - v).abs(), u * v)))))
        assert_close(found[pair], expected)


def test_the_order_of_the_texts_matters():
    network = network_of_means()
    turned = tensor([[2, 2, 1, 0]])
    assert not torch.allclose(network(WORDS[:1], MASK[:1], SIDES[:1]), network(WORDS[:1], MASK[:1], turned))
