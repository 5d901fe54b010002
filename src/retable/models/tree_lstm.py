"""Tree-LSTM: the states of two neighbouring nodes are composed to that of their parent, up to one of the whole text.

Source     Tai, Socher and Manning, "Improved Semantic Representations From Tree-Structured Long Short-Term Memory
           Networks", ACL 2015: child-sum (eq. 2-8) and N-ary (eq. 9-14, here of two children), from the authors' code,
           stanfordnlp/treelstm (models/, sentiment/), which was read; not checked against the paper.
Equations  binary: [i o u f_l f_r] = U [h_l; h_r] + b (eq. 9-12), c = i * u + f_l * c_l + f_r * c_r (eq. 13),
           h = o * tanh(c) (eq. 14), with a sigmoid on gates and tanh on u. sum: [i o u] = U (h_l + h_r) + b, f_k = U_f
           h_k + b_f for each child (eq. 2-8). A leaf: c = W x + b, h = sigmoid(W_o x + b_o) * tanh(c). scores = W_s
           h_root + b_s.
Reading    the code's binary leaf has neither input gate nor update, and its inner nodes read no word. `sum` takes this
           leaf too, where the code's child-sum tree is one of dependencies, with a word in every node.
Departure  the paper's trees are a parser's, which add information to the text; one corpus here has such trees,
           sst-1-trees, whose marks in the text `given` follows. All others depend only on the number of words: balanced
           (nodes paired from the left, level by level; a last one without a neighbour moves up unchanged), left or
           right (a chain from the first or the last word). Shi, Zhou, Chen and Li, "On Tree-Based Neural Sentence
           Modeling", EMNLP 2018, found such trees as good (from memory). The paper learns the label of every phrase of
           SST, this model that of the text, whatever the tree; the same optimiser tunes the words, without L2 (the
           code's SGD at 0.1, without it too).
Shapes     B texts, T words (padded on the right; marks among them), M nodes of a level, D vector size, H states, C
           classes.
"""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import first_weights
from retable.layers.network import Given, Network
from retable.layers.options import Count, Share
from retable.layers.products import Linear
from retable.layers.recurrent import in_order, turned_round
from retable.text.trees import BEGINS, ENDS, WORD

Tree = Literal["balanced", "left", "right", "given"]
Composition = Literal["binary", "sum"]
Node = tuple[Tensor, Tensor]  # h and c


