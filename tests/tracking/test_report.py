import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from retable.files import read_json, write_json
from retable.project.paths import BANK
from retable.results import facts, report
from retable.runs.record import read_run
from retable.tables.lines import Line, write_lines
from tests.tracking.conftest import LABELS, write_run

CHROMIUM = shutil.which("chromium")
LINES = [
    Line("fcsr", "sst-2", "accuracy", "83.36", "81.6", "85.1", "1", "83.40", "80.8", "+2.56", "%", "proxy", "higher",
         "a < b <script>alert(1)</script> <img src=x onerror=alert(1)>"),
    Line("fcsr", "ag-news", "accuracy", published="94.5", unit="%", verdict="not-run", note="asked for"),
    Line("cspan-big", "sst-2", "accuracy", published="78.5", unit="%", verdict="not-run", note="not built here yet"),
    Line("tfidf-svm", "sst-2", "accuracy", "81.70", "79.9", "83.5", "1", unit="%"),
    Line("nb-svm", "sst-2", "accuracy", "83.20", "81.9", "84.5", "1", unit="%"),  # its run is in another table
]  # fmt: skip
STATS = read_json(BANK / "corpora.json")["sst-2"] | {
    "corpus": "sst-2", "language": "en", "classes": 2, "published-average-words": 19.3,
    "published-vocabulary-words": 17573, "published-average-characters": 102.6, "split": "published",
    "removed": {"copy": 3, "empty": 2}, "near-duplicates": {"texts": 40, "clusters": 19, "largest": 3},
    "leakage": {
        "test-in-train": {"exact": 2, "near": 4}, "dev-in-train": {"exact": 1, "near": 0},
        "test-in-dev": {"exact": 0, "near": 0},
    },
}  # fmt: skip


MARKED = (  # everything outside our sources that the report shows, and no form refuses
    "note", "published", "delta", "unit", "match", "title", "caption", "remark", "option", "chosen", "label", "window",
)  # fmt: skip


def markup_of(source: str) -> str:
    return f"<img src=x onerror=alert('{source}')><script>alert('{source}')</script>"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the page of a small results folder."""
    return page_of(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the page if all that it shows has markup."""
    return page_of(tmp_path_factory.mktemp("marked"), markup_of)


