from pathlib import Path

import pytest

from pipeline.params import load_yaml
from pipeline.scale import model_preset
from retable.papers import paper
from retable.papers.parameters import row_parameters
from retable.tables.published import read_published
from retable.tables.results import Cells, result_lines
from retable.training.parameters import check_parameters

PUBLISHED = Path(__file__).parents[2] / "data/published/cspan.csv"
PAPER = paper("cspan")
TABLE_2, TABLE_3, TABLE_4, TABLE_5 = PAPER.results
PROTOCOL = {"epochs": 0, "max_words": 0, "device": "auto", "precision": "float32"}
ROWS = {row.id: row for table in PAPER.results for row in table.rows if row.model}


def parameters(row):
    column = TABLE_2.column("ag-news-5k")
    return row_parameters(model_preset(row.model), row, column, PROTOCOL, vectors="none", seed=1)


def model_of(row: str) -> dict:
    return parameters(ROWS[row])["model"]


def changes(first: str, second: str) -> dict:
    """What the model of the second row has otherwise than that of the first."""
    before, after = model_of(first), model_of(second)
    return {name: value for name, value in after.items() if before[name] != value}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_row_can_be_run(row):
    check_parameters(parameters(row), "params.yaml")


def test_a_row_is_the_same_model_in_every_table():  # its code file has no table in its name
    for table in PAPER.results:
        for row in table.rows:
            if row.model:
                assert (row.model, row.overrides) == (ROWS[row.id].model, ROWS[row.id].overrides)


@pytest.mark.parametrize(("table", "count"), [(TABLE_2, 51), (TABLE_3, 4), (TABLE_4, 9), (TABLE_5, 5)])
def test_every_printed_accuracy_has_its_cell(table, count):
    numbers = [number for number in read_published(PUBLISHED, table.published) if number.metric == "accuracy"]
    assert len(numbers) == count
    lines = result_lines(table, numbers, Cells({}, {}), {})
    assert sorted(line.published for line in lines if line.published) == sorted(number.value for number in numbers)


def test_the_steps_of_table_3_add_one_thing_each():
    assert changes("bilstm", "cspan-abl-self-att") == {"first_attention": True, "second_attention": True}
    assert changes("bilstm", "cspan-abl-first-att") == {"first_attention": True}
    assert changes("cspan-abl-self-att", "cspan-abl-residual") == {"residual": True}
    assert changes("cspan-abl-residual", "cspan-base") == {"pool": "queries"}


def test_the_proposed_fusion_and_the_stated_base_size_are_cspan_base():
    assert model_of("cspan-fusion-e") == model_of("cspan-l1-q16") == model_of("cspan-base")
    assert model_of("cspan-big") == model_of("cspan-l3-q128")


def test_the_rate_falls_where_the_paper_says():  # 20 and 25 of 30 epochs (3.2); the big model: 40 and 50 of 60
    for row, epochs in (("cspan-base", 30), ("cspan-l3-q128", 30), ("cspan-big", 60)):
        training = parameters(ROWS[row])["training"]
        assert (training["epochs"], training["epochs_max"], training["schedule"]) == (epochs, epochs, "steps")


def test_stages_and_tables_are_the_same():
    stages = load_yaml(Path(__file__).parents[2] / "pipeline/cspan/dvc.yaml")["stages"]
    assert list(stages) == [table.name for table in PAPER.results]
