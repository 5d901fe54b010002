import numpy as np
import pytest

from retable.errors import InputError
from retable.text.parts.english import english_tokens
from retable.text.trees import BEGIN, BEGINS, END, ENDS, WORD, joined, nodes_of_words
from retable.text.vocabulary import build_vocabulary, count_words, encode
from tests.training.conftest import make_split

TREE = joined("a", joined("dull", "film"))


def test_a_node_is_its_children_between_marks():
    assert TREE.split() == [BEGIN, "a", BEGIN, "dull", "film", END, END]
    split = make_split([TREE, "dull", joined(joined("a", "b"), "c")], [0, 1, 0])
    first, second = [BEGINS, WORD, BEGINS, WORD, WORD, ENDS, ENDS], [BEGINS, BEGINS, WORD, WORD, ENDS, WORD, ENDS]
    assert nodes_of_words(split).tolist() == [*first, WORD, *second]


def test_marks_are_tokens_of_their_own():
    assert english_tokens([TREE]).to_pylist() == [TREE.split()]


@pytest.mark.parametrize(
    "text",
    ["dull film", f"{BEGIN} film {END}", f"{BEGIN} a dull film {END}", f"{BEGIN} a film", f"a film {END}", f"{TREE} .",
     f"{TREE} {TREE}", BEGIN, END, f"{BEGIN} {END}", f"{END} a film {BEGIN}", f"film {END}", f"{BEGIN} {TREE} {END}",
     f"{BEGIN} a {BEGIN} {END} {END}"],
)  # fmt: skip
def test_what_is_no_binary_tree_is_named(text):
    split = make_split([TREE, text], [0, 0])
    with pytest.raises(InputError, match="text made-up/1 of made-up is not a binary tree of words; this network"):
        nodes_of_words(split)


def test_a_slice_of_texts_keeps_its_nodes():
    split = make_split(["word", TREE, joined("dull", "film")], [0, 0, 0])
    split = split.__class__(**{**vars(split), "tokens": split.tokens[1:], "ids": split.ids[1:]})
    assert nodes_of_words(split).tolist() == [BEGINS, WORD, BEGINS, WORD, WORD, ENDS, ENDS, BEGINS, WORD, WORD, ENDS]


def test_a_vocabulary_of_trees_encodes_nodes_and_refuses_to_cut():
    split = make_split([TREE], [0])
    words = count_words(split.tokens, lowercase=True)
    vocabulary = build_vocabulary(words, [], min_count=1, lowercase=True, nodes=True)
    encoded = encode(split, vocabulary)
    assert np.array_equal(encoded.nodes, [1, 0, 1, 0, 0, 2, 2])
    assert encoded.sides is None
    assert encode(split, build_vocabulary({}, [], min_count=1, lowercase=True)).nodes is None
    with pytest.raises(InputError, match=r"max_words is 3; a tree is not cut: set it to 0\."):
        encode(split, vocabulary, max_words=3)
