"""SST-1 as trees: the sentences of the treebank's files in lower case, with marks where inner nodes begin and end."""

import re
from dataclasses import replace

import pytest

from retable.corpora import corpus
from retable.errors import InputError
from retable.text.clean.cleaning import clean_text
from retable.text.trees import BEGIN, END, MARKS, is_tree

TREES = {
    "train.txt": "(4 (3 (2 A) (3 Great)) (2 film))\n(1 (2 so))\n",
    "dev.txt": "(2 (2 A)  (2 (2 (2 film)) (2 .)) )\n",  # spaces and a node of one child, as in the files
    "test.txt": "(0 (2 2\xa01\\/2) (1 -LRB-))\n",
}
TEXTS = {"train": (0, 1, 0, 0, 1), "dev": (0, 0, 1, 0, 0), "test": (1, 0, 0, 0, 0)}


@pytest.fixture
def written(tmp_path):
    """Write the files of a small treebank; return its declaration and its folder."""
    for file, content in TREES.items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    return replace(corpus("sst-1-trees"), texts=TEXTS), tmp_path


def test_a_text_is_its_tree_and_its_label_the_grade_of_the_root(written):
    small, folder = written
    assert [tuple(example) for example in small.examples(folder)] == [
        ("sst-1-trees/train/0", "train", f"{BEGIN} {BEGIN} a great {END} film {END}", "very positive"),
        ("sst-1-trees/train/1", "train", "so", "negative"),
        ("sst-1-trees/dev/0", "dev", f"{BEGIN} a {BEGIN} film . {END} {END}", "neutral"),
        ("sst-1-trees/test/0", "test", f"{BEGIN} 21\\/2 -lrb- {END}", "very negative"),
    ]


@pytest.mark.parametrize(
    ("tree", "wrong"),
    [
        ("(2 (2 a) (2 dull) (2 film))", "a node has 3 children"),
        ("(2 (2 a) (2 film)", "the root has no end"),
        ("(2 a) (3 film)", "the root ends before the line"),
        ("(2 (5 a) (2 film))", 'a node has the grade "5"'),
        ("(2 (2 ) (2 film))", "a node has no word"),
    ],
)
def test_a_broken_tree_is_refused_with_its_line_and_what_is_wrong(written, tree, wrong):
    small, folder = written
    (folder / "train.txt").write_text(f"(2 a)\n{tree}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"train\.txt, line 2: {re.escape(wrong)}; a tree is one node"):
        list(small.examples(folder))


def test_every_text_is_a_tree_after_cleaning_over_words_without_marks(read_corpus):
    for example in read_corpus("sst-1-trees"):
        assert clean_text(example.text, markup=False) == example.text
        tokens = example.text.split()
        assert is_tree(1 + MARKS.index(token) if token in MARKS else 0 for token in tokens), example.id
        assert not any(mark in token for mark in MARKS for token in tokens if token not in MARKS)


def test_nearly_every_sentence_of_sst_1_is_there_with_its_letters_and_grade(read_corpus):
    trees, sentences = (letters(read_corpus(name)) for name in ("sst-1-trees", "sst-1"))
    assert len(trees & sentences) / len(sentences) > 0.95


def letters(examples):
    return {(example.split, re.sub(r"[\W_]", "", example.text), example.label) for example in examples}
