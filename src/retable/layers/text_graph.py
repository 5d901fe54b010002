"""One graph per text: its distinct words are the nodes, and words near each other are joined by an edge.

Method     the nodes of all texts of a batch are in one list, without padding.
Shapes     B texts, T words (padded on the right), N nodes and E edges of all texts together, D components of a node.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class TextGraph:
    """Hold the nodes of a batch, text by text, and their edges, ordered by target; at most one edge per direction.

    `words` int64 (N,) are the embedding rows and `texts` int64 (N,) the texts of the nodes. `sources` and `targets`,
    int64 (E,), are the nodes that the edges lead from and to.
    """

    words: Tensor
    texts: Tensor
    sources: Tensor
    targets: Tensor


def graph_of_texts(words: Tensor, mask: Tensor, *, reach: int, loops: bool) -> TextGraph:
    """Return the graph in which two words have edges in both directions if they occur near each other anywhere.

    Args:
        words: word numbers, int64, (B, T).
        mask: True on a word, False on padding (on the right), bool, (B, T).
        reach: largest distance between two joined words, in words, from 0.
        loops: whether every node has an edge to itself; if False, none does.
    """
    span = int(words.max()) + 1
    keys = torch.arange(len(words), device=words.device).unsqueeze(1) * span + words  # unique per node
    found, of_words = keys[mask].unique(return_inverse=True)
    count = len(found)
    nodes = torch.zeros_like(words).masked_scatter(mask, of_words)  # (B, T)
    itself = torch.arange(count if loops else 0, device=words.device)
    edges = [itself * count + itself]  # target * N + source
    for distance in range(1, min(reach, words.shape[1] - 1) + 1):
        real = mask[:, distance:]
        former, latter = nodes[:, :-distance][real], nodes[:, distance:][real]
        different = former != latter
        former, latter = former[different], latter[different]
        edges += [latter * count + former, former * count + latter]
    pairs = torch.cat(edges).unique()
    return TextGraph(words=found % span, texts=found // span, sources=pairs % count, targets=pairs // count)


def sum_of_edges(x: Tensor, weights: Tensor, graph: TextGraph) -> Tensor:
    """Return the weighted sum of each node's neighbours, zero without neighbours: (N, D) and weights (E,) to (N, D)."""
    sent = x.index_select(0, graph.sources) * weights.unsqueeze(1)
    return sent.new_zeros(x.shape).index_add(0, graph.targets, sent)


def sum_of_nodes(x: Tensor, graph: TextGraph, texts: int) -> Tensor:
    """Return the sum of each text's nodes, (N, D) to (B, D)."""
    return x.new_zeros(texts, x.shape[1]).index_add(0, graph.texts, x)


def largest_of_groups(x: Tensor, groups: Tensor, count: int) -> Tensor:
    """Return the maximum over the rows of each group.

    Args:
        x: rows, float, (R, D).
        groups: group of each row, int64, (R,), in ascending order; every group has a row.
        count: number of groups.
    Returns: (count, D).
    """
    largest: Tensor = torch.segment_reduce(x, "max", lengths=groups.bincount(minlength=count), axis=0)
    return largest
