"""waimai_10k: short Chinese reviews of a meal delivery platform, positive or negative."""

from functools import partial

from retable.corpora.readers import SENTIMENT, Layout, read_csv_rows
from retable.declaration import Corpus, Defect, github

FILE = "waimai_10k.csv"

CORPUS = Corpus(
    name="waimai-10k",
    language="zh",
    title="Chinese reviews of delivered meals, positive or negative",
    labels=("negative", "positive"),
    texts={"all": (7987, 4000)},
    files=github(
        "SophonPlus/ChineseNlpCorpus/a0b781d72158bde242c0626c9e354d2b328865ff/datasets/waimai_10k",
        {FILE: (919_380, "b8b5c11c00b51578d35937fca56e03a126b45381f1ea4b22893237cb377a26fe")},
        mirror="zh_reviews",
    ),
    read=partial(
        read_csv_rows,
        splits={"all": FILE},
        layout=Layout(columns=2, label=0, texts=(1,), names=SENTIMENT, header=("label", "review")),
    ),
    source="https://github.com/SophonPlus/ChineseNlpCorpus",
    paper="none: published only by its repository",
    licence="none stated",
    note="not segmented; no split is published: 10 % of the texts are our test split, 10 % of the rest our dev split",
    defects=(
        Defect("texts with two labels", 7, "short reviews posted with both labels; no copy is kept"),
        Defect("copies in all", 7, "the same"),
    ),
)
