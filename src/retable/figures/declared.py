"""The figures of measurements: which cells each one is drawn from.

Tables that exist only for figures are in retable.papers.figures.

Readings   docs/readings.md and the captions: both say what the papers' texts leave open.
"""

from retable.figures.bars import TimeFigure
from retable.figures.costs import CostFigure
from retable.figures.densities import WordWeightsFigure
from retable.figures.epochs import EpochFigure
from retable.figures.figure import AnyFigure
from retable.figures.grid import GridFigure
from retable.figures.heat import AttentionFigure
from retable.figures.measured import Panel
from retable.figures.parameters import ParameterFigure
from retable.figures.roc import RocFigure
from retable.figures.scatter import SizeFigure
from retable.figures.words import TopWords
from retable.models import OF_CHARACTERS, PRETRAINED
from retable.papers.bench import TABLE_1 as BENCH
from retable.papers.figures.fcsr import HEADS, LAYERS, LINES, WINDOW_ROWS, WINDOWS, transformer_row
from retable.papers.figures.lama import ENCODERS, LENGTHS
from retable.papers.paper import Column, Paper, ResultTable

COST_FIGURE = "cost-"  # followed by the name of its table
COST_CAPTION = (
    "FLOPs are per word, forward pass, without looking up its vector. Seconds are of one whole training on the machine "
    "that timed most rows, with all candidates of a linear model; core-seconds (threads times seconds) where rows "
    "differ in threads; none where the machine had other work. The dotted line is the best floor: a point below it "
    "and to its right is worse and costs more than what a user would pick instead. Bars are 95% intervals. "
    "In a panel of one column: for one more run, as in its table. In a panel of means: of that mean, from the spread "
    "between the runs of each column (or between its test folds); the choice of test texts is not in it. Systems share "
    "test texts, so that tests can tell them apart where bars overlap. A number stands for a name below the panel."
)
FCSR_FIGURES: tuple[AnyFigure, ...] = (
    ParameterFigure(
        "fcsr-figure-3",
        "Accuracy by the size of the context window (FCSR, figure 3)",
        "The paper's caption says apparel, its text the COVID tweets: one panel for each that is measured. A "
        "window is the word and (window - 1) / 2 words on each side. The CNN has one convolution of that width; "
        "the paper stacks layers of width 3. Direct: batch 20, weight decay 1e-4, learning rate 1e-3; tuned: the "
        "tables' rows.",
        (Panel("fcsr-figure-3", "covid-sentiment"), Panel("fcsr-figure-3", "fdu-apparel")),
        lines=(
            *((line, window, WINDOW_ROWS[line, window].id) for line in LINES for window in WINDOWS),
            ("FCSR, whole text", None, "fcsr"),
        ),
        parameter="context window, words",
        short="window",
    ),
    EpochFigure(
        "fcsr-figure-4",
        "Accuracy during training (FCSR, figure 4)",
        "Accuracy on dev after every epoch, on a sample of AG's News; the paper draws training steps and does not name "
        "the split.",
        (Panel("fcsr-figure-4", "ag-news-5k"),),
    ),
    GridFigure(
        "fcsr-figure-5",
        "Accuracy of the Transformer by heads and layers (FCSR, figure 5)",
        "Batch size 20, 300 dimensions per word. A dash: not measured; in the paper, out of memory at 11 GB. Heads and "
        "layers without a measured cell are left out.",
        (Panel("fcsr-figure-5", "fdu-apparel"),),
        cells=tuple((heads, layers, transformer_row(heads, layers).id) for heads in HEADS for layers in LAYERS),
        x="heads",
        y="layers",
    ),
    RocFigure(
        "fcsr-figure-6",
        "ROC curves and areas under them (FCSR, figure 6)",
        "A curve counts every pair of text and class as one decision (micro-average); the macro area is the mean over "
        "the classes, one against the rest. The paper does not say whether it draws models or classes.",
        tuple(
            Panel("fcsr-table-3", column)
            for column in ("ag-news", "yelp-full", "polarity", "sst-2", "covid-sentiment", "ag-news-5k")
        ),
    ),
    TimeFigure(
        "fcsr-figure-7",
        "Training time of a batch (FCSR, figure 7)",
        "Median time of three epochs, divided by the number of training texts, times 20. On one CPU thread; the paper "
        "used a GPU, which orders the models otherwise (docs/gpu.md), and batches of 2 for the Transformer.",
        (Panel("fcsr-figure-7", "fdu-apparel"),),
    ),
)

