"""NSE, Munkhdalai and Yu 2017."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.nse import NSE
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights, words
from tests.models.test_lstm import slow_states


def parameters(mlp_hidden: int) -> int:
    """Count two LSTMs, with torch's two biases per gate, the composition, the classifier."""
    read = gates(4, DIM, DIM) + 8 * DIM
    write = gates(4, 2 * DIM, DIM) + 8 * DIM
    composition = 2 * DIM * 2 * DIM + 2 * DIM
    mlp = (DIM + 1) * mlp_hidden + (mlp_hidden + 1) * CLASSES if mlp_hidden else (DIM + 1) * CLASSES
    return read + write + composition + mlp


def multiply_adds(t, *, mlp_hidden):
    """Count both LSTMs and the composition per word; scores, sum and memory for each slot at each word."""
    of_word = gates(4, DIM, DIM) + gates(4, 2 * DIM, DIM) + 4 * DIM**2
    mlp = mlp_hidden * (DIM + CLASSES) if mlp_hidden else DIM * CLASSES
    return t * of_word + 3 * t**2 * DIM + mlp


EVERY_MODEL = Declared(
    cases=[
        Case("nse", parameters(7), {"mlp_hidden": 7}),
        Case("nse", parameters(0), {"mlp_hidden": 0}),
    ],
    dropped=lambda mlp_hidden: [words(DIM), *[texts(2 * DIM)] * 9, texts(mlp_hidden or DIM)],
    multiply_adds=multiply_adds,
    refused=[
        ({"mlp_hidden": -1}, "mlp_hidden is -1; allowed: mlp_hidden >= 0"),
        ({"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ({"dropout_composed": -0.1}, "dropout_composed is -0.1; allowed: 0 <= dropout_composed < 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(dim: int = 4, **options) -> NSE:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(6)
    network = NSE(WordEmbedding(torch.randn(20, dim), tuned=20), 2, **({"mlp_hidden": 5} | options))
    return with_random_weights(network.double(), std=0.7)


def slow_write(network: NSE, c: Tensor, h: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    """Compute one step of the write LSTM: gates input, forget, cell, output."""
    write = network.write
    i, f, g, o = (write.weight_ih @ c + write.bias_ih + write.weight_hh @ h + write.bias_hh).chunk(4)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def slow_logits(network: NSE, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, slot by slot from the equations."""
    x = list(network.embedding(words.unsqueeze(0))[0])
    memory, zero = list(x), torch.zeros_like(x[0])
    compose = torch.cat([network.compose_state.weight, network.compose_memory.weight], dim=1)
    h, cell = zero, zero
    for o in slow_states(network.read, x, "l0"):
        powers = [(o @ slot).exp() for slot in memory]
        z = [power / sum(powers) for power in powers]
        m = sum(share * slot for share, slot in zip(z, memory, strict=True))
        c = compose @ torch.cat([o, m]) + network.compose_state.bias
        h, cell = slow_write(network, c, h, cell)
        memory = [(1 - share) * slot + share * h for share, slot in zip(z, memory, strict=True)]
    for layer in network.classifier:
        if isinstance(layer, nn.Linear):
            h = layer.weight @ h + layer.bias
        elif isinstance(layer, nn.ReLU):
            h = h.clamp(min=0)
    return h


@pytest.mark.parametrize("mlp_hidden", [5, 0])
def test_fast_form_matches_the_equations_slot_by_slot(mlp_hidden):
    """Check padded texts with arbitrary words in the padding; the last two columns are padding in every text."""
    network = small_network(mlp_hidden=mlp_hidden)
    words, lengths = torch.randint(2, 20, (4, 9)), (7, 1, 2, 5)
    logits = network(words, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]))


def test_memory_by_hand():
    """Slots 0 and 1, reads ln 3 and 1; the second word reads the memory that the first wrote."""
    network, seen = small_network(dim=1), []
    nn.init.ones_(network.compose_memory.weight)
    nn.init.zeros_(network.compose_state.weight)
    nn.init.zeros_(network.compose_state.bias)

    def write(composed, states):
        seen.append(composed[0, 0].item())
        return tensor([[2.0]], dtype=torch.float64), states[1]

    network.write.forward = write
    memory, reads = tensor([[[0.0], [1.0]]]).double(), tensor([[[math.log(3)], [1.0]]]).double()
    network.written(memory, reads, tensor([[True, True]]))
    first, second = 0.75 * 0 + 0.25 * 2, 0.25 * 1 + 0.75 * 2  # scores 0, ln 3: weights 1/4, 3/4; h = 2
    powers = [math.exp(0.5), math.exp(1.75)]
    assert [first, second] == [0.5, 1.75]
    assert seen == pytest.approx([0.75, (0.5 * powers[0] + 1.75 * powers[1]) / sum(powers)])


def test_the_one_slot_of_one_word_is_read_whole():
    """Whatever the scores: m_1 = x_1."""
    network, word = small_network(), tensor([[5]])
    x = network.embedding(word)
    o = network.read(x)[0][0, 0]
    c = network.compose_state(o) + network.compose_memory(x[0, 0])
    h, _ = slow_write(network, c, torch.zeros(4).double(), torch.zeros(4).double())
    assert_close(network(word, tensor([[True]]))[0], network.classifier(h))


def test_without_composed_memory_it_is_one_lstm_on_another():
    network, words, mask = small_network(), torch.randint(2, 20, (1, 6)), torch.ones(1, 6, dtype=torch.bool)
    nn.init.zeros_(network.compose_memory.weight)
    composed = network.compose_state(network.read(network.embedding(words))[0])
    upper = nn.LSTM(8, 4, batch_first=True).double()
    upper.load_state_dict({f"{name}_l0": weight for name, weight in network.write.state_dict().items()})
    assert_close(network(words, mask), network.classifier(upper(composed)[0][:, -1]))


def test_dropout_of_the_words_leaves_the_memory_whole(monkeypatch):
    network, memories = small_network(dropout_words=0.5, dropout_composed=0.0, dropout=0.0), []
    monkeypatch.setattr(NSE, "written", lambda self, memory, reads, mask: memories.append(memory) or reads)
    words = torch.randint(2, 20, (2, 5))
    network.train()(words, torch.ones(2, 5, dtype=torch.bool))
    assert memories[0].equal(network.embedding(words))


def test_first_weights_are_those_of_the_authors():
    torch.manual_seed(1)
    network = NSE(WordEmbedding(torch.randn(5, 20), tuned=0), 2)
    for parameter in network.parameters():
        assert parameter.abs().max() <= 0.1
        if parameter.numel() > 100:
            assert parameter.std().item() == pytest.approx(0.1 / math.sqrt(3), rel=0.1)
