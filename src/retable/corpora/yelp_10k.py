"""Yelp reviews with their stars: 10,000 from the Open Dataset, to try the path of yelp-full on real text."""

from functools import partial

from retable.corpora.readers import Layout, read_csv_rows
from retable.corpora.zhang import STARS
from retable.declaration import Corpus, github

CORPUS = Corpus(
    name="yelp-10k",
    language="en",
    title="Yelp reviews, one to five stars, 10,000 of the Open Dataset",
    labels=STARS,
    texts={"train": (750, 435, 516, 1111, 2188), "test": (722, 419, 545, 1073, 2241)},
    files=github(
        "AI-secure/aug-pe/a3f292f6fec7427b6a6e6d982b83b68c1f0a86d5/data/yelp",
        {
            "dev.csv": (3_077_733, "c3eca3486566a3f949f192dcd9bb33ecd60cead9312a90060a374bc1ec29fdbc"),
            "test.csv": (3_042_046, "8ec4a7352b5b54e68ebcb1d041ea45deda04e6f2d1d41bbb1eb24c5db3b4b0cf"),
        },
        mirror="yelp_aug_pe",
    ),
    read=partial(
        read_csv_rows,
        splits={"train": "dev.csv", "test": "test.csv"},
        layout=Layout(
            columns=3,
            label=2,
            texts=(0,),
            header=("text", "label1", "label2"),
            names={f"Review Stars: {number}.0": label for number, label in enumerate(STARS, start=1)},
        ),
    ),
    source="https://www.yelp.com/dataset",
    paper="Xie et al., Differentially Private Synthetic Data via Foundation Model APIs 2: Text, ICML 2024",
    licence="terms of the Yelp Open Dataset: academic use",
    note="not a sample of yelp-full: newer reviews with unbalanced stars; the dev file is our training split (its "
    "train file was not available), 10 % of it our dev split",
)
