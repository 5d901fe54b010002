"""Tables of counts: parameters and powers of FLOPs, from networks without numbers."""

from pathlib import Path

import pytest

from retable.papers.counts import CountTable, Exponent, ParameterCount
from retable.papers.lama import PAPER, TABLE_2, TABLE_5
from retable.tables.counts import count_lines, exponent, flops, parameters
from retable.tables.published import Published, read_published

PUBLISHED = Path("data/published/lama.csv")


def test_parameters_by_formula():  # D = 6, H = 4, m = 3
    options = {"heads": 3, "hidden": 4, "mlp_hidden": 5}
    gru, low_rank, classifier = 3 * 4 * (6 + 2) + 2 * 6 * 2, 4 * 4 + 4 + 2 * 4 * 3, 12 * 5 + 5 + 5 * 2 + 2
    assert parameters(ParameterCount("lama", 6, options=options)) == gru + low_rank + 4 + classifier
    assert parameters(ParameterCount("lama", 6, options=options, parts=("low_rank",))) == low_rank
    assert parameters(ParameterCount("lama", 6, options=options, parts=("low_rank.of_words",))) == 4 * 3
    assert parameters(ParameterCount("lama", 6, options=options, parts=("context", "gru"))) == 4 + gru


def test_a_part_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="but lama has no parameters in rnn"):
        parameters(ParameterCount("lama", 6, parts=("gru", "rnn")))


def test_flops_are_those_of_the_models_own_formula():
    sizes = {"words": 7, "dim": 6, "heads": 3, "encoder": "none", "mlp_hidden": 5}
    a_word = 6 * 6 + 2 * 6 * 3  # the elementwise product of eq. 11 is not a matrix product
    assert flops(Exponent("lama", "words", sizes), 7) == 2 * (7 * a_word + 6 * 3 + 18 * 5 + 5 * 2)
    assert flops(Exponent("lama", "words", sizes, without=("classifier",)), 7) == 2 * (7 * a_word + 6 * 3)


def test_exponents_of_a_plain_encoder():  # 4 n d^2 and 2 n^2 d multiply-adds
    sizes = {"words": 4, "dim": 8, "size": 8, "layers": 1}
    attention = ("layers.0.attention",)
    assert exponent(Exponent("transformer", "words", sizes, attention)) == pytest.approx(2, abs=1e-3)
    assert exponent(Exponent("transformer", "size", sizes, attention)) == pytest.approx(2, abs=1e-3)
    assert flops(Exponent("transformer", "words", sizes, attention), 4) == 2 * (4 * 4 * 8**2 + 2 * 4**2 * 8)


def test_lines_have_verdicts_and_rows_of_ours_have_none():
    table = CountTable(
        name="t",
        title="T",
        published="table-1",
        metric="parameters",
        unit="million",
        printed={},
        cells={
            ("a", "x"): ParameterCount("avg-embedding", 999, 1000),
            ("a", "y"): ParameterCount("avg-embedding", 1999, 1000),
            ("b", "x"): ParameterCount("avg-embedding", 999, 1000),
        },
        notes={"a": "ours", ("a", "y"): "of y"},
    )
    numbers = [
        Published("a", "x", "parameters", "1.000", "million", "yes", "odd"),
        Published("a", "y", "parameters", "2.001", "million", "yes", ""),
        Published("c", "x", "parameters", "3", "million", "yes", ""),
        Published("a", "x", "accuracy", "3", "million", "yes", ""),
    ]
    found = [
        (line.row, line.column, line.measured, line.delta, line.verdict, line.note)
        for line in count_lines(table, numbers)
    ]
    assert found == [
        ("a", "x", "1.000", "+0.000", "agrees", "ours; odd"),
        ("a", "y", "2.000", "-0.001", "lower", "of y"),
        ("b", "x", "1.000", "", "", ""),
        ("c", "x", "", "", "not-run", ""),
    ]


@pytest.mark.parametrize("table", PAPER.counts, ids=lambda table: table.name)
def test_every_printed_number_of_lama_has_a_count(table):
    printed = {(number.row, number.column) for number in read_published(PUBLISHED, table.published)}
    assert printed == {cell for cell in table.cells if cell[0] not in table.extra}
    assert {row for row, _ in table.cells} == set(table.printed)


def test_lama_is_linear_in_each_size_and_with_its_word_transform_quadratic_in_the_states():
    measured = {(line.row, line.column): line.measured for line in count_lines(TABLE_2, [])}
    assert {measured["lama", column] for column in ("sequence-length", "heads", "gru-hidden-size")} == {"1.00"}
    assert measured["lama-word-transform", "gru-hidden-size"] == "2.00"
    assert measured["transformer-encoder", "sequence-length"] == "2.00"
    assert measured["transformer-encoder", "representation-size"] == "1.00"


def test_table_5_grows_by_1024_a_head_and_the_encoder_not_at_all():
    def growth(row: str) -> int:
        return parameters(TABLE_5.cells[row, "heads-64"]) - parameters(TABLE_5.cells[row, "heads-2"])

    assert growth("lama") == growth("lama-attention") == 62 * 1024
    assert growth("lama-512-a-side") == 62 * 2048
    assert growth("lama-classifier") == 62 * (1024 + 512 * 1024)
    assert growth("transformer-encoder") == growth("transformer-encoder-attention") == 0
    assert parameters(TABLE_5.cells["transformer-encoder", "heads-8"]) == 12 * 512**2 + 13 * 512  # 9 biases, 4 of norms
