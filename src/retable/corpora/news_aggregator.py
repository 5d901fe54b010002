"""UCI News Aggregator: headlines from 2014 on four topics, whole (LAMA's corpus), and from five publishers."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from retable.corpora.archives import read_zip_lines
from retable.corpora.readers import broken, identity, label_read, read_labelled_lines
from retable.declaration import Corpus, Defect, Example, RemoteFile, github

ARCHIVE, MEMBER = "NewsAggregatorDataset.zip", "newsCorpora.csv"
COLUMNS, TITLE, CATEGORY = 8, 1, 4  # ID, TITLE, URL, PUBLISHER, CATEGORY, STORY, HOSTNAME, TIMESTAMP
TOPICS = {"b": "business", "t": "science and technology", "e": "entertainment", "m": "health"}


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield lines of eight tab-separated columns; quotation marks are part of a title."""
    for number, line in enumerate(read_zip_lines(folder / ARCHIVE, MEMBER, corpus.encoding)):
        columns = line.split("\t")
        if len(columns) != COLUMNS:
            broken(folder / ARCHIVE, number, f"in {MEMBER}, it has {len(columns)} columns, not {COLUMNS}")
        topic = label_read(columns[CATEGORY], TOPICS, corpus, folder / ARCHIVE, number, f"in {MEMBER}, ")
        yield Example(identity(corpus, "all", number), "all", columns[TITLE], topic)


SOURCE = "https://archive.ics.uci.edu/dataset/359/news+aggregator"
PAPER = "Gasparetti, News Aggregator, UCI Machine Learning Repository, 2016"
LICENCE = "public domain, according to its readme (links to pages, not the pages)"

CORPORA = {
    "news-aggregator": Corpus(
        name="news-aggregator",
        language="en",
        title="headlines of 2014 in four topics",
        labels=tuple(TOPICS.values()),
        texts={
            "all": 422_937
        },  # the readme's counts per topic have a slip: two are called business, and the sum is too small
        files={
            ARCHIVE: RemoteFile(
                f"uci_news/{ARCHIVE}",
                digest="",
                urls=(f"https://archive.ics.uci.edu/ml/machine-learning-databases/00359/{ARCHIVE}",),
            ),
        },
        read=read,
        at_hand=False,
        obtain="The page https://archive.ics.uci.edu/dataset/359/news+aggregator "
        "has a button that fetches the same archive.",
        source=SOURCE,
        paper=PAPER,
        licence=LICENCE,
        note="unpinned: no digest is published, the number of texts is checked; headlines only, while LAMA prints 352 "
        "words per text, and 151,328 + 32,428 texts by a rule that it does not state; no split is published: 10 % of "
        "the texts are our test split, 10 % of the rest our dev split",
    ),
    "news-aggregator-5pub": Corpus(
        name="news-aggregator-5pub",
        language="en",
        title="headlines of 2014 in four topics, those of five publishers",
        labels=tuple(TOPICS.values()),
        texts={"train": (4512, 1218, 4221, 733), "dev": (560, 152, 531, 93), "test": (555, 155, 542, 84)},
        files=github(
            "tmu-nlp/100knock2021/0a9f8150588648fbd86d51b4c9168acf3e45ed98/kazuma/chapter06/data",
            {
                "train.txt": (713_695, "9b22ba802474a06a22d76c89e5f896b042a04dbe1759939b32d342799cd37794"),
                "valid.txt": (89_921, "6c494b8748347b80c0d70d25cc76aeca662e5980918f8a6fe07352cddf08002e"),
                "test.txt": (88_715, "6b784d2ecc9ecec35711a733cbb74b66baaf2cea562bc2c0d75117931e7051e5"),
            },
            mirror="uci_news_5pub",
        ),
        read=partial(
            read_labelled_lines,
            splits={"train": "train.txt", "dev": "valid.txt", "test": "test.txt"},
            separator="\t",
            names=TOPICS,
            label_last=True,
        ),
        part_of="news-aggregator",
        source=SOURCE,
        paper=PAPER,
        licence=LICENCE,
        note="Reuters, Huffington Post, Businessweek, Contactmusic.com and Daily Mail; the random split of an "
        "exercise of Tohoku University (100 knocks of language processing)",
        defects=(
            Defect("texts with markup", 1, "Q&A before a semicolon, not an entity"),
            Defect(
                "texts with two labels",
                9,
                "headlines filed under two topics; published splits are kept unchanged",
            ),
            Defect("copies in train", 159, "headlines of two pages; published splits are kept unchanged"),
            Defect("copies in dev", 1, "the same"),
            Defect("copies in test", 4, "the same"),
            Defect("texts in train and dev", 39, "the same; they are not clean"),
            Defect("texts in train and test", 44, "the same; they are not clean"),
            Defect("texts in dev and test", 5, "the same; no dev text is trained on"),
        ),
    ),
}
