"""The releases of Zhang, Zhao and LeCun (2015), except AG's News: CSV files in archives, read without unpacking.

A row has the number of its class (from 1) and one to three texts, all quoted, without a header. A line end inside a
text is a backslash and an n; some texts keep the backslash that their source had before a quotation mark.

The declared archive is the one hosted by fast.ai, with the size and MD5 listed by its library. The authors' own archive
of the same files, packed differently, with the MD5 listed by torchtext, may be in a mirror folder instead.
Sizes, digests and counts, which differ between releases, are in zhang.csv.
"""

from functools import partial

from retable.corpora.archives import read_tar_rows
from retable.corpora.readers import Layout, table_rows
from retable.declaration import Corpus, RemoteFile

PAPER = "Zhang, Zhao and LeCun, Character-level Convolutional Networks for Text Classification, NIPS 2015"
ESCAPES = (("\\n", " "), ('\\"', '"'))
STARS = ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")
DBPEDIA = (
    "Company", "EducationalInstitution", "Artist", "Athlete", "OfficeHolder", "MeanOfTransportation", "Building",
    "NaturalPlace", "Village", "Animal", "Plant", "Album", "Film", "WrittenWork",
)  # fmt: skip
YAHOO = (
    "Society & Culture", "Science & Mathematics", "Health", "Education & Reference", "Computers & Internet", "Sports",
    "Business & Finance", "Entertainment & Music", "Family & Relationships", "Politics & Government",
)  # fmt: skip


ROWS = {row["corpus"]: row for row in table_rows("zhang.csv")}


def release(
    name: str,
    title: str,
    labels: tuple[str, ...],
    source: str,
    licence: str,
    *,
    language: str = "en",
    tokenised: bool = False,
    note: str = "",
) -> Corpus:
    """Return one release; its archive, texts per label and columns per row (with the label) are in zhang.csv."""
    row = ROWS[name]
    file, url = f"{row['archive']}.tgz", f"https://s3.amazonaws.com/fast-ai-nlp/{row['archive']}.tgz"
    authors = RemoteFile(f"zhang/{row['archive']}.tar.gz", f"md5:{row['md5 of the authors']}")
    layout = Layout(
        columns=int(row["columns"]),
        label=0,
        texts=tuple(range(1, int(row["columns"]))),
        names={str(number): label for number, label in enumerate(labels, start=1)},
        escapes=ESCAPES,
    )
    return Corpus(
        name=name,
        language=language,
        title=title,
        labels=labels,
        texts={split: (int(row[split]),) * len(labels) for split in ("train", "test")},
        files={file: RemoteFile(f"zhang/{file}", f"md5:{row['md5']}", int(row["bytes"]), (url,), others=(authors,))},
        read=partial(read_tar_rows, archive=file, layout=layout),
        tokenised=tokenised,
        at_hand=False,
        obtain=f"It is {int(row['bytes']) / 1e6:,.0f} MB at {url}; the authors' own archive, at "
        f"https://drive.google.com/uc?id={row['drive']} in a browser ({authors.digest}), also works, as {authors.path} "
        "in that folder.",
        source=source,
        paper=PAPER,
        licence=licence,
        note=f"{note}no dev split is published: ours is 10 % of the training texts",
    )


SNAP = ("https://snap.stanford.edu/data/web-Amazon.html", "research use (Stanford Network Analysis Project)")
YELP = ("https://www.yelp.com/dataset", "terms of the Yelp dataset (2015): academic use")
POLARITY = ("negative", "positive")
TITLE, CONTENT = "text is title and review; ", "text is title and content; "
POLES = "negative (1 and 2 stars) or positive (4 and 5)"

RELEASES = (
    release("amazon-full", "Amazon reviews, one to five stars", STARS, *SNAP, note=TITLE),
    release("amazon-polarity", f"Amazon reviews, {POLES}", POLARITY, *SNAP, note=TITLE),
    release(
        "dbpedia",
        "first sentences of Wikipedia articles in fourteen classes",
        DBPEDIA,
        "https://www.dbpedia.org/",
        "CC BY-SA",
        note=CONTENT,
    ),
    release(
        "sogou-news",
        "Chinese news in pinyin, in five topics",
        ("sports", "finance", "entertainment", "automobile", "technology"),
        "https://www.sogou.com/labs/",
        "none stated; research use",
        language="zh",
        tokenised=True,
        note=f"romanised words separated by spaces, so neither jieba nor characters fit; {CONTENT}",
    ),
    release(
        "yahoo-answers",
        "questions with their best answers, in ten topics",
        YAHOO,
        "https://webscope.sandbox.yahoo.com/",
        "terms of Yahoo Webscope (L6): non-commercial research",
        note="text is title, question and best answer; ",
    ),
    release("yelp-full", "Yelp reviews, one to five stars", STARS, *YELP),
    release("yelp-polarity", f"Yelp reviews, {POLES}", POLARITY, *YELP),
)

CORPORA = {corpus.name: corpus for corpus in RELEASES}
