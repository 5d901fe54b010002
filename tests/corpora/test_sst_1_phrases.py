"""SST-1 with phrases: the nodes of trees below their roots follow the training sentences; dev and test are SST-1's."""

import re
from dataclasses import replace

import pytest

from retable.corpora import corpus
from retable.errors import InputError

TREES = """\
(4 (3 (2 A) (3 Great)) (2 film))
(1 (2 (2 a) (0 great)) (1 (2 so) (1 so)))
"""
FILES = {
    "stsa.fine.train": "4 a great film\n1 a great so-so\n",
    "stsa.fine.dev": "2 a film .\n",
    "stsa.fine.test": "0 no film .\n",
    "train.txt": TREES,
}
TEXTS = {"train": (1, 3, 4, 2, 1), "dev": (0, 0, 1, 0, 0), "test": (1, 0, 0, 0, 0)}


@pytest.fixture
def written(tmp_path):
    """Write the files of a small treebank; return its declaration and its folder."""
    for file, content in FILES.items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    return replace(corpus("sst-1-phrases"), texts=TEXTS), tmp_path


def test_phrases_follow_the_sentences_in_lower_case_each_once_with_each_of_its_grades(written):
    small, folder = written
    of_train = [(text, label) for _, split, text, label in small.examples(folder) if split == "train"]
    assert of_train == [
        ("a great film", "very positive"), ("a great so-so", "negative"),  # no root of a tree
        ("a", "neutral"), ("great", "positive"), ("a great", "positive"), ("film", "neutral"),
        ("great", "very negative"), ("a great", "neutral"), ("so", "neutral"), ("so", "negative"),
        ("so so", "negative"),
    ]  # fmt: skip
    ids = [example.id for example in small.examples(folder)]
    assert ids[:11] == [f"sst-1-phrases/train/{number}" for number in range(11)]
    assert ids[11:] == ["sst-1-phrases/dev/0", "sst-1-phrases/test/0"]


@pytest.mark.parametrize(
    ("tree", "wrong"),
    [
        ("(2 (2 a) (2 film)", "the root has no end"),
        ("", "the root has no end"),
        ("(2 a))", "the root ends before the line"),
        ("(2 a) (3 film)", "the root ends before the line"),
        ("a (2 film)", '"a" is in no node'),
        ("(2 (5 a) (2 film))", 'a node has the grade "5"'),
        ("(2 (a) (2 film))", 'a node has the grade "a"'),
        ("(2 (2 ) (2 film))", "a node has no word"),
    ],
)
def test_a_broken_tree_is_refused_with_its_line_and_what_is_wrong(written, tree, wrong):
    small, folder = written
    (folder / "train.txt").write_text(f"(2 a)\n{tree}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"train\.txt, line 2: {re.escape(wrong)}; a tree is one node"):
        list(small.examples(folder))


def test_dev_test_and_all_sentences_are_those_of_sst_1(read_corpus):
    sentences, phrases = read_corpus("sst-1"), read_corpus("sst-1-phrases")
    for split in ("dev", "test"):
        assert texts(phrases, split) == texts(sentences, split)
    assert texts(phrases, "train")[:8544] == texts(sentences, "train")


def texts(examples, split):
    return [(example.text, example.label) for example in examples if example.split == split]
