"""Text-level GNN: each word takes the largest of its weighted neighbours; the weights of edges are shared by all texts.

Source     Huang, Ma, Li, Zhang, Wang, "Text Level Graph Neural Network for Text Classification", EMNLP 2019, section 2,
           eq. 1-5; the authors' code, mojave-pku/TextLevelGCN. From the code and a note that repeats its equations in
           this order, not checked against the paper.
Equations  nodes N = {r_i}; edges E = {e_ij}, j from i - p to i + p (eq. 1, 2); M_n = max_a e_an r_a, elementwise over
           n's neighbours a (eq. 3); r'_n = (1 - eta_n) M_n + eta_n r_n (eq. 4); scores W relu(sum_n r'_n) + b (eq. 5).
Reading    a word that occurs twice in a text is one node, with the neighbours of both places, itself included (eq. 2,
           the code). e_an and e_na are two numbers, initially 1. eta_n is the sigmoid of one number per word, initially
           0; that line of the code is commented out, which leaves M_n alone.
Departure  eq. 5 has ReLU after the dense layer, where a class scoring below zero learns nothing; here, as in the code,
           before it. A pair rarer than k in training shares the paper's "public" edge (in the code, one without
           positive PMI). A network does not know how often pairs occur: a pair's weight is that of its hash, rare or
           not; the public edge is for pairs with the unknown word or with one that no training text has. Such words
           share its eta. L2 under Adam takes the weights of hashes that training does not meet from 1 to nearly 0 in
           two thousand steps; in the code such pairs are public.
Shapes     B texts, T words (padded on the right), D vector size, N nodes and E edges of all texts, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.hashing import MULTIPLIER, hashed_rows
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Share
from retable.layers.text_graph import graph_of_texts, largest_of_groups, sum_of_nodes
from retable.text.vocabulary import UNKNOWN

PUBLIC = 0  # the edge of rare pairs


def edges_of_pairs(sources: Tensor, targets: Tensor, buckets: int) -> Tensor:
    """Return the edge, PUBLIC or 1 to buckets, of each ordered pair of word numbers, int64 (E,)."""
    hashes = sources.mul(MULTIPLIER).add_(targets).mul_(MULTIPLIER)
    rare = (sources == UNKNOWN) | (targets == UNKNOWN)
    return hashed_rows(hashes, buckets).masked_fill_(rare, PUBLIC)


class TextLevelGNN(Network):
    """Message passing on one graph per text.

    Args:
        embedding: the word vectors r.
        classes: number of classes.
        reach: neighbours of a word on each side, p.
        buckets: edge weights that word pairs share by hash, in addition to the public one.
        dropout: dropout rate on the text vector, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        reach: CountOrZero = 3,
        buckets: Count = 1_000_000,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding, self.reach = embedding, reach
        self.known = len(embedding.table)  # rows of words in training
        self.edges = nn.Parameter(torch.ones(1 + buckets))
        self.kept = nn.Parameter(torch.zeros(self.known))  # eta before its sigmoid
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(embedding.dim, classes)  # W, b

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        graph = graph_of_texts(words, mask, reach=self.reach, loops=True)  # eq. 1, 2
        r = self.embedding(graph.words.unsqueeze(0)).squeeze(0)  # (N, D)
        known = graph.words.masked_fill(graph.words >= self.known, UNKNOWN)
        pairs = edges_of_pairs(known[graph.sources], known[graph.targets], len(self.edges) - 1)
        weights = self.edges.index_select(0, pairs).unsqueeze(1)  # e_an, (E, 1)
        messages = largest_of_groups(weights * r.index_select(0, graph.sources), graph.targets, len(r))  # eq. 3, M
        eta = torch.sigmoid(self.kept.index_select(0, known)).unsqueeze(1)
        nodes = (1 - eta) * messages + eta * r  # eq. 4, r', (N, D)
        logits: Tensor = self.output(self.dropout(F.relu(sum_of_nodes(nodes, graph, len(words)))))  # eq. 5
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add, if no word repeats: D per edge, 2 D per word (eq. 4); D C per text."""
        apart = range(1, self.reach + 1)
        edges = words_per_text + 2 * sum(max(words_per_text - distance, 0) for distance in apart)
        of_text = (edges + 2 * words_per_text) * self.embedding.dim + self.output.weight.numel()
        return 2 * of_text / words_per_text
