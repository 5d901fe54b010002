"""TREC: questions, labelled with one of six types of answer."""

from functools import partial

from retable.corpora.readers import read_labelled_lines
from retable.declaration import Corpus, Defect, github

KINDS = ("DESC", "ENTY", "ABBR", "HUM", "LOC", "NUM")

CORPUS = Corpus(
    name="trec",
    language="en",
    title="questions, by the kind of answer they ask for",
    labels=KINDS,
    texts={"train": (1162, 1250, 86, 1223, 835, 896), "test": (138, 94, 9, 65, 81, 113)},
    files=github(
        "harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data",
        {
            "TREC.train.all": (292_402, "c8183fd8c2a5cc4a9a1c56548d7c6410a8b71ed7843df9ef1f0a05cd7cf2fb3e"),
            "TREC.test.all": (19_479, "92a6a3cede5678b447ef5f1d7ec474134fcda211e6590e6fa627b4a2c68e4566"),
        },
        mirror="trec",
    ),
    read=partial(
        read_labelled_lines,
        splits={"train": "TREC.train.all", "test": "TREC.test.all"},
        separator=" ",
        names={str(number): kind for number, kind in enumerate(KINDS)},
    ),
    encoding="latin-1",
    tokenised=True,
    source="https://cogcomp.seas.upenn.edu/Data/QA/QC/",
    paper="Li and Roth, Learning Question Classifiers, COLING 2002",
    licence="none stated; research use, cite",
    note="no dev split is published: ours is 10 % of the training texts",
    defects=(
        Defect("lines that are not UTF-8", 1, "the file is latin-1"),
        Defect("copies in train", 71, "questions asked twice; published splits are kept unchanged"),
        Defect("texts in train and test", 10, "the same; they are not clean"),
    ),
)
