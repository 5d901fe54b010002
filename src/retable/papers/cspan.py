"""CSPAN: cascaded semantic and positional self-attention (tables 1 to 5).

Every row of tables 3 to 5 is the one preset with departures in `model`. The plain BiLSTM of table 3 is CSPAN with its
parts off, not the model `bilstm`, so it is trained like the other rows, and each row adds one thing to the one above.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from retable.papers.chosen import CHOSEN
from retable.papers.paper import Column, Paper, ResultTable, Row, StatisticsTable
from retable.papers.shared import (
    AVG_EMBEDDING,
    CSPAN_BASE,
    CSPAN_BIG,
    FLOORS,
    NB_SVM,
    NO_AG_NEWS,
    NO_CORPUS,
    SAMPLE,
    SMALL_PENALTY,
    TFIDF_SVM,
    with_glove,
)

NO_YELP = f"{NO_CORPUS}: the mirror has a sample of other reviews of the site (yelp-10k)"
NO_YAHOO = f"{NO_CORPUS}: only 4,418 texts of two of its ten topics are available here (yahoo-answers-2c)"

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
    reasons={"ag-news": NO_AG_NEWS, "yelp-polarity": NO_YELP, "yelp-full": NO_YELP, "yahoo-answers": NO_YAHOO},
    statistics={
        **{split: f"published-{split}" for split in ("train", "test")},
        "average-sentences": "published-average-sentences",
        "max-sentences": "published-max-sentences",
        "average-words": "published-average-words-and-marks",
        "max-words": "published-max-words-and-marks",
    },
    notes={
        "ag-news-5k": "a sample: 5,000 of the 120,000 training texts and the 7,600 test texts",
        ("ag-news-5k", "average-words"): "words and punctuation marks are close to the printed 46.6 (whole corpus), "
        "words between spaces (37.9) are not",
        ("ag-news-5k", "average-sentences"): "our rule for sentences is close to the printed 1.3 (whole corpus)",
        "yelp-10k": "other reviews of the same site, with their stars: not part of the printed corpora",
        "yahoo-answers-2c": "a sample: two of the ten topics",
    },
)


def variant(id: str, printed: str, options: Mapping[str, Any], *, reading_of: str = "", reading: str = "") -> Row:
    """Return a row of CSPAN with options other than its preset's, or another reading of a row."""
    return Row(
        id,
        printed,
        model="cspan",
        extra=bool(reading_of),
        reading_of=reading_of,
        reading=reading,
        overrides={"model": options},
    )


def step(id: str, printed: str, options: Mapping[str, Any], *, reading_of: str = "", reading: str = "") -> Row:
    """Return a row of CSPAN without some of its parts: a baseline, or a step towards it."""
    return replace(variant(id, printed, options, reading_of=reading_of, reading=reading), part=True)


AG_NEWS = Column("ag-news", "AGNews", corpus="ag-news", split="paper", reason=NO_AG_NEWS)
AG_NEWS_5K = Column(
    "ag-news-5k",
    "AGNews, 5,000 training texts",
    corpus="ag-news-5k",
    split="paper",
    extra=True,
    note="5,000 of the 120,000 training texts, the official test texts",
)
AG_NEWS_65K = Column(
    "ag-news-65k",
    "AGNews, 65,051 training texts, GloVe",
    corpus="ag-news-65k",
    split="paper",
    extra=True,
    note="65,051 of the 120,000 training texts, the official test texts; networks start from GloVe 6B 100-d (the "
    "paper: 300-d), and CSPAN is as wide as its vectors: 0.2 of 2.1 million parameters",
)


def memory_of(column: Column) -> Column:
    """Return the column of the peak memory of a column's runs."""
    return replace(
        column,
        id=f"{column.id}-memory",
        printed=f"{column.printed}, memory in MB",
        metric="peak_memory_mb",
        runs_of=column.id,
    )


