"""Tables of FCSR's figures."""

from functools import partial
from typing import Any

from retable.papers.chosen import CHOSEN
from retable.papers.paper import Column, ResultTable, Row
from retable.papers.shared import FCSR

ACCURACIES = partial(ResultTable, published=None, metric="accuracy", unit="%", vectors="glove")
COVID = Column("covid-sentiment", "Final", corpus="covid-sentiment")
APPAREL = Column("fdu-apparel", "FDU apparel", corpus="fdu-apparel", split="paper")
AG_SAMPLE = Column("ag-news-5k", "AG, 5,000 training texts", corpus="ag-news-5k", split="paper", extra=True)
WINDOWS = (1, 3, 5, 7, 9, 11, 13, 15, 25)
DIRECT = {"training": {"batch_size": 20, "weight_decay": 0.0001, "learning_rate": 0.001}}  # section 5.3
CNN_FILTERS = 300  # of the single width, as many as TextCNN's three widths have together
LINES = ("FCSR, tuned", "FCSR, direct", "CNN, tuned", "CNN, direct")


def window_row(line: str, window: int) -> Row:
    """Return a row of a line: a model with this context window, tuned, or trained directly like all others."""
    name, training = line.split(", ")
    direct = training == "direct"
    options: dict[str, Any] = {"widths": [window], "filters": CNN_FILTERS} if name == "CNN" else {"window": window}
    return Row(
        f"{name.lower()}-{'direct-' if direct else ''}window-{window}",
        f"{name}{', trained directly' if direct else ''}, window {window}",
        "textcnn" if name == "CNN" else "fcsr",
        overrides={"model": options, **(DIRECT if direct else {})},
        chosen=CHOSEN["fcsr"] if line == "FCSR, tuned" else {},
    )


WINDOW_ROWS = {(line, window): window_row(line, window) for line in LINES for window in WINDOWS}
FCSR_FIGURE_3 = ACCURACIES(
    name="fcsr-figure-3",
    title="Accuracy by the size of the context window (FCSR, figure 3)",
    rows=(*WINDOW_ROWS.values(), FCSR),
    columns=(COVID, APPAREL),
)

HEADS = LAYERS = range(1, 7)
TRANSFORMER_SIZE = 300  # that of the word vectors, divisible by 1 to 6 heads; the paper names none


def transformer_row(heads: int, layers: int) -> Row:
    """Return a Transformer with these numbers of heads and layers."""
    return Row(
        f"transformer-{heads}x{layers}",
        f"Transformer, heads {heads}, layers {layers}",
        model="transformer",
        overrides={
            "model": {"heads": heads, "layers": layers, "size": TRANSFORMER_SIZE},
            "training": {"batch_size": 20},
        },
    )


FCSR_FIGURE_4 = ACCURACIES(
    name="fcsr-figure-4",
    title="Accuracy during training (FCSR, figure 4)",
    rows=(
        FCSR,
        Row("lstm-1-layer", "LSTM, 1 layer", model="lstm", overrides={"model": {"layers": 1}}),
        Row("lstm-5-layers", "LSTM, 5 layers", model="lstm", overrides={"model": {"layers": 5}}),
        *(transformer_row(number, number) for number in (1, 3, 6)),
    ),
    columns=(AG_SAMPLE,),
)
FCSR_FIGURE_5 = ACCURACIES(
    name="fcsr-figure-5",
    title="Accuracy of the Transformer by heads and layers (FCSR, figure 5)",
    rows=tuple(transformer_row(heads, layers) for heads in HEADS for layers in LAYERS),
    columns=(APPAREL,),
)
FCSR_TABLES = (FCSR_FIGURE_3, FCSR_FIGURE_4, FCSR_FIGURE_5)
