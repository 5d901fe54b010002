from dataclasses import replace

from retable.tables.carried import Carried, read_carried, stands_for, write_carried

LINE = Carried("t", "cnn", "a", "b", "mr", "1", "1", "16", "abc", "def", "a processor", "2", "2026-11-21")


def test_lines_are_read_as_written(tmp_path):
    lines = [replace(LINE, row="lstm"), LINE]
    write_carried(tmp_path / "carried.csv", lines)
    assert read_carried(tmp_path / "carried.csv") == [LINE, lines[0]]
    assert read_carried(tmp_path / "none.csv") == []


def test_a_later_comparison_of_a_code_takes_the_place_of_the_earlier(tmp_path):
    later, other = replace(LINE, new="c"), replace(LINE, old="b", new="c")
    write_carried(tmp_path / "carried.csv", [LINE, other, later])
    assert read_carried(tmp_path / "carried.csv") == [later, other]


def test_a_code_stands_for_itself_and_over_codes_in_between():
    lines = [LINE, replace(LINE, old="b", new="c"), replace(LINE, old="c", new="a")]  # the last one: back again
    assert stands_for([], "t", "cnn", "a", "a")
    assert stands_for(lines, "t", "cnn", "a", "c")
    assert not stands_for(lines, "t", "cnn", "a", "d")


def test_only_the_row_that_was_compared_stands():
    assert not stands_for([LINE], "t", "lstm", "a", "b")
    assert not stands_for([LINE], "u", "cnn", "a", "b")


def test_equality_has_a_direction():
    assert not stands_for([LINE], "t", "cnn", "b", "a")
