"""ChnSentiCorp_htl_all: Chinese hotel reviews, positive or negative."""

from functools import partial

from retable.corpora.readers import SENTIMENT, Layout, read_csv_rows
from retable.declaration import Corpus, Defect, github

FILE = "ChnSentiCorp_htl_all.csv"

CORPUS = Corpus(
    name="chnsenticorp-htl-all",
    language="zh",
    title="Chinese reviews of hotels, positive or negative",
    labels=("negative", "positive"),
    texts={"all": (2444, 5322)},
    files=github(
        "SophonPlus/ChineseNlpCorpus/a0b781d72158bde242c0626c9e354d2b328865ff/datasets/ChnSentiCorp_htl_all",
        {FILE: (2_904_858, "1d414b9c65caf3a836abdb4efded621968502ad3338e1a9d885ae131c86083f0")},
        mirror="zh_reviews",
    ),
    read=partial(
        read_csv_rows,
        splits={"all": FILE},
        layout=Layout(columns=2, label=0, texts=(1,), names=SENTIMENT, header=("label", "review")),
    ),
    source="https://github.com/SophonPlus/ChineseNlpCorpus",
    paper="Tan and Zhang, An Empirical Study of Sentiment Analysis for Chinese Documents, Expert Systems with "
    "Applications 34, 2008",
    licence="none stated",
    note="not segmented; no split is published: 10 % of the texts are our test split, 10 % of the rest our dev split",
    defects=(
        Defect("texts that are empty", 1, "a review that becomes empty; it is dropped"),
        Defect("texts with markup", 5, "entities, and words in angle brackets; kept as published"),
    ),
)
