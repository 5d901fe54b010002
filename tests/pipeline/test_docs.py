"""The figures that a command writes into the docs."""

import pytest

from retable.commands import docs
from retable.corpora import CORPORA, corpus
from retable.errors import InputError
from retable.experiments.estimate import read_measured
from retable.project.paths import BANK, ROOT
from retable.results import declared, facts
from retable.results.generated import renew


@pytest.fixture
def page(tmp_path):
    """Return a page with one block."""
    path = tmp_path / "page.md"
    path.write_text(
        "# Title\n\n<!-- generated: a b -->\nold\n<!-- end of a b -->\n\nWords of people.\n", encoding="utf-8"
    )
    return path


def test_what_people_wrote_around_a_block_stays(page):
    assert renew(page, "a b", "| new |\n")
    assert page.read_text() == (
        "# Title\n\n<!-- generated: a b -->\n| new |\n<!-- end of a b -->\n\nWords of people.\n"
    )


def test_renewing_twice_changes_nothing(page):
    renew(page, "a b", "x \\1 y")  # no group reference
    before = page.stat().st_mtime_ns
    assert not renew(page, "a b", "x \\1 y\n")
    assert page.stat().st_mtime_ns == before


def test_a_page_without_the_markers_is_named(page):
    with pytest.raises(InputError, match="'<!-- generated: a -->'"):
        renew(page, "a", "x")


def test_the_registry_is_told_whole():
    here, elsewhere = facts.declared_corpora(at_hand=True), facts.declared_corpora(at_hand=False)
    assert sorted(row["id"].strip("`") for row in [*here, *elsewhere]) == sorted(CORPORA)
    assert all(row["what"] for row in [*here, *elsewhere])
    assert all(row["how to get it"] for row in elsewhere)


def test_published_splits_as_people_read_them():
    assert facts.splits_of(corpus("sst-2").texts, 0) == "6,920 / 872 / 1,821"
    assert facts.splits_of(corpus("r8").texts, 0) == "5,485 / - / 2,189"
    assert facts.splits_of(corpus("mr").texts, 0) == "none: 10,662"
    assert facts.splits_of({"train": (1, 2), "test": None}, 9) == "3 / - / ? + 9 unlabelled"


def test_a_table_of_ragged_rows_has_every_column():
    rows = [{"a": 1000, "b": 0.25}, {"a": None, "c": "x|y"}]
    assert declared.table(rows).splitlines() == [
        "| a | b | c |",
        "| --- | --- | --- |",
        "| 1,000 | 0.2 |  |",
        "|  |  | x\\|y |",
    ]


def test_every_block_that_the_command_renews_is_on_its_page():
    for page, block in [*docs.BLOCKS, *declared.blocks(read_measured(BANK))]:
        assert f"<!-- generated: {block} -->" in (ROOT / f"docs/{page}.md").read_text(encoding="utf-8"), (page, block)
