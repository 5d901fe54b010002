"""TextING: a gated graph network on the words of each text, read out by soft attention, their mean and their maximum.

Source     Zhang, Yu, Cui, Wu, Wen, Wang, "Every Document Owns Its Structure: Inductive Text Classification via Graph
           Neural Networks", ACL 2020, section 2, eq. 1-8, from the authors' code, CRIPAC-DIG/TextING, not checked
           against the published paper.
Equations  a = A h (eq. 1); z = sigmoid(W_z a + U_z h + b_z) (eq. 2); r = sigmoid(W_r a + U_r h + b_r) (eq. 3);
           c = tanh(W_h a + U_h (r * h) + b_h) (eq. 4); h' = z * c + (1 - z) * h (eq. 5), in each step;
           h_v = sigmoid(f_1(h)) * tanh(f_2(h)) (eq. 6); the text is the sum of the mean and the elementwise maximum of
           its h_v (eq. 7); scores = W text + b (eq. 8). `*` is elementwise.
Reading    nodes are the distinct words of a text. Two of them have an edge if one window holds both, no matter how
           often; there are no self-loops. A = D^(-1/2) (edges) D^(-1/2), D the number of neighbours of each word. The
           initial h is tanh(W_e x + b_e) of the word vector x; f_1 gives one number. All this is as in the code.
Departure  as in the code, eq. 1's matrix W_a is left out, as W_z, W_r and W_h follow it at once. A gate has one bias,
           where the code adds two. Batches of 128 texts, where the authors take 4096 texts (all, in their README). Stop
           words and words with fewer than 5 occurrences stay; the source removes them, except on MR and SST.
Shapes     B texts, T words (padded on the right), D vector size, H components of a node, N nodes and E edges of all
           texts, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import first_weights
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.products import Linear
from retable.layers.text_graph import TextGraph, graph_of_texts, largest_of_groups, sum_of_edges, sum_of_nodes


class TextING(Network):
    """Gated graph network on one graph per text.

    Args:
        embedding: the word vectors x.
        classes: number of classes.
        hidden: components of a node, H.
        window: words in a window.
        steps: number of times every node reads its neighbours.
        dropout: dropout rate on the word vectors x, on the edges in each step, and on the text vector, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 96,
        window: Count = 3,
        steps: Count = 2,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding, self.window, self.steps = embedding, window, steps
        self.encoding = Linear(embedding.dim, hidden)  # W_e, b_e
        self.from_neighbours = Linear(hidden, 3 * hidden)  # W_z, W_r, W_h and their biases
        self.from_itself = Linear(hidden, 2 * hidden, bias=False)  # U_z, U_r
        self.from_reset = Linear(hidden, hidden, bias=False)  # U_h
        self.weighing = nn.Linear(hidden, 1)  # f_1
        self.features = Linear(hidden, hidden)  # f_2
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)  # W, b
        first_weights(self)
        for layer in (self.from_neighbours, self.from_itself):  # several matrices in one
            for matrix in layer.weight.detach().split(hidden):
                nn.init.xavier_uniform_(matrix)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        graph = graph_of_texts(words, mask, reach=self.window - 1, loops=False)
        x = self.embedding(graph.words.unsqueeze(0)).squeeze(0)  # (N, D)
        h = torch.tanh(self.encoding(self.dropout(x)))  # (N, H)
        edges = normalised_edges(graph).to(x.dtype)  # A, (E,)
        for _ in range(self.steps):
            h = self.step(h, sum_of_edges(h, self.dropout(edges), graph))  # eq. 1
        logits: Tensor = self.output(self.dropout(self.text_vector(h, graph, len(words))))  # eq. 8
        return logits

    def step(self, h: Tensor, neighbours: Tensor) -> Tensor:
        """Return nodes h (N, H) updated by a (N, H)."""
        update, reset, candidate = self.from_neighbours(neighbours).chunk(3, dim=1)
        own_update, own_reset = self.from_itself(h).chunk(2, dim=1)
        z = torch.sigmoid(update + own_update)  # eq. 2
        r = torch.sigmoid(reset + own_reset)  # eq. 3
        c = torch.tanh(candidate + self.from_reset(r * h))  # eq. 4
        return z * c + (1 - z) * h  # eq. 5

    def text_vector(self, h: Tensor, graph: TextGraph, texts: int) -> Tensor:
        """Map nodes (N, H) to texts (B, H)."""
        read = torch.sigmoid(self.weighing(h)) * torch.tanh(self.features(h))  # eq. 6, (N, H)
        sizes = graph.texts.bincount(minlength=texts).unsqueeze(1)
        return sum_of_nodes(read, graph, texts) / sizes + largest_of_groups(read, graph.texts, texts)  # eq. 7

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add, for texts without repeated words: D H, 6 H^2 per step, H^2 + 2 H
        per word; H per edge and step; H C per text.
        """
        hidden = self.output.in_features
        edges = 2 * sum(max(words_per_text - distance, 0) for distance in range(1, self.window))
        of_word = self.encoding.weight.numel() + self.steps * 6 * hidden**2 + hidden**2 + 2 * hidden
        of_text = words_per_text * of_word + self.steps * edges * hidden + self.output.weight.numel()
        return 2 * of_text / words_per_text


def normalised_edges(graph: TextGraph) -> Tensor:
    """Return the weight of each edge, (E,): 1 over the root of the product of both nodes' numbers of neighbours."""
    neighbours = graph.targets.bincount(minlength=len(graph.words)).to(torch.float64)
    return (neighbours[graph.sources] * neighbours[graph.targets]).rsqrt()
