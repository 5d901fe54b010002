"""SST-1 as trees: its sentences with the treebank's binary trees, and the grade of the root.

The trees are the authors' later edition, which cuts words at hyphens, in lower case as SST-1 is. A node with one child,
of which there are three, is that child. The grades of inner nodes are not read.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from retable.corpora.readers import broken, identity, lines
from retable.corpora.sst_1 import CORPUS as SENTENCES
from retable.corpora.sst_1 import NAMES
from retable.corpora.sst_1_phrases import OF_TRAIN, PARTS, TREEBANK, nodes
from retable.declaration import Corpus, Defect, Example, github
from retable.text.trees import joined


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the sentences of train, dev and test as trees."""
    for split in corpus.texts:
        path = folder / f"{split}.txt"
        for number, tree in enumerate(lines(path, corpus.encoding)):
            try:
                *_, (_, label) = nodes(tree)  # the root is last
                text = bracketed(tree.lower())
            except ValueError as error:
                broken(
                    path,
                    number,
                    f"{error}; a tree is one node, and a node is a grade, {', '.join(NAMES)}, with a word, a node or "
                    "two of them",
                )
            yield Example(identity(corpus, split, number), split, text, label)


def bracketed(tree: str) -> str:
    """Return the text of a tree in the form of `retable.text.trees`. Raises: ValueError if a node has three children.

    Args:
        tree: a line in which `nodes` finds no mistake.
    """
    begun: list[list[str]] = [[]]  # children of the text, then of each node that has begun
    for part in PARTS.findall(tree):
        if part.startswith("("):
            begun.append([])
        elif part != ")":
            begun[-1].append("".join(part.split()))  # "2 1\/2", with a space inside, is one word
        else:
            children = begun.pop()
            if len(children) > 2:
                raise ValueError(f"a node has {len(children)} children")
            begun[-1].append(joined(*children) if len(children) == 2 else children[0])
    return begun[0][0]


CORPUS = replace(
    SENTENCES,
    name="sst-1-trees",
    title="sentences of SST-1 as the treebank's binary trees",
    texts={
        "train": (1093, 2220, 1606, 2319, 1289),
        "dev": (139, 289, 223, 279, 165),
        "test": (279, 631, 385, 509, 399),
    },
    files=github(
        TREEBANK,
        OF_TRAIN
        | {
            "dev.txt": (281_308, "cbae9a9216577eefbca8edffc202469347801af6dcef7657ebd1ca4bef9593af"),
            "test.txt": (562_251, "2b0efc6bb72fbfc89287689a551a9383d341093da555145570741adb09526c15"),
        },
        mirror="sst_trees",
    ),
    read=read,
    same_texts_as="sst-1",
    pooled=False,
    note="a later edition of the treebank with 8,527, 1,095 and 2,203 of the 8,544, 1,101 and 2,210 sentences, words "
    "cut at hyphens and slashes, so a score is not one on sst-1; two thirds of the tokens are marks, where a node "
    "begins or ends",
    defects=(
        Defect("copies in train", 10, "the treebank itself repeats them; published splits are kept unchanged"),
        Defect("texts in train and test", 1, "the same; it is not clean"),
    ),
)
