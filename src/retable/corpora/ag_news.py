"""AG's News: headlines and first sentences from news agencies on four topics, whole, and with 5,000 training texts.

The text is title and description, joined by a space. In both, a backslash marks a line end, except in `\\$`, a
dollar.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from retable.corpora.readers import Layout, read_csv_rows
from retable.declaration import Corpus, Defect, Example, github

TOPICS = ("World", "Sports", "Business", "Sci/Tech")
ESCAPES = (("\\$", "$"), ("\\", " "))
RELEASE = Layout(
    columns=3, label=0, texts=(1, 2), names={str(n): topic for n, topic in enumerate(TOPICS, start=1)}, escapes=ESCAPES
)
SAMPLE = Layout(
    columns=2, label=1, texts=(0,), names={str(n): topic for n, topic in enumerate(TOPICS)}, escapes=ESCAPES
)
FILES = github(
    "mhjabreel/CharCnn_Keras/555590db4219b1243abb1918effd6a7425a2d75f/data/ag_news_csv",
    {
        # torchtext's MD5; the one it lists for test.csv is correct too
        "train.csv": (0, "md5:b1a00f826fdfbd249f79597b59e1dc12"),
        "test.csv": (1_857_427, "521465c2428ed7f02f8d6db6ffdd4b5447c1c701962353eb2c40d548c3c85699"),
    },
    mirror="ag_news",
)
SAMPLE_FILES = github(
    "lst11111/bert-text-classification/d52bf84e15f59794226916f08e74702b3f70389c/data/ag_news",
    {"train_sample5000.csv": (1_207_718, "23ff4a798bef4c6f1bab4018f491757b87e124901515e4e208461e022a163401")},
    mirror="ag_news",
    there={"train_sample5000.csv": "train.csv"},
)


def read_sample(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield training texts in the layout of the sample, and test texts in that of the release."""
    yield from read_csv_rows(corpus, folder, splits={"train": "train_sample5000.csv"}, layout=SAMPLE)
    yield from read_csv_rows(corpus, folder, splits={"test": "test.csv"}, layout=RELEASE)


WHOLE = Corpus(
    name="ag-news",
    language="en",
    title="news headlines with their first sentences, in four topics",
    labels=TOPICS,
    texts={"train": (30_000,) * 4, "test": (1900,) * 4},
    files=FILES,
    read=partial(read_csv_rows, splits={"train": "train.csv", "test": "test.csv"}, layout=RELEASE),
    at_hand=False,
    obtain="The archive https://s3.amazonaws.com/fast-ai-nlp/ag_news_csv.tgz (md5:b86f328f4dbd072486591cb7a5644dcd) "
    "holds a train.csv too.",
    source="http://www.di.unipi.it/~gulli/AG_corpus_of_news_articles.html",
    paper="Zhang, Zhao and LeCun, Character-level Convolutional Networks for Text Classification, NIPS 2015",
    licence="non-commercial use",
    note="no dev split is published: ours is 10 % of the training texts",
)

CORPORA = {
    "ag-news": WHOLE,
    "ag-news-5k": replace(
        WHOLE,
        name="ag-news-5k",
        title="news headlines with their first sentences, in four topics, 5,000 of the training texts",
        texts={"train": (1259, 1257, 1281, 1203), "test": (1900,) * 4},
        files=SAMPLE_FILES | {"test.csv": FILES["test.csv"]},
        read=read_sample,
        at_hand=True,
        obtain="",
        part_of="ag-news",
        note="5,000 of the 120,000 training texts, sampled by others (not verified: the whole is not here), and the "
        "whole test split; no dev split is published: ours is 10 % of the training texts",
        defects=(
            Defect(
                "texts with markup",
                515,
                "entities, some of them tags; most lost their & before publication; all kept as published",
            ),
        ),
    ),
}
