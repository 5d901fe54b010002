"""S-LSTM, Zhang, Liu and Song 2018."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.s_lstm import SLSTM, in_window, with_borders
from tests.models.declared import CLASSES, DIM, Case, Declared, with_random_weights

H = 5  # of the cases


def parameters(hidden: int, window: int = 1, *, borders: bool = True, attention: bool = False) -> int:
    """Count W, U, V, b of 2 w + 5 gates; three gates of the sentence with W, U, b; h^0; <s> and </s>; output."""
    of_words = (2 * window + 5) * hidden * ((2 * window + 1) * hidden + DIM + hidden + 1)
    of_sentence = 3 * hidden * (2 * hidden + 1)
    others = hidden + 2 * DIM * borders + (hidden**2 + 2 * hidden) * attention
    return of_words + of_sentence + others + hidden * CLASSES + CLASSES


def multiply_adds(t, *, hidden, steps=9, window=1, borders=True, pool="sentence"):
    """Count W per word and V per text, U_f per word and five matrices per text, in every step that is read."""
    n, gates = t + 2 * borders, 2 * window + 5
    words = (steps - (pool == "sentence")) * gates * hidden**2 * (n * (2 * window + 1) + 1)
    sentence = (steps - (pool == "attention")) * hidden**2 * (n + 5)
    pooled = n * (hidden**2 + 2 * hidden) if pool == "attention" else 0
    return n * gates * hidden * DIM + words + sentence + pooled + hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("s-lstm", parameters(H), {"hidden": H, "steps": 3}),
        Case("s-lstm", parameters(H, 2, borders=False), {"hidden": H, "steps": 2, "window": 2, "borders": False}),
        Case("s-lstm", parameters(H), {"hidden": H, "steps": 2, "pool": "mean"}),
        Case("s-lstm", parameters(H, attention=True), {"hidden": H, "steps": 2, "pool": "attention"}),
    ],
    dropped=lambda borders=True, **_: [(8, 11 if borders else 9, DIM)],  # word vectors, with <s> and </s>
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"steps": 1}, "steps is 1; allowed: steps >= 2"),
        ({"window": -1}, "window is -1; allowed: window >= 0"),
        ({"pool": "last"}, 'pool is "last"; allowed: sentence, mean, attention'),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(std: float = 0.7, **options) -> SLSTM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    network = SLSTM(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"hidden": 3, "steps": 3} | options))
    return with_random_weights(network.double(), std=std)


def shares(gates: list[Tensor]) -> list[Tensor]:
    """Return the softmax, component by component, of sigmoids."""
    powers = [gate.sigmoid().exp() for gate in gates]
    return [power / sum(powers) for power in powers]


def slow_word(network: SLSTM, i: int, x: Tensor, h: list, c: list, g: Tensor, c_g: Tensor) -> tuple[Tensor, Tensor]:
    """Return the next state and cell of word i: gates from left to right of the window, s, i, o, u."""
    step, size, window = network.word_step, len(g), network.word_step.window
    zero = torch.zeros_like(g)
    seen = [j if 0 <= j < len(h) else None for j in range(i - window, i + window + 1)]
    near = torch.cat([zero if j is None else h[j] for j in seen])
    made = []
    for gate in range(2 * window + 5):
        rows = slice(gate * size, (gate + 1) * size)
        w, v = step.of_near.weight[rows], step.of_sentence.weight[rows]
        made.append(w @ near + step.of_words.weight[rows] @ x + step.of_words.bias[rows] + v @ g)
    *gates, o, u = made
    *of_seen, s, of_input = shares(gates)
    cell = s * c_g + of_input * u.tanh()
    for gate, j in zip(of_seen, seen, strict=True):
        cell = cell + (zero if j is None else gate * c[j])
    return o.sigmoid() * cell.tanh(), cell


def slow_sentence(network: SLSTM, h: list, c: list, g: Tensor, c_g: Tensor) -> tuple[Tensor, Tensor]:
    """Return the next state and cell of the sentence."""
    step, mean = network.sentence_step, sum(h) / len(h)
    w_f, w_g, w_o = step.of_sentence.weight.chunk(3)
    b_f, b_g, b_o = step.of_sentence.bias.chunk(3)
    u_g, u_o = step.of_mean.weight.chunk(2)
    *f, f_g = shares([*[w_f @ g + step.of_words.weight @ one + b_f for one in h], w_g @ g + u_g @ mean + b_g])
    cell = f_g * c_g + sum(one * other for one, other in zip(f, c, strict=True))
    return (w_o @ g + u_o @ mean + b_o).sigmoid() * cell.tanh(), cell


def slow_logits(network: SLSTM, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text from the equations, state by state; all states are updated at once."""
    x = list(network.embedding(words.unsqueeze(0))[0])
    if network.borders is not None:
        x = [network.borders[0], *x, network.borders[1]]
    h, c, g, c_g = [network.start] * len(x), [network.start] * len(x), network.start, network.start
    for _ in range(network.steps):
        made = [slow_word(network, i, x[i], h, c, g, c_g) for i in range(len(x))]
        g, c_g = slow_sentence(network, h, c, g, c_g)
        h, c = [hidden for hidden, _ in made], [cell for _, cell in made]
    text = g
    if network.pool == "mean":
        text = (sum(h) + g) / (len(h) + 1)
    if network.attention is not None:
        scores = [(network.attention.context.weight[0] @ network.attention.hidden(one).tanh()).exp() for one in h]
        text = sum(score / sum(scores) * one for score, one in zip(scores, h, strict=True))
    return network.output.weight @ text + network.output.bias