LAMA_FIGURES: tuple[AnyFigure, ...] = (
    ParameterFigure(
        "lama-figure-2",
        "Time of a training epoch by the length of the texts (LAMA, figure 2)",
        "The median of three epochs; the paper takes the mean of ten. Texts are cut at this length but not padded to "
        "it: where most are shorter, the time stops rising.",
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
        "Reuters and IMDB replace Yelp-P, which is not available here; without BERT. Parameters are the trained ones, "
        "without word vectors, which are the same for all.",
        (Panel("lama-table-4", "r8"), Panel("lama-table-4", "imdb")),
        rows=("lama", "lama-ctx", "structured-self-attention", "transformer-encoder"),
    ),
    WordWeightsFigure(
        "lama-figure-4",
        "Attention weights of words by the rating of the review (LAMA, figure 4)",
        "Mean over the heads, times the text's number of words: 1 is an even share at any length; the paper draws "
        "plain weights. On other reviews of the same site, because Yelp-5 is not available here.",
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
        "Weight times the text's number of words, averaged over heads and over the word's occurrences (five or more) "
        "in test texts of the class.",
        (Panel("lama-table-4", "yelp-10k"), Panel("lama-table-4", "r8")),
        rows=("lama-ctx",),
        fewest=1,
        classes=(("yelp-10k", "1 star"), ("yelp-10k", "5 stars"), ("r8", "ship"), ("r8", "money-fx")),
    ),
)

TRANSFORMER_F_FIGURES: tuple[AnyFigure, ...] = (
    EpochFigure(
        "transformer-f-figure-3",
        "Accuracy during training by the parameters of the hook function (Transformer-F, figure 3)",
        "Accuracy on dev after every epoch, at a = 0.4; the paper does not say which values besides 2.7 it draws, "
        "or on which split.",
        (Panel("transformer-f-figure-3", "ced"),),
    ),
    AttentionFigure(
        "transformer-f-figure-4",
        "Attention weights of a text (Transformer-F, figure 4)",
        "The last layer's weights after the softmax; Transformer-F's include the parts of speech (eq. 5). The paper "
        "does not print its sentence: this is the first test text that mentions 基金 (funds) and 风险 (risk).",
        (Panel("transformer-f-table-2", "thucnews-45k"),),
        rows=("transformer", "transformer-f"),
        wanted=("基金", "风险"),
    ),
)
BENCH_PANELS = tuple(Panel(BENCH.name, column.id) for column in BENCH.columns)
BENCH_ROWS = tuple(row.id for row in BENCH.rows if row.model)
BENCH_CAPTION = (
    "Ours, not a paper's: systems with the same vectors, eight trials and whole trainings, without Char-CNN, whose "
    "trials learned too little (docs/bench.md). "
    f"{COST_CAPTION}"
)
BENCH_FIGURES: tuple[AnyFigure, ...] = (
    CostFigure(
        "bench-figure-1",
        "Accuracy and cost under equal chances",
        f"Means over the columns that all systems have. {BENCH_CAPTION}",
        BENCH_PANELS,
        rows=BENCH_ROWS,
        most=0,
    ),
    CostFigure("bench-figure-2", "Accuracy and cost, column by column", BENCH_CAPTION, BENCH_PANELS, rows=BENCH_ROWS),
)
FIGURES: dict[str, tuple[AnyFigure, ...]] = {
    "bench": BENCH_FIGURES,
    "fcsr": FCSR_FIGURES,
    "lama": LAMA_FIGURES,
    "transformer-f": TRANSFORMER_F_FIGURES,
}


def cost_figures(source: Paper) -> list[CostFigure]:
    """Return the figures of accuracy against cost, one per table of accuracies except the bench, which has its own."""
    return [
        CostFigure(
            COST_FIGURE + table.name,
            f"Accuracy against cost: {table.title}",
            f"Ours, not the paper's. {COST_CAPTION}",
            tuple(Panel(table.name, column.id) for column in table.columns if is_of_accuracy(table, column)),
            rows=tuple(row.id for row in table.rows if row.model and row.model not in PRETRAINED | OF_CHARACTERS),
        )
        for table in source.results
        if table is not BENCH and any(is_of_accuracy(table, column) for column in table.columns)
    ]


def is_of_accuracy(table: ResultTable, column: Column) -> bool:
    """Return whether a column has runs of its own and shows their accuracy."""
    return bool(column.corpus) and not column.runs_of and table.metric_of(column) == "accuracy"