LSTM = Row("lstm", "LSTM", model="lstm")
HAN = Row("han", "HAN", model="han")
LEAM = Row("leam", "LEAM", model="leam")
SWEM = Row("swem", "SWEM", model="swem", overrides={"model": {"pool": "concat"}})
STRUCTURED_SELF_ATTENTION = Row(
    "structured-self-attention", "SASEM", model="structured-self-attention", overrides=SMALL_PENALTY
)
TABLE_2 = ResultTable(
    name="cspan-table-2",
    title="Accuracy on four corpora (CSPAN, table 2)",
    published="table-2",
    metric="accuracy",
    unit="%",
    vectors="glove",
    vector_size=300,
    rows=(
        LSTM,
        Row("char-cnn", "CNN-char", "char-cnn", chosen=CHOSEN["char-cnn"]),
        Row("word-cnn", "CNN-word", model="word-cnn"),
        Row("vdcnn", "Deep CNN", model="vdcnn"),
        Row("fasttext", "FastText", model="fasttext"),
        HAN,
        STRUCTURED_SELF_ATTENTION,
        Row("disan", "DiSAN", model="disan"),
        LEAM,
        SWEM,
        Row("hlan", "HLAN, built from its abstract", model="hlan"),
        CSPAN_BASE,
        CSPAN_BIG,
        # Another reading: words start from the given vectors; the paper does not say whether these are trained.
        Row(
            "cspan-base-fixed-words",
            "CSPAN (base), word vectors not trained",
            model="cspan",
            extra=True,
            reading_of="cspan-base",
            overrides={"embedding": {"tune": False}},
        ),
        *(with_glove(row) for row in (LSTM, HAN, STRUCTURED_SELF_ATTENTION, LEAM, SWEM, CSPAN_BASE, AVG_EMBEDDING)),
        AVG_EMBEDDING,
        TFIDF_SVM,
        NB_SVM,
    ),
    columns=(
        AG_NEWS,
        Column("yelp-polarity", "Yelp P.", corpus="yelp-polarity", split="paper", reason=NO_YELP),
        Column("yelp-full", "Yelp F.", corpus="yelp-full", split="paper", reason=NO_YELP),
        Column("yahoo-answers", "Yahoo", corpus="yahoo-answers", split="paper", reason=NO_YAHOO),
        AG_NEWS_5K,
        AG_NEWS_65K,
        Column(
            "yelp-10k",
            "Yelp, 10,000 reviews with stars",
            corpus="yelp-10k",
            split="paper",
            extra=True,
            note="other reviews of the same site",
        ),
        Column(
            "yahoo-answers-2c",
            "Yahoo, two topics",
            corpus="yahoo-answers-2c",
            split="paper",
            extra=True,
            note="two of the ten topics",
        ),
        SAMPLE,
    ),
)

# The steps of table 3: each adds one thing to the one before. "self-att" is read as both attentions, so that "residual"
# adds only the sum of eq. 9.
PLAIN: dict[str, Any] = {"first_attention": False, "second_attention": False, "residual": False, "pool": "mean"}
WITH_ATTENTION: dict[str, Any] = {"residual": False, "pool": "mean"}
WITH_RESIDUAL = {"pool": "mean"}
FIRST_ALONE = WITH_ATTENTION | {"second_attention": False}
MAXIMUM = {"pool": "max"}
STEPS = (
    step("bilstm", "Standard Bi-LSTM (baseline)", PLAIN),
    step("cspan-abl-self-att", "+ self-att", WITH_ATTENTION),
    step("cspan-abl-residual", "+ residual", WITH_RESIDUAL),
    replace(CSPAN_BASE, printed="+ multi-query"),
)
TABLE_3 = ResultTable(
    name="cspan-table-3",
    title="Accuracy as CSPAN is built up from a BiLSTM (CSPAN, table 3)",
    published="table-3",
    metric="accuracy",
    unit="%",
    vectors="glove",
    vector_size=300,
    rows=(
        *STEPS,
        # Other readings of what the paper leaves open, one at a time.
        step("cspan-abl-first-att", "+ self-att, over word vectors only", FIRST_ALONE, reading_of="cspan-abl-self-att"),
        step("bilstm-max", "Standard Bi-LSTM, maximum", PLAIN | MAXIMUM, reading_of="bilstm", reading="maximum"),
        step(
            "cspan-abl-self-att-max",
            "+ self-att, maximum",
            WITH_ATTENTION | MAXIMUM,
            reading_of="cspan-abl-self-att",
            reading="maximum",
        ),
        step(
            "cspan-abl-residual-max",
            "+ residual, maximum",
            WITH_RESIDUAL | MAXIMUM,
            reading_of="cspan-abl-residual",
            reading="maximum",
        ),
        *(with_glove(row) for row in STEPS),
        AVG_EMBEDDING,
        *FLOORS,
    ),
    columns=(AG_NEWS, AG_NEWS_5K, AG_NEWS_65K, SAMPLE),
)

