"""LAMA, eq. 1-19."""

from itertools import product

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.lama import LAMA
from tests.models.test_bigru import slow_states
from tests.models.test_every_model import with_random_weights

WORDS, LENGTHS = torch.randint(2, 20, (4, 7), generator=torch.Generator().manual_seed(9)), tensor([7, 1, 2, 5])
MASK = torch.arange(7) < LENGTHS.unsqueeze(1)
CLASSES = tensor([0, 1, 1, 0])


def small_network(dim: int = 3, **options) -> LAMA:
    """Return a LAMA in float64 with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    options = {"heads": 3, "hidden": 4, "mlp_hidden": 6} | options
    return with_random_weights(LAMA(WordEmbedding(torch.randn(20, dim), tuned=20), 2, **options).double(), std=0.7)


def slow_lama(network: LAMA, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return logits (C,), A (m, T) and S (m, H) of one unpadded text, word by word and head by head."""
    x = network.embedding(words.unsqueeze(0))[0]  # eq. 5
    h = slow_states(network.gru, x) if network.gru else x  # eq. 1-4, 6
    c = sum(x) / len(x) if network.context is None else network.context
    layer, scores = network.low_rank, []
    for h_t in h:
        u_t = torch.tanh(layer.transform.weight @ h_t + layer.transform.bias)  # eq. 7
        f_t = []
        for p, q in zip(layer.of_context.weight, layer.of_words.weight, strict=True):
            f_t.append(torch.tanh(sum(p_d * c_d for p_d, c_d in zip(p, c, strict=True)) * (q @ u_t)))  # eq. 11
        norm = sum(f**2 for f in f_t) ** 0.5 if len(f_t) > 1 else 1.0
        scores.append([(f / norm).exp() for f in f_t])
    attention, matrix = [], []
    for head in range(layer.heads):
        total = sum(score[head] for score in scores)
        attention.append(torch.stack([score[head] / total for score in scores]))  # eq. 12
        matrix.append(sum(weight * h_t for weight, h_t in zip(attention[head], h, strict=True)))  # eq. 14
    d = torch.cat(matrix)
    if len(network.classifier) == 4:
        first = network.classifier[0]
        d = torch.relu(first.weight @ d + first.bias)
    last = network.classifier[-1]
    return last.weight @ d + last.bias, torch.stack(attention), torch.stack(matrix)  # eq. 16


@pytest.mark.parametrize(
    ("context", "encoder", "heads"), product(["learned", "mean"], ["gru", "none"], [1, 3]), ids=str
)
def test_fast_form_matches_the_equations_word_by_word(context, encoder, heads):
    network = small_network(context=context, encoder=encoder, heads=heads)
    logits, attention = network(WORDS, MASK), network.attention(WORDS, MASK)
    for text, length in enumerate(LENGTHS):
        expected_logits, expected_attention, _ = slow_lama(network, WORDS[text, :length])
        assert_close(logits[text], expected_logits)
        assert_close(attention[text, :, :length], expected_attention)
        assert not attention[text, :, length:].any()


def test_without_hidden_layer_the_classifier_is_equation_16():
    network = small_network(mlp_hidden=0)
    assert_close(network(WORDS, MASK)[0], slow_lama(network, WORDS[0])[0])


@pytest.mark.parametrize("disagreement", ["positions", "embeddings"])
def test_disagreement_is_added_to_the_loss_as_the_mean_over_the_texts(disagreement):  # eq. 18-19
    network = small_network(disagreement=disagreement, disagreement_weight=0.3, dropout=0.0).train()
    network(WORDS, MASK)
    by_text = []
    for text, length in enumerate(LENGTHS):
        _, a, s = slow_lama(network, WORDS[text, :length])
        m = len(a)
        if disagreement == "positions":
            by_text.append(sum((a[i] @ a[j] - float(i == j)) ** 2 for i in range(m) for j in range(m)))  # eq. 19a
        else:
            cosines = [s[i] @ s[j] / (s[i].norm() * s[j].norm()) for i in range(m) for j in range(m)]
            by_text.append(sum(cosines) / m**2)  # eq. 19b
    assert_close(network.auxiliary_loss(CLASSES), 0.3 * sum(by_text) / len(by_text))


def test_without_disagreement_nothing_is_added_and_nothing_is_kept():
    network = small_network().train()
    network(WORDS, MASK)
    assert network.auxiliary_loss(CLASSES).item() == 0.0
    assert network.heads_of_batch is None


def test_what_the_loss_needs_is_kept_from_forward_to_the_loss_in_training_alone():
    network = small_network(disagreement="positions")
    network(WORDS, MASK)
    assert network.heads_of_batch is None
    network.train()(WORDS, MASK)
    assert network.heads_of_batch is not None
    network.auxiliary_loss(CLASSES)
    assert network.heads_of_batch is None


def test_one_word_has_all_the_attention_so_heads_and_context_are_without_effect():
    network, other = small_network(), small_network()
    for parameter in (other.context, *other.low_rank.parameters()):
        nn.init.normal_(parameter)
    word, mask = tensor([[7]]), tensor([[True]])
    assert network.attention(word, mask).equal(torch.ones(1, 3, 1, dtype=torch.float64))
    assert_close(network(word, mask), other(word, mask))


def test_without_encoder_the_order_of_the_words_is_not_seen():
    network, mask = small_network(encoder="none"), torch.ones(1, 7, dtype=torch.bool)
    assert_close(network(WORDS[:1], mask), network(WORDS[:1].flip(1), mask))


def test_a_mean_context_hears_words_of_the_text_and_a_learned_one_does_not():
    """Without an encoder, the score of a word depends on its neighbour only through c."""
    first, second, mask = tensor([[7, 8]]), tensor([[7, 9]]), torch.ones(1, 2, dtype=torch.bool)

    def score(network: LAMA, words: Tensor) -> Tensor:
        return network.low_rank.scores(*network.encode(words, mask))[0, 0]

    deaf, hearing = (small_network(encoder="none", context=context) for context in ("learned", "mean"))
    assert_close(score(deaf, first), score(deaf, second))
    assert not torch.allclose(score(hearing, first), score(hearing, second))