def page_of(root: Path, marked: Callable[[str], str] = lambda source: "") -> str:
    """Return the page of a small results folder.

    Args:
        marked: what is appended to the text of a source.
    """
    of_line = {name: getattr(LINES[0], name) + marked(name) for name in ("note", "published", "delta", "unit", "match")}
    write_lines(root / "tables/fcsr-table-3.csv", [replace(LINES[0], **of_line), *LINES[1:]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(LABELS, "sst-2", ("negative", "positive" + marked("label")))
        for row in ("fcsr", "tfidf-svm"):
            write_run(root / f"runs/fcsr-table-3/{row}", row=row)
        write_run(root / "focus", alpha=marked("option") or 0.3)
    metrics = root / "runs/fcsr-table-3/tfidf-svm/metrics.json"
    write_json(metrics, read_json(metrics) | {"chosen": {"features": "words-2" + marked("chosen"), "cost": 1.0}})
    shape = {"words": 9, "dim": 3, "sha256": dict.fromkeys(("vectors.npy", "words.txt"), "0" * 64)}
    made = {"name": "v", "method": "glove", "parameters": {"window": "5" + marked("window")}}
    write_json(root / "vectors/v/vectors.json", made | shape)
    write_json(root / "clean/sst-2/stats.json", STATS)
    write_json(root / "clean/not-in-this-scale/stats.json", STATS)
    write_json(
        root / "parts/accuracy.json", {"treebank": "ewt", "test": {"upos": 0.944, "xpos": 0.939, "words": 25094}}
    )
    figure = {
        "title": "Areas" + marked("title"), "caption": "Of what." + marked("caption"), "note": marked("remark"),
        "name": "fcsr-figure-6", "files": ["a.svg"],
    }  # fmt: skip
    others = [{"name": "lama-figure-3", "files": [], "note": "Why."}, {"name": "cost-fcsr-table-3"}]
    write_json(root / "figures/figures.json", [figure, *(figure | other for other in others)])
    (root / "figures/cost-fcsr-table-3.svg").write_text("<i>dear</i>", encoding="utf-8")
    (root / "figures/a.svg").write_text("<i>drawn</i>", encoding="utf-8")
    own = {(row, "sst-2"): [read_run(root / f"runs/fcsr-table-3/{row}")] for row in ("fcsr", "tfidf-svm")}
    params = {"scale": "cpu", "corpora": {"sst-2": {}}, "vectors": {"v": {}} if marked("window") else {}}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("tables", "figures", "runs", "focus", "report"):
            patch.setattr(report, name.upper(), root / name)
        for name, folder in (
            ("CLEAN", "clean"), ("VECTORS", "vectors"), ("OVERLAP", "overlap"),
            ("TAGGER", "parts"), ("PARTS_TABLES", "table"),
        ):  # fmt: skip
            patch.setattr(facts, name, root / folder)
        for module in (report, facts):
            patch.setattr(module, "read_params", params.__getitem__)
        patch.setattr(report, "own_runs", lambda table, resolver: own if table.name == "fcsr-table-3" else {})
        report.write_report()
    return Path(root / "report/index.html").read_text(encoding="utf-8")


def plain(page: str) -> str:
    """Return the words of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_every_cell_shows_measured_beside_published(page: str):
    assert "83.36 ± 1.8 ▲ +2.56 published 80.8" in plain(page)
    assert "CSPAN (big) cspan-big – published 78.5" in plain(page)
    assert 'title="not built here yet"' in page


def test_a_measured_cell_leads_to_its_run_with_three_pictures(page: str):
    start = page.index('<div id="fcsr-table-3.fcsr.sst-2">')
    details = page[start : page.index("</details>", start)]
    assert 'href="#fcsr-table-3.fcsr.sst-2"' in page
    assert details.count("<svg") == 3
    assert "7,214" in details  # words a second
    assert page.count("<svg") == 9  # two cells and the focus run


def test_accuracy_against_cost_stands_with_its_table_and_nowhere_else(page: str):
    start = page.index('<section id="fcsr-table-3">')
    assert "<i>dear</i>" in page[start : page.index("</section>", start)]
    assert page.count("<i>dear</i>") == 1
    assert "Accuracy against cost" in plain(page)
    assert 'href="#cost' not in page


def test_the_page_needs_nothing_beside_it(page: str):
    assert not re.findall(r'(?:src|href|url\()\s*=?\s*["\']?(?!#)(?:https?:|//|[\w./]+\.(?:css|js|png))', page)
    assert "<script" not in page


def test_tags_are_closed_ids_unique_links_lead_somewhere_and_text_is_escaped(page: str):
    elements = list(ElementTree.fromstring(page.removeprefix("<!doctype html>")).iter())
    every = [name for each in elements if (name := each.get("id"))]
    assert len(set(every)) == len(every)
    ids = [name for each in elements if (name := each.get("id")) and not re.match(r"s\d+p[0-9a-f]{8}-", name)]
    assert ids == [  # in addition to those of pictures
        "fcsr-table-3", "fcsr-table-3.fcsr.sst-2", "fcsr-table-3.tfidf-svm.sst-2", "fcsr-figure-6", "lama-figure-3",
        "focus", "corpora", "leakage", "parts",
    ]  # fmt: skip
    assert {link[1:] for each in elements if each.tag == "a" and (link := each.get("href"))} <= set(ids)
    assert "a &lt; b" in page


def test_a_picture_that_is_shown_twice_has_two_names():  # runs of one model with equal curves
    picture = '<svg><path id="p0123abcd-C0"/><use xlink:href="#p0123abcd-C0"/></svg>'
    first, second = (picture.replace("p0", f"s{number}p0") for number in (1, 2))
    assert report.with_own_names(f'{picture}<a href="#p0123abcd-C0"/>{picture}') == (
        f'{first}<a href="#p0123abcd-C0"/>{second}'
    )


class Elements(HTMLParser):
    """Collect the tags of a page, and the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.names = set[str](), set[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}


@pytest.mark.parametrize("source", MARKED)
def test_markup_is_shown_letter_by_letter_wherever_it_comes_from(marked: str, source: str):
    assert markup_of(source) in unescape(marked)


def test_no_markup_becomes_an_element(page: str, marked: str):
    ours, found = Elements(page), Elements(marked)
    assert (found.tags, found.names) == (ours.tags, ours.names)
    assert {"img", "script"}.isdisjoint(found.tags)
    assert not [name for name in found.names if name.startswith("on")]


@pytest.mark.skipif(not CHROMIUM, reason="needs Debian's chromium")
def test_a_browser_shows_markup_of_a_note_and_makes_no_element_of_it(marked: str, tmp_path: Path):
    (tmp_path / "index.html").write_text(marked, encoding="utf-8")
    options = ("headless", "no-sandbox", "disable-gpu", "no-first-run", f"user-data-dir={tmp_path}/user", "dump-dom")
    asked = [str(CHROMIUM), *(f"--{each}" for each in options), (tmp_path / "index.html").as_uri()]
    shown = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=True).stdout
    assert "&lt;img src=x onerror=alert(1)&gt;" in shown.replace("&quot;", '"')
    assert not re.search("<(script|img)", shown)


def test_corpora_of_this_scale_and_the_tagger_are_told(page: str):
    assert "sst-2 en 2 6,920 872 1,821 19.3 102.6 17,573 5" in plain(page)
    assert "sst-2 1 0 2 4 1,815 (99.7%) 40 19" in plain(page)
    assert page.count("<td>sst-2</td>") == 2
    assert "test 25,094 94.4% 93.9%" in plain(page)


def test_measured_columns_come_first(page: str):
    grid = page[page.index('<section id="fcsr-table-3">') :]
    heading = re.findall(r'<th scope="col">([^<]+)</th>', grid[: grid.index("</thead>")])
    assert heading == ["row", "SST", "AG"]  # AG comes first in the paper


def test_every_picture_has_a_title_and_every_heading_of_a_table_a_scope(page: str):
    assert page.count("<svg") == len(re.findall(r'<svg role="img"[^>]*><title>[^<]+</title>', page)) > 0
    assert not re.findall(r"<th(?![^>]*scope)[ >]", page)
