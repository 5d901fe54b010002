"""DBpedia, 14,000 of the 560,000 training texts: first sentences of Wikipedia articles in fourteen classes."""

from functools import partial

from retable.corpora.readers import Layout, read_csv_rows
from retable.corpora.zhang import DBPEDIA, PAPER
from retable.declaration import Corpus, github

CORPUS = Corpus(
    name="dbpedia-14k",
    language="en",
    title="first sentences of Wikipedia articles in fourteen classes, 14,000 of them, without titles",
    labels=DBPEDIA,
    texts={"all": (1000,) * len(DBPEDIA)},
    files=github(
        "KEAML-JLU/DeepTextClustering/b84d28cbe9db02e51b3f5fa9c6e31e540b3ad219/data/dbpedia",
        {
            "train.csv": (4_029_294, "57b652af792e41d5f84638892fec592ed55021c586f1fe7b087b6d8e208d8599"),
        },
        mirror="dbpedia_14000",
    ),
    read=partial(
        read_csv_rows,
        splits={"all": "train.csv"},
        layout=Layout(
            columns=2, label=0, texts=(1,), names={str(number): label for number, label in enumerate(DBPEDIA)}
        ),
    ),
    encoding="ascii",
    tokenised=True,
    part_of="dbpedia",
    source="https://www.dbpedia.org/",
    paper=PAPER,
    licence="CC BY-SA",
    note="1,000 texts per class, sampled by others, without commas; 10 % of the texts are our test split, 10 % of the "
    "rest our dev split",
    defects=(),
)
