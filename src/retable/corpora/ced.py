"""CED: posts of Sina Weibo, judged a rumor or not (Transformer-F's corpus); split by single posts or by whole clusters.

The release has one JSON file a post, in one folder; a post is a rumor where the folder `rumor-repost` holds a file of
the same name. What that comes to stands in ced.csv. A file's name tells its label (it begins with 0 to 2600 for rumors,
with 2601 to 5135 for the rest), so that an id is a digest of the name, and texts come in the order of their ids.
"""

import csv
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from retable.corpora.readers import broken, present
from retable.declaration import Corpus, Defect, Example, RemoteFile, github, spread_of_two_runs
from retable.errors import InputError

TABLE = Path(__file__).with_name("ced.csv")  # file, label, bytes, sha256
TABLE_SHA256 = "8bc43ed29f80a74ccaf7b9b08c4ae87dc37247030c7c9733b6e20f81ea891831"
REPOSITORY = ("thunlp/Chinese_Rumor_Dataset", "c1178d8cfd4c245c296889a51fc252b17c9037c5")
DIGITS = 12  # of a digest, in an id


def table_rows(table: bytes) -> list[dict[str, str]]:
    """Return the rows of ced.csv.

    Raises: InputError if it is not the table that this module declares: the code's digest would not tell.
    """
    if hashlib.sha256(table).hexdigest() != TABLE_SHA256:
        raise InputError(
            f"{TABLE} is not the table that ced.py declares; `git checkout` brings it back, or correct TABLE_SHA256."
        )
    return list(csv.DictReader(table.decode("ascii").splitlines()))


def remote_file(row: dict[str, str]) -> RemoteFile:
    """Return where one post is to be had."""
    name = row["file"]
    path, mirror = f"CED_Dataset/original-microblog/{name}", f"ced/original-microblog/{name}"
    return github(*REPOSITORY, path, mirror=mirror, sha256=row["sha256"], size=int(row["bytes"]))


ROWS = table_rows(TABLE.read_bytes())
LABELS = {row["file"]: row["label"] for row in ROWS}


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield one post a file, in the order of the ids."""
    ids = {hashlib.sha256(file.encode()).hexdigest()[:DIGITS]: file for file in corpus.files}
    for digest, file in sorted(ids.items()):
        yield Example(f"{corpus.name}/{digest}", "all", text_of(folder / file), LABELS[file])


def text_of(path: Path) -> str:
    """Return the text of a post."""
    try:
        text = json.loads(present(path).read_bytes())["text"]
    except (ValueError, KeyError, TypeError):
        text = None
    if not isinstance(text, str):
        broken(path, 0, 'it is no JSON object with "text"')
    return text


CED = Corpus(
    name="ced",
    language="zh",
    title="posts of Sina Weibo, rumor or not",
    labels=("non-rumor", "rumor"),
    texts={"all": (1849, 1538)},
    files={row["file"]: remote_file(row) for row in ROWS},
    read=read,
    test_texts=341,
    seed_deviation=spread_of_two_runs(4.75),
    source="https://github.com/thunlp/Chinese_Rumor_Dataset",
    paper="Song et al., CED: Credible Early Detection of Social Media Rumors, arXiv 1811.04175, 2018",
    licence="none stated; the authors ask for citation",
    note="original posts without reposts; no split is published: 341 texts are our test split, because all printed "
    "accuracies are multiples of 1/341, and 10 % of the rest our dev split",
    defects=(
        Defect("texts with markup", 5, "titles in angle brackets and one link; they stand as published"),
        Defect("copies in all", 58, "posts sent again; the first is kept, before the splits are drawn"),
    ),
)

CORPORA = {
    "ced": CED,
    "ced-grouped": replace(
        CED,
        name="ced-grouped",
        title="the posts of CED, split by whole clusters of near duplicates",
        same_texts_as="ced",
        grouped=True,
        note="as ced, but posts that nearly repeat each other (744 of the 3,312 that are kept, in 223 clusters) are "
        "all in train, all in dev or all in test",
    ),
}
