"""Transformer-F: correlation attention, parts of speech, and the fusion of layers (tables 1 to 3).

Chinese is read as characters, because the printed vocabularies and lengths are those of characters (docs/readings.md,
"Unit of text"). MR is read as words.
"""

from typing import Any

from retable.papers.figures.transformer_f import TRANSFORMER_F_TABLES
from retable.papers.paper import Column, Paper, ResultTable, Row, StatisticsTable
from retable.papers.shared import FLOORS, NO_CORPUS

NO_THUCNEWS = f"{NO_CORPUS}: 45,000 of its 180,000 training texts are available here (thucnews-45k)"
NO_SPLIT = "the paper names no split"

TABLE_1 = StatisticsTable(
    name="transformer-f-table-1",
    title="Statistics of three corpora (Transformer-F, table 1)",
    published="table-1",
    corpora={"thucnews": "thucnews", "ced": "ced", "mr": "mr", "thucnews-45k": "thucnews-45k"},
    reasons={"thucnews": NO_THUCNEWS},
    statistics={
        "instances": "instances-published",
        "average-length": "published-average-characters",
        "vocabulary": "published-vocabulary-characters",
        ("mr", "vocabulary"): "published-vocabulary-words",
    },
    added={(name, "vocabulary"): 2 for name in ("thucnews", "ced", "thucnews-45k")}  # padding and unknown
    | {(name, "average-length"): 3 for name in ("thucnews", "ced", "thucnews-45k")}  # tab, label, end of line
    | {("mr", "average-length"): 1},  # end of line
    notes={
        ("ced", "average-length"): "characters (the paper calls them words) of the line: text, tab, label, line end",
        ("thucnews-45k", "average-length"): "characters of the line: text, tab, label, line end, as the paper counts",
        ("ced", "vocabulary"): "the 4,409 characters of the texts, padding and unknown",
        ("mr", "average-length"): "characters with spaces and line end, which the paper calls words; 21 words",
        (
            "mr",
            "vocabulary",
        ): "words between spaces; the printed number is two more than the 18,777 that Kim's (2014) "
        "cleaning leaves of the bytes read as UTF-8 with bad ones dropped",
        "thucnews-45k": "a sample: 45,000 of the 180,000 training texts, and all development and test texts",
    },
)

TRANSFORMER = Row("transformer", "Transformer", model="transformer")
TRANSFORMER_F = Row("transformer-f", "Transformer-F", model="transformer-f")
# Section 4.1 prints Adam at 5e-4 for Transformer-F alone: rivals use it too (docs/readings.md, "Transformer-F").
# The batch size, which it gives for none, is that of the Transformers' presets.
TRAINING = {"optimiser": "adam", "learning_rate": 0.0005, "batch_size": 20, "weight_decay": 0.0}
SLOWER = TRAINING | {"learning_rate": 0.0001}  # the Universal Transformer's, better on dev (docs/differences.md)
CED_NOTE = f"a test split of 341 texts, because every printed accuracy is a whole number out of 341; {NO_SPLIT}"
CED = Column("ced", "CED", corpus="ced", unit="characters", note=CED_NOTE)
CED_GROUPED = Column(
    "ced-grouped", "CED, near-duplicates in one split", corpus="ced-grouped", unit="characters", extra=True
)
SAMPLE = Column(
    "sample-zh", "the project's own sample", corpus="sample-zh", unit="characters", split="paper", extra=True
)


def reading(name: str, printed: str, **options: Any) -> Row:
    """Return another reading of what the paper leaves open of Transformer-F."""
    overrides = {"model": options}
    return Row(name, printed, model="transformer-f", extra=True, reading_of="transformer-f", overrides=overrides)


READINGS = (
    reading("transformer-f-projections", "Transformer-F, correlation of queries and keys", on="projections"),
    reading("transformer-f-plain-rows", "Transformer-F, rows not scaled to unit norm", normalise=False),
    reading("transformer-f-before", "Transformer-F, weights before the softmax", weigh="before"),
    reading("transformer-f-unscaled", "Transformer-F, weighted rows not rescaled to sum to one", rescale=False),
)

