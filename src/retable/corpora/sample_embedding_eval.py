"""sample-embedding-eval: analogies and pairs of words of the project's own making, for sample-en and sample-zh."""

from retable.corpora.evaluation_sets import EvaluationSets, SetFile
from retable.declaration import RemoteFile

REFERENCE = EvaluationSets(
    name="sample-embedding-eval",
    language="en, zh",
    title="test sets of word vectors, made up",
    files={
        "analogies-en.txt": RemoteFile(
            "sample-embedding-eval/analogies-en.txt",
            digest="sha256:1e0a125661d5a93fde56bfaa355533249e42ec54de915224f0a0556ffa7c7826",
            bytes=3571,
        ),
        "similarity-en.txt": RemoteFile(
            "sample-embedding-eval/similarity-en.txt",
            digest="sha256:58797f1289d4b00d83edfeb05699f6249877ff529e3d350377b7b7fb5ec67d17",
            bytes=282,
        ),
        "analogies-zh.txt": RemoteFile(
            "sample-embedding-eval/analogies-zh.txt",
            digest="sha256:3d47312db4cedba5133072a94bc34b4938cbc6ad45b00f90c3417e031fa56fcb",
            bytes=508,
        ),
        "similarity-zh.txt": RemoteFile(
            "sample-embedding-eval/similarity-zh.txt",
            digest="sha256:adc1b0f3a67eade71003c5e09d0c6a27fb07b79f44bdb02861671f96efc3ecd5",
            bytes=183,
        ),
    },
    sets={
        "analogies-en.txt": SetFile("analogies", "en", 120),
        "similarity-en.txt": SetFile("similarity", "en", 15),
        "analogies-zh.txt": SetFile("analogies", "zh", 26),
        "similarity-zh.txt": SetFile("similarity", "zh", 13),
    },
    source="data/sample/make_embedding_eval.py",
    paper="none: made up by this project",
    licence="MIT, as the project",
    note="says nothing about any vectors: it shows that the chain works",
)