SIZES = ((1, 1), (1, 8), (1, 16), (2, 8), (2, 16), (2, 32), (3, 32), (3, 64), (3, 128))  # layers, queries m
TABLE_4 = ResultTable(
    name="cspan-table-4",
    title="Accuracy by the size of the model (CSPAN, table 4)",
    published="table-4",
    metric="accuracy",
    unit="%",
    vectors="glove",
    vector_size=300,
    rows=(
        *(
            variant(f"cspan-l{layers}-q{m}", f"layers {layers}, queries {m}", {"layers": layers, "queries": m})
            for layers, m in SIZES
        ),
        AVG_EMBEDDING,
        *FLOORS,
    ),
    columns=(AG_NEWS, memory_of(AG_NEWS), AG_NEWS_5K, memory_of(AG_NEWS_5K), SAMPLE),
)

WORDS = {"first_attention": False}
FUSIONS = (
    step("cspan-fusion-a", "(a) Embedding", {"fusion": "embeddings"}),
    step("cspan-fusion-b", "(b) Embedding + Position", {"fusion": "positions"}),
    step("cspan-fusion-c", "(c) Embedding + Relative-Position", {"fusion": "relative"}),
    step("cspan-fusion-d", "(d) Embedding + Bi-LSTM", {"fusion": "parallel"}),
    variant("cspan-fusion-e", "(e) Embedding // Bi-LSTM", {"fusion": "cascade"}),  # CSPAN itself
)
TABLE_5 = ResultTable(
    name="cspan-table-5",
    title="Accuracy by how meaning and position are combined (CSPAN, table 5)",
    published="table-5",
    metric="accuracy",
    unit="%",
    vectors="glove",
    vector_size=300,
    rows=(
        *FUSIONS,
        # Another reading: "Embedding" is the word vector itself, without self-attention.
        step(
            "cspan-fusion-a-words",
            "(a) without self-attention",
            WORDS | {"fusion": "embeddings"},
            reading_of="cspan-fusion-a",
            reading="words",
        ),
        step(
            "cspan-fusion-d-words",
            "(d) without self-attention",
            WORDS | {"fusion": "parallel"},
            reading_of="cspan-fusion-d",
            reading="words",
        ),
        *(with_glove(row) for row in FUSIONS),
        AVG_EMBEDDING,
        *FLOORS,
    ),
    columns=(AG_NEWS, AG_NEWS_5K, SAMPLE),
)

PAPER = Paper(
    name="cspan",
    title="Cascaded semantic and positional self-attention network for document classification",
    citation="Jiang, Zhang and Zhang, Cascaded Semantic and Positional Self-Attention Network for Document "
    "Classification, Findings of EMNLP 2020.",
    results=(TABLE_2, TABLE_3, TABLE_4, TABLE_5),
    statistics=(TABLE_1,),
)
