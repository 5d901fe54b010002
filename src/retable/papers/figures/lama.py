"""Tables of LAMA's figures."""

from functools import partial
from typing import Any

from retable.papers.paper import Column, ResultTable, Row
from retable.papers.shared import LAMA_PROTOCOL, LAMA_TRAINING, NO_CORPUS

ACCURACIES = partial(ResultTable, published=None, metric="accuracy", unit="fraction", vectors="corpus.word2vec")
IMDB = Column("imdb", "IMDB", corpus="imdb", split="paper")
R8 = Column("r8", "Reuters", corpus="r8", split="paper")
YELP_LONG = Column(
    "yelp-long",
    "Yelp-L",
    corpus="yelp-long",
    reason=f"{NO_CORPUS}: drawn by the authors from 2.7 million reviews of the site",
)
YELP_10K = Column("yelp-10k", "Yelp, 10,000 reviews with stars", corpus="yelp-10k", split="paper", extra=True)
LENGTHS = (50, 100, 150, 200, 250)
# Table 4's row transformer-encoder, with the optimiser and vectors of LAMA's preset.
AS_LAMA: dict[str, dict[str, Any]] = {
    **LAMA_PROTOCOL,
    "model": {"layers": 1, "heads": 8, "size": 512},
    "training": LAMA_TRAINING | {"schedule": "warmup"},
}
ENCODERS: dict[str, tuple[str, str, dict[str, dict[str, Any]]]] = {  # row -> printed name, model, options
    "lama-encoder": ("LAMA Encoder", "lama", {"model": {"encoder": "none"}, "training": {}}),
    "transformer-encoder": ("Transformer Encoder", "transformer", AS_LAMA),
}
LAMA_FIGURE_2 = ACCURACIES(
    name="lama-figure-2",
    title="Encoders on texts cut after 50 to 250 words, median of three epochs (LAMA, figure 2)",
    rows=tuple(
        Row(
            f"{encoder}-{length}",
            f"{printed}, {length} words",
            model=model,
            overrides={**options, "training": {**options["training"], "max_words": length, "epochs": 3}},
        )
        for encoder, (printed, model, options) in ENCODERS.items()
        for length in LENGTHS
    ),
    columns=(IMDB, R8),
)
M_VALUES = (1, 5, 10, 15, 20)
LAMA_FIGURE_5 = ACCURACIES(
    name="lama-figure-5",
    title="Accuracy of LAMA+ctx by the number of attention heads (LAMA, figure 5)",
    rows=tuple(
        Row(f"lama-ctx-m-{m}", f"m = {m}", model="lama", overrides={"model": {"context": "mean", "heads": m}})
        for m in M_VALUES
    ),
    columns=(YELP_LONG, IMDB, YELP_10K),
)
LAMA_TABLES = (LAMA_FIGURE_2, LAMA_FIGURE_5)
