"""CSPAN: cascaded semantic and positional self-attention (table 1; its scores follow with the model)."""

from retable.papers.paper import Paper, StatisticsTable

NO_CORPUS = "the corpus is not obtainable here"

TABLE_1 = StatisticsTable(
    name="cspan-table-1",
    title="Statistics of four corpora (CSPAN, table 1)",
    published="table-1",
    corpora={
        "ag-news": "ag-news",
        "yelp-polarity": "yelp-polarity",
        "yelp-full": "yelp-full",
        "yahoo-answers": "yahoo-answers",
        "ag-news-5k": "ag-news-5k",
        "yelp-10k": "yelp-10k",
        "yahoo-answers-2c": "yahoo-answers-2c",
    },
    reasons={
        "ag-news": f"{NO_CORPUS}: only a sample of its 120,000 training texts is in the mirror (ag-news-5k)",
        "yelp-polarity": f"{NO_CORPUS}: of other reviews of the site a sample is in the mirror (yelp-10k)",
        "yelp-full": f"{NO_CORPUS}: of other reviews of the site a sample is in the mirror (yelp-10k)",
        "yahoo-answers": f"{NO_CORPUS}: only 4,418 texts of two of its ten topics are in the mirror (yahoo-answers-2c)",
    },
    statistics={
        **{split: f"published-{split}" for split in ("train", "test")},
        "average-sentences": "published-average-sentences",
        "max-sentences": "published-max-sentences",
        "average-words": "published-average-words-and-marks",
        "max-words": "published-max-words-and-marks",
    },
    notes={
        "ag-news-5k": "a sample: 5,000 of the 120,000 training texts and the 7,600 test texts",
        ("ag-news-5k", "average-words"): "words and punctuation marks, each mark by itself, come near the printed 46.6 "
        "of the whole, words between spaces (37.9) do not",
        ("ag-news-5k", "average-sentences"): "the rule of text/sentences.py comes near the printed 1.3 of the whole",
        "yelp-10k": "other reviews of the same site, with their stars: no part of the printed corpora",
        "yahoo-answers-2c": "a sample: two of the ten topics",
    },
)

PAPER = Paper(
    name="cspan",
    title="Cascaded semantic and positional self-attention network for document classification",
    citation="Jiang, Zhang and Zhang, Cascaded Semantic and Positional Self-Attention Network for Document "
    "Classification, Findings of EMNLP 2020.",
    results=(),
    statistics=(TABLE_1,),
)
