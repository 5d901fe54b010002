"""An LSTM or GRU of several runs, a step at a time: every product is one batched product of all runs.

Source     torch's nn.LSTM and nn.GRU, whose gates stand in the order i, f, g, o and r, z, n.
Method     one product makes what all words add to the gates, and one a step what the states add. vmap has no rule for
           torch.lstm and torch.gru; over_runs.py gives it this one.
Shapes     k runs, B texts, T words (padded on the right), D input size, H states.
"""

import torch
from torch import Tensor


def lstm_states(words: Tensor, of_input: Tensor, of_state: Tensor, input_bias: Tensor, state_bias: Tensor) -> Tensor:
    """States of an LSTM from left to right, padding included.

    Args:
        words: (k, B, T, D).
        of_input, of_state, input_bias, state_bias: torch's weights of one direction, each (k, ...).
    Returns: (k, B, T, H).
    """
    hidden = cell = words.new_zeros(*words.shape[:2], of_state.shape[2])
    states = []
    for of_word in _of_words(words, of_input, input_bias + state_bias):
        gates = torch.baddbmm(of_word, hidden, of_state.mT)  # (k, B, 4H)
        enter, forget, candidate, leave = gates.chunk(4, dim=2)
        cell = forget.sigmoid() * cell + enter.sigmoid() * candidate.tanh()
        hidden = leave.sigmoid() * cell.tanh()
        states.append(hidden)
    return torch.stack(states, dim=2)


def gru_states(words: Tensor, of_input: Tensor, of_state: Tensor, input_bias: Tensor, state_bias: Tensor) -> Tensor:
    """States of a GRU; arguments and result as of `lstm_states`."""
    hidden = words.new_zeros(*words.shape[:2], of_state.shape[2])
    states = []
    for of_word in _of_words(words, of_input, input_bias):
        gates = torch.baddbmm(state_bias.unsqueeze(1), hidden, of_state.mT)  # (k, B, 3H)
        reset, update = (of_word + gates)[..., : 2 * hidden.shape[2]].sigmoid().chunk(2, dim=2)
        candidate = torch.tanh(of_word.chunk(3, dim=2)[2] + reset * gates.chunk(3, dim=2)[2])
        hidden = candidate + update * (hidden - candidate)
        states.append(hidden)
    return torch.stack(states, dim=2)


def _of_words(words: Tensor, of_input: Tensor, bias: Tensor) -> tuple[Tensor, ...]:
    """What the words at each place add to the gates, (k, B, gates); `unbind` has one gradient for all places."""
    product = torch.baddbmm(bias.unsqueeze(1), words.flatten(1, 2), of_input.mT)
    return product.unflatten(1, words.shape[1:3]).unbind(2)