class TreeLSTM(Network):
    """A binary tree over the words of a text, and a linear layer on its root.

    Args:
        embedding: the word vectors x.
        classes: number of classes.
        tree: which words are composed first: balanced, left, right, given (by marks in the text, which `nodes` tells).
        composition: of two children: binary (weights for each side), sum (shared weights).
        hidden: states of a node, H.
        dropout: dropout rate on the root, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        tree: Tree = "balanced",
        composition: Composition = "binary",
        hidden: Count = 150,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding, self.tree, self.reads = embedding, tree, self.reads_with({"tree": tree})
        self.leaf = Linear(embedding.dim, 2 * hidden)  # W, W_o
        if composition == "binary":
            self.of_both, self.of_each = Linear(2 * hidden, 5 * hidden), None  # U
        else:
            self.of_both, self.of_each = Linear(hidden, 3 * hidden), Linear(hidden, hidden)  # U, U_f
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)  # W_s, b_s
        first_weights(self)

    @classmethod
    def reads_with(cls, options: Mapping[str, Any]) -> tuple[Given, ...]:
        """Return what a network with these options reads: nodes if it composes along given trees."""
        return ("nodes",) if options.get("tree") == "given" else ()

    def forward(self, words: Tensor, mask: Tensor, nodes: Tensor | None = None) -> Tensor:
        """Map words (B, T), their mask and, for given trees, their kinds to logits (B, C)."""
        if self.tree == "given":
            assert nodes is not None
            root = self.root_of_nodes(words, mask, nodes)
        elif self.tree == "balanced":
            root = self.root_of_levels(self.leaves(words), mask)
        else:
            root = self.root_of_chain(self.leaves(words), mask)
        logits: Tensor = self.output(self.dropout(root))
        return logits

    def leaves(self, words: Tensor) -> Node:
        """Return h and c (B, T, H) of words (B, T)."""
        c, o = self.leaf(self.embedding(words)).chunk(2, dim=2)
        return torch.sigmoid(o) * torch.tanh(c), c

    def root_of_nodes(self, words: Tensor, mask: Tensor, nodes: Tensor) -> Tensor:
        """Compose the children of every given node, all nodes of a depth at once, the deepest first, to roots (B, H).

        At a depth, in the order of the texts, every two neighbours are the children of one node, a depth higher.
        """
        depth = ((nodes == BEGINS).int() - (nodes == ENDS).int()).cumsum(dim=1)  # nodes that are open, (B, T)
        whole = mask & (nodes != BEGINS)  # every node once: a leaf is its word, an inner node its end
        depth, order = depth[whole].sort(stable=True)
        words, is_leaf = words[whole][order], (nodes[whole] == WORD)[order]
        h, c = (states.squeeze(0) for states in self.leaves(words[is_leaf].unsqueeze(0)))
        counts = depth.bincount().tolist()
        of_leaves = depth[is_leaf].bincount(minlength=len(counts)).tolist()
        *upper, (_, h, c) = zip(is_leaf.split(counts), h.split(of_leaves), c.split(of_leaves), strict=True)
        for is_leaf, *leaves in reversed(upper):
            parents = self.composed((h[::2], c[::2]), (h[1::2], c[1::2]))
            place = torch.where(is_leaf, len(parents[0]) + is_leaf.cumsum(dim=0), (~is_leaf).cumsum(dim=0)) - 1
            h, c = (torch.cat(states).index_select(0, place) for states in zip(parents, leaves, strict=True))
        return h

    def root_of_levels(self, leaves: Node, mask: Tensor) -> Tensor:
        """Compose neighbours (B, M, H), level by level, to the roots of balanced trees (B, H)."""
        h, c = leaves
        while h.shape[1] > 1:
            pairs = h.shape[1] // 2
            parents = self.composed((h[:, 0 : 2 * pairs : 2], c[:, 0 : 2 * pairs : 2]), (h[:, 1::2], c[:, 1::2]))
            both = mask[:, 1::2].unsqueeze(2)  # padding is no right child
            upper = [
                torch.cat((torch.where(both, new, old[:, 0 : 2 * pairs : 2]), old[:, 2 * pairs :]), dim=1)
                for new, old in zip(parents, (h, c), strict=True)
            ]
            h, c, mask = upper[0], upper[1], mask[:, ::2]
        return h[:, 0]

    def root_of_chain(self, leaves: Node, mask: Tensor) -> Tensor:
        """Compose the words (B, T, H) one by one, from the first or from the last, to roots (B, H)."""
        if self.tree == "right":
            turned = turned_round(mask)
            leaves = in_order(leaves[0], turned), in_order(leaves[1], turned)
        steps = [*zip(*(states.unbind(dim=1) for states in leaves), strict=True)]
        h, c = steps[0]
        for leaf, real in zip(steps[1:], mask.unsqueeze(2).unbind(dim=1)[1:], strict=True):
            new_h, new_c = self.composed((h, c), leaf) if self.tree == "left" else self.composed(leaf, (h, c))
            h, c = torch.where(real, new_h, h), torch.where(real, new_c, c)
        return h

    def composed(self, left: Node, right: Node) -> Node:
        """Return h and c (..., H) of the parents of these children."""
        if self.of_each is None:
            i, o, u, f_l, f_r = self.of_both(torch.cat((left[0], right[0]), dim=-1)).chunk(5, dim=-1)  # eq. 9-12
        else:
            i, o, u = self.of_both(left[0] + right[0]).chunk(3, dim=-1)  # eq. 2, 3, 5, 6
            f_l, f_r = self.of_each(left[0]), self.of_each(right[0])  # eq. 4
        c = torch.sigmoid(i) * torch.tanh(u) + torch.sigmoid(f_l) * left[1] + torch.sigmoid(f_r) * right[1]  # eq. 7, 13
        return torch.sigmoid(o) * torch.tanh(c), c  # eq. 8, 14

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: 2 D H per leaf; 10 or 5 H^2 per inner node (T - 1); C H per text.

        Of the words of a text with given nodes two in three are marks.
        """
        of_node = self.of_both.weight.numel() + (0 if self.of_each is None else 2 * self.of_each.weight.numel())
        if self.tree == "given":
            of_nodes = (words_per_text + 2) * self.leaf.weight.numel() + (words_per_text - 1) * of_node
            return 2 * (of_nodes / 3 + self.output.weight.numel()) / words_per_text
        of_text = (words_per_text - 1) * of_node + self.output.weight.numel()
        return 2 * (self.leaf.weight.numel() + of_text / words_per_text)
