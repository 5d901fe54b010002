"""The releases of Zhang, Zhao and LeCun (2015), but for AG's News: CSV files in archives, read straight from there.

A row has the number of its class (from 1) and one to three texts, all quoted, without a header. A line that ended in a
text is a backslash and an n; some texts keep the backslash that their source had before a quotation mark.

The declared archive is the one that fast.ai hosts, with the size and MD5 that its library lists. The authors' own
archive of the same files, packed otherwise, with the MD5 that torchtext lists, may stand in a mirror folder instead.
"""

from functools import partial

from retable.corpora.archives import read_tar_rows
from retable.corpora.readers import Layout
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


def archive(name: str, size: int, md5: str, drive_md5: str) -> dict[str, RemoteFile]:
    """fast.ai's archive, and in its place perhaps the authors'."""
    authors = RemoteFile(f"zhang/{name}.tar.gz", f"md5:{drive_md5}")
    url = f"https://s3.amazonaws.com/fast-ai-nlp/{name}.tgz"
    return {f"{name}.tgz": RemoteFile(f"zhang/{name}.tgz", f"md5:{md5}", size, (url,), others=(authors,))}


def release(
    name: str,
    title: str,
    labels: tuple[str, ...],
    *,
    train: int,
    test: int,
    files: dict[str, RemoteFile],
    drive: str,
    source: str,
    licence: str,
    language: str = "en",
    columns: int = 2,
    tokenised: bool = False,
    note: str = "",
) -> Corpus:
    """Return one release.

    Args:
        train, test: texts of each label.
        drive: the id of the authors' archive at Google Drive.
        columns: of a row, with the label.
    """
    [(file, facts)] = files.items()
    [authors] = facts.others
    layout = Layout(
        columns=columns,
        label=0,
        texts=tuple(range(1, columns)),
        names={str(number): label for number, label in enumerate(labels, start=1)},
        escapes=ESCAPES,
    )
    return Corpus(
        name=name,
        language=language,
        title=title,
        labels=labels,
        texts={"train": (train,) * len(labels), "test": (test,) * len(labels)},
        files=files,
        read=partial(read_tar_rows, archive=file, layout=layout),
        tokenised=tokenised,
        at_hand=False,
        obtain=f"It is {facts.bytes / 1e6:,.0f} MB at {facts.urls[0]}; the authors' own archive, for a browser at "
        f"https://drive.google.com/uc?id={drive} ({authors.digest}), does as well, as {authors.path} in that folder.",
        source=source,
        paper=PAPER,
        licence=licence,
        note=f"{note}no dev split is published: 10 % of the training texts are ours",
    )


YELP, YELP_LICENCE = "https://www.yelp.com/dataset", "terms of the Yelp dataset (2015): academic use"
SNAP, SNAP_LICENCE = (
    "https://snap.stanford.edu/data/web-Amazon.html",
    "research use (Stanford Network Analysis Project)",
)
YELP_FULL = archive(
    "yelp_review_full_csv", 196_146_755, "1efd84215ea3e30d90e4c33764b889db", "f7ddfafed1033f68ec72b9267863af6c"
)

RELEASES = (
    release(
        "amazon-full",
        "reviews of Amazon, one to five stars",
        STARS,
        train=600_000,
        test=130_000,
        files=archive(
            "amazon_review_full_csv",
            643_695_014,
            "4a1196cf0adaea22f4bc3f592cddde90",
            "57d28bd5d930e772930baddf36641c7c",
        ),
        drive="0Bz8a_Dbh9QhbZVhsUnRWRDhETzA",
        source=SNAP,
        licence=SNAP_LICENCE,
        columns=3,
        note="text is title and review; ",
    ),
    release(
        "amazon-polarity",
        "reviews of Amazon, negative (1 and 2 stars) or positive (4 and 5)",
        ("negative", "positive"),
        train=1_800_000,
        test=200_000,
        files=archive(
            "amazon_review_polarity_csv",
            688_339_454,
            "676f7e5208ec343c8274b4bb085bc938",
            "fe39f8b653cada45afd5792e0f0e8f9b",
        ),
        drive="0Bz8a_Dbh9QhbaW12WVVZS2drcnM",
        source=SNAP,
        licence=SNAP_LICENCE,
        columns=3,
        note="text is title and review; ",
    ),
    release(
        "dbpedia",
        "first sentences of Wikipedia articles in fourteen classes",
        DBPEDIA,
        train=40_000,
        test=5_000,
        files=archive(
            "dbpedia_csv", 68_341_743, "239c7837b9e79db34486f3de6a00e38e", "dca7b1ae12b1091090db52aa7ec5ca64"
        ),
        drive="0Bz8a_Dbh9QhbQ2Vic1kxMmZZQ1k",
        source="https://www.dbpedia.org/",
        licence="CC BY-SA",
        columns=3,
        note="text is title and content; ",
    ),
    release(
        "sogou-news",
        "Chinese news in pinyin under five topics",
        ("sports", "finance", "entertainment", "automobile", "technology"),
        train=90_000,
        test=12_000,
        files=archive(
            "sogou_news_csv", 384_269_937, "950f1366d33be52f5b944f8a8b680902", "0c1700ba70b73f964dd8de569d3fd03e"
        ),
        drive="0Bz8a_Dbh9QhbUkVqNEszd0pHaFE",
        source="https://www.sogou.com/labs/",
        licence="none stated; research use",
        language="zh",
        columns=3,
        tokenised=True,
        note="romanised words separated by spaces, so neither jieba nor characters fit; text is title and content; ",
    ),
    release(
        "yahoo-answers",
        "questions with their best answers under ten topics",
        YAHOO,
        train=140_000,
        test=6_000,
        files=archive(
            "yahoo_answers_csv", 319_476_345, "0632a0d236ef3a529c0fa4429b339f68", "f3f9899b997a42beb24157e62e3eea8d"
        ),
        drive="0Bz8a_Dbh9Qhbd2JNdDBsQUdocVU",
        source="https://webscope.sandbox.yahoo.com/",
        licence="terms of Yahoo Webscope (L6): non-commercial research",
        columns=4,
        note="text is title, question and best answer; ",
    ),
    release(
        "yelp-full",
        "reviews of Yelp, one to five stars",
        STARS,
        train=130_000,
        test=10_000,
        files=YELP_FULL,
        drive="0Bz8a_Dbh9QhbZlU4dXhHTFhZQU0",
        source=YELP,
        licence=YELP_LICENCE,
    ),
    release(
        "yelp-polarity",
        "reviews of Yelp, negative (1 and 2 stars) or positive (4 and 5)",
        ("negative", "positive"),
        train=280_000,
        test=19_000,
        files=archive(
            "yelp_review_polarity_csv",
            166_373_201,
            "48c8451c1ad30472334d856b5d294807",
            "620c8ae4bd5a150b730f1ba9a7c6a4d3",
        ),
        drive="0Bz8a_Dbh9QhbNUpYQ2N3SGlFaDg",
        source=YELP,
        licence=YELP_LICENCE,
    ),
)

CORPORA = {corpus.name: corpus for corpus in RELEASES}
