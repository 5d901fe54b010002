import json

import numpy as np
import pytest

from retable.figures.words import AttendedText
from retable.papers import paper
from retable.results import bank_attention
from retable.results.bank_attention import DRAWN_FROM, attention_figures
from retable.results.bank_figures import write_bank_figures
from retable.results.figures import write_rows
from retable.results.figures_page import figures_markdown
from retable.runs.bank import Entry
from tests.tracking.conftest import write_run

TABLE = paper("lama").result_table("lama-table-4")
TEXTS = 6  # a word is listed that stands in five texts or more


class Network:
    """A network that attends to one word of two."""

    def texts(self, run):
        return [AttendedText(("vessel", "the"), np.array([0.9, 0.1]), "ship") for _ in range(TEXTS)]

    def labels(self, run):
        return ("ship",)


@pytest.fixture
def banked(tmp_path, monkeypatch):
    """A run of lama-ctx in the bank, its folder and weights at hand."""
    monkeypatch.setattr(bank_attention, "KeptNetworks", Network)
    folder = write_run(tmp_path / "runs/lama-table-4/lama-ctx/r8/1", row="lama-ctx", table=TABLE.name)
    (folder / "model").mkdir()
    metrics, cost = (json.loads((folder / name).read_text()) for name in ("metrics.json", "cost.json"))
    return {("lama", TABLE.name): [Entry.from_metrics(metrics, cost, "accuracy", "lama-ctx", TABLE.column("r8"))]}


def draw(banked, tmp_path):
    """As `retable bank` does, with this bank alone."""
    more, standing = attention_figures(banked, tmp_path / "runs", tmp_path / "figures")
    none = (lambda table: {}), (lambda entry: None)
    return write_bank_figures(*none, tmp_path / "figures", tmp_path / "clean", more=more, standing=standing)


def test_a_figure_of_weights_stands_where_they_are_not_at_hand_until_its_run_is_another(tmp_path, banked):
    assert draw(banked, tmp_path) == ["lama-table-6"]
    data = (tmp_path / "figures/lama-table-6.csv").read_text()
    assert "Reuters,ship,1,vessel" in data
    (tmp_path / "runs/lama-table-4/lama-ctx/r8/1/model").rmdir()
    assert draw(banked, tmp_path) == ["lama-table-6"]
    assert (tmp_path / "figures/lama-table-6.csv").read_text() == data
    (entry,) = banked["lama", TABLE.name]
    other = entry.__class__(**{**entry.__dict__, "recipe": "another 1.0"})
    assert draw({("lama", TABLE.name): [other]}, tmp_path) == []
    assert [path.name for path in (tmp_path / "figures").iterdir()] == [DRAWN_FROM]


def test_weights_of_another_run_are_not_drawn(tmp_path, banked):
    (entry,) = banked["lama", TABLE.name]
    other = entry.__class__(**{**entry.__dict__, "parameters": "another"})
    assert draw({("lama", TABLE.name): [other]}, tmp_path) == []


def test_the_page_shows_pictures_and_lists_of_words(tmp_path, banked):
    names = draw(banked, tmp_path)
    lines = [{"panel": "SST", "model": row.printed} for row in paper("fcsr").result_table("fcsr-table-3").rows[1:]]
    write_rows(tmp_path / "figures/fcsr-figure-6.csv", lines)
    page = figures_markdown([*names, "fcsr-figure-6"], tmp_path / "figures")
    assert "- Reuters, ship: vessel, the\n" in page
    assert "(figures/fcsr-figure-6.svg)" in page
    assert "lama-table-6.svg" not in page
    assert "Trained for 4 epochs. Not drawn: Yelp, 10,000 reviews with stars; money-fx." in page
    assert f"; {paper('fcsr').result_table('fcsr-table-3').rows[0].printed}." in page
    assert figures_markdown([], tmp_path) == ""
