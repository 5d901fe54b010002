"""sample-zh: short Chinese reviews written for this project, so that every stage runs without a network."""

from functools import partial

from retable.corpora.readers import read_labelled_lines
from retable.declaration import Corpus, Defect, in_mirror

CORPUS = Corpus(
    name="sample-zh",
    language="zh",
    title="short Chinese reviews of the project's own making",
    labels=("negative", "positive"),
    texts={"train": (202, 198), "dev": (30, 30), "test": (38, 42)},
    files=in_mirror(
        "sample-zh",
        {
            "train.txt": (43_631, "fec2fe326d2d45997e124a16701c5b403325de131b3bbcda6054388b1b5419b2"),
            "dev.txt": (6_613, "04c3d4a821c29b984baf15e42fa62df6b175a24268f6d07d69f266844d5771b8"),
            "test.txt": (8_157, "250d455e21f6ff119adcd128723fea463f9ec97fd7ce3de5cb369e03c91fc48c"),
        },
    ),
    read=partial(
        read_labelled_lines, splits={"train": "train.txt", "dev": "dev.txt", "test": "test.txt"}, separator="\t"
    ),
    source="drawn by data/sample/make.py, in git up to commit da250a6",
    paper="none: drawn from a grammar by this project",
    licence="MIT, as the project",
    note="says nothing about any method: it shows that the chain works",
    defects=(
        Defect("copies in train", 1, "meant: copies and leaks shall be seen at this scale too"),
        Defect("texts in train and test", 1, "meant: one text is not clean"),
    ),
)
