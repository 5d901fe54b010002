import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.lstm import LSTM
from retable.models.sp_mtl import SPMTL
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights
from tests.models.test_lstm import slow_states

OF_LSTM = 4 * 5 * (DIM + 5) + 2 * 4 * 5
EVERY_MODEL = Declared(
    cases=[
        Case("sp-mtl", 3 * OF_LSTM + 2 * (10 * CLASSES + CLASSES), {"hidden": 5}),  # one shared LSTM, one per domain
    ],
    dropped=lambda hidden: [texts(2 * hidden)],
    multiply_adds=lambda t, hidden: t * 2 * gates(4, DIM, hidden) + 2 * hidden * CLASSES,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)
WORDS = tensor([[4, 5, 6, 7], [8, 4, 0, 0], [5, 0, 0, 0], [3, 3, 2, 0], [4, 5, 6, 7]])
MASK, DOMAINS = WORDS != 0, tensor([2, 0, 0, 2, 0])


def network(domains=3):
    torch.manual_seed(1)
    return with_random_weights(SPMTL(WordEmbedding(torch.randn(9, 3), tuned=9), 2, domains, hidden=4)).double()


def test_logits_match_the_equations_word_by_word():
    """s_T of the shared LSTM, h_T of the domain's own, and the domain's softmax on [h_T; s_T]."""
    sp_mtl, logits = network(), []
    for words, domain in zip(WORDS, DOMAINS.tolist(), strict=True):
        x = list(sp_mtl.embedding(words[words != 0].unsqueeze(0))[0])
        shared, private = (slow_states(lstm, x, "l0")[-1] for lstm in (sp_mtl.shared, sp_mtl.private[domain]))
        logits.append(sp_mtl.outputs[domain](torch.cat((private, shared))))
    assert_close(sp_mtl(WORDS, MASK, DOMAINS), torch.stack(logits))


def test_the_same_text_is_answered_by_its_domain():
    logits = network()(WORDS, MASK, DOMAINS)
    assert WORDS[0].equal(WORDS[4])
    assert not torch.allclose(logits[0], logits[4], atol=1e-3)


def test_a_domain_learns_nothing_from_the_texts_of_others():
    sp_mtl = network()
    sp_mtl(WORDS, MASK, DOMAINS).square().sum().backward()
    for domain in range(3):
        for parameter in (*sp_mtl.private[domain].parameters(), *sp_mtl.outputs[domain].parameters()):
            assert (parameter.grad is not None and bool(parameter.grad.any())) == (domain in (0, 2))
    assert all(parameter.grad.any() for parameter in sp_mtl.shared.parameters())


def test_without_private_states_every_domain_is_an_lstm_of_all():
    """Limiting case: private states of zero leave the LSTM with the domain's classifier."""
    sp_mtl = network()
    for parameter in sp_mtl.private.parameters():
        parameter.data.zero_()
    lstm = LSTM(sp_mtl.embedding, 2, hidden=4, dropout=0.0).double()
    lstm.lstm.load_state_dict(sp_mtl.shared.state_dict())
    for domain in range(3):
        lstm.output.weight.data = sp_mtl.outputs[domain].weight[:, 4:]
        lstm.output.bias.data = sp_mtl.outputs[domain].bias
        assert_close(sp_mtl(WORDS, MASK, torch.full((5,), domain)), lstm(WORDS, MASK))


@pytest.mark.parametrize("order", [[4, 3, 2, 1, 0], [2, 0, 4, 1, 3]])
def test_the_order_of_the_texts_does_not_matter(order):
    sp_mtl = network()
    assert_close(sp_mtl(WORDS[order], MASK[order], DOMAINS[order]), sp_mtl(WORDS, MASK, DOMAINS)[order])
