"""THUCNews: Chinese headlines of Sina News under ten topics, whole, and with a quarter of the training texts.

Both have the same dev and test files. The whole train.txt could not be had when this was written; its Git blob id is
known.
"""

from functools import partial

from retable.corpora.readers import read_labelled_lines
from retable.declaration import Corpus, Defect, RemoteFile, github

COMMIT = "6cb26819af7b646275aff8a4693676f2849e67f6"
file = partial(github, "649453932/Chinese-Text-Classification-Pytorch", COMMIT)

TOPICS = (
    "finance", "realty", "stocks", "education", "science", "society", "politics", "sports", "game", "entertainment",
)  # fmt: skip
TRAIN_45000 = (4480, 4508, 4529, 4424, 4477, 4515, 4486, 4472, 4530, 4579)

HELD_OUT = {
    "dev.txt": file(
        "THUCNews/data/dev.txt",
        mirror="thucnews10/dev.txt",
        sha256="6ed73aa2c57ee1560c8f76570d48735c4b1c29ae4983fe3523d56e115813e175",
        size=551_313,
    ),
    "test.txt": file(
        "THUCNews/data/test.txt",
        mirror="thucnews10/test.txt",
        sha256="ebecc8c896635ad69730083ca7b81d37c42c9a5779bc05c9d2479d894e34f026",
        size=551_596,
    ),
}


def declare(
    name: str,
    title: str,
    train: RemoteFile,
    counts: tuple[int, ...],
    note: str,
    *,
    part_of: str = "",
    obtain: str = "",
    defects: tuple[Defect, ...] = (),
) -> Corpus:
    """Return the corpus with one train file or the other."""
    return Corpus(
        name=name,
        language="zh",
        title=title,
        labels=TOPICS,
        texts={"train": counts, "dev": (1000,) * len(TOPICS), "test": (1000,) * len(TOPICS)},
        files={"train.txt": train, **HELD_OUT},
        read=partial(
            read_labelled_lines,
            splits={split: f"{split}.txt" for split in ("train", "dev", "test")},
            separator="\t",
            names={str(number): topic for number, topic in enumerate(TOPICS)},
            label_last=True,
        ),
        part_of=part_of,
        at_hand=not obtain,
        obtain=obtain,
        source="http://thuctc.thunlp.org/",
        paper="Sun et al., THUCTC: An Efficient Chinese Text Classifier, 2016 (these ten classes and splits: "
        "github.com/649453932/Chinese-Text-Classification-Pytorch)",
        licence="free for research, under the agreement on its site",
        note=note,
        defects=defects,
    )


CORPORA = {
    "thucnews": declare(
        "thucnews",
        "Chinese headlines under ten topics",
        file(
            "THUCNews/data/train.txt",
            mirror="thucnews10/train.txt",
            digest="git-blob:ffe8979a12879da0747847aca49e9a6c1d29898f",
        ),
        (18_000,) * len(TOPICS),
        "headlines of about 19 characters, not segmented",
        obtain="Only train.txt, about 10 MB, is not in every mirror: it is at https://github.com/649453932/"
        "Chinese-Text-Classification-Pytorch, in THUCNews/data.",
    ),
    "thucnews-45k": declare(
        "thucnews-45k",
        "Chinese headlines under ten topics, a quarter of the training texts",
        github(
            "zjuneverknow/cuhk_ai_project_3",
            "e5c6411eb8ccaf9dffe3b1f53929fc3b56cfaea2",
            "THUCNews/data/train.txt",
            mirror="thucnews10/train_first45000.txt",
            sha256="6cb2d0a2c25c06ca51bc526cfa0a451fed2ee0382dce0b3ae5e322555eef0aa8",
            size=2_487_066,
        ),
        TRAIN_45000,
        "45,000 of the 180,000 training headlines (the first ones, it seems), the whole dev and test splits",
        part_of="thucnews",
        defects=(
            Defect("texts with U+FFFD", 264, "rare characters that were lost before publication"),
            Defect("texts with markup", 35, "entities (&nbsp; &#8226;); they stand as published"),
            Defect("texts with two labels", 6, "headlines under two topics; a published split stays as published"),
            Defect("copies in train", 101, "headlines published twice; a published split stays as published"),
            Defect("copies in dev", 7, "the same"),
            Defect("copies in test", 11, "the same"),
            Defect("texts in train and dev", 44, "the same; they are not clean"),
            Defect("texts in train and test", 42, "the same; they are not clean"),
            Defect("texts in dev and test", 8, "the same; no text of dev is trained on"),
        ),
    ),
}
