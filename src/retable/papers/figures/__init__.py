"""The figures that show measurements: which cells each is drawn from, and the tables of their own that some need.

A figure's own tables are plain tables of no published numbers: a paper that has them among its results runs their cells
as any other's. Rows that a figure shares with a table have its ids, and are run once.

Readings   docs/readings.md and the captions: what the papers' texts leave open stands in both.
"""

from retable.papers.figures.fcsr import FCSR_FIGURES, FCSR_TABLES
from retable.papers.figures.kinds import (
    AttentionFigure,
    CostFigure,
    EpochFigure,
    Figure,
    GridFigure,
    Panel,
    ParameterFigure,
    RocFigure,
    SizeFigure,
    TimeFigure,
    TopWords,
    WordWeightsFigure,
)
from retable.papers.figures.lama import LAMA_FIGURES, LAMA_TABLES
from retable.papers.figures.transformer_f import TRANSFORMER_F_FIGURES, TRANSFORMER_F_TABLES

FIGURES: dict[str, tuple[Figure, ...]] = {
    "fcsr": FCSR_FIGURES,
    "lama": LAMA_FIGURES,
    "transformer-f": TRANSFORMER_F_FIGURES,
}
__all__ = [
    "FCSR_TABLES",
    "FIGURES",
    "LAMA_TABLES",
    "TRANSFORMER_F_TABLES",
    "AttentionFigure",
    "CostFigure",
    "EpochFigure",
    "Figure",
    "GridFigure",
    "Panel",
    "ParameterFigure",
    "RocFigure",
    "SizeFigure",
    "TimeFigure",
    "TopWords",
    "WordWeightsFigure",
]
