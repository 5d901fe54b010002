"""Score tables of all papers: every row can be run, every printed number has a cell, every table a stage."""

from functools import cache
from pathlib import Path

import pytest

from retable.errors import InputError
from retable.experiments.cells import cells_of
from retable.experiments.scale import model_preset
from retable.papers import PAPERS, paper
from retable.papers.parameters import row_parameters
from retable.tables.published import read_published
from retable.tables.results import Cells, result_lines
from retable.tables.statistics import statistics_lines
from retable.training.parameters import check_parameters

ROOT = Path(__file__).parents[2]
PROTOCOL = {"epochs": 0, "device": "auto", "precision": "float32"}
TABLES = {table.name: table for name in PAPERS for table in paper(name).results}
PRINTED = {  # accuracies and F1 that a paper prints; other printed numbers have no cell
    "fcsr-table-3": 64, "fcsr-table-4": 136, "fcsr-table-5": 136, "cspan-table-2": 51, "cspan-table-3": 4,
    "cspan-table-4": 9, "cspan-table-5": 5, "lama-table-4": 60, "transformer-f-table-2": 15,
    "transformer-f-table-3": 10,
}  # fmt: skip
preset_of = cache(model_preset)
EVERYTHING = {"scale": "x", "corpora": {"ced": {}, "fdu-16": {}}, "vectors": {}}


def parameters(row, column):
    return row_parameters(preset_of(row.model), row, column, PROTOCOL, vectors="none", seed=1)


@pytest.mark.parametrize("name", TABLES)
def test_every_row_can_be_run_on_every_column(name):
    assert len({row.id for row in TABLES[name].rows}) == len(TABLES[name].rows)
    for row in TABLES[name].rows:
        for column in TABLES[name].columns:
            if row.model and column.corpus and not column.runs_of and not column.reason:
                asked = parameters(row, column)
                check_parameters(asked, "params.yaml")
                raw = preset_of(row.model)["embedding"].get("unit") == "raw-characters"
                unit = "raw-characters" if raw else column.unit
                assert (asked["embedding"]["unit"], asked["corpus"]["name"]) == (unit, column.corpus)


@pytest.mark.parametrize("name", PRINTED)
def test_every_printed_number_has_its_cell(name):
    source, _, number = name.rpartition("-table-")
    numbers = read_published(ROOT / f"data/published/{source}.csv", f"table-{number}")
    numbers = [number for number in numbers if number.metric in ("accuracy", "macro_f1")]
    assert len(numbers) == PRINTED[name]
    lines = result_lines(TABLES[name], numbers, Cells({}, {}))
    printed = [(line.row, line.column.removesuffix("-f1"), line.published) for line in lines if line.published]
    assert sorted(printed) == sorted((number.row, number.column, number.value) for number in numbers)


class TestCspan:
    SOURCE = paper("cspan")
    ROWS = {row.id: row for table in SOURCE.results for row in table.rows if row.model}

    def of(self, row: str, section: str) -> dict:
        return parameters(self.ROWS[row], TABLES["cspan-table-2"].column("ag-news-5k"))[section]

    def changes(self, first: str, second: str) -> dict:
        """Return the options of the second row's model that differ from the first's."""
        before, after = self.of(first, "model"), self.of(second, "model")
        return {name: value for name, value in after.items() if before[name] != value}

    def test_the_steps_of_table_3_add_one_thing_each(self):
        both = {"first_attention": True, "second_attention": True}
        assert self.changes("bilstm", "cspan-abl-self-att") == both
        assert self.changes("bilstm", "cspan-abl-first-att") == {"first_attention": True}
        assert self.changes("cspan-abl-self-att", "cspan-abl-residual") == {"residual": True}
        assert self.changes("cspan-abl-residual", "cspan-base") == {"pool": "queries"}

    def test_the_proposed_fusion_and_the_stated_base_size_are_cspan_base(self):
        for row, same in (
            ("cspan-fusion-e", "cspan-base"),
            ("cspan-l1-q16", "cspan-base"),
            ("cspan-big", "cspan-l3-q128"),
        ):
            assert self.of(row, "model") == self.of(same, "model")

    def test_the_rate_falls_where_the_paper_says(self):  # 20 and 25 of 30 epochs (3.2); the big model: 40 and 50 of 60
        for row, epochs in (("cspan-base", 30), ("cspan-l3-q128", 30), ("cspan-big", 60)):
            training = self.of(row, "training")
            assert (training["epochs"], training["epochs_max"], training["schedule"]) == (epochs, epochs, "steps")


class TestTransformerF:
    def test_table_1_counts_chinese_in_characters_and_the_two_rows_that_are_no_word(self):
        (table,) = paper("transformer-f").statistics
        counted = {"classes": 2, "instances-published": 3387, "published-average-characters": 110.0841,
                   "published-vocabulary-characters": 4409, "published-vocabulary-words": 21401}  # fmt: skip
        stats = {"ced": counted, "mr": counted | {"published-average-characters": 115.1496}}
        lines = statistics_lines(table, read_published(ROOT / "data/published/transformer-f.csv", "table-1"), stats)
        found = {(line.row, line.column): (line.measured, line.published, line.verdict) for line in lines}
        assert found["ced", "vocabulary"] == ("4411", "4411", "agrees")
        assert found["ced", "average-length"] == ("113.1", "113", "agrees")
        assert found["mr", "average-length"] == ("116.1", "116", "agrees")
        assert found["mr", "vocabulary"] == ("21401", "18779", "higher")
        assert found["thucnews", "vocabulary"] == ("", "4803", "not-run")
        assert len(found) == 12

    def test_each_strategy_alone_is_one_change_of_the_plain_transformer(self):
        strategies, table = {"attention": "correlation", "weigh_parts": True, "fusion": "hook"}, "transformer-f-table-3"
        for name, row in (("weigh_parts", "pos"), ("attention", "cor"), ("fusion", "hook")):
            model = parameters(TABLES[table].row(f"transformer-f-{row}"), TABLES[table].columns[0])["model"]
            assert [key for key, value in strategies.items() if model[key] == value] == [name]


@pytest.mark.parametrize(
    ("table", "listed", "sentence"),
    [
        (
            "transformer-f-table-3",
            ("ced-f1", "transformer"),
            "ced-f1 shows the runs of ced; list that column",
        ),
        ("fcsr-table-5", ("fdu-apparel", "cnn"), "fdu-apparel shows the runs of fdu-16"),
        ("fcsr-table-4", ("fdu-average", "cnn"), "fdu-average"),
    ],
)
def test_a_column_that_shows_runs_of_another_is_not_listed(table, listed, sentence):
    rules = {table: {"vectors": "none", "columns": listed[0], "rows": listed[1]}}
    with pytest.raises(InputError, match=sentence):
        cells_of(TABLES[table], EVERYTHING | {"cells": rules})
