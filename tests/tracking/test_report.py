import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import Mock

import pytest

from retable.files import read_json, write_csv, write_json
from retable.project.paths import BANK
from retable.results import facts
from retable.results.resolving import Filled
from retable.results.tables import COSTS
from retable.runs.record import read_run
from retable.site import report
from retable.site.templating import TEMPLATES
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
        "name": "fcsr-figure-6", "files": ["fcsr-figure-6.svg"],
    }  # fmt: skip
    others = [
        {"name": "lama-figure-3", "files": [], "note": "Why."},
        {"name": "cost-fcsr-table-3", "caption": "What it costs."},
    ]
    write_json(root / "figures/figures.json", [figure, *(figure | other for other in others)])
    (root / "figures/cost-fcsr-table-3.svg").write_text("<i>dear</i>", encoding="utf-8")
    (root / "figures/fcsr-figure-6.svg").write_text("<i>drawn</i>", encoding="utf-8")
    spent = {"row": "fcsr", "parameters": "250", "words_per_second": "7214", "threads": "2"}
    write_csv(root / "tables/fcsr-table-3.cost.csv", [dict.fromkeys(COSTS, "") | spent], COSTS)
    own = {(row, "sst-2"): [[read_run(root / f"runs/fcsr-table-3/{row}")]] for row in ("fcsr", "tfidf-svm")}
    resolver = Mock(fill=lambda table: Filled(own if table.name == "fcsr-table-3" else {}))
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
        patch.setattr(report, "Resolver", lambda *given: resolver)
        report.write_report()
    return Path(root / "report/index.html").read_text(encoding="utf-8")


