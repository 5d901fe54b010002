"""Tree-LSTM, Tai, Socher and Manning 2015."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.tree_lstm import TreeLSTM
from retable.text.trees import BEGINS, ENDS, WORD
from tests.models.declared import CLASSES, DIM, Case, Declared, random_tree, texts, with_random_weights

H = 5
LEAF, OUTPUT = 2 * (DIM * H + H), H * CLASSES + CLASSES
BINARY, SUM = 5 * (2 * H * H + H), 4 * (H * H + H)


def multiply_adds(t: int, *, composition: str, hidden: int, tree: str) -> float:
    """Count c and o of a leaf; five gates of two children, or three of their sum and one of each; the classifier.

    A given tree of n words has n - 1 inner nodes with two marks each, so t = 3 n - 2.
    """
    gates = 5 * 2 * hidden**2 if composition == "binary" else 3 * hidden**2 + 2 * hidden**2
    if tree == "given":
        return ((t + 2) * 2 * DIM * hidden + (t - 1) * gates) / 3 + hidden * CLASSES
    return t * 2 * DIM * hidden + (t - 1) * gates + hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("tree-lstm", LEAF + BINARY + OUTPUT, {"tree": "balanced", "composition": "binary", "hidden": H}),
        Case("tree-lstm", LEAF + SUM + OUTPUT, {"tree": "balanced", "composition": "sum", "hidden": H}),
        Case("tree-lstm", LEAF + BINARY + OUTPUT, {"tree": "left", "composition": "binary", "hidden": H}),
        Case("tree-lstm", LEAF + SUM + OUTPUT, {"tree": "right", "composition": "sum", "hidden": H}),
        Case("tree-lstm", LEAF + BINARY + OUTPUT, {"tree": "given", "composition": "binary", "hidden": H}),
        Case("tree-lstm", LEAF + SUM + OUTPUT, {"tree": "given", "composition": "sum", "hidden": H}),
    ],
    dropped=lambda hidden, **_: [texts(hidden)],
    multiply_adds=multiply_adds,
    refused=[
        ({"tree": "parsed"}, 'tree is "parsed"; allowed: balanced, left, right, given'),
        ({"composition": "ternary"}, 'composition is "ternary"; allowed: binary, sum'),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> TreeLSTM:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(4)
    network = TreeLSTM(WordEmbedding(torch.randn(12, 3), tuned=12), 2, **({"hidden": 4} | options))
    return with_random_weights(network.double(), std=0.7)


def tree_of(words: list[int], kind: str):
    """Return the tree of a text as nested pairs, with each word as its number."""
    if kind == "balanced":
        nodes: list = list(words)
        while len(nodes) > 1:
            nodes = [tuple(nodes[place : place + 2]) for place in range(0, len(nodes), 2)]
            nodes = [node[0] if len(node) == 1 else node for node in nodes]
        return nodes[0]
    if len(words) == 1:
        return words[0]
    if kind == "left":
        return tree_of(words[:-1], kind), words[-1]
    return words[0], tree_of(words[1:], kind)


def slow_node(network: TreeLSTM, tree) -> tuple[Tensor, Tensor]:
    """Return h and c of a node, from those of its children, gate by gate."""
    if isinstance(tree, int):
        x = network.embedding(tensor([[tree]]))[0, 0]
        w, w_o = network.leaf.weight.chunk(2)
        b, b_o = network.leaf.bias.chunk(2)
        c = w @ x + b
        return torch.sigmoid(w_o @ x + b_o) * c.tanh(), c
    (h_l, c_l), (h_r, c_r) = (slow_node(network, child) for child in tree)
    weights, biases = network.of_both.weight, network.of_both.bias
    if network.of_each is None:
        i, o, u, f_l, f_r = (
            w[:, : len(h_l)] @ h_l + w[:, len(h_l) :] @ h_r + b
            for w, b in zip(weights.chunk(5), biases.chunk(5), strict=True)
        )
    else:
        i, o, u = (w @ h_l + w @ h_r + b for w, b in zip(weights.chunk(3), biases.chunk(3), strict=True))
        f_l, f_r = (network.of_each.weight @ h + network.of_each.bias for h in (h_l, h_r))
    c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
    return o.sigmoid() * c.tanh(), c


@pytest.mark.parametrize("composition", ["binary", "sum"])
@pytest.mark.parametrize("tree", ["balanced", "left", "right"])
def test_fast_form_matches_the_equations_node_by_node(tree, composition):
    """Check padded texts with arbitrary words in the padding; it fails with swapped children, and without the mask."""
    network = small_network(tree=tree, composition=composition)
    words, lengths = torch.randint(1, 12, (9, 11)), (11, 1, 2, 3, 4, 5, 6, 7, 9)
    logits = network(words, torch.arange(11) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        root, _ = slow_node(network, tree_of(words[text, :length].tolist(), tree))
        assert_close(logits[text], network.output.weight @ root + network.output.bias)


def test_trees_of_five_words():
    assert tree_of([1, 2, 3, 4, 5], "balanced") == (((1, 2), (3, 4)), 5)
    assert tree_of([1, 2, 3, 4], "left") == (((1, 2), 3), 4)
    assert tree_of([1, 2, 3, 4], "right") == (1, (2, (3, 4)))


@pytest.mark.parametrize("composition", ["binary", "sum"])
def test_a_parent_by_hand(composition):
    """One state; children h 1/2 and -1, c 2 and 3. i = 1/2, u = tanh(1), o = 3/4; f_l = 1/4, f_r = 1/2 if sides have
    their own weights; if they share them f_k = sigmoid(-h_k ln 9), so 1/4 and 9/10.
    """
    network, ln3 = small_network(hidden=1, composition=composition), math.log(3)
    with torch.no_grad():
        if composition == "binary":  # of h_l = 1/2 and h_r = -1: gates i, o, u, f_l, f_r
            network.of_both.weight.copy_(tensor([[2.0, 1.0], [2 * ln3, 0], [0, -1.0], [0, ln3], [0, 0]]))
            nn.init.zeros_(network.of_both.bias)
            f_l, f_r = 1 / 4, 1 / 2
        else:  # of the sum, -1/2
            network.of_both.weight.copy_(tensor([[0.0], [-2 * ln3], [-2.0]]))
            nn.init.zeros_(network.of_both.bias)
            nn.init.constant_(network.of_each.weight, -2 * ln3)
            nn.init.zeros_(network.of_each.bias)
            f_l, f_r = 1 / 4, 9 / 10
    left, right = ((tensor([[h]]).double(), tensor([[c]]).double()) for h, c in ((0.5, 2.0), (-1.0, 3.0)))
    h, c = network.composed(left, right)
    expected = 0.5 * math.tanh(1) + f_l * 2 + f_r * 3
    assert c.item() == pytest.approx(expected)
    assert h.item() == pytest.approx(0.75 * math.tanh(expected))


def test_a_text_of_one_word_is_its_leaf():
    """Whatever the tree."""
    words, found = tensor([[7, 3, 2]]), []
    for tree in ("balanced", "left", "right"):
        found.append(small_network(tree=tree)(words, tensor([[True, False, False]])))
    assert_close(found[0], found[1])
    assert_close(found[0], found[2])


def test_shared_weights_do_not_see_which_child_is_left_and_others_do():
    one, other = tensor([[2, 3]]), tensor([[3, 2]])
    for composition, same in (("sum", True), ("binary", False)):
        network = small_network(composition=composition)
        assert torch.allclose(network(one, one > 0), network(other, other > 0)) is same


def nested(words: list[int], kinds: list[int]):
    """Return the tree that marks give as nested pairs, by recursion from the left."""

    def tree_from(place: int):
        if kinds[place] == WORD:
            return words[place], place + 1
        assert kinds[place] == BEGINS
        left, place = tree_from(place + 1)
        right, place = tree_from(place)
        assert kinds[place] == ENDS
        return (left, right), place + 1

    tree, end = tree_from(0)
    assert end == len(words)
    return tree


def padded_trees(*sizes: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return words, mask and nodes of random trees over these numbers of words, with other words in the padding."""
    trees = [random_tree(size) for size in sizes]
    width = max(map(len, trees)) + 2
    nodes = tensor([[*tree, *[WORD] * (width - len(tree))] for tree in trees])
    mask = torch.arange(width) < tensor([len(tree) for tree in trees]).unsqueeze(1)
    return torch.randint(1, 12, nodes.shape), mask, nodes