TABLE_2 = ResultTable(
    name="transformer-f-table-2",
    title="Accuracy on three corpora (Transformer-F, table 2)",
    published="table-2",
    metric="accuracy",
    unit="%",
    vectors="chinese-word-vectors",
    rows=(
        Row("dpcnn", "DPCNN", model="dpcnn", overrides={"training": TRAINING}),
        Row("att-blstm", "Att-BLSTM", model="att-blstm", overrides={"training": TRAINING}),
        TRANSFORMER,
        Row("universal-transformer", "UT", model="universal-transformer", overrides={"training": SLOWER}),
        TRANSFORMER_F,
        Row(  # a point the paper leaves open: whether its Universal Transformer halts by itself
            "universal-transformer-adaptive",
            "UT, adaptive halting",
            model="universal-transformer",
            extra=True,
            reading_of="universal-transformer",
            overrides={"training": SLOWER, "model": {"halting": "adaptive"}},
        ),
        Row(  # no rate is printed for it; with this one it does not learn (docs/differences.md)
            "universal-transformer-fast",
            "UT, Transformer-F's learning rate",
            model="universal-transformer",
            extra=True,
            reading_of="universal-transformer",
            overrides={"training": TRAINING},
        ),
        *READINGS,  # trained by table 3
        *FLOORS,
    ),
    columns=(
        Column(
            "thucnews",
            "THUCNews",
            corpus="thucnews",
            unit="characters",
            reason=NO_THUCNEWS,
        ),
        CED,
        Column("mr", "MR", corpus="mr", folds="test", split_note="10% of the texts as test split", note=NO_SPLIT),
        Column(
            "thucnews-45k",
            "THUCNews, 45,000 training texts",
            corpus="thucnews-45k",
            unit="characters",
            split="paper",
            extra=True,
        ),
        CED_GROUPED,
        SAMPLE,
    ),
)

PLAIN = {"attention": "dot-product", "weigh_parts": False, "fusion": "last"}


def strategy(name: str, printed: str, options: dict[str, Any], *, rate: float) -> Row:
    """Return a Transformer with one of the three strategies; initial rate: best of three on dev, or as printed
    (docs/readings.md).
    """
    return Row(
        name,
        printed,
        model="transformer-f",
        overrides={"model": PLAIN | options, "training": {"learning_rate": rate}},
        part=True,
    )


TABLE_3 = ResultTable(
    name="transformer-f-table-3",
    title="Accuracy and F1 of each strategy on CED (Transformer-F, table 3)",
    published="table-3",
    metric="accuracy",
    unit="%",
    vectors="chinese-word-vectors",
    rows=(
        TRANSFORMER,
        strategy("transformer-f-pos", "+W_POS", {"weigh_parts": True}, rate=0.0001),
        strategy("transformer-f-cor", "+ATT_COR", {"attention": "correlation"}, rate=0.0005),
        strategy("transformer-f-hook", "+Hook_multi", {"fusion": "hook"}, rate=0.0002),
        TRANSFORMER_F,
        Row(
            "transformer-printed-rate",
            "Transformer, learning rate as printed",
            model="transformer",
            extra=True,
            reading_of="transformer",
            overrides={"training": {"learning_rate": 0.0005}},
        ),
        *READINGS,
        *FLOORS,
    ),
    columns=(
        CED,
        Column(
            "ced-f1",
            "CED, F1",
            corpus="ced",
            unit="characters",
            metric="macro_f1",
            runs_of="ced",
            note=f"macro F1; the paper does not say which F1; {CED_NOTE}",
        ),
        CED_GROUPED,
        SAMPLE,
    ),
)

PAPER = Paper(
    name="transformer-f",
    title="Transformer-F: a Transformer network with effective methods for learning universal sentence representation",
    citation="Shi, Transformer-F: A Transformer network with effective methods for learning universal sentence "
    "representation. Manuscript, BUPT.",
    results=(TABLE_2, TABLE_3, *TRANSFORMER_F_TABLES),
    statistics=(TABLE_1,),
)
