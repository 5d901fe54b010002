"""LAMA's figures, and its table 6, which is made of attention weights as they are."""

from typing import Any

from retable.papers.figures.kinds import (
    EpochFigure,
    Figure,
    Panel,
    ParameterFigure,
    SizeFigure,
    TopWords,
    WordWeightsFigure,
)
from retable.papers.paper import Column, ResultTable, Row
from retable.papers.shared import NO_CORPUS

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
# Trained as table 4's row transformer-encoder, with LAMA's optimiser and vectors; LAMA's own preset has them.
AS_LAMA: dict[str, dict[str, Any]] = {
    "model": {"layers": 1, "heads": 8, "size": 512},
    "embedding": {"size": 100, "tune": True, "min_count": 5},
    "training": {
        "optimiser": "sgd", "learning_rate": 0.05, "schedule": "warmup", "epochs_max": 30, "batch_size": 32,
        "weight_decay": 0.0001, "momentum": 0.9, "patience": 5, "clip": 0.0,
    },
}  # fmt: skip
ENCODERS: dict[str, tuple[str, str, dict[str, dict[str, Any]]]] = {  # row -> what the paper calls it, model, options
    "lama-encoder": ("LAMA Encoder", "lama", {"model": {"encoder": "none"}, "training": {}}),
    "transformer-encoder": ("Transformer Encoder", "transformer", AS_LAMA),
}
LAMA_FIGURE_2 = ResultTable(
    name="lama-figure-2",
    title="Encoders on texts cut after 50 to 250 words, the median of three epochs (LAMA, figure 2)",
    published=None,
    metric="accuracy",
    unit="fraction",
    vectors="corpus.word2vec",
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
LAMA_FIGURE_5 = ResultTable(
    name="lama-figure-5",
    title="Accuracy of LAMA+ctx by the number of attention heads (LAMA, figure 5)",
    published=None,
    metric="accuracy",
    unit="fraction",
    vectors="corpus.word2vec",
    rows=tuple(
        Row(f"lama-ctx-m-{m}", f"m = {m}", model="lama", overrides={"model": {"context": "mean", "heads": m}})
        for m in M_VALUES
    ),
    columns=(YELP_LONG, IMDB, YELP_10K),
)
LAMA_TABLES = (LAMA_FIGURE_2, LAMA_FIGURE_5)

LAMA_FIGURES: tuple[Figure, ...] = (
    ParameterFigure(
        "lama-figure-2",
        "Time of a training epoch by the length of the texts (LAMA, figure 2)",
        "The median of three epochs, where the paper takes the mean of ten. Texts are cut after so many words and not "
        "padded to them: where most are shorter, the time stops rising.",
        (Panel("lama-figure-2", "imdb"), Panel("lama-figure-2", "r8")),
        lines=tuple(
            (printed, length, f"{encoder}-{length}")
            for encoder, (printed, *_) in ENCODERS.items()
            for length in LENGTHS
        ),
        parameter="longest text, words",
        short="max_words",
        measure="seconds_per_epoch",
    ),
    SizeFigure(
        "lama-figure-3",
        "Parameters against accuracy (LAMA, figure 3)",
        "Reuters and IMDB take the place of Yelp-P, which is not obtainable here; without BERT. Parameters are those "
        "trained, without word vectors, which are the same for all.",
        (Panel("lama-table-4", "r8"), Panel("lama-table-4", "imdb")),
        rows=("lama", "lama-ctx", "structured-self-attention", "transformer-encoder"),
    ),
    WordWeightsFigure(
        "lama-figure-4",
        "Attention weights of words by the rating of the review (LAMA, figure 4)",
        "Mean over the heads, times the words of the text: 1 is an even share, whatever the length; the paper draws "
        "plain weights. On other reviews of the same site, because Yelp-5 is not obtainable here.",
        (Panel("lama-table-4", "yelp-10k"),),
        rows=("lama-ctx",),
        fewest=1,
        words=("amazing", "happy", "recommended", "poor", "terrible", "worst"),
    ),
    EpochFigure(
        "lama-figure-5",
        "Accuracy during training by the number of attention heads (LAMA, figure 5)",
        "Accuracy on dev after every epoch.",
        (Panel("lama-figure-5", "yelp-long"), Panel("lama-figure-5", "imdb"), Panel("lama-figure-5", "yelp-10k")),
    ),
    TopWords(
        "lama-table-6",
        "Most attended words (LAMA, table 6)",
        "Mean over heads and over the word's places in test texts of the class, five or more, of weight times words of "
        "the text.",
        (Panel("lama-table-4", "yelp-10k"), Panel("lama-table-4", "r8")),
        rows=("lama-ctx",),
        fewest=1,
        classes=(("yelp-10k", "1 star"), ("yelp-10k", "5 stars"), ("r8", "ship"), ("r8", "money-fx")),
    ),
)