def plain(page: str) -> str:
    """Return the words of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def part(page: str, start: str, end: str) -> str:
    """Return the part of a page from one text to another."""
    place = page.index(start)
    return page[place : page.index(end, place)]


def picture(svg: str) -> str:
    """Return a picture as the page holds it."""
    return b64encode(svg.encode()).decode()


def test_every_cell_shows_measured_beside_printed_and_leads_to_why_not(page: str):
    assert "83.36 ± 1.8, one run printed 80.8 (ours higher +2.56)" in plain(page)
    assert "CSPAN (big) cspan-big – printed 78.5 why not" in plain(page)
    assert 'href="#missing.html#fcsr-table-3">why not</a>' in page
    left = plain(part(page, '<details id="missing.html#fcsr-table-3">', "</details>"))
    assert "CSPAN (big) not built here yet SST 78.5" in left
    assert "FCSR asked for AG 94.5" in left
    assert "Not measured (2 cells)" in left


def test_every_verdict_is_explained_and_every_note_names_its_cells(page: str):
    assert "cannot tell the interval is too wide to tell" in plain(page)
    assert "unverified no verdict: imported, answers not compared with the test texts" in plain(page)
    assert "a &lt; b" in part(page, "<summary>Notes", "</details>")
    assert "fcsr.sst-2" in plain(part(page, "<summary>Notes", "</details>"))


def test_a_measured_cell_leads_to_its_run_with_its_pictures(page: str):
    details = part(page, '<details id="cells/fcsr-table-3/fcsr/sst-2.html">', "</details>")
    assert 'href="#cells/fcsr-table-3/fcsr/sst-2.html"' in page
    assert details.count("<svg") == 2  # of all runs: curves and ROC
    assert '<table class="confusion">' in details
    assert page.count("<svg") == 3 * 2 - 1  # two cells and the focus run; a linear model has no curve
    assert page.count("<img") == 2  # two figures
    for shown in ("7,214", "81.6 to 85.1", "83.40", "+2.56", "proxy", "precision, test", "a &lt; b"):
        assert shown in details
    assert "retable run fcsr-table-3 fcsr sst-2" in details


def test_a_score_that_a_run_does_not_have_is_left_out_and_a_count_is_whole(tmp_path: Path):
    run = read_run(write_run(tmp_path / "run"))
    run.metrics["test"] |= {"macro_auc": None, "questions": 12345}
    ((_, scores),) = report.first([run])
    assert scores["questions, test"] == "12,345"
    assert "macro auc, test" not in scores
    assert float(scores["accuracy, test"]) == pytest.approx(run.metrics["test"]["accuracy"], abs=1e-3)


def test_accuracy_against_cost_stands_with_its_table_and_nowhere_else(page: str):
    costs = part(part(page, '<section id="fcsr-table-3">', "</section>"), "<summary>What the rows cost", "</details>")
    assert picture("<i>dear</i>") in costs
    assert "What it costs." in costs
    assert "FLOPs are of the forward pass" in costs
    assert "FCSR 250 0 7.2 K" in plain(costs)
    assert page.count(picture("<i>dear</i>")) == 1
    assert 'href="#cost' not in page


def test_a_figure_is_inside_and_one_that_is_not_drawn_says_why(page: str):
    assert picture("<i>drawn</i>") in part(page, '<section id="fcsr-figure-6-picture">', "</section>")
    assert "Why." in part(page, '<section id="lama-figure-3-picture">', "</section>")


def test_the_page_needs_nothing_beside_it(page: str):
    assert not re.findall(r'(?:src|href|url\()\s*=?\s*["\']?(?!#)(?:https?:|//|[\w./]+\.(?:css|js|png))', page)
    assert {each[:5] for each in re.findall(r'src="([^"]*)"', page)} == {"data:"}
    assert part(page, "<script>\n", "</script>")[len("<script>\n") :] == (TEMPLATES / "site.js").read_text().rstrip()
    assert page.count("<script") == 1


def test_tags_are_closed_ids_unique_links_lead_somewhere_and_text_is_escaped(page: str):
    elements = Elements(page)
    assert elements.open == []
    assert elements.ids == [
        "main", "fcsr-table-3", "missing.html#fcsr-table-3", "cells/fcsr-table-3/fcsr/sst-2.html",
        "cells/fcsr-table-3/tfidf-svm/sst-2.html", "fcsr-figure-6-picture", "lama-figure-3-picture", "focus", "corpora",
        "leakage", "parts",
    ]  # fmt: skip
    assert elements.to <= {f"#{name}" for name in elements.ids} | {"data:,"}
    assert "a &lt; b" in page


class Elements(HTMLParser):
    """Collect the tags of a page, the names of their attributes, its ids and links, and what is not closed."""

    LEFT_OPEN = ("meta", "td", "th", "tr", "li", "dt", "dd", "option", "thead", "tbody")  # HTML closes them itself

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.names, self.to = set[str](), set[str](), set[str]()
        self.ids, self.open = list[str](), list[str]()
        self.feed(page)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        found = dict(attrs)
        self.names |= found.keys()
        self.ids += [found["id"] or ""] if "id" in found else []
        self.to |= {found["href"] or ""} if "href" in found else set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        self.open += [tag] if tag not in self.LEFT_OPEN else []

    def handle_endtag(self, tag: str) -> None:
        assert tag in self.LEFT_OPEN or self.open.pop() == tag


@pytest.mark.parametrize("source", MARKED)
def test_markup_is_shown_letter_by_letter_wherever_it_comes_from(marked: str, source: str):
    assert markup_of(source) in unescape(marked)


def test_no_markup_becomes_an_element(page: str, marked: str):
    ours, found = Elements(page), Elements(marked)
    assert (found.tags, found.names) == (ours.tags, ours.names)
    assert {tag: marked.count(f"<{tag}") for tag in ("img", "script")} == {"img": page.count("<img"), "script": 1}
    assert not [name for name in found.names if name.startswith("on")]


@pytest.mark.skipif(not CHROMIUM, reason="needs Debian's chromium")
def test_a_browser_shows_markup_of_a_note_makes_no_element_of_it_and_sorts_the_tables(marked: str, tmp_path: Path):
    script = """<script>
      const found = document.querySelectorAll("[onerror], [src=x]").length, body = document.body;
      const shown = body.textContent.split("<img src=x").length - 1, sorted = body.querySelectorAll("th button").length;
      body.innerHTML = `<p>seen ${found} of ${shown}, ${sorted} to sort, ${body.querySelector("output").innerHTML}</p>`;
    </script></body>"""
    (tmp_path / "index.html").write_text(marked.replace("</body>", script), encoding="utf-8")
    options = (
        "headless", "no-sandbox", "disable-gpu", "no-first-run", f"user-data-dir={tmp_path}/user", "dump-dom",
        "enable-logging=stderr",
    )  # fmt: skip
    asked = [str(CHROMIUM), *(f"--{each}" for each in options), (tmp_path / "index.html").as_uri()]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr
    assert re.search("<p>seen 0 of [1-9][0-9]*, [1-9][0-9]* to sort, 4 of 4 systems</p>", done.stdout)


def test_corpora_of_this_scale_and_the_tagger_are_told(page: str):
    assert "sst-2 en 2 6,920 872 1,821 19.3 102.6 17,573 5" in plain(page)
    assert "sst-2 1 0 2 4 1,815 (99.7%) 40 19" in plain(page)
    assert page.count('<th scope="row">sst-2<td') == 2
    assert "test 25,094 94.4% 93.9%" in plain(page)


def test_measured_columns_come_first(page: str):
    grid = page[page.index('<section id="fcsr-table-3">') :]
    heading = re.findall(r'<th scope="col">([^<]+)', grid[: grid.index("<tbody>")])
    assert [each.strip() for each in heading] == ["system", "SST", "AG"]  # AG comes first in the paper


def test_every_picture_has_a_title_and_every_heading_of_a_table_a_scope(page: str):
    assert page.count("<svg") == len(re.findall(r'<svg[^>]* role="img"[^>]*><title>[^<]+</title>', page)) > 0
    assert page.count("<img") == len(re.findall(r'<img src="[^"]+" alt="[^"]+"/>', page))
    assert not re.findall(r"<th(?![^>]*scope)[ >]", page)
