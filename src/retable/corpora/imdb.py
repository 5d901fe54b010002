"""IMDB: full film reviews, positive (7 stars and more) or negative (4 and fewer)."""

from functools import partial

from retable.corpora.readers import read_parallel_lines
from retable.declaration import Corpus, Defect, github

CORPUS = Corpus(
    name="imdb",
    language="en",
    title="whole film reviews, positive or negative",
    labels=("negative", "positive"),
    texts={"train": (12_500, 12_500), "test": (12_500, 12_500)},
    files=github(
        "yao8839836/text_gcn/962223652e9bb164ac2d83cd09fc7b8845ce860b/data",
        {
            "aclImdb.labels.txt": (2_165_291, "3dd2357b316b65246e9318802a8609968db66b944743d8325692f104d820a09d"),
            "aclImdb.texts.txt": (65_533_507, "196c808eb4efb481720182375012bd360acf5eb9ebad30c670b90cc6f2d8d509"),
        },
        mirror="imdb",
        there={"aclImdb.labels.txt": "aclImdb.txt", "aclImdb.texts.txt": "corpus/aclImdb.txt"},
    ),
    read=partial(
        read_parallel_lines,
        texts="aclImdb.texts.txt",
        labels="aclImdb.labels.txt",
        names={"neg": "negative", "pos": "positive"},
    ),
    html=True,
    source="https://ai.stanford.edu/~amaas/data/sentiment/",
    paper="Maas et al., Learning Word Vectors for Sentiment Analysis, ACL 2011",
    licence="none stated; cite",
    note="the files are ordered by split and label; no dev split is published: ours is 10 % of the training texts",
    defects=(
        Defect("texts with C1 controls", 1571, "Windows-1252 punctuation, 681 with U+0085; cleaning corrects it"),
        Defect("texts with markup", 29_206, "<br />, a few other tags and entities; cleaning removes them"),
        Defect("copies in train", 96, "posted twice; published splits are kept unchanged"),
        Defect("copies in test", 199, "the same"),
        Defect("texts in train and test", 123, "the same; they are not clean"),
    ),
)
