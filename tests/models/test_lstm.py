"""LSTM and BiLSTM: the gates by a slow loop, layers, and the text vector."""

from collections.abc import Iterable

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.bilstm import BiLSTM
from retable.models.lstm import LSTM

WORDS, LENGTHS = tensor([[4, 5, 6, 7], [8, 4, 0, 0], [5, 0, 0, 0]]), [4, 2, 1]
MASK = WORDS != 0


def small_network(model: type[LSTM], **options) -> LSTM:
    """Return a network in float64, in evaluation mode, whose last layer exposes the text vector."""
    torch.manual_seed(0)
    network = model(WordEmbedding(torch.randn(9, 3), tuned=0), 4, hidden=4, **options).double().eval()
    nn.init.eye_(network.output.weight)
    nn.init.zeros_(network.output.bias)
    return network


def slow_states(lstm: nn.LSTM, inputs: Iterable[Tensor], suffix: str) -> list[Tensor]:
    """Return the states of one direction of one layer, word by word: gates i, f, o and the candidate g."""
    w_x, w_h, b_x, b_h = (
        getattr(lstm, f"{part}_{suffix}") for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    h = c = torch.zeros(lstm.hidden_size, dtype=torch.float64)
    states = []
    for x in inputs:
        i, f, g, o = (w_x @ x + b_x + w_h @ h + b_h).chunk(4)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        states.append(h)
    return states


def slow_text(network: LSTM, words: Tensor, pool: str) -> Tensor:
    """Return the vector of one unpadded text, (H,)."""
    inputs = list(network.embedding(words.unsqueeze(0))[0])
    for layer in range(network.lstm.num_layers):
        states = slow_states(network.lstm, inputs, f"l{layer}")
        last = states[-1]
        if isinstance(network, BiLSTM):
            back = slow_states(network.lstm, inputs[::-1], f"l{layer}_reverse")
            last = torch.cat((last, back[-1]))
            states = [torch.cat(both) for both in zip(states, back[::-1], strict=True)]
        inputs = states
    return {"last": last, "max": torch.stack(states).amax(dim=0), "mean": torch.stack(states).mean(dim=0)}[pool]


@pytest.mark.parametrize("pool", ["last", "max", "mean"])
@pytest.mark.parametrize("layers", [1, 2, 5])
@pytest.mark.parametrize("model", [LSTM, BiLSTM])
def test_states_match_the_equations_word_by_word(model, layers, pool):
    network = small_network(model, layers=layers, pool=pool)
    found = network(WORDS, MASK)
    for text, length in enumerate(LENGTHS):
        assert_close(found[text], slow_text(network, WORDS[text, :length], pool))


def test_one_word_has_one_state():
    of_pools = [small_network(LSTM, pool=pool)(tensor([[5]]), tensor([[True]])) for pool in ("last", "max", "mean")]
    assert_close(of_pools[0], of_pools[1])
    assert_close(of_pools[0], of_pools[2])


def test_one_direction_never_sees_what_comes_later():
    network = small_network(LSTM, layers=2)
    first = network(tensor([[4, 5, 6]]), torch.ones(1, 3, dtype=torch.bool))
    cut = network(tensor([[4, 5, 6, 8]]), tensor([[True, True, True, False]]))
    assert_close(first, cut)
