"""A run that was imported without its test texts is marked wherever a number of it is shown."""

import json
import shutil
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from retable.commands import check, verdicts
from retable.experiments.scale import scale_preset
from retable.files import read_json, write_csv, write_json
from retable.papers import result_table
from retable.project.paths import BANK, ROOT
from retable.results.export_bank import write_bank
from retable.results.export_tables import FORMATS, exported
from retable.results.pages import write_pages
from retable.results.whole import BANK_SCALE, bank_resolver, read_whole
from retable.runs.bank import add_to_bank, read_bank
from retable.site.build import write_site
from retable.tables.lines import write_lines
from tests.results.records import answers, run, with_metrics

TABLE = "fcsr-table-3"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return pages, site and exports of a bank whose NB-SVM is unverified, beside two verified linear rows."""
    folder = tmp_path_factory.mktemp("unverified")
    (folder / "docs").mkdir()
    for name in ("README.md", *(f"docs/{page}.md" for page in ("claims", "corpora", "models", "timing"))):
        shutil.copyfile(ROOT / name, folder / name)
    bank, plan, runs = folder / "docs/results", scale_preset(BANK_SCALE), []
    for row, right in (("tfidf-svm", 800), ("nb-svm", 613), ("fasttext", 700)):
        predictions = answers(folder / f"{row}.parquet", right, texts=1000, prefix="sst-2/test")
        made = run(plan, TABLE, row, "sst-2", right=right / 1000, texts=1000, predictions=predictions)
        runs.append(with_metrics(made, unverified=True) if row == "nb-svm" else made)
    add_to_bank(bank, runs, "Ada")
    write_json(bank / "corpora.json", {"sst-2": read_json(BANK / "corpora.json")["sst-2"]})
    write_json(bank / "copies.json", {})
    write_pages(folder, bank)
    write_site(folder / "site", read_whole(bank), ROOT / "docs")
    resolver = bank_resolver(bank)
    for form, (suffix, write) in FORMATS.items():
        (found,) = exported([TABLE], resolver, {})
        write(folder / f"export/{form}.{suffix}", found)
    write_bank(folder / "export/bank", resolver, read_bank(bank), "1.0")
    return folder


def test_every_file_with_its_number_has_the_mark(written):
    suffixes = {".md", ".html", ".csv", ".json", ".jsonl", ".tex"}
    texts = {
        path.relative_to(written).as_posix(): path.read_text(encoding="utf-8")
        for path in written.rglob("*")
        if path.suffix in suffixes and not path.is_relative_to(written / "site/docs")  # the real docs
    }
    with_number = {name for name, text in texts.items() if "61.30" in text or "| 61.3" in text or "0.613" in text}
    assert {name for name in with_number if "unverified" not in texts[name].lower()} == set()
    assert {"README.md", "docs/tables/fcsr.md"} <= with_number
    of_bank = pq.read_table(written / "export/bank/runs.parquet").to_pylist()
    assert {(each["row"], each["unverified"]) for each in of_bank if each["accuracy"] == 0.613} == {("nb-svm", True)}
    assert {f"site/{name}.html" for name in (f"cells/{TABLE}/nb-svm/sst-2", "numbers", "papers/fcsr")} <= with_number
    notes = {each["name"]: each["note"] for each in read_json(written / "docs/figures/figures.json", list)}
    assert notes["cost-floors-table-1"].endswith("with the test texts): NB-SVM on SST-2.")


@pytest.mark.parametrize("place", ["export/parquet.parquet", f"site/data/{TABLE}.parquet"])
def test_its_line_of_a_table_has_the_mark_for_a_verdict(written, place):
    lines = {(each["row"], each["measured"] is not None): each for each in pq.read_table(written / place).to_pylist()}
    assert lines["nb-svm", True]["verdict"] == "unverified"
    assert lines["tfidf-svm", True]["verdict"] is None


def test_its_cost_and_how_much_of_a_paper_is_measured_have_the_mark(written):
    page = (written / "docs/tables/fcsr.md").read_text(encoding="utf-8")
    assert "| *NB-SVM* (`nb-svm`, ours) (unverified) | 990" in page
    assert "| *tf-idf + SVM* (`tfidf-svm`, ours) | 990" in page
    assert "(1 unverified) |" in (written / "README.md").read_text(encoding="utf-8")
    assert "61.30, unverified" in (written / "README.md").read_text(encoding="utf-8")


def test_check_shows_it(written, monkeypatch, capsys):
    (found,) = exported([TABLE], bank_resolver(written / "docs/results"), {})
    lines = [replace(line, published="80.0") if line.row == "nb-svm" else line for line in found.lines]
    write_lines(written / f"tables/{TABLE}.csv", lines)
    for name, value in {"TABLES": written / "tables", "BANK": written / "docs/results"}.items():
        monkeypatch.setattr(check, name, value)
    monkeypatch.setattr(check, "result_tables", lambda: [result_table(TABLE)])
    monkeypatch.setenv("COLUMNS", "200")
    check.main([])
    (line,) = (each for each in capsys.readouterr().out.splitlines() if "nb-svm" in each)
    assert "61.30 (unverified)" in line
    assert "unverified" in line.rpartition("80.0")[2]
    check.main(["--json"])
    marks = {cell["row"]: cell["unverified"] for cell in json.loads(capsys.readouterr().out)}
    assert marks == {"nb-svm": True, "tfidf-svm": False, "fasttext": False}


def test_ones_own_answers_get_no_verdict_against_it(written, monkeypatch, capsys):
    texts = [{"id": f"sst-2/test/{text}", "label": ("no", "yes")[text % 2]} for text in range(1000)]
    write_csv(written / "mine.csv", texts, ("id", "label"))
    monkeypatch.setattr(verdicts, "BANK", written / "docs/results")
    verdicts.main(["sst-2", "--from", str(written / "mine.csv"), "--seedless"])
    (line,) = (each for each in capsys.readouterr().out.splitlines() if "nb-svm" in each)
    assert "none (unverified: nb-svm)" in line
