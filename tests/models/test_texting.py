"""TextING, Zhang et al. 2020."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.layers.text_graph import graph_of_texts
from retable.models.texting import TextING, normalised_edges
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights

HIDDEN = 5
PARAMETERS = DIM * HIDDEN + 6 * HIDDEN**2 + HIDDEN + HIDDEN**2 + HIDDEN * CLASSES  # W_e, gates, f_1, f_2, W
BIASES = HIDDEN + 3 * HIDDEN + 1 + HIDDEN + CLASSES


def multiply_adds(t: int, *, hidden: int, window: int, steps: int) -> float:
    """Count W_e; six matrices per step and the neighbours of each word; f_1, f_2 and their product; the classifier."""
    edges = sum(min(i + window - 1, t - 1) - max(i - window + 1, 0) for i in range(t))
    return (
        t * (DIM * hidden + steps * 6 * hidden**2 + 2 * hidden + hidden**2) + steps * edges * hidden + hidden * CLASSES
    )


def neighbours(words: list[int], window: int) -> dict[int, set[int]]:
    """Return, for each word, the other words that share a window of the text with it."""
    found: dict[int, set[int]] = {word: set() for word in words}
    for start in range(max(1, len(words) - window + 1)):
        held = set(words[start : start + window])
        for word in held:
            found[word] |= held - {word}
    return found


def dropped(*, hidden: int, window: int, steps: int) -> list[tuple[int, ...]]:
    """Return what each dropout acts on: the vectors of all nodes; the edges, in each step; the texts."""
    from tests.models.test_every_model import eight_texts  # which imports this module

    (words, mask, *_), _ = eight_texts(EVERY_MODEL.cases[0])
    graphs = [neighbours(text[real].tolist(), window) for text, real in zip(words, mask, strict=True)]
    nodes, edges = sum(map(len, graphs)), sum(len(near) for graph in graphs for near in graph.values())
    return [(nodes, DIM), *[(edges,)] * steps, texts(hidden)]


EVERY_MODEL = Declared(
    cases=[
        Case("texting", PARAMETERS + BIASES, {"hidden": HIDDEN, "window": 3, "steps": 2}),
        Case("texting", PARAMETERS + BIASES, {"hidden": HIDDEN, "window": 10, "steps": 1}),
    ],
    dropped=dropped,
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"window": 0}, "window is 0; allowed: window >= 1"),
        ({"steps": 0}, "steps is 0; allowed: steps >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> TextING:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(3)
    network = TextING(WordEmbedding(torch.randn(12, 3), tuned=12), 2, **({"hidden": 4} | options))
    return with_random_weights(network.double(), std=0.7)


def slow_step(network: TextING, h: dict[int, Tensor], near: dict[int, set[int]]) -> dict[int, Tensor]:
    """Return the nodes after a step, each from its neighbours, one by one."""
    w_z, w_r, w_h = network.from_neighbours.weight.chunk(3)
    b_z, b_r, b_h = network.from_neighbours.bias.chunk(3)
    u_z, u_r = network.from_itself.weight.chunk(2)
    after = {}
    for v, own in h.items():
        a = torch.zeros_like(own)
        for u in near[v]:
            a = a + h[u] / math.sqrt(len(near[u]) * len(near[v]))
        z = torch.sigmoid(w_z @ a + u_z @ own + b_z)
        r = torch.sigmoid(w_r @ a + u_r @ own + b_r)
        c = torch.tanh(w_h @ a + network.from_reset.weight @ (r * own) + b_h)
        after[v] = c * z + own * (1 - z)
    return after


def slow_logits(network: TextING, words: list[int]) -> Tensor:
    """Return the logits of one unpadded text, node by node from the equations."""
    near = neighbours(words, network.window)
    h = {word: network.encoding(network.embedding(tensor([[word]]))[0, 0]).tanh() for word in near}
    for _ in range(network.steps):
        h = slow_step(network, h, near)
    read = torch.stack([torch.sigmoid(network.weighing(node)) * network.features(node).tanh() for node in h.values()])
    return network.output.weight @ (read.mean(dim=0) + read.amax(dim=0)) + network.output.bias


@pytest.mark.parametrize(("window", "steps"), [(1, 1), (2, 1), (3, 2), (20, 3)])
def test_fast_form_matches_the_equations_node_by_node(window, steps):
    """Check padded texts with arbitrary words in the padding; it fails with loops, and without the degrees."""
    network = small_network(window=window, steps=steps)
    words, lengths = torch.randint(1, 12, (6, 9)), (9, 1, 2, 5, 9, 7)
    logits = network(words, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length].tolist()))


def test_edges_by_hand():
    """7 5 7 9 7 with windows of two: 5 and 9 are next to 7 alone, however often; each edge weighs 1 over root 2."""
    words = tensor([[7, 5, 7, 9, 7]])
    graph = graph_of_texts(words, words > 0, reach=1, loops=False)
    assert_close(normalised_edges(graph), torch.full((4,), math.sqrt(0.5), dtype=torch.float64))


def test_a_step_by_hand():
    """One component, h = 1/2, a = 2; z = 3/4, r = 1/4, so c = tanh(2 - 4 / 8) and h' = 3/4 c + 1/8."""
    network = small_network(hidden=1)
    with torch.no_grad():
        network.from_neighbours.weight.copy_(tensor([[math.log(3)], [0.0], [1.0]]))
        network.from_neighbours.bias.copy_(tensor([0.0, -math.log(3), 0.0]))
        network.from_itself.weight.copy_(tensor([[-2 * math.log(3)], [0.0]]))
        network.from_reset.weight.fill_(-4.0)
    h = network.step(tensor([[0.5]], dtype=torch.float64), tensor([[2.0]], dtype=torch.float64))
    assert h.item() == pytest.approx(3 / 4 * math.tanh(1.5) + 1 / 4 * 0.5)


