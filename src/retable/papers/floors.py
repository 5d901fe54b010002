"""Not a paper: baselines that a user might pick instead, on every available corpus. A table without them misleads."""

from retable.corpora import FAMILIES, corpus
from retable.papers.paper import Column, Paper, ResultTable
from retable.papers.shared import FLOORS, MINILM

PUBLISHED_SPLIT = {
    "r8": "R8",
    "imdb": "IMDB",
    "sst-1": "SST-1",
    "sst-2": "SST-2",
    "trec": "TREC",
    "ag-news-5k": "AG's News, 5,000 training texts",
    "20-newsgroups": "20 Newsgroups, headers and all",
    "20-newsgroups-no-headers": "20 Newsgroups without headers",
    "news-aggregator-5pub": "News Aggregator, headlines of five publishers",
    "yahoo-answers-2c": "Yahoo! Answers, two topics",
    "yelp-10k": "Yelp, 10,000 reviews with stars",
    **{name: name.replace("fdu-", "FDU ") for name in FAMILIES["fdu"]},
    "sample-en": "the project's own sample",
    "ohsumed": "Ohsumed",
    "r52": "R52",
    "ag-news-65k": "AG's News, 65,051 training texts",
    "sst-1-phrases": "SST-1 with phrases",
    "sst-2-phrases": "SST-2 with phrases",
    "wikiqa": "WikiQA, pairs",
    "trecqa": "TrecQA, pairs",
    "sick": "SICK, pairs",
    "msrp": "MSRP, pairs",
}
OWN_SPLIT = {
    "mr": "MR",
    "covid-sentiment": "Final Sentiment Data",
    "mpqa": "MPQA",
    "dbpedia-14k": "DBpedia, 14,000 texts",
}
CHINESE_PUBLISHED_SPLIT = {
    "thucnews-45k": "THUCNews, 45,000 training texts",
    "sample-zh": "the project's own Chinese sample",
    "chnsenticorp": "ChnSentiCorp",
}
CHINESE_OWN_SPLIT = {
    "ced": "CED",
    "ced-grouped": "CED, near-duplicates in one split",
    "chnsenticorp-htl-all": "ChnSentiCorp, reviews of hotels",
    "waimai-10k": "waimai_10k",
    "online-shopping-10-cats": "online_shopping_10_cats",
}

TABLE_1 = ResultTable(
    name="floors-table-1",
    title="Linear models, fastText and a pretrained encoder on every available corpus",
    published=None,
    metric="accuracy",
    unit="%",
    rows=(*FLOORS, *MINILM),
    columns=(
        *(Column(name, title, name, "paper", extra=True) for name, title in PUBLISHED_SPLIT.items()),
        *(Column(name, title, name, extra=True, folds="test") for name, title in OWN_SPLIT.items()),
        *(
            Column(name, title, name, "paper", extra=True, unit="characters")
            for name, title in CHINESE_PUBLISHED_SPLIT.items()
        ),
        *(Column(name, title, name, extra=True, unit="characters") for name, title in CHINESE_OWN_SPLIT.items()),
        *(
            Column(name, name, name, extra=True, unit="characters" if corpus(name).language == "zh" else "words")
            for name in FAMILIES["own"]
        ),
    ),
)

PAPER = Paper(
    name="floors",
    title="Linear baselines and a pretrained encoder",
    citation="retable's own table, not from a paper.",
    results=(TABLE_1,),
)
