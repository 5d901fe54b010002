"""MR: sentences of film reviews, positive or negative (FCSR's column `polarity`)."""

from functools import partial

from retable.corpora.readers import SENTIMENT, read_labelled_lines
from retable.declaration import Corpus, Defect, github

CORPUS = Corpus(
    name="mr",
    language="en",
    title="sentences of film reviews, positive or negative",
    labels=("negative", "positive"),
    texts={"all": (5331, 5331)},
    files=github(
        "harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data",
        {
            "rt-polarity.all": (1_259_719, "b8846c3bbd59241f901efdc58f7c515e4b280ab3561fd1858caa5aa48da95a8a"),
        },
        mirror="mr",
    ),
    read=partial(read_labelled_lines, splits={"all": "rt-polarity.all"}, separator=" ", names=SENTIMENT),
    encoding="latin-1",
    tokenised=True,
    source="https://www.cs.cornell.edu/people/pabo/movie-review-data/",
    paper="Pang and Lee, Seeing stars: exploiting class relationships for sentiment categorization, ACL 2005",
    licence="none stated; research use, cite",
    note="no split is published: 10 % of the texts are our test split, 10 % of the rest our dev split",
    defects=(
        Defect("lines that are not UTF-8", 202, "the file is latin-1 (actually Windows-1252)"),
        Defect("texts with C1 controls", 53, "Windows-1252 punctuation; cleaning corrects it"),
        Defect("texts with markup", 3, "<b> and <em> are kept as published: the corpus is tokenised"),
    ),
)
