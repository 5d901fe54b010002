"""Yahoo! Answers, a sample of two of the ten topics: questions with their best answers."""

from functools import partial

from retable.corpora.readers import Layout, read_csv_rows
from retable.corpora.zhang import ESCAPES, PAPER
from retable.declaration import Corpus, Defect, github

CORPUS = Corpus(
    name="yahoo-answers-2c",
    language="en",
    title="questions with their best answers, in two of ten topics, a sample",
    labels=("science_mathematics", "society_culture"),
    texts={"train": (2000, 2000), "test": (209, 209)},
    files=github(
        "vicrudakov/adaptive_supervised_ml/c02b8de89fe65fa67c7f891f19ccb608677be96c/data/yahoo",
        {
            "train.csv": (2_458_054, "62efdc7c2716bd567a43095b09e252a3d6ebc120b741aba9e48e8d3844b3cf5f"),
            "test.csv": (256_842, "50d590f580e71958e51524f3690543c06d359cb06ddaa8598f077e3d1ffad69b"),
        },
        mirror="yahoo_answers",
        mirrored={"train.csv": "train_2class4000.csv", "test.csv": "test_2class418.csv"},
    ),
    read=partial(
        read_csv_rows,
        splits={"train": "train.csv", "test": "test.csv"},
        layout=Layout(columns=2, label=1, texts=(0,), escapes=ESCAPES),
    ),
    part_of="yahoo-answers",
    source="https://webscope.sandbox.yahoo.com/",
    paper=PAPER,
    licence="terms of Yahoo Webscope (L6): non-commercial research",
    note="4,000 and 418 texts of two topics, sampled by others; no dev split is published: ours is 10 % of the "
    "training texts",
    defects=(
        Defect("texts with markup", 19, "formulas in angle brackets, and &#92; for a backslash; kept as published"),
    ),
)
