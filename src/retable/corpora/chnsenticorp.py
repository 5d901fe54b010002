"""ChnSentiCorp: Chinese reviews of hotels, computers and books, positive or negative."""

from functools import partial

from retable.corpora.readers import SENTIMENT, read_labelled_lines
from retable.declaration import Corpus, Defect, github

CORPUS = Corpus(
    name="chnsenticorp",
    language="zh",
    title="Chinese reviews of hotels, computers and books, positive or negative",
    labels=("negative", "positive"),
    texts={"train": (4801, 4799), "dev": (607, 593), "test": (592, 608)},
    files=github(
        "pengming617/bert_classification/c155e73ee9272aa61589116aebd762204c3e4c83/data",
        {
            "train.tsv": (3_019_974, "0b2653c23e5c79f539472e90cb10522f0ada4b80d3da95572d8b48fda47d5b33"),
            "dev.tsv": (374_230, "d129e443eac08ce7643013dad496a8edf282be39cac1a4f2ad080818b296b331"),
            "test.tsv": (369_742, "34f9d71eba6096cd8689e18913d28cf9a5f3c18a6c2804cd13304a321738c4bc"),
        },
        mirror="chnsenticorp",
    ),
    read=partial(
        read_labelled_lines,
        splits={split: f"{split}.tsv" for split in ("train", "dev", "test")},
        separator="\t",
        names=SENTIMENT,
        header="label\ttext_a",
    ),
    source="http://www.searchforum.org.cn/tansongbo/corpus-senti.htm",
    paper="Tan and Zhang, An Empirical Study of Sentiment Analysis for Chinese Documents, Expert Systems with "
    "Applications 34, 2008",
    licence="none stated; research use, cite",
    note="the 12,000 reviews and splits on which pretrained Chinese models are compared; not segmented",
    defects=(
        Defect("texts with markup", 72, "entities (&#183; &#32431;), and titles in angle brackets; kept as published"),
        Defect("texts with two labels", 36, "reviews posted with both labels; published splits are kept unchanged"),
        Defect("copies in train", 1351, "reviews posted again; published splits are kept unchanged"),
        Defect("copies in dev", 22, "the same"),
        Defect("copies in test", 22, "the same"),
        Defect("texts in train and dev", 335, "the same; they are not clean"),
        Defect("texts in train and test", 330, "the same; they are not clean"),
        Defect("texts in dev and test", 39, "the same; no dev text is trained on"),
    ),
)
