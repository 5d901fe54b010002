"""The benchmark of fused training runs on sample texts, and its rows can be read."""

import numpy as np
import pytest

from benchmarks import fused
from benchmarks.fused import Speed, places_of_a_word, told


def test_it_runs_quickly_and_every_row_has_positive_rates(monkeypatch, capsys):
    rows = []
    monkeypatch.setattr(fused, "told", lambda speed: rows.append(speed) or told(speed))
    fused.main(["avg-embedding", "sst-2", "--quick", "--runs", "1", "2", "--epochs", "2", "--device", "cpu"])
    assert [row.runs for row in rows] == [1, 2]
    for row in rows:
        assert row.alone > 0
        assert row.fused > 0
        assert row.places >= 1
    assert rows[0].places == 1
    said = capsys.readouterr().out
    assert "avg-embedding on sst-2" in said
    assert said.endswith(f"{told(rows[1])}\n")


def test_a_row_by_hand():
    assert told(Speed(4, 20_000.4, 30_000.0, 1.552)).split() == ["4", "20,000", "30,000", "1.50x", "1.55x"]


def test_places_by_hand(monkeypatch):
    """A text of one word and one of three, each a batch; in the second run they come the other way round."""
    orders = iter([[0, 1], [1, 0]])
    monkeypatch.setattr(fused, "shuffled_batches", lambda *_: [np.array([text]) for text in next(orders)])
    assert places_of_a_word(np.array([1, 3]), 1, 2) == (4 * 3) / (2 * (1 + 3))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["avg-embedding", "sst-2", "--epochs", "1"], "--epochs is at least 2"),
        (["fasttext", "sst-2"], "fasttext is not trained fused: its gradients are sparse"),
    ],
)
def test_what_it_cannot_measure_is_refused(arguments, sentence, capsys):
    with pytest.raises(SystemExit):
        fused.main(arguments)
    assert sentence in capsys.readouterr().err
