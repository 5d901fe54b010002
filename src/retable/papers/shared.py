"""Rows, a column and reasons shared by several tables and figures."""

from dataclasses import replace
from typing import Any

from retable.papers.chosen import CHOSEN
from retable.papers.paper import Column, Row

NOT_BUILT = "this system is not built here yet"
NO_CORPUS = "the corpus is not available here"
NO_AG_NEWS = (
    f"{NO_CORPUS} as a whole: 65,051 of its 120,000 training texts are (ag-news-65k, in CSPAN's tables 2 and 3), and "
    "other networks are trained on 5,000 (ag-news-5k)"
)
NEEDS_WEIGHTS = "it runs where its pretrained weights are (`weights` in its preset), which are not available here"

FCSR = Row("fcsr", "FCSR", model="fcsr", chosen=CHOSEN["fcsr"])
CSPAN_BASE = Row("cspan-base", "CSPAN (base)", model="cspan")
CSPAN_BIG = Row(
    "cspan-big",
    "CSPAN (big)",
    model="cspan",
    overrides={
        "model": {"layers": 3, "queries": 128},
        "training": {"epochs": 60, "epochs_max": 60, "patience": 60},
    },
)

# Structured self-attention's penalty on similar heads, not printed for this rival: the best on dev of 1 (its authors'),
# 0.1 and 0, on r8 and on ag-news-5k (docs/readings.md, "LAMA").
SMALL_PENALTY = {"model": {"penalty": 0.1}}

# Baselines that a user might pick instead, for tables whose paper does not print them.
AVG_EMBEDDING = Row("avg-embedding", "mean of word vectors", model="avg-embedding", extra=True)
TFIDF_SVM = Row("tfidf-svm", "tf-idf + SVM", model="tfidf-svm", extra=True)
NB_SVM = Row("nb-svm", "NB-SVM", model="nb-svm", extra=True)
FASTTEXT = Row("fasttext", "fastText", model="fasttext", extra=True)
FLOORS = (TFIDF_SVM, NB_SVM, FASTTEXT)

# What a practitioner would try today; in no paper's table, because an encoder of a billion pairs is no equal chance.
MINILM = (
    Row("minilm-lr", "MiniLM + logistic regression, pretrained on 1 billion pairs", model="minilm-lr", extra=True),
    Row("minilm-knn", "MiniLM + nearest neighbours, pretrained on 1 billion pairs", model="minilm-knn", extra=True),
)

GLOVE = "glove.6b-100"


def with_glove(row: Row) -> Row:
    """Return one of our rows with its paper's published vectors, of dimension 100 where the paper has 300."""
    printed = f"{row.printed}, GloVe 6B 100-d"
    return replace(
        row, id=f"{row.id}-glove", printed=printed, extra=True, reading_of=row.reading_of or row.id, vectors=GLOVE
    )


SAMPLE = Column("sample-en", "the project's own sample", corpus="sample-en", split="paper", extra=True)

# The paper gives one set of hyperparameters (section 3.5) and a different optimiser only for BERT (section 4.2): its
# rivals are trained like LAMA. What the paper leaves open is as in the preset of lama.
LAMA_TRAINING = {
    "optimiser": "sgd",
    "learning_rate": 0.05,
    "schedule": "constant",
    "epochs": 30,
    "epochs_max": 30,
    "batch_size": 32,
    "weight_decay": 0.0001,
    "momentum": 0.9,
    "patience": 5,
    "clip": 0.0,
}
LAMA_PROTOCOL: dict[str, dict[str, Any]] = {
    "training": LAMA_TRAINING,
    "embedding": {"size": 100, "tune": True, "min_count": 5},
}
