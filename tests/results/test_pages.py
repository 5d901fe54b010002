"""The pages made from the bank alone, in a folder without any data."""

import errno
import shutil
import threading
import time

import pytest

from retable.commands import bank, results
from retable.experiments.scale import scale_preset
from retable.files import read_json, write_json
from retable.project.paths import ROOT
from retable.results import pages
from retable.results.pages import write_pages
from retable.results.whole import BANK_SCALE
from retable.runs.bank import add_to_bank
from tests.results.records import answers, run, with_metrics


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Return pages with markers, and a bank of two baselines on SST-2, one of them trained twice."""
    tmp_path = tmp_path_factory.mktemp("checkout")
    (tmp_path / "docs").mkdir()
    for name in ("README.md", *(f"docs/{page}.md" for page in ("claims", "corpora", "models", "timing"))):
        shutil.copyfile(ROOT / name, tmp_path / name)
    plan = scale_preset(BANK_SCALE)
    runs = []
    for row, right in (("tfidf-svm", 80), ("nb-svm", 70)):
        predictions = answers(tmp_path / f"{row}.parquet", right, prefix="sst-2/test")
        runs.append(run(plan, "fcsr-table-3", row, "sst-2", right=right / 100, predictions=predictions))
    again = with_metrics(runs[0], date="2026-12-24", test=runs[0].metrics["test"] | {"accuracy": 0.79})
    add_to_bank(tmp_path / "docs/results", [*runs, again], "Ada")
    write_json(tmp_path / "docs/results/corpora.json", {})
    write_json(tmp_path / "docs/results/copies.json", {})
    return tmp_path


@pytest.fixture(scope="module")
def written(checkout):
    """Write the pages, and return how many runs they show."""
    return write_pages(checkout, checkout / "docs/results")


def test_every_page_comes_from_the_bank_alone(checkout, written):
    assert written == 2
    assert "(tables/fcsr.md)" in (checkout / "docs/results.md").read_text()
    page = (checkout / "docs/tables/fcsr.md").read_text()
    assert "80.00" in page
    assert "tfidf-svm on sst-2, seed 1: 80.00 is shown, 79.00 on a processor, 2026-12-24, by Ada" in page
    assert "- a processor, 2 threads: 2026-11-22, commit 0123456789\n" in page
    assert "| `fcsr` | FCSR: every word" in (checkout / "docs/models.md").read_text()
    readme = (checkout / "README.md").read_text()
    assert "| tf-idf + SVM | 80.00 |\n" in readme
    assert "No comparison of the papers could be judged yet." in readme
    entries = {entry["name"] for entry in read_json(checkout / "docs/figures/figures.json", list) if entry["drawn"]}
    assert entries == {"cost-floors-table-1"}
    for path in (checkout / "docs/figures").glob("*.svg"):
        assert path.read_text().count("background:#fff") == 1


@pytest.mark.usefixtures("written")
def test_a_second_time_nothing_changes(checkout):
    def content():
        return {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}

    before = content()
    write_pages(checkout, checkout / "docs/results")
    assert content() == before


def test_a_picture_has_its_name_only_when_it_is_on_white(checkout, tmp_path, monkeypatch):
    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pages, "put_on_white", full)
    without = shutil.copytree(checkout, tmp_path / "checkout", ignore=shutil.ignore_patterns("figures"))
    with pytest.raises(OSError, match="No space left"):
        pages.write_pages(without, without / "docs/results")
    assert not list(without.rglob("*.svg"))


def test_commands_that_write_the_bank_or_its_pages_do_so_one_after_the_other(tmp_path, monkeypatch, capsys):
    inside, at_once = [], []

    def write(*_, **__):
        inside.append(1)
        at_once.append(len(inside))
        time.sleep(0.2)
        inside.pop()

    monkeypatch.setattr(results, "write_pages", lambda *_: write())
    monkeypatch.setattr(bank, "bank_runs", write)
    for module in (results, bank):
        monkeypatch.setattr(module, "LOCK_OF_BANK", tmp_path / "bank.lock")
    mains = (results.main, bank.main, results.main, bank.main)
    writers = [threading.Thread(target=main, args=([],)) for main in mains]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert at_once == [1, 1, 1, 1]
    assert "another process is writing the bank or its pages; waiting for it" in capsys.readouterr().err
