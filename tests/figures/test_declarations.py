import pytest

from retable.corpora import corpus
from retable.figures.declared import FIGURES
from retable.figures.parameters import ParameterFigure
from retable.figures.words import TopWords
from retable.papers.figures.fcsr import FCSR_TABLES
from retable.papers.figures.lama import LAMA_TABLES
from retable.papers.figures.transformer_f import TRANSFORMER_F_TABLES

TABLES = {"fcsr": FCSR_TABLES, "lama": LAMA_TABLES, "transformer-f": TRANSFORMER_F_TABLES}
OWN = {table.name: table for tables in TABLES.values() for table in tables}


def test_a_figure_shows_rows_and_columns_that_its_table_has():
    for figures in FIGURES.values():
        for figure in figures:
            for panel in figure.panels:
                if table := OWN.get(panel.table):
                    assert figure.rows_of(table)
                    assert table.column(panel.column)
                    if isinstance(figure, ParameterFigure):
                        assert {row for *_, row in figure.lines} == set(figure.rows_of(table))


def test_the_least_weight_of_the_hook_stands_at_the_ratio():  # a l + b / l is least at l = sqrt(b / a)
    for row in OWN["transformer-f-figure-3"].rows:
        if row.overrides:
            model = row.overrides["model"]
            assert (model["hook_b"] / model["hook_a"]) ** 0.5 == pytest.approx(float(row.printed.split()[-1]))


def test_classes_of_top_words_are_labels_of_their_corpora():
    (figure,) = (figure for figure in FIGURES["lama"] if isinstance(figure, TopWords))
    assert all(label in corpus(column).labels for column, label in figure.classes)
