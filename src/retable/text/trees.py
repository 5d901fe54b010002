"""A binary tree over the words of a text: a mark where an inner node begins, its two children, a mark where it ends.

A leaf is a bare word. The marks, which no corpus uses, are separate tokens; a network that reads "nodes" also gets the
kind of each token.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow.compute as pc

from retable.errors import InputError
from retable.text.splits import Split
from retable.text.units import offsets_from_zero

BEGIN, END = MARKS = ("␂", "␃")  # U+2402 and U+2403, the pictures of start and end of text
WORD, BEGINS, ENDS = 0, 1, 2  # nodes


def joined(left: str, right: str) -> str:
    """Join two children, words or nodes, to the text of their parent."""
    return f"{BEGIN} {left} {right} {END}"


def nodes_of_words(split: Split) -> np.ndarray:
    """Return the kind of each token of all texts, WORD, BEGINS or ENDS: int32 (word,).

    Raises: InputError if a text is not a binary tree.
    """
    flat = split.tokens.flatten()
    begins, ends = (pc.equal(flat, mark).to_numpy(zero_copy_only=False) for mark in MARKS)
    nodes = np.where(begins, BEGINS, np.where(ends, ENDS, WORD)).astype(np.int32)
    for number, kinds in enumerate(np.split(nodes, offsets_from_zero(split.tokens)[1:-1])):
        if not is_tree(kinds.tolist()):
            raise InputError(
                f"text {split.ids[number]} of {split.facts.corpus} is not a binary tree of words; "
                "this network composes the words of one: choose a corpus of trees, or another model."
            )
    return nodes


def is_tree(kinds: Iterable[int]) -> bool:
    """Return whether tokens of these kinds are one word, or one node of two children that are trees themselves."""
    children = [0]  # of the text, then of each node that has begun
    for kind in kinds:
        if kind == BEGINS:
            children.append(0)
        elif kind == ENDS and (len(children) == 1 or children.pop() != 2):
            return False
        else:
            children[-1] += 1
    return children == [1]
