"""A recurrent layer over texts of different lengths.

Method     on a GPU the texts are packed. On a CPU torch's packed layer takes one slice of all words at a time, and the
           gradient of each slice is as large as all of them: the cost of a batch grows with the square of its length
           (LSTM of 150 per direction, 50 texts: 31,000 words/s at 20 words, 3,100 at 300). There each direction runs
           separately over padded texts, the backward one over texts reversed within their lengths, so that it starts at
           the last word: 51,000 to 56,000 words/s at any length (benchmarks/recurrent.py).
Shapes     B texts, T words (padded on the right), D vector size, H states of all directions together.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def states_of_words(recurrent: nn.GRU | nn.LSTM, words: Tensor, mask: Tensor, *, padding_value: float = 0.0) -> Tensor:
    """Return the states of the last layer at every word.

    Args:
        recurrent: built with batch_first=True; starts from zero states.
        words: word vectors, float, (B, T, D).
        mask: True on a word, False on padding, bool, (B, T); padding on the right, at least one word per text.
        padding_value: value of the states on padding.
    Returns: (B, T, H), forward states before backward ones.
    """
    if words.is_cuda:
        return _packed(recurrent, words, mask, padding_value)
    turned = turned_round(mask)
    states = words
    for layer in range(recurrent.num_layers):
        if layer and recurrent.dropout:
            states = F.dropout(states, recurrent.dropout, recurrent.training)
        sides = [one_direction(recurrent, states, layer)]
        if recurrent.bidirectional:
            backwards = one_direction(recurrent, in_order(states, turned), layer, "_reverse")
            sides.append(in_order(backwards, turned))
        states = torch.cat(sides, dim=2) if len(sides) > 1 else sides[0]
    return states.masked_fill(~mask.unsqueeze(2), padding_value)


def last_of(states: Tensor, mask: Tensor) -> Tensor:
    """Return the states (B, T, H) at the last words of texts with this mask (B, T): (B, H)."""
    return states[torch.arange(len(states), device=states.device), mask.sum(dim=1) - 1]


def one_direction(recurrent: nn.GRU | nn.LSTM, words: Tensor, layer: int, suffix: str = "") -> Tensor:
    """Return the states of one direction of one layer, from left to right, padding included.

    Args:
        words: input of the layer, (B, T, its input size).
        suffix: ending of the direction's weight names: "" or "_reverse".
    """
    weights = [
        getattr(recurrent, f"{name}_l{layer}{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ]
    start = words.new_zeros(1, words.shape[0], recurrent.hidden_size)
    options = (weights, True, 1, 0.0, recurrent.training, False, True)  # one layer, one direction, batch first
    if isinstance(recurrent, nn.LSTM):
        states: Tensor = torch.lstm(words, (start, start), *options)[0]
    else:
        states = torch.gru(words, start, *options)[0]
    return states


def turned_round(mask: Tensor) -> Tensor:
    """Return the places that reverse each text within its length, int64 (B, T); padding stays in place."""
    places = torch.arange(mask.shape[1], device=mask.device)
    return torch.where(mask, mask.sum(dim=1, keepdim=True) - 1 - places, places)


def in_order(states: Tensor, places: Tensor) -> Tensor:
    """Return the states (B, T, H) of each text in the order of `places` (B, T)."""
    return states.gather(1, places.unsqueeze(2).expand(-1, -1, states.shape[2]))


def _packed(recurrent: nn.GRU | nn.LSTM, words: Tensor, mask: Tensor, padding_value: float) -> Tensor:
    packed = pack_padded_sequence(words, mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False)
    states: Tensor = pad_packed_sequence(
        recurrent(packed)[0], batch_first=True, padding_value=padding_value, total_length=mask.shape[1]
    )[0]
    return states


def recurrent_flops(recurrent: nn.GRU | nn.LSTM) -> int:
    """Count forward FLOPs per word (2 per multiply-add): every matrix of every direction once."""
    return 2 * sum(weight.numel() for weight in recurrent.parameters() if weight.dim() == 2)
