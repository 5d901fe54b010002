"""R8: Reuters newswire from 1987, its eight most frequent single topics."""

from functools import partial

from retable.corpora.readers import read_labelled_lines
from retable.declaration import Corpus, Defect, github

CORPUS = Corpus(
    name="r8",
    language="en",
    title="Reuters newswire of 1987, one of eight topics",
    labels=("acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade"),
    texts={"train": (1596, 253, 2840, 41, 190, 206, 108, 251), "test": (696, 121, 1083, 10, 81, 87, 36, 75)},
    files=github(
        "yao8839836/text_gcn/962223652e9bb164ac2d83cd09fc7b8845ce860b/data/R8",
        {
            "train.txt": (3_354_423, "3ed60c905aaa95b96c3fc4afb6d14ad2e20106c59c5b9dda950dcb3075eecfbe"),
            "test.txt": (1_195_260, "2ba368c42e6808bc3dc68b8f7879eb07a2810ed137f0b304e2213b689677e561"),
        },
        mirror="r8",
    ),
    read=partial(read_labelled_lines, splits={"train": "train.txt", "test": "test.txt"}, separator="\t"),
    encoding="ascii",
    tokenised=True,
    source="https://ana.cachopo.org/datasets-for-single-label-text-categorization",
    paper="Cardoso-Cachopo, Improving Methods for Single-label Text Categorization, PhD thesis, Lisbon 2007",
    licence="none stated for this edition; Reuters-21578 is for research use",
    part_of="r52",
    note="lower-case, without punctuation and digits; no dev split is published: ours is 10 % of the training texts",
    defects=(
        Defect("copies in train", 62, "the agency sent them twice; published splits are kept unchanged"),
        Defect("copies in test", 13, "the same"),
        Defect("texts in train and test", 4, "the same; they are not clean"),
        Defect("texts with two labels", 4, "all in train: Reuters filed the copies under different topics"),
    ),
)
