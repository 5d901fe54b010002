"""UD English EWT: web text with parts of speech, on which the English tagger is trained."""

from functools import partial

from retable.corpora.readers import read_conllu
from retable.declaration import Treebank, github

file = partial(github, "UniversalDependencies/UD_English-EWT", "15d613d8447b3478787d4c278730a1e48a945efb")

TREEBANK = Treebank(
    name="ewt",
    language="en",
    title="treebank UD English EWT, for the tagger",
    sentences={"train": 12_544, "dev": 2001, "test": 2077},
    words={"train": 204_577, "dev": 25_147, "test": 25_094},
    files={
        "train.conllu": file(
            "en_ewt-ud-train.conllu",
            mirror="ud_english_ewt/en_ewt-ud-train.conllu",
            sha256="3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
            size=14_203_025,
        ),
        "dev.conllu": file(
            "en_ewt-ud-dev.conllu",
            mirror="ud_english_ewt/en_ewt-ud-dev.conllu",
            sha256="531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
            size=1_805_545,
        ),
        "test.conllu": file(
            "en_ewt-ud-test.conllu",
            mirror="ud_english_ewt/en_ewt-ud-test.conllu",
            sha256="e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd",
            size=1_804_515,
        ),
    },
    read=read_conllu,
    source="https://github.com/UniversalDependencies/UD_English-EWT",
    paper="Silveira et al., A Gold Standard Dependency Corpus for English, LREC 2014",
    licence="CC BY-SA 4.0",
    note="commit of 2025-05-10; 17 universal tags, 49 of the Penn Treebank",
)
