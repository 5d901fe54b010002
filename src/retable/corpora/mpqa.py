"""MPQA: opinion phrases from newswire, negative or positive."""

from functools import partial

from retable.corpora.readers import SENTIMENT, read_labelled_lines
from retable.declaration import Corpus, Defect, github

CORPUS = Corpus(
    name="mpqa",
    language="en",
    title="phrases of newswire that express an opinion, positive or negative",
    labels=("negative", "positive"),
    texts={"all": (7294, 3312)},
    files=github(
        "harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data",
        {
            "mpqa.all": (229_972, "661de8a069da4b9845fc8b9ae59cc97ffe554f3018fa6bf0e640e3d626a4eaf7"),
        },
        mirror="mpqa",
    ),
    read=partial(read_labelled_lines, splits={"all": "mpqa.all"}, separator=" ", names=SENTIMENT),
    encoding="ascii",
    tokenised=True,
    source="https://mpqa.cs.pitt.edu/corpora/mpqa_corpus/",
    paper="Wiebe, Wilson and Cardie, Annotating Expressions of Opinions and Emotions in Language, LRE 39, 2005",
    licence="GPL, according to its site (from memory; not checked here)",
    note="no split is published: 10 % of the texts are our test split, 10 % of the rest our dev split",
    defects=(
        Defect("texts that are empty", 3, "phrases that become empty; they are dropped"),
        Defect("texts with two labels", 99, "short phrases judged in different contexts; no copy is kept"),
        Defect("copies in all", 2361, "repeated short phrases; the first is kept, before the splits are drawn"),
    ),
)
