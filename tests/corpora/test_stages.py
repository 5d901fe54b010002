"""The stages download and clean, on the project's own corpus and on real ones."""

import csv

import pyarrow.parquet as pq
import pytest

import pipeline.clean
import pipeline.download
from retable.files import read_json, sha256_of_file
from retable.text.leakage import digest
from retable.text.splits import SPLITS, read_facts


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Raw and clean folders of their own, without mirror or network."""
    monkeypatch.delenv("RETABLE_MIRROR", raising=False)
    monkeypatch.setattr("pipeline.download.CHECKOUT", tmp_path)
    monkeypatch.setattr("pipeline.download.SCRATCH", tmp_path / "scratch")
    for module in (pipeline.download, pipeline.clean):
        monkeypatch.setattr(module, "RAW", tmp_path / "raw")
    monkeypatch.setattr("pipeline.clean.CLEAN", tmp_path / "clean")
    return tmp_path


def test_the_sample_goes_through_both_stages_without_mirror_or_network(folders):
    pipeline.download.main("sample-en")
    pipeline.clean.main("sample-en")
    folder = folders / "clean/sample-en"
    tables = {split: pq.read_table(folder / f"{split}.parquet") for split in SPLITS}
    assert {split: table.num_rows for split, table in tables.items()} == {"train": 400, "dev": 60, "test": 80}
    assert read_facts(folder / "test.parquet").labels == ("negative", "positive")
    assert tables["train"].column("id")[0].as_py() == "sample-en/train/0"
    clean = {split: table.column("clean").to_pylist() for split, table in tables.items()}
    assert all(clean["train"])
    assert clean["test"].count(False) == 1
    assert not clean["test"][-1], "the last test text repeats a training text"
    held_out = (folder / "heldout.txt").read_text().split()
    texts = [text for split in ("dev", "test") for text in tables[split].column("text").to_pylist()]
    assert held_out == sorted({digest(text) for text in texts})
    stats = read_json(folder / "stats.json")
    assert stats["sha256"] == {split: sha256_of_file(folder / f"{split}.parquet") for split in SPLITS}
    assert stats["leakage"]["test-in-train"] == {"exact": 1, "near": 0}
    assert not list((folders / "scratch").rglob("*.*")), "nothing is left in the scratch folder"


def test_a_second_run_writes_the_same_bytes(folders):
    pipeline.download.main("sample-en")
    digests = []
    for _ in range(2):
        pipeline.clean.main("sample-en")
        files = sorted((folders / "clean/sample-en").iterdir())
        digests.append({file.name: sha256_of_file(file) for file in files})
    assert digests[0] == digests[1]
    assert set(digests[0]) == {*(f"{split}.parquet" for split in SPLITS), "stats.json", "removed.csv", "heldout.txt"}


def test_what_is_removed_is_listed_and_counted(folders, raw_folder):
    (folders / "raw").mkdir()
    (folders / "raw/covid-sentiment").symlink_to(raw_folder("covid-sentiment"))
    pipeline.clean.main("covid-sentiment")
    with (folders / "clean/covid-sentiment/removed.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0].keys() == {"id", "reason", "of"}
    stats = read_json(folders / "clean/covid-sentiment/stats.json")
    assert stats["removed"] == {"contradicting label": 4, "copy": 42}
    assert len(rows) == 46 == stats["instances-published"] - stats["instances"]


@pytest.mark.slow
def test_imdb_is_cleaned_and_its_leaks_found(folders, raw_folder):
    (folders / "raw").mkdir()
    (folders / "raw/imdb").symlink_to(raw_folder("imdb"))
    pipeline.clean.main("imdb")
    stats = read_json(folders / "clean/imdb/stats.json")
    assert {split: stats["splits"][split]["texts"] for split in SPLITS} == {
        "train": 22_500,
        "dev": 2500,
        "test": 25_000,
    }
    assert stats["leakage"]["test-in-train"] == {"exact": 114, "near": 10}
    texts = pq.read_table(folders / "clean/imdb/test.parquet").column("text").to_pylist()
    assert not any("<br" in text or "\u0085" in text for text in texts)


def test_an_unknown_corpus_is_one_sentence(folders, capsys):
    with pytest.raises(SystemExit) as left:
        pipeline.clean.main("sample")
    assert left.value.code == 1
    assert capsys.readouterr().err.startswith('error: corpus is "sample"; did you mean "sample-en"')


def test_a_mirror_that_is_no_folder_is_refused(folders, monkeypatch, capsys):
    monkeypatch.setenv("RETABLE_MIRROR", "nowhere")
    with pytest.raises(SystemExit):
        pipeline.download.main("mr")
    assert "RETABLE_MIRROR is nowhere, which is no folder" in capsys.readouterr().err


def test_a_file_that_is_here_is_not_brought_again(folders, monkeypatch):
    pipeline.download.main("sample-en")
    monkeypatch.setattr("pipeline.download.SAMPLE", folders / "empty")
    pipeline.download.main("sample-en")
