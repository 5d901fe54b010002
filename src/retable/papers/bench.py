"""Not a paper: every built system under equal chances, and our own recipe. The rules are in docs/protocol.md, 4.

Equal      word vectors (GloVe 6B, 100-d), tokens, eight trials on dev per row and corpus, and the end of
           training: three epochs without gain on dev, or thirty in all. A linear model chooses among eight candidates.
Departures Transformers have the vectors' width and two layers, because six of 512 are not a compact encoder. The
           penalty of structured self-attention is the one of its other tables.
Ours       table 2: FCSR and the CNN on SST-2, at the same cost in every row; each further row or column adds one part
           of the recipe: given word vectors, searched options, phrases of the sentences.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from retable.papers.paper import Column, Paper, ResultTable, Row
from retable.papers.shared import SMALL_PENALTY

NAME = "bench-table-1"
ENDED: Mapping[str, Mapping[str, Any]] = {"training": {"epochs": 30, "patience": 3}}
WIDTH = 100  # dimension of a word vector
COMPACT = {"layers": 2, "heads": 4, "size": WIDTH}


def network(id: str, printed: str, model: str = "", options: Mapping[str, Any] | None = None) -> Row:
    """Return a row whose options are searched."""
    overrides = {**ENDED, "model": options or {}}
    short = printed.partition(", ")[0]  # without its size: no two begin alike
    return Row(id, printed, model or id, extra=True, overrides=overrides, trials=NAME, short=short)


def linear(id: str, printed: str, **candidates: list[Any]) -> Row:
    """Return a linear model with eight candidates."""
    return Row(id, printed, id, extra=True, overrides={"model": candidates})


ROWS = (
    linear("tfidf-svm", "tf-idf + SVM", features=["words-1", "words-2"], costs=[0.1, 0.3, 1.0, 3.0]),
    linear("nb-svm", "NB-SVM", features=["words-2", "words-3"], costs=[0.01, 0.1, 0.3, 1.0]),
    network("fasttext", "fastText"),
    network("avg-embedding", "mean of word vectors"),
    network("cnn", "CNN", "textcnn"),
    network("dpcnn", "DPCNN"),
    network("lstm", "LSTM"),
    network("bilstm", "BiLSTM, max over words", "bilstm"),
    network("bigru", "BiGRU, max over words"),
    network("att-blstm", "Att-BLSTM"),
    network("structured-self-attention", "structured self-attention", options=SMALL_PENALTY["model"]),
    network("han", "HAN"),
    network("cspan", "CSPAN (base)"),
    network("lama-ctx", "LAMA + Ctx", "lama", {"context": "mean"}),
    network("fcsr", "FCSR"),
    network("fcsr-fp", "FCSR with feature projection"),
    network("transformer", "Transformer, 2 layers of 100", options=COMPACT),
    network(
        "universal-transformer",
        "Universal Transformer, 2 steps of 100",
        options={"steps": 2, "heads": 4, "size": 100},
    ),
    network("transformer-f", "Transformer-F, 2 layers of 100", options=COMPACT),
    Row(
        "char-cnn", "Char-CNN", reason="its trials learned too little from so few texts, see docs/bench.md", extra=True
    ),
)
SYSTEMS = sum(row.model is not None for row in ROWS)
TABLE_1 = ResultTable(
    name=NAME,
    title=f"Equal chances: {SYSTEMS} systems with the same vectors, trials and end of training",
    published=None,
    metric="accuracy",
    unit="%",
    rows=ROWS,
    columns=(  # "paper" with our own folds: an interval is for another set of them
        Column("mr", "MR", "mr", "paper", extra=True, folds="test"),
        Column("sst-2", "SST-2", "sst-2", "paper", extra=True),
        Column("covid-sentiment", "tweets", "covid-sentiment", "paper", extra=True, folds="test"),
        Column("r8", "R8", "r8", "paper", extra=True),
        Column("ag-news-5k", "AG's News, 5,000 training texts", "ag-news-5k", "paper", extra=True),
    ),
)


def unsearched(id: str, printed: str, model: str, vectors: str = "") -> Row:
    """Return a row with its preset's options, trained as long as the others, with vectors of the same width."""
    return Row(id, printed, model, extra=True, overrides={**ENDED, "embedding": {"size": WIDTH}}, vectors=vectors)


TABLE_2 = ResultTable(
    name="bench-table-2",
    title="Ours: what given word vectors, searched options and phrases add to one network at the same cost",
    published=None,
    metric="accuracy",
    unit="%",
    rows=(
        *(row for row in ROWS if row.id in ("tfidf-svm", "nb-svm")),
        unsearched("cnn-random", "CNN, random word vectors", "textcnn", "none"),
        unsearched("cnn-preset", "CNN, given word vectors", "textcnn"),
        replace(TABLE_1.row("cnn"), printed="CNN, given word vectors, options searched"),
        unsearched("fcsr-random", "FCSR, random word vectors", "fcsr", "none"),
        unsearched("fcsr-preset", "FCSR, given word vectors", "fcsr"),
        replace(TABLE_1.row("fcsr"), printed="FCSR, given word vectors, options searched"),
    ),
    columns=(
        Column("sst-2", "SST-2, sentences", "sst-2", "paper", extra=True),
        Column("sst-2-phrases", "SST-2, with phrases (ours)", "sst-2-phrases", "paper", training="other", extra=True),
    ),
)

PAPER = Paper(
    name="bench",
    title="Equal chances",
    citation="retable's own table, not from a paper.",
    results=(TABLE_1, TABLE_2),
)