def test_nested_pairs_of_a_tree_with_marks():
    kinds = [BEGINS, BEGINS, WORD, WORD, ENDS, BEGINS, WORD, BEGINS, WORD, WORD, ENDS, ENDS, ENDS]
    assert nested([0, 0, 1, 2, 0, 0, 3, 0, 4, 5, 0, 0, 0], kinds) == ((1, 2), (3, (4, 5)))


@pytest.mark.parametrize("composition", ["binary", "sum"])
def test_given_trees_match_the_equations_node_by_node(composition):
    """Check texts of all depths in one batch, one of a single word; it fails with swapped children."""
    network = small_network(tree="given", composition=composition)
    for _ in range(10):
        words, mask, nodes = padded_trees(9, 1, 2, 3, 4, 14, 5, 6, 9)
        logits = network(words, mask, nodes)
        for text, length in enumerate(mask.sum(dim=1).tolist()):
            tree = nested(words[text, :length].tolist(), nodes[text, :length].tolist())
            root, _ = slow_node(network, tree)
            assert_close(logits[text], network.output.weight @ root + network.output.bias)


@pytest.mark.parametrize("tree", ["balanced", "left", "right"])
def test_a_given_tree_of_another_kind_has_its_logits(tree):
    given, other = small_network(tree="given"), small_network(tree=tree)
    for size in (1, 2, 3, 8):
        words = torch.randint(1, 12, (size,)).tolist()
        marked = bracketed(tree_of(words, tree))
        found = given(*(tensor([row]) for row in zip(*marked, strict=True)))
        assert_close(found, other(tensor([words]), torch.ones(1, size, dtype=torch.bool)))