def test_a_text_is_the_mean_and_the_maximum_of_its_nodes_by_hand():
    """Nodes with f_1 = 0 count half: tanh of their own numbers."""
    network, words = small_network(hidden=2), tensor([[2, 3, 2], [4, 0, 0]])
    with torch.no_grad():
        nn.init.zeros_(network.weighing.weight)
        nn.init.zeros_(network.weighing.bias)
        nn.init.eye_(network.features.weight)
        nn.init.zeros_(network.features.bias)
    h = tensor([[1.0, -1.0], [3.0, -2.0], [-0.5, 0.25]], dtype=torch.float64)
    text = network.text_vector(h, graph_of_texts(words, words > 0, reach=2, loops=False), 2)
    t = math.tanh
    expected = [[(t(1) + t(3)) / 4 + t(3) / 2, -(t(1) + t(2)) / 4 - t(1) / 2], [-t(0.5), t(0.25)]]
    assert_close(text, tensor(expected, dtype=torch.float64))


def test_closed_update_gates_leave_the_words_alone():
    """z = 0: the encoded words are read out, and the neighbours have no effect."""
    network = small_network()
    with torch.no_grad():
        network.from_neighbours.bias[:4] = -1e6
    one, other = tensor([[2, 3, 4, 5, 6]]), tensor([[6, 2, 5, 3, 4]])
    logits = network(one, one > 0)
    assert_close(logits, network(other, other > 0))
    h = network.encoding(network.embedding(one)[0]).tanh()
    read = torch.sigmoid(network.weighing(h)) * network.features(h).tanh()
    assert_close(logits[0], network.output(read.mean(dim=0) + read.amax(dim=0)))


def test_a_step_carries_a_word_one_neighbour_further():
    """In windows of two, the last of four words reaches the first node in three steps, not in two."""
    words, changed = tensor([[2, 3, 4, 5]]), tensor([[2, 3, 4, 6]])
    for steps, reached in ((2, False), (3, True)):
        network, first = small_network(window=2, steps=steps), []
        network.text_vector = lambda h, *_, first=first: first.append(h[0]) or h[:1]
        for text in (words, changed):
            network(text, text > 0)
        assert first[0].equal(first[1]) is not reached


def test_first_weights_are_glorots_matrix_by_matrix_and_biases_zero():
    torch.manual_seed(1)
    network = TextING(WordEmbedding(torch.ones(4, 3), tuned=4), 2, hidden=40)
    bound = math.sqrt(6 / 80)
    for matrix in (*network.from_neighbours.weight.chunk(3), *network.from_itself.weight.chunk(2)):
        assert 0.9 * bound < matrix.abs().max() <= bound
    assert not any(bias.any() for name, bias in network.named_parameters() if name.endswith("bias"))
