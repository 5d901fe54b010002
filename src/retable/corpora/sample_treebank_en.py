"""sample-treebank-en: sentences made for this project, with the parts of speech from its generating grammar."""

from retable.corpora.readers import read_conllu
from retable.declaration import Treebank, in_mirror

TREEBANK = Treebank(
    name="sample-treebank-en",
    language="en",
    title="treebank of the project's own making",
    sentences={"train": 400, "dev": 80, "test": 80},
    words={"train": 3316, "dev": 663, "test": 629},
    files=in_mirror(
        "sample-treebank-en",
        {
            "train.conllu": (89_448, "9a5e6b8633a4607351988bfcb51d882276d077e5ad2481212b8fc3d4ac6bc280"),
            "dev.conllu": (17_908, "243e328d576517017cd147f196b7c02ede8965b4caf1f4bcc84f63d7a5bd50ac"),
            "test.conllu": (16_957, "9e0eca9c73575944b09c1b803948b05eb810e14d81a942b77df1cff632d4bf50"),
        },
    ),
    read=read_conllu,
    source="drawn by data/sample/make.py, in git up to commit da250a6",
    paper="none: drawn from a grammar by this project",
    licence="MIT, as the project",
    note="says nothing about any tagger: it shows that the chain works; without lemmas and trees",
)
