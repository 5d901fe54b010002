"""Graphs of texts: nodes, edges, and what is gathered along edges."""

import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.text_graph import TextGraph, graph_of_texts, largest_of_groups, sum_of_edges, sum_of_nodes


def pairs_of(graph: TextGraph) -> list[tuple[int, int, int]]:
    """Return the edges as text, source word, target word."""
    texts, sources, targets = graph.texts[graph.targets], graph.words[graph.sources], graph.words[graph.targets]
    assert texts.equal(graph.texts[graph.sources])
    return list(zip(texts.tolist(), sources.tolist(), targets.tolist(), strict=True))


def test_graph_of_two_texts_by_hand():
    """Texts 7 5 7 9, and 5 alone with padding that repeats words."""
    words, mask = tensor([[7, 5, 7, 9], [5, 5, 9, 7]]), tensor([[True] * 4, [True, False, False, False]])
    graph = graph_of_texts(words, mask, reach=1, loops=True)
    assert graph.words.tolist() == [5, 7, 9, 5]
    assert graph.texts.tolist() == [0, 0, 0, 1]
    loops = {(0, 5, 5), (0, 7, 7), (0, 9, 9), (1, 5, 5)}
    others = {(0, 7, 5), (0, 5, 7), (0, 9, 7), (0, 7, 9)}
    assert sorted(pairs_of(graph)) == sorted(loops | others)
    assert set(pairs_of(graph_of_texts(words, mask, reach=1, loops=False))) == others
    assert set(pairs_of(graph_of_texts(words, mask, reach=0, loops=True))) == loops


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("reach", [1, 2, 5, 20])
def test_edges_are_those_of_a_loop_over_pairs_of_places(reach, loops):
    torch.manual_seed(4)
    words, lengths = torch.randint(1, 6, (6, 9)), [9, 1, 2, 5, 8, 3]
    graph = graph_of_texts(words, torch.arange(9) < tensor(lengths).unsqueeze(1), reach=reach, loops=loops)
    slow = set()
    for text, length in enumerate(lengths):
        for i in range(length):
            for j in range(length):
                a, b = words[text, i].item(), words[text, j].item()
                if abs(i - j) <= reach and (a != b or loops):
                    slow.add((text, a, b))
    assert sorted(pairs_of(graph)) == sorted(slow)
    assert graph.targets.equal(graph.targets.sort().values)
    nodes = sorted({(text, word) for text, n in enumerate(lengths) for word in words[text, :n].tolist()})
    assert list(zip(graph.texts.tolist(), graph.words.tolist(), strict=True)) == nodes


def test_sums_by_hand():
    """Edges 0 -> 1 with weight 2, 1 -> 1 with weight 3, 1 -> 2 with weight 5; node 2 is alone in text 2."""
    graph = TextGraph(tensor([4, 5, 4]), tensor([0, 0, 2]), sources=tensor([0, 1, 1]), targets=tensor([1, 1, 2]))
    x = tensor([[1.0, -1.0], [10.0, 0.0], [7.0, 7.0]])
    summed = sum_of_edges(x, tensor([2.0, 3.0, 5.0]), graph)
    assert summed.tolist() == [[0.0, 0.0], [32.0, -2.0], [50.0, 0.0]]
    assert sum_of_nodes(x, graph, 3).tolist() == [[11.0, -1.0], [0.0, 0.0], [7.0, 7.0]]


def test_largest_values_and_their_gradients_by_hand():
    """A maximum below zero is kept; only its row has the gradient."""
    x = tensor([[-3.0, 1.0], [-2.0, 4.0], [5.0, -1.0]], dtype=torch.float64, requires_grad=True)
    largest = largest_of_groups(x, tensor([0, 0, 1]), 2)
    assert largest.tolist() == [[-2.0, 4.0], [5.0, -1.0]]
    (largest * tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert_close(x.grad, tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]], dtype=torch.float64))
