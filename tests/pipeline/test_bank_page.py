"""What docs/results.md says of where its runs were made."""

from dataclasses import replace

from pipeline import bank
from retable.tables.bank import Entry

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ENTRY = Entry(
    row="cnn", column="sst-2", seed="1", metric="accuracy", value="0.8", clean="", texts="1821", vectors="pool",
    tokens_covered="0.9", epochs="7", turned="True",
    scale="cpu", parameters="p", data="d", recipe="c 1.0", commit=COMMIT,
    device="a processor", threads="1", date="2026-11-22",
)  # fmt: skip


def test_a_checkout_with_changes_keeps_its_mark():
    told = bank.origin_of([ENTRY, replace(ENTRY, commit=f"{COMMIT}+"), replace(ENTRY, row="fcsr")])
    assert told.splitlines() == [
        "- a processor, 1 threads, 2026-11-22, commit 0123456789",
        "- a processor, 1 threads, 2026-11-22, commit 0123456789+",
    ]


def test_what_the_mark_means_is_said_once(tmp_path, monkeypatch):
    monkeypatch.setattr(bank, "ROOT", tmp_path)
    monkeypatch.setattr(bank, "BANK", tmp_path)
    monkeypatch.setattr(bank, "PAPERS", {})
    for name in ("draw_all", "figures_markdown", "claims_markdown", "renew"):
        monkeypatch.setattr(bank, name, lambda *of_page, **more: "")
    (tmp_path / "docs").mkdir()
    bank.write_docs({})
    assert (tmp_path / "docs/results.md").read_text().count("A + behind a commit: tracked files of src/") == 1
