"""BiGRU: LAMA, eq. 1-6, pooled."""

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.bigru import BiGRU
from tests.models.test_every_model import with_random_weights


def small_network(**options) -> BiGRU:
    """Return the network in float64, with weights large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    network = BiGRU(WordEmbedding(torch.randn(20, 3), tuned=20), 2, hidden=4, mlp_hidden=5, **options)
    return with_random_weights(network.double(), std=0.7)


def slow_gru(gru: nn.GRU, x: Tensor, suffix: str) -> list[Tensor]:
    """Return the states of one direction over x, (T, D), word by word from eq. 1-4.

    torch's z keeps the old state, the paper's takes the new one: the paper's W_z, U_z and b_z are torch's negated. The
    two torch biases of r and of z add up to one b; torch has one more in eq. 3.
    """
    w_r, w_z, w_h = getattr(gru, f"weight_ih_l0{suffix}").chunk(3)
    u_r, u_z, u_h = getattr(gru, f"weight_hh_l0{suffix}").chunk(3)
    of_words, of_states = getattr(gru, f"bias_ih_l0{suffix}").chunk(3), getattr(gru, f"bias_hh_l0{suffix}").chunk(3)
    h, states = torch.zeros(gru.hidden_size, dtype=x.dtype), []
    for x_t in x:
        z = torch.sigmoid(-w_z @ x_t - u_z @ h - (of_words[1] + of_states[1]))  # eq. 2
        r = torch.sigmoid(w_r @ x_t + u_r @ h + of_words[0] + of_states[0])  # eq. 4
        candidate = torch.tanh(w_h @ x_t + of_words[2] + r * (u_h @ h + of_states[2]))  # eq. 3
        h = (1 - z) * h + z * candidate  # eq. 1
        states.append(h)
    return states


def slow_states(gru: nn.GRU, x: Tensor) -> Tensor:
    """Return the states of both directions, (T, H), eq. 6."""
    forward, backward = slow_gru(gru, x, ""), slow_gru(gru, x.flip(0), "_reverse")[::-1]
    return torch.stack([torch.cat(pair) for pair in zip(forward, backward, strict=True)])


@pytest.mark.parametrize("pool", ["max", "mean"])
def test_network_matches_the_equations_word_by_word(pool):
    network = small_network(pool=pool)
    words, lengths = torch.randint(2, 20, (4, 7)), tensor([7, 1, 2, 5])
    logits = network(words, torch.arange(7) < lengths.unsqueeze(1))
    for text, length in enumerate(lengths):
        states = slow_states(network.gru, network.embedding(words[text : text + 1, :length])[0])
        pooled = states.amax(dim=0) if pool == "max" else states.mean(dim=0)
        assert_close(logits[text], network.classifier(pooled))


def test_of_one_word_maximum_and_mean_are_the_same():
    words, mask = tensor([[7]]), tensor([[True]])
    assert_close(small_network(pool="max")(words, mask), small_network(pool="mean")(words, mask))