@pytest.mark.parametrize(
    "options", [{}, {"borders": False, "window": 2}, {"pool": "mean", "window": 0}, {"pool": "attention"}], ids=str
)
def test_fast_form_matches_the_equations_state_by_state(options):
    """Check padded texts with arbitrary words in the padding; one column is padding in every text."""
    network = small_network(**options)
    words, lengths = torch.randint(2, 20, (4, 8)), (7, 1, 2, 5)
    logits = network(words, torch.arange(8) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]))


def zeroed(network: SLSTM) -> SLSTM:
    """Set all weights and biases to zero except the classifier's, which returns the text vector's first number."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if not name.startswith("embedding"):
                parameter.zero_()
        network.output.weight[0, 0] = 1
    return network


def test_two_steps_by_hand():
    """Zero gates weight all cells equally: for one word c = u / 5 = tanh(0.5) / 5, c_g = c / 2, g = tanh(c_g) / 2."""
    network = zeroed(small_network(hidden=1, steps=2, borders=False))
    with torch.no_grad():
        network.word_step.of_words.bias[-1] = 0.5  # of u, the last gate
    found = network(tensor([[3]]), tensor([[True]]))[0, 0].item()
    assert found == pytest.approx(math.tanh(math.tanh(0.5) / 5 / 2) / 2)


def test_a_cell_goes_one_word_further_with_each_step():
    """u reads only x and all gates are equal: after three steps a word is in the cells of words at most two away."""
    network = zeroed(small_network(hidden=1, steps=3, borders=False, pool="mean"))
    with torch.no_grad():
        network.word_step.of_words.weight[-1, 0] = 1.0
        network.embedding.tuned.zero_()
        network.embedding.tuned[7, 0] = 2.0
    inputs = network.embedding(tensor([[7, 2, 2, 2, 2, 2]]))
    mask = torch.ones(1, 6, dtype=torch.bool)
    words, _ = network.revised(inputs, mask)
    reached = (words.hidden[0, :, 0] - words.hidden[0, 5, 0]).abs() > 1e-9
    assert reached.tolist() == [True, True, True, False, False, False]  # s c_g is the same for all words


def test_a_window_of_no_words_forgets_their_order():
    words = torch.randint(2, 20, (1, 6))
    mask, turned = torch.ones(1, 6, dtype=torch.bool), words.flip(1)
    bag = small_network(window=0, borders=False, steps=4)
    assert_close(bag(words, mask), bag(turned, mask))
    ordered = small_network(window=1, borders=False, steps=4)
    assert not torch.allclose(ordered(words, mask), ordered(turned, mask), rtol=1e-4)


def test_a_closed_output_gate_leaves_the_bias():
    """o = 0 for the sentence: g = 0 whatever the words; the mean of all states still contains the words."""
    words, mask = torch.randint(2, 20, (2, 4)), torch.ones(2, 4, dtype=torch.bool)
    for pool, is_bias in (("sentence", True), ("mean", False)):
        network = small_network(pool=pool)
        with torch.no_grad():
            network.sentence_step.of_sentence.bias[6:] = -1e4
        expected = network.output.bias.expand(2, 2)
        assert torch.allclose(network(words, mask), expected) == is_bias


def test_an_attention_of_no_preference_is_the_mean_of_the_words():
    network = small_network(pool="attention")
    nn.init.zeros_(network.attention.context.weight)
    words, mask = torch.randint(2, 20, (2, 4)), tensor([[True] * 4, [True, True, False, False]])
    x, wide = with_borders(network.embedding(words), mask, network.borders)
    states, _ = network.revised(x, wide)
    means = torch.stack([states.hidden[text, : length + 2].mean(dim=0) for text, length in enumerate((4, 2))])
    assert_close(network(words, mask), network.output(means))


def test_borders_stand_before_the_first_word_and_after_the_last():
    x = tensor([[[1.0], [2.0], [3.0]], [[4.0], [9.0], [9.0]]])
    mask = tensor([[True, True, True], [True, False, False]])
    wide, real = with_borders(x, mask, tensor([[-1.0], [-2.0]]))
    assert wide[0].flatten().tolist() == [-1, 1, 2, 3, -2]
    assert wide[1, :3].flatten().tolist() == [-1, 4, -2]
    assert real.tolist() == [[True] * 5, [True] * 3 + [False] * 2]


def test_window_by_hand():
    seen = in_window(tensor([[[1.0], [2.0], [3.0]]]), 2)
    assert seen.squeeze(3).tolist() == [[[0, 0, 1, 2, 3], [0, 1, 2, 3, 0], [1, 2, 3, 0, 0]]]
