"""online_shopping_10_cats: Chinese reviews of ten kinds of goods, positive or negative.

The kinds are books, tablets, mobile phones, fruit, shampoo, water heaters, milk (Mengniu), clothes, computers and
hotels; a model does not see the kind.
"""

from collections.abc import Iterator
from pathlib import Path

from retable.corpora.archives import read_zip_lines
from retable.corpora.readers import SENTIMENT, Layout, csv_rows
from retable.declaration import Corpus, Defect, Example, github

ARCHIVE, MEMBER = "online_shopping_10_cats.zip", "online_shopping_10_cats.csv"
LAYOUT = Layout(columns=3, label=1, texts=(2,), names=SENTIMENT, header=("cat", "label", "review"))


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the reviews in the order of the file, which is sorted by kind."""
    rows = read_zip_lines(folder / ARCHIVE, MEMBER, corpus.encoding)
    yield from csv_rows(corpus, rows, "all", LAYOUT, folder / ARCHIVE, f"in {MEMBER}, ")


CORPUS = Corpus(
    name="online-shopping-10-cats",
    language="zh",
    title="Chinese reviews of ten kinds of goods, positive or negative",
    labels=("negative", "positive"),
    texts={"all": (31_046, 31_728)},
    files=github(
        "SophonPlus/ChineseNlpCorpus/a0b781d72158bde242c0626c9e354d2b328865ff/datasets/online_shopping_10_cats",
        {ARCHIVE: (4_084_428, "6816ded66fde9d0927ecbd370b5e12d0174d1abac35192ec014ac2a0a8d25858")},
        mirror="zh_reviews",
    ),
    read=read,
    source="https://github.com/SophonPlus/ChineseNlpCorpus",
    paper="none: published only by its repository",
    licence="none stated",
    note="not segmented; no split is published: 10 % of the texts are our test split, 10 % of the rest our dev split",
    defects=(
        Defect("texts that are empty", 1, "a review that becomes empty; it is dropped"),
        Defect("texts with markup", 87, "entities (&#183; &#160;), and titles in angle brackets; kept as published"),
        Defect("texts with two labels", 18, "reviews posted with both labels; no copy is kept"),
        Defect("copies in all", 49, "reviews posted again; the first is kept, before the splits are drawn"),
    ),
)
