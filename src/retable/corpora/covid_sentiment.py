"""COVID sentiment: tweets from India in 2020 with four moods (FCSR's column `Final Sentiment Data`)."""

from functools import partial

from retable.corpora.readers import Layout, read_csv_rows
from retable.declaration import Corpus, Defect, github

CORPUS = Corpus(
    name="covid-sentiment",
    language="en",
    title="tweets from India in 2020, in four moods",
    labels=("anger", "fear", "joy", "sad"),
    texts={"all": (767, 801, 727, 795)},
    files=github(
        "akshayjoshii/COVID19-Tweet-Sentiment-Analysis-and-EDA/2bb66627912ebebed15a821bc5d82fe58046cf45",
        {
            "finalSentimentdata2.csv": (477_103, "ea4fc20c291496e8d1a0d293e839d7f7ac60b70a15252f1e49c2fd76773994b8"),
        },
        mirror="covid_tweets",
    ),
    read=partial(
        read_csv_rows,
        splits={"all": "finalSentimentdata2.csv"},
        layout=Layout(columns=3, label=1, texts=(2,), header=("", "sentiment", "text")),
    ),
    source="https://www.kaggle.com/surajkum1198/twitterdata",
    paper="Kumar, twitterdata (finalSentimentdata2.csv), Kaggle 2020",
    licence="Twitter's terms: research use, the texts must not be redistributed",
    note="no split is published: 10 % of the texts are our test split, 10 % of the rest our dev split",
    defects=(
        Defect("copies in all", 44, "retweets; the first is kept, before the splits are drawn"),
        Defect("texts with two labels", 2, "copies with different labels; none of the four is kept"),
    ),
)
