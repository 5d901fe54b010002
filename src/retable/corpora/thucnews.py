"""THUCNews: Chinese headlines from Sina News on ten topics, whole, and with a quarter of the training texts.

Both have the same dev and test files. The whole train.txt was not available when this was written; its Git blob id is
known.
"""

from dataclasses import replace
from functools import partial

from retable.corpora.readers import read_labelled_lines
from retable.declaration import Corpus, Defect, github

TOPICS = (
    "finance", "realty", "stocks", "education", "science", "society", "politics", "sports", "game", "entertainment",
)  # fmt: skip
HELD_OUT = {"dev": (1000,) * len(TOPICS), "test": (1000,) * len(TOPICS)}
FILES = github(
    "649453932/Chinese-Text-Classification-Pytorch/6cb26819af7b646275aff8a4693676f2849e67f6/THUCNews/data",
    {
        "train.txt": (0, "git-blob:ffe8979a12879da0747847aca49e9a6c1d29898f"),
        "dev.txt": (551_313, "6ed73aa2c57ee1560c8f76570d48735c4b1c29ae4983fe3523d56e115813e175"),
        "test.txt": (551_596, "ebecc8c896635ad69730083ca7b81d37c42c9a5779bc05c9d2479d894e34f026"),
    },
    mirror="thucnews10",
)
TRAIN_45000 = github(
    "zjuneverknow/cuhk_ai_project_3/e5c6411eb8ccaf9dffe3b1f53929fc3b56cfaea2/THUCNews/data",
    {"train.txt": (2_487_066, "6cb2d0a2c25c06ca51bc526cfa0a451fed2ee0382dce0b3ae5e322555eef0aa8")},
    mirror="thucnews10",
    mirrored={"train.txt": "train_first45000.txt"},
)

WHOLE = Corpus(
    name="thucnews",
    language="zh",
    title="Chinese headlines in ten topics",
    labels=TOPICS,
    texts={"train": (18_000,) * len(TOPICS), **HELD_OUT},
    files=FILES,
    read=partial(
        read_labelled_lines,
        splits={split: f"{split}.txt" for split in ("train", "dev", "test")},
        separator="\t",
        names={str(number): topic for number, topic in enumerate(TOPICS)},
        label_last=True,
    ),
    at_hand=False,
    obtain="Only train.txt, about 10 MB, is not in every mirror: it is at https://github.com/649453932/"
    "Chinese-Text-Classification-Pytorch, in THUCNews/data.",
    source="http://thuctc.thunlp.org/",
    paper="Sun et al., THUCTC: An Efficient Chinese Text Classifier, 2016 (these ten classes and splits: "
    "github.com/649453932/Chinese-Text-Classification-Pytorch)",
    licence="free for research, under the agreement on its site",
    note="headlines of about 19 characters, not segmented",
)

CORPORA = {
    "thucnews": WHOLE,
    "thucnews-45k": replace(
        WHOLE,
        name="thucnews-45k",
        title="Chinese headlines in ten topics, a quarter of the training texts",
        texts={"train": (4480, 4508, 4529, 4424, 4477, 4515, 4486, 4472, 4530, 4579), **HELD_OUT},
        files=FILES | TRAIN_45000,
        at_hand=True,
        obtain="",
        part_of="thucnews",
        note="45,000 of the 180,000 training headlines (the first ones, it seems), the whole dev and test splits",
        defects=(
            Defect("texts with U+FFFD", 264, "rare characters that were lost before publication"),
            Defect("texts with markup", 35, "entities (&nbsp; &#8226;); kept as published"),
            Defect("texts with two labels", 6, "headlines under two topics; published splits are kept unchanged"),
            Defect("copies in train", 101, "headlines published twice; published splits are kept unchanged"),
            Defect("copies in dev", 7, "the same"),
            Defect("copies in test", 11, "the same"),
            Defect("texts in train and dev", 44, "the same; they are not clean"),
            Defect("texts in train and test", 42, "the same; they are not clean"),
            Defect("texts in dev and test", 8, "the same; no dev text is trained on"),
        ),
    ),
}
