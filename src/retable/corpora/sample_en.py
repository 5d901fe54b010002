"""sample-en: short reviews written for this project, so that every stage runs without a network."""

from functools import partial

from retable.corpora.readers import read_labelled_lines
from retable.declaration import Corpus, Defect, in_mirror

CORPUS = Corpus(
    name="sample-en",
    language="en",
    title="short reviews of the project's own making",
    labels=("negative", "positive"),
    texts={"train": (195, 205), "dev": (32, 28), "test": (39, 41)},
    files=in_mirror(
        "sample-en",
        {
            "train.txt": (46_197, "33d04214dac32c0c751e349b89ad85248a58952a756bfa9e940457b221737acf"),
            "dev.txt": (6_722, "e370473f40f73872c01a14c2b4ed25d6f842c17f9213217f560ace92b84fdb36"),
            "test.txt": (9_117, "fa03ae58416bd51d6e138c2918671b9dd87e2db6f8929c1432c8e56db2ebe081"),
        },
    ),
    read=partial(
        read_labelled_lines, splits={"train": "train.txt", "dev": "dev.txt", "test": "test.txt"}, separator="\t"
    ),
    tokenised=True,
    source="drawn by data/sample/make.py, in git up to commit da250a6",
    paper="none: drawn from a grammar by this project",
    licence="MIT, as the project",
    note="says nothing about any method: it shows that the chain works",
    defects=(
        Defect("copies in train", 1, "meant: copies and leaks shall be seen at this scale too"),
        Defect("texts in train and test", 1, "meant: one text is not clean"),
    ),
)
