"""Many LSTMs over the same texts."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from retable.layers.lstms import last_states_of_each, rows_before
from retable.layers.recurrent import states_of_words
from tests.models.test_lstm import slow_states

ONE_TEXT, ONE_WORD_EACH, EQUAL, MIXED = [4], [1, 1, 1], [3, 3], [2, 5, 1, 5, 3]  # lengths of texts
EVERY = [ONE_TEXT, ONE_WORD_EACH, EQUAL, MIXED]


def case(lengths: list[int], lstms: int = 3):
    """Return LSTMs in float64, word vectors that need a gradient, and a mask one place longer than the texts."""
    torch.manual_seed(1)
    mask = torch.arange(max(lengths) + 1) < torch.tensor(lengths).unsqueeze(1)
    words = torch.randn(*mask.shape, 2, dtype=torch.float64, requires_grad=True)
    return [nn.LSTM(2, 3, batch_first=True).double() for _ in range(lstms)], words, mask


@pytest.mark.parametrize("lengths", EVERY, ids=str)
def test_each_state_is_the_one_of_its_lstm_word_by_word(lengths):
    lstms, words, mask = case(lengths)
    found = last_states_of_each(lstms, words, mask)
    assert found.shape == (3, len(lengths), 3)
    for number, lstm in enumerate(lstms):
        for text, length in enumerate(lengths):
            assert_close(found[number, text], slow_states(lstm, words[text, :length], "l0")[-1])


@pytest.mark.parametrize("lengths", EVERY, ids=str)
def test_gradients_are_those_of_torchs_layer(lengths):
    lstms, words, mask = case(lengths)
    last = mask.sum(dim=1) - 1
    torchs = torch.stack([states_of_words(lstm, words, mask)[torch.arange(len(last)), last] for lstm in lstms])
    weights = torch.randn_like(torchs)
    parameters = [words, *(parameter for lstm in lstms for parameter in lstm.parameters())]
    ours, theirs = (
        torch.autograd.grad((states * weights).sum(), parameters)
        for states in (last_states_of_each(lstms, words, mask), torchs)
    )
    for mine, torch_gives in zip(ours, theirs, strict=True):
        assert_close(mine, torch_gives)


def test_gradients_are_those_of_small_steps():
    lstms, words, mask = case(MIXED, lstms=2)
    assert torch.autograd.gradcheck(lambda x: last_states_of_each(lstms, x, mask), [words])


def test_padding_changes_nothing():
    lstms, words, mask = case(MIXED)
    changed = words.detach().masked_fill(~mask.unsqueeze(2), 1e6)
    assert_close(last_states_of_each(lstms, changed, mask), last_states_of_each(lstms, words, mask))


def test_words_that_need_no_gradient_change_none():
    lstms, words, mask = case(MIXED)
    weights = [parameter for lstm in lstms for parameter in lstm.parameters()]
    fixed, learnt = (
        torch.autograd.grad(last_states_of_each(lstms, each, mask).sum(), weights) for each in (words.detach(), words)
    )
    assert_close(fixed, learnt)


def test_the_former_word_of_each_row():
    """Texts of 3, 2 and 1 words: rows 0 1 2 are first words, 3 4 second ones, 5 the third."""
    assert rows_before([3, 2, 1], torch.device("cpu")).tolist() == [0, 1, 3]
