"""CED: Sina Weibo posts, rumor or not (Transformer-F's corpus); split by single posts or by whole clusters.

The release has one JSON file per post, in one folder; a post is a rumor if the folder `rumor-repost` has a file of the
same name. The result is in ced.csv. A file's name reveals its label (it begins with 0 to 2600 for rumors, with 2601 to
5135 for the rest), so an id is a digest of the name, and texts are in the order of their ids.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from retable.corpora.readers import broken, present, table_rows
from retable.declaration import Corpus, Defect, Example, github

PLACE = "thunlp/Chinese_Rumor_Dataset/c1178d8cfd4c245c296889a51fc252b17c9037c5/CED_Dataset/original-microblog"
DIGITS = 12  # of a digest, in an id
ROWS = table_rows("ced.csv")
LABELS = {row["file"]: row["label"] for row in ROWS}
FILES = {row["file"]: (int(row["bytes"]), row["sha256"]) for row in ROWS}


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield one post per file, in the order of the ids."""
    ids = {hashlib.sha256(file.encode()).hexdigest()[:DIGITS]: file for file in corpus.files}
    for digest, file in sorted(ids.items()):
        yield Example(f"{corpus.name}/{digest}", "all", text_of(folder / file), LABELS[file])


def text_of(path: Path) -> str:
    """Return the text of a post."""
    try:
        text = json.loads(present(path).read_bytes())["text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        text = None
    if not isinstance(text, str):
        broken(path, 0, 'it is not a JSON object with "text"')
    return text


CED = Corpus(
    name="ced",
    language="zh",
    title="posts of Sina Weibo, rumor or not",
    labels=("non-rumor", "rumor"),
    texts={"all": (1849, 1538)},
    files=github(PLACE, FILES, mirror="ced/original-microblog"),
    read=read,
    test_texts=341,
    source="https://github.com/thunlp/Chinese_Rumor_Dataset",
    paper="Song et al., CED: Credible Early Detection of Social Media Rumors, arXiv 1811.04175, 2018",
    licence="none stated; the authors ask for citation",
    note="original posts without reposts; no split is published: 341 texts are our test split, because all printed "
    "accuracies are multiples of 1/341, and 10 % of the rest our dev split",
    defects=(
        Defect("texts with markup", 5, "titles in angle brackets and one link; kept as published"),
        Defect("copies in all", 58, "repeated posts; the first is kept, before the splits are drawn"),
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
        note="as ced, but near-duplicate posts (744 of the 3,312 that are kept, in 223 clusters) are all in train, all "
        "in dev or all in test",
    ),
}
