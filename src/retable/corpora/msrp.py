"""MSRP: pairs of news sentences that are paraphrases of each other, or not."""

from functools import partial

from retable.corpora.readers import read_columns_of_pairs
from retable.declaration import Corpus, Defect, github

CORPUS = Corpus(
    name="msrp",
    language="en",
    title="pairs of news sentences: is one a paraphrase of the other?",
    labels=("no", "yes"),
    texts={"train": (1323, 2753), "test": (578, 1147)},
    files=github(
        "a389965626/Sick-/1c9d2289d3b36ec71592e51828257e7a81b48028",
        {
            "msr_paraphrase_train.txt": (1_022_629, "2b70c53140816300a37fc7195a43285a09ca204493b7241bfd8ce17cf411b309"),
            "msr_paraphrase_test.txt": (431_116, "209ea8fad226deac2e07e156b2a424cc1ca267c8c9697f8c3d5b369531d7b1d3"),
        },
        mirror="msrp",
    ),
    read=partial(
        read_columns_of_pairs,
        splits={"train": "msr_paraphrase_train.txt", "test": "msr_paraphrase_test.txt"},
        columns=5,
        first=3,
        second=4,
        label=0,
        names={"0": "no", "1": "yes"},
    ),
    encoding="utf-8",
    pooled=False,
    source="https://www.microsoft.com/en-us/download/details.aspx?id=52398",
    paper="Dolan and Brockett, Automatically Constructing a Corpus of Sentential Paraphrases, IWP 2005",
    licence="Microsoft Shared Source License Agreement, for research",
    note="no dev split is published: ours is 10 % of the training texts",
    defects=(Defect("texts with markup", 14, "stock tickers in angle brackets, not tags; they are kept"),),
)
