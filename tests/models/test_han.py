import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.context_attention import ContextAttention
from retable.layers.embedding import WordEmbedding
from retable.models.han import HAN
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, with_random_weights


def of_attention(size, hidden):
    """Count W and b, and the context vector."""
    return size * hidden + hidden + hidden


def of_gru(inputs, states):
    """Count weights and torch's two biases of three gates, in both directions."""
    return 2 * (3 * states * (inputs + states) + 2 * 3 * states)


def multiply_adds(t, *, hidden, attention_hidden):
    """Count both GRUs and attentions, those of sentences once per 16 words."""

    def each(inputs):
        attention = hidden * attention_hidden + attention_hidden + hidden
        return 2 * gates(3, inputs, hidden // 2) + attention

    return t * each(DIM) + t / 16 * each(hidden) + hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case(
            "han",
            of_gru(DIM, 5) + of_attention(10, 7) + of_gru(10, 5) + of_attention(10, 7) + 10 * CLASSES + CLASSES,
            {"hidden": 10, "attention_hidden": 7},
        )
    ],
    dropped=lambda **_: [],
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 5}, "hidden is 5; allowed: even numbers from 2"),
        ({"attention_hidden": 0}, "attention_hidden is 0; allowed: attention_hidden >= 1"),
    ],
)


def network(seed=1):
    torch.manual_seed(seed)
    return with_random_weights(HAN(WordEmbedding(torch.randn(20, 4), tuned=20), 3, hidden=6, attention_hidden=5))


def slow_gru(gru, words, suffix=""):
    """Compute eq. 1-4 word by word, one direction; torch's z_t is the paper's 1 - z_t."""
    weights = [getattr(gru, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    state, states = torch.zeros(gru.hidden_size), []
    for word in words:
        (xr, xz, xh), (hr, hz, hh) = (
            (matrix @ vector + bias).chunk(3)
            for matrix, vector, bias in ((weights[0], word, weights[2]), (weights[1], state, weights[3]))
        )
        r, z = torch.sigmoid(xr + hr), 1 - torch.sigmoid(xz + hz)
        state = (1 - z) * state + z * torch.tanh(xh + r * hh)  # eq. 1 and 3
        states.append(state)
    return states


def slow_layer(gru, attention, vectors):
    """Compute one level: states of both directions, then eq. 5-7 (or 8-10) term by term."""
    ahead, back = slow_gru(gru, vectors), slow_gru(gru, vectors[::-1], "_reverse")[::-1]
    states = [torch.cat(pair) for pair in zip(ahead, back, strict=True)]
    context = attention.context.weight[0]
    scores = [torch.exp(torch.tanh(attention.hidden(state)) @ context) for state in states]
    return sum(score / sum(scores) * state for score, state in zip(scores, states, strict=True))


def slow(han, texts):
    """Compute the paper's equations, one text, one sentence, one word after the other."""
    logits = []
    for sentences in texts:
        vectors = [slow_layer(han.of_words, han.word_attention, [*han.embedding(tensor([s]))[0]]) for s in sentences]
        logits.append(han.output(slow_layer(han.of_sentences, han.sentence_attention, vectors)))
    return torch.stack(logits)


def batch(texts, extra=0):
    """Return words, mask and sentence numbers of texts, with this many extra places of padding."""
    longest = max(sum(map(len, sentences)) for sentences in texts) + extra
    words, numbers = torch.randint(2, 20, (len(texts), longest)), torch.randint(0, 9, (len(texts), longest))
    mask = torch.zeros(len(texts), longest, dtype=torch.bool)
    for row, sentences in enumerate(texts):
        flat = [(word, number) for number, sentence in enumerate(sentences) for word in sentence]
        words[row, : len(flat)], numbers[row, : len(flat)] = tensor(flat).T
        mask[row, : len(flat)] = True
    return words, mask, numbers


TEXTS = [
    [[2, 3, 4], [5], [6, 7, 8, 9, 10]],
    [[11]],
    [[3, 3], [2, 2, 2, 2, 2, 2, 2, 2, 17]],
    [[4, 5], [5, 4], [6], [7]],
]


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_matches_the_loop_of_the_paper(seed):
    han = network(seed)
    assert_close(han(*batch(TEXTS, extra=seed)), slow(han, TEXTS))


def test_where_a_sentence_ends_matters():
    han = network()
    words, mask, _ = batch([[[2, 3, 4, 5]]])
    one, two = han(words, mask, tensor([[0, 0, 0, 0]])), han(words, mask, tensor([[0, 0, 1, 1]]))
    assert not torch.allclose(one, two, atol=1e-3)


def test_gradients_match_those_of_the_loop():
    han = network()
    fast, plain = (
        torch.autograd.grad(logits.square().sum(), [*han.parameters()])
        for logits in (han(*batch(TEXTS, extra=2)), slow(han, TEXTS))
    )
    for ours, theirs in zip(fast, plain, strict=True):
        assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_attention_by_hand():
    """Eq. 5-7 with one unit: scores 0 and log 3 give weights 1/4 and 3/4."""
    attention = ContextAttention(1, 1)
    attention.hidden.weight.data.fill_(1.0)
    attention.hidden.bias.data.zero_()
    attention.context.weight.data.fill_(2.0)
    states = torch.atanh(tensor([[0.0], [0.5493061443340549]]))  # 2 tanh = 0 and log 3
    expected = 0.75 * states[1] + 0.25 * states[0]
    real = torch.ones(1, 2, dtype=torch.bool)
    assert_close(attention(states.unsqueeze(0), real), expected.unsqueeze(0))


def test_a_context_vector_of_zero_gives_the_mean():
    attention = network().word_attention
    attention.context.weight.data.zero_()
    states, real = torch.randn(2, 4, 6), tensor([[True] * 4, [True] * 2 + [False] * 2])
    assert_close(attention(states, real), torch.stack((states[0].mean(0), states[1, :2].mean(0))))


def test_one_sentence_of_one_word_has_no_choice():
    han = network()
    for attention in (han.word_attention, han.sentence_attention):
        attention.hidden.weight.data.normal_()
    before = han(*batch([[[7]]]))
    for attention in (han.word_attention, han.sentence_attention):
        attention.context.weight.data.normal_()
    assert_close(han(*batch([[[7]]])), before)