def bracketed(tree) -> list[tuple[int, bool, int]]:
    """Return token, mask and kind of the tokens of nested pairs."""
    if isinstance(tree, int):
        return [(tree, True, WORD)]
    left, right = tree
    return [(1, True, BEGINS), *bracketed(left), *bracketed(right), (1, True, ENDS)]


def test_marks_are_no_leaves():
    """Other vectors of the marks change nothing, and get no gradient; those of the words do."""
    network = small_network(tree="given")
    words, mask, nodes = padded_trees(7, 4)
    marks = nodes != WORD
    words = torch.where(marks, 11, words.clamp(max=10))
    logits = network(words, mask, nodes)
    logits.sum().backward()
    gradient = network.embedding.tuned.grad
    assert not gradient[11].any()
    assert gradient[words[mask & ~marks].unique()].any(dim=1).all()
    assert logits.equal(network(torch.where(marks, 3, words), mask, nodes))


def test_only_a_network_of_given_trees_reads_nodes():
    assert small_network(tree="given").reads == TreeLSTM.reads_with({"tree": "given"}) == ("nodes",)
    assert small_network().reads == TreeLSTM.reads_with({"tree": "balanced"}) == TreeLSTM.reads == ()


def test_a_root_by_hand():
    """One state, all weights 0 but W = 1 and the biases. "a (b c)" with x = 1, 2, 3 has c = x and h = tanh(c) / 2 in
    its leaves. A node has i = 1/2, u = 1, f_l = 1/4, f_r = 1/2 and o = 3/4, from its biases, so c of (b c) is
    1/2 + 2/4 + 3/2 = 5/2, that of the root 1/2 + 1/4 + 5/4 = 2, and h of the root 3/4 tanh(2).
    """
    network = TreeLSTM(WordEmbedding(tensor([[0.0], [1.0], [2.0], [3.0]]), tuned=0), 2, tree="given", hidden=1).eval()
    ln3 = math.log(3)
    with torch.no_grad():
        for parameter in network.parameters():
            nn.init.zeros_(parameter)
        network.leaf.weight[0] = 1.0
        network.of_both.bias.copy_(tensor([0.0, ln3, 20.0, -ln3, 0.0]))  # i, o, u, f_l, f_r
        network.output.weight[1] = 1.0
    nodes = tensor([[BEGINS, WORD, BEGINS, WORD, WORD, ENDS, ENDS]])
    logits = network(tensor([[1, 1, 1, 2, 3, 1, 1]]), nodes >= 0, nodes)
    assert_close(logits, tensor([[0.0, 0.75 * math.tanh(2)]]))
