from pathlib import Path

import pytest

from pipeline.cells import cells_of_table
from pipeline.params import load_yaml
from pipeline.scale import model_preset
from retable.errors import InputError
from retable.papers import paper
from retable.papers.parameters import row_parameters
from retable.tables.published import read_published
from retable.tables.results import Cells, result_lines
from retable.tables.statistics import statistics_lines
from retable.training.parameters import check_parameters

PUBLISHED = Path(__file__).parents[2] / "data/published/transformer-f.csv"
PAPER = paper("transformer-f")
PROTOCOL = {"epochs": 3, "max_words": 0, "device": "auto", "precision": "float32"}
ROWS = {row.id: row for table in PAPER.results for row in table.rows if row.model}


def parameters(row, column):
    return row_parameters(model_preset(row.model), row, column, PROTOCOL, vectors="none", seed=1)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_row_can_be_run_in_both_units(row):
    for column in PAPER.results[0].columns:
        asked = parameters(row, column)
        check_parameters(asked, "params.yaml")
        assert asked["embedding"]["unit"] == ("words" if column.id == "mr" else "characters")
        assert asked["corpus"] == {"name": column.corpus}


def test_every_printed_number_has_its_cell():
    for table, count in zip(PAPER.results[:2], (15, 10), strict=True):
        numbers = read_published(PUBLISHED, table.published)
        assert len(numbers) == count
        lines = result_lines(table, numbers, Cells({}, {}), {})
        assert sorted(line.published for line in lines if line.published) == sorted(number.value for number in numbers)


def test_table_1_counts_chinese_in_characters_and_the_two_rows_that_are_no_word():
    (table,) = PAPER.statistics
    counted = {"classes": 2, "instances-published": 3387, "published-average-characters": 110.0841,
               "published-vocabulary-characters": 4409, "published-vocabulary-words": 21401}  # fmt: skip
    counted_mr = counted | {"published-average-characters": 115.1496}
    lines = statistics_lines(table, read_published(PUBLISHED, "table-1"), {"ced": counted, "mr": counted_mr})
    found = {(line.row, line.column): (line.measured, line.published, line.verdict) for line in lines}
    assert found["ced", "vocabulary"] == ("4411", "4411", "agrees")
    assert found["ced", "average-length"] == ("113.1", "113", "agrees")
    assert found["mr", "average-length"] == ("116.1", "116", "agrees")
    assert found["mr", "vocabulary"] == ("21401", "18779", "higher")
    assert found["thucnews", "vocabulary"] == ("", "4803", "not-run")
    assert len(found) == 12


def test_table_3_has_accuracy_and_f1_of_one_corpus():
    table = PAPER.results[1]
    lines = result_lines(table, read_published(PUBLISHED, "table-3"), Cells({}, {}), {})
    hook = [(line.metric, line.published) for line in lines if line.row == "transformer-f-hook" and line.published]
    assert hook == [("accuracy", "77.13"), ("macro_f1", "76.68")]


def test_each_strategy_alone_is_one_change_of_the_plain_transformer():
    strategies = {"attention": "correlation", "weigh_parts": True, "fusion": "hook"}
    for name, row in (("weigh_parts", "pos"), ("attention", "cor"), ("fusion", "hook")):
        model = parameters(ROWS[f"transformer-f-{row}"], PAPER.results[1].columns[0])["model"]
        assert [key for key, value in strategies.items() if model[key] == value] == [name]


def test_one_training_serves_accuracy_and_f1():
    table, scale = PAPER.result_table("transformer-f-table-3"), {"scale": "x", "corpora": {"ced": {}}, "vectors": {}}
    with pytest.raises(InputError, match="ced-f1 shows the runs of ced; list that column instead"):
        cells_of_table(table, {"vectors": "none", "columns": "ced-f1", "rows": "transformer"}, scale)


def test_stages_and_cells_have_the_same_tables():
    folder = Path(__file__).parents[2] / "pipeline/transformer-f"
    names = [table.name for table in PAPER.results]
    assert list(load_yaml(folder / "dvc.yaml")["stages"]) == list(load_yaml(folder / "cells.yaml")) == names
