"""UD English EWT: web text with parts of speech, on which the English tagger is trained."""

from retable.corpora.readers import read_conllu
from retable.declaration import Treebank, github

NAMES = {f"{split}.conllu": f"en_ewt-ud-{split}.conllu" for split in ("train", "dev", "test")}

TREEBANK = Treebank(
    name="ewt",
    language="en",
    title="treebank UD English EWT, for the tagger",
    sentences={"train": 12_544, "dev": 2001, "test": 2077},
    words={"train": 204_577, "dev": 25_147, "test": 25_094},
    files=github(
        "UniversalDependencies/UD_English-EWT/15d613d8447b3478787d4c278730a1e48a945efb",
        {
            "train.conllu": (14_203_025, "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b"),
            "dev.conllu": (1_805_545, "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6"),
            "test.conllu": (1_804_515, "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd"),
        },
        mirror="ud_english_ewt",
        there=NAMES,
        mirrored=NAMES,
    ),
    read=read_conllu,
    source="https://github.com/UniversalDependencies/UD_English-EWT",
    paper="Silveira et al., A Gold Standard Dependency Corpus for English, LREC 2014",
    licence="CC BY-SA 4.0",
    note="commit of 2025-05-10; 17 universal tags, 49 of the Penn Treebank",
)
