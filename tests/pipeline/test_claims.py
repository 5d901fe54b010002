"""The page about claims, from a made-up bank."""

from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.corpora import FAMILIES
from retable.results import claims

LABELS = ["no", "yes", "no", "yes"] * 25


def write(path, wrong, prefix="mr/all"):
    """Predictions on a hundred texts, of which these are answered wrongly."""
    ids = [f"{prefix}/{text}" for text in range(100)]
    answers = [label if text not in wrong else "other" for text, label in enumerate(LABELS)]
    pq.write_table(pa.table({"id": ids, "label": LABELS, "predicted": answers}), path)
    metrics = {"row": path.name, "epochs": {"run": 3, "turned": True}}
    return [SimpleNamespace(predictions=path, cut=("", 0), metrics=metrics)]


@pytest.fixture
def page(tmp_path):
    shown = {
        ("fcsr", "polarity"): [write(tmp_path / "a", range(10))],
        ("cnn", "polarity"): [write(tmp_path / "b", range(40))],
        ("bilstm", "polarity"): [write(tmp_path / "c", range(1, 11))],
        ("fcsr", "sst-2"): [write(tmp_path / "d", ())],
    }
    return claims.claims_markdown(lambda table: shown if table == "fcsr-table-3" else {}, {})


def test_a_claim_is_tested_where_both_rows_were_measured(page):
    lines = [line for line in page.splitlines() if line.startswith("| FCSR")]
    assert len(lines) == 2  # against cnn and bilstm on polarity; sst-2 has one row alone
    ahead, equal = lines
    assert "ahead of the CNN | Polar | 100 | +30.0 (+21.0 to +39.0) | +1.8 | **holds**" in ahead
    assert "ahead of the BiLSTM | Polar | 100 | +0.0 (-2.8 to +2.8) | +3.2 | **undecided**" in equal


def test_a_claim_about_a_mean_stands_beside_the_printed_means(tmp_path):
    rows = {"fcsr": 86.08, "lstm": 81.79, "stacked-lstm": 81.73, "stacked-bilstm": 84.88, "transformer": 85.12}
    runs = {row: [write(tmp_path / row, (), "fdu-mr/test")] for row in rows}
    shown = {(row, name): run for row, run in runs.items() for name in FAMILIES["fdu"]}

    def lines():
        page = claims.claims_markdown(lambda table: shown if table == "fcsr-table-4" else {}, {})
        return [line.split(" | ")[2:7] for line in page.splitlines() if "mean of 16 domains" in line]

    assert lines() == [
        [f"ahead of the {name}, mean of 16 domains", "the mean", "1,600", "+0.0 (+0.0 to +0.0)", printed]
        for name, printed in (
            ("LSTM", "+4.29"), ("stacked LSTM", "+4.35"), ("stacked BiLSTM", "+1.20"), ("Transformer", "+0.96"),
        )
    ]  # fmt: skip
    del shown["lstm", "fdu-mr"]
    assert (lines()[0][1], lines()[0][4]) == ("the mean, 15 of 16", "")  # the print is of sixteen


def test_a_verdict_on_runs_that_could_have_gone_on_says_so(tmp_path):
    shown = {("fcsr", "polarity"): [write(tmp_path / "fcsr", ())], ("cnn", "polarity"): [write(tmp_path / "cnn", ())]}

    def verdict():
        page = claims.claims_markdown(lambda table: shown if table == "fcsr-table-3" else {}, {})
        return next(line for line in page.splitlines() if line.startswith("| FCSR")).split(" | ")[-1]

    assert verdict() == "**undecided** |"
    shown["cnn", "polarity"][0][0].metrics["epochs"]["turned"] = False
    assert verdict() == "**undecided**, short: cnn 3 |"


def test_published_numbers_are_read_once_a_table(monkeypatch):
    read, known = [], claims.published_numbers
    monkeypatch.setattr(
        claims, "published_numbers", lambda source, table: read.append((source.name, table)) or known(source, table)
    )
    claims.claims_markdown(lambda table: {}, {})
    assert read
    assert len(read) == len(set(read))


def test_of_test_folds_every_text_counts_once(tmp_path):
    runs = [write(tmp_path / f"f{number}", range(number), f"mr/{number}")[0] for number in (1, 2)]
    for run in runs:
        run.cut = ("test", 2)
    right = claims.right_of_cell([runs], SimpleNamespace(domain=""))
    assert (len(right), sum(not each for each in right.values())) == (200, 3)


def test_the_score_on_a_domain_counts_its_texts_alone(tmp_path):
    of_both = [write(tmp_path / name, (), f"{name}/test")[0].predictions for name in ("fdu-apparel", "fdu-baby")]
    pq.write_table(pa.concat_tables([pq.read_table(path) for path in of_both]), tmp_path / "joint")
    joint = SimpleNamespace(predictions=tmp_path / "joint", cut=("", 0))
    found = claims.right_of_cell([[joint]], SimpleNamespace(domain="fdu-baby"))
    assert len(found) == 100
    assert all(text.startswith("fdu-baby/") for text in found)
