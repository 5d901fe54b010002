"""FCSR: full-context semantic representation in sentence level (tables 1 to 3)."""

from retable.papers.paper import Column, Paper, ResultTable, Row, StatisticsTable

NOT_BUILT = "this system is not built here yet"
NO_CORPUS = "the corpus is not obtainable here"
NO_AG_NEWS = f"{NO_CORPUS}: only a sample of its 120,000 training texts is in the mirror (ag-news-5k)"
AG_SAMPLE = "a sample: 5,000 of the 120,000 training texts and the 7,600 test texts"
NO_YELP = f"{NO_CORPUS}: 700,000 reviews, of which the mirror holds none"

TABLE_1 = StatisticsTable(
    name="fcsr-table-1",
    title="Statistics of five corpora (FCSR, table 1)",
    published="table-1",
    corpora={
        "ag-news": "ag-news",
        "polarity": "mr",
        "covid-sentiment": "covid-sentiment",
        "sst-2": "sst-2",
        "yelp-full": "yelp-full",
        "ag-news-5k": "ag-news-5k",
    },
    reasons={"ag-news": NO_AG_NEWS, "yelp-full": NO_YELP},
    statistics={
        "instances": "instances-published",
        "average-length": "published-average-words",
        "vocabulary": "published-vocabulary-words",
    },
    notes={
        ("polarity", "instances"): "printed as 10 L: 10 K fits the corpus, 10 lakh would be a million",
        ("polarity", "average-length"): "no reading gives 50: sentences have 21 words or 115 characters",
        ("covid-sentiment", "average-length"): "no reading of the texts gives 27: words between spaces are 25.2, words "
        "and marks 26.3 (index and label of a row counted too, 27.2 words)",
        ("covid-sentiment", "vocabulary"): "the print is a tenth of what is there: 11.4 K lower-case words",
        ("sst-2", "instances"): "the print is the size of a test split of table 2, the published splits hold 9,613",
        ("sst-2", "vocabulary"): "the print is also table 2's figure for four review domains, the texts hold 17,573 "
        "words (21,836 together with mr)",
        "ag-news-5k": AG_SAMPLE,
        ("ag-news-5k", "average-length"): f"{AG_SAMPLE} (43.6 tokens of spaCy on average in the test texts)",
    },
)

DOMAINS = (
    "apparel", "baby", "books", "camera", "dvd", "electronic", "health", "imdb",
    "kitchen", "magazine", "mr", "music", "software", "sports", "toys", "video",
)  # fmt: skip
TOKENISED = ("fdu-imdb", "fdu-mr")  # the domains whose unlabelled texts come tokenised as well
WORDS = "counted as the print seems to be, over labelled and unlabelled texts, punctuation marks left out"
VOCABULARY = "counted as the print seems to be, over labelled and unlabelled texts before marks were cut off words"
TABLE_2 = StatisticsTable(
    name="fcsr-table-2",
    title="Statistics of sixteen review domains (FCSR, table 2)",
    published="table-2",
    corpora={f"fdu-{domain}": f"fdu-{domain}" for domain in DOMAINS},
    statistics={
        **{split: f"published-{split}" for split in ("train", "dev", "test")},
        "average-length": "with-unlabelled-average-words",
        "vocabulary": "with-unlabelled-vocabulary-untokenised",
        **{(name, "average-length"): "with-unlabelled-average-tokens" for name in TOKENISED},
        **{(name, "vocabulary"): "with-unlabelled-vocabulary" for name in TOKENISED},
    },
    notes={
        **{(f"fdu-{domain}", "average-length"): WORDS for domain in DOMAINS},
        **{(f"fdu-{domain}", "vocabulary"): VOCABULARY for domain in DOMAINS},
        **{(name, "average-length"): "counted over labelled and unlabelled tokens" for name in TOKENISED},
        **{(name, "vocabulary"): "counted over labelled and unlabelled tokens" for name in TOKENISED},
        ("fdu-baby", "train"): "the release holds 1,500 texts for train and dev, 100 fewer than the print",
    },
)

TABLE_3 = ResultTable(
    name="fcsr-table-3",
    title="Accuracy on five corpora (FCSR, table 3)",
    published="table-3",
    metric="accuracy",
    unit="%",
    vectors="glove",
    rows=(
        Row("cnn", "CNN", model="textcnn"),
        Row("bilstm", "BiLSTM", model="bilstm"),
        Row("transformer", "Transformer", reason="the paper's has six heads and six layers; not run here yet"),
        Row("char-cnn", "Char-CNN", reason=NOT_BUILT),
        Row("encoder-cnn-s", "Encoder-CNN-S", reason=NOT_BUILT),
        Row("encoder-cnn-a", "Encoder-CNN-A", reason=NOT_BUILT),
        Row("encoder-drnn-s", "Encoder-DRNN-S", reason=NOT_BUILT),
        Row("encoder-drnn-a", "Encoder-DRNN-A", reason=NOT_BUILT),
        Row("s-lstm", "S-LSTM", reason=NOT_BUILT),
        Row("vampire", "VAMPIRE", reason="needs a language model pretrained on unlabelled text"),
        Row("cspan-base", "CSPAN (base)", reason=NOT_BUILT),
        Row("cspan-big", "CSPAN (big)", reason=NOT_BUILT),
        Row("fcsr", "FCSR", model="fcsr"),
        Row(
            "fcsr-printed-rate",
            "FCSR, learning rate as printed",
            model="fcsr",
            extra=True,
            overrides={"training": {"learning_rate": 0.01}},
        ),
        Row("avg-embedding", "mean of word vectors", model="avg-embedding", extra=True),
        Row("tfidf-svm", "tf-idf + SVM", model="tfidf-svm", extra=True),
        Row("nb-svm", "NB-SVM", model="nb-svm", extra=True),
        Row("fasttext", "fastText", model="fasttext", extra=True),
    ),
    columns=(
        Column("ag-news", "AG", corpus="ag-news", split="paper", reason=NO_AG_NEWS),
        Column("yelp-full", "Yelp F.", corpus="yelp-full", split="paper", reason=NO_YELP),
        Column("polarity", "Polar", corpus="mr", note="10% of the texts as test split, the paper names none"),
        Column("sst-2", "SST", corpus="sst-2", split="paper"),
        Column(
            "covid-sentiment",
            "Final",
            corpus="covid-sentiment",
            note="10% of the texts as test split, the paper names none",
        ),
        Column(
            "ag-news-5k",
            "AG, 5,000 training texts",
            corpus="ag-news-5k",
            split="paper",
            extra=True,
            note="5,000 of the 120,000 training texts, the official test texts",
        ),
        Column("sample-en", "the project's own sample", corpus="sample-en", split="paper", extra=True),
    ),
)

PAPER = Paper(
    name="fcsr",
    title="Full-context semantic representation in sentence level",
    citation="FCSR: Full-context semantic representation in sentence level. Manuscript, Elsevier.",
    results=(TABLE_3,),
    statistics=(TABLE_1, TABLE_2),
)
