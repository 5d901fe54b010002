"""The results site, from a bank alone: links resolve, nothing is loaded from elsewhere, everything is escaped."""

import json
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest

from retable.commands import site as site_command
from retable.errors import InputError
from retable.experiments.scale import scale_preset
from retable.files import read_json, sha256_of_value, write_csv, write_json
from retable.papers import paper, result_table
from retable.papers.claims import claims
from retable.papers.paper import Column
from retable.project.paths import BANK, ROOT
from retable.results.claims import size_of
from retable.results.figures import read_entries
from retable.results.tables import published_numbers
from retable.results.whole import BANK_SCALE, bank_resolver, read_whole
from retable.runs.bank import add_to_bank, read_bank
from retable.runs.predictions import write_predictions
from retable.site import attention
from retable.site.build import CONTENTS, as_table, write_site
from retable.site.cells import curves, place_of, thinned
from retable.site.claims import arrows, at, places, reach_of, within
from retable.site.documents import copy_pictures, overview, rendered
from retable.site.tables import frequent_class
from retable.site.templating import environment
from retable.tables.cell_intervals import few_runs
from retable.tables.comparison import compare_units
from retable.tables.lines import Line
from retable.text.splits import Facts, Split
from tests.results.records import run, with_metrics

MARKUP = "<img src=x onerror=alert(1)>"
CHROMIUM = shutil.which("chromium")
OPTIONS = [
    f"--{option}"
    for option in (
        "headless", "no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking", "disable-sync",
        "disable-component-update", "disable-quic", "enable-logging=stderr", "virtual-time-budget=4000", "dump-dom",
    )
]  # fmt: skip


def answered(path, right, label):
    """Write a hundred answers, this many of them correct; the second class has this name."""
    facts = Facts("sst-2", "en", ("negative", label))
    classes = np.arange(100) % 2
    given = np.where(np.arange(100) < right, classes, 1 - classes)
    split = Split(facts, [f"sst-2/test/{text}" for text in range(100)], None, None, classes, np.ones(100, dtype=bool))
    write_predictions(path, split, np.where(given[:, None] == np.arange(2), 0.9, 0.1))
    return path


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the site of a bank with two linear rows and a network on SST-2, one label of which is markup."""
    folder = tmp_path_factory.mktemp("site")
    plan, runs = scale_preset(BANK_SCALE), []
    for row, right in (("tfidf-svm", 80), ("nb-svm", 70), ("fasttext", 90)):
        predictions = answered(folder / f"{row}.parquet", right, MARKUP)
        runs.append(run(plan, "fcsr-table-3", row, "sst-2", right=right / 100, predictions=predictions))
    add_to_bank(folder / "bank", runs, "somebody")
    write_json(folder / "bank/corpora.json", {"sst-2": read_json(BANK / "corpora.json")["sst-2"]})
    write_json(folder / "bank/copies.json", {})
    write_site(folder / "out", read_whole(folder / "bank"), ROOT / "docs")
    return folder / "out"


class Links(HTMLParser):
    """Collect a page's links, the files it loads, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.to, self.loads, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids |= {found["id"]} if found.get("id") else set()
        if tag == "a":
            self.to.append(found["href"])
        elif tag in ("script", "img", "link", "iframe", "source"):
            self.loads.append(found.get("src") or found.get("href"))


@pytest.fixture(scope="module")
def pages(site):
    return {path: Links(path.read_text()) for path in site.rglob("*.html")}


def test_every_link_leads_to_a_page_and_a_place_on_it(pages):
    for path, links in pages.items():
        for target in links.to:
            name, _, place = target.partition("#")
            if "://" in name:
                continue
            to = (path.parent / unquote(name)).resolve() if name else path
            assert to.exists(), (path, target)
            assert not place or to.suffix != ".html" or place in pages[to].ids, (path, target)


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for path, links in pages.items():
        for source in links.loads:
            assert source == "data:," or (path.parent / source).resolve().is_relative_to(site), (path, source)
    for name in ("site.css", "site.js"):
        assert "http" not in (site / name).read_text()


def test_markup_in_labels_is_shown_and_never_run(site):
    page = (site / "cells/fcsr-table-3/tfidf-svm/sst-2.html").read_text()
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    for path in site.rglob("*.html"):
        assert not re.search(r"<img src=x|<script>alert", path.read_text()), path


MARKED = {  # what a site shows from outside our sources, and no form refuses -> a page that shows it
    "label": "cells/fcsr-table-3/nb-svm/sst-2.html", "chosen": "cells/fcsr-table-3/nb-svm/sst-2.html",
    "title": "papers/fcsr.html", "caption": "papers/fcsr.html", "remark": "papers/fcsr.html",
    "line": "papers/fcsr.html", "word": "attention.html", "answer": "attention.html",
    "heading": "index.html", "text": "docs/mine.html",
    "head": "docs/mine.html", "cell": "docs/mine.html", "link": "docs/mine.html", "target": "docs/mine.html",
    "code": "docs/mine.html", "block": "docs/mine.html",
}  # fmt: skip


def markup_of(source):
    return f"\"><img src=x onerror=alert('{source}')><script>alert('{source}')</script>"


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """Return a site of which all that comes from outside our sources has markup."""
    mark, folder = {source: markup_of(source) for source in MARKED}, tmp_path_factory.mktemp("marked")
    predictions = answered(folder / "answers.parquet", 70, mark["label"])
    made = run(scale_preset(BANK_SCALE), "fcsr-table-3", "nb-svm", "sst-2", right=0.7, predictions=predictions)
    add_to_bank(folder / "bank", [with_metrics(made, chosen={"features": mark["chosen"]})], "somebody")
    write_json(folder / "bank/corpora.json", {"sst-2": read_json(BANK / "corpora.json")["sst-2"]})
    write_json(folder / "bank/copies.json", {})
    figure = {"name": "fcsr-figure-3", "title": mark["title"], "caption": mark["caption"], "note": mark["remark"]}
    write_json(folder / "docs/figures/figures.json", [figure | {"files": ["fcsr-figure-3.csv"], "drawn": True}])
    write_csv(folder / "docs/figures/fcsr-figure-3.csv", [{"class": "a", "word": mark["line"]}], ["class", "word"])
    text = read_json(ROOT / "docs/attention.json")["texts"][0]
    texts = [text | {"words": [mark["word"], *text["words"][1:]], "answer": mark["answer"]}]
    write_json(folder / "docs/attention.json", {"texts": texts, "digest": sha256_of_value(texts)})
    (folder / "docs/mine.md").write_text(
        f"# {mark['heading']}\n\n{mark['text']} `{mark['code']}` [{mark['link']}](<{mark['target']}>)\n\n"
        f"| {mark['head']} |\n|---|\n| {mark['cell']} |\n\n```\n{mark['block']}\n```\n"
    )
    write_site(folder / "out", read_whole(folder / "bank"), folder / "docs")
    return folder / "out"


@pytest.mark.parametrize("source", MARKED)
def test_markup_is_shown_letter_by_letter_wherever_it_comes_from(marked, source):
    assert markup_of(source) in unescape((marked / MARKED[source]).read_text())


def test_no_markup_becomes_an_element_of_any_page(marked):
    for path in marked.rglob("*.html"):
        page = path.read_text()
        assert not re.search("<img src=x|<script>alert", page), path
        assert "x" not in Links(page).loads, path


@pytest.mark.skipif(not CHROMIUM, reason="needs Debian's chromium")
def test_a_browser_shows_markup_of_labels_and_makes_no_element_of_it(site, tmp_path):
    names = [path.relative_to(site).as_posix() for path in site.rglob("*.html") if "onerror" in path.read_text()]
    script = """<body><script>(async () => {
      const frame = document.body.appendChild(document.createElement("iframe")), run = [];
      for (const page of %s) {
        await new Promise(done => { frame.onload = done; frame.src = page; });
        const found = frame.contentDocument.querySelectorAll("[onerror], [src=x]").length;
        run.push(`${found} of ${frame.contentDocument.body.innerText.split("<img src=x").length - 1}`);
      }
      document.body.innerHTML = `<p>seen ${run.join("; ")}</p>`;
    })()</script></body>"""
    (site / "try.html").write_text(script % json.dumps(names))
    options = [*OPTIONS, "--allow-file-access-from-files", f"--user-data-dir={tmp_path}"]
    asked = [CHROMIUM, *options, (site / "try.html").as_uri()]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=True)
    (site / "try.html").unlink()
    seen = re.search(r"<p>seen (.*?)</p>", done.stdout)[1].split("; ")
    assert names
    assert all(re.fullmatch("0 of [1-9][0-9]*", page) for page in seen), seen


def test_markup_in_a_name_never_comes_as_far_as_a_page(tmp_path):
    predictions = answered(tmp_path / "answers.parquet", 80, "good")
    made = run(scale_preset(BANK_SCALE), "fcsr-table-3", "nb-svm", "sst-2", right=0.8, predictions=predictions)
    add_to_bank(tmp_path / "bank", [made], "somebody")
    line = tmp_path / "bank/fcsr-table-3.jsonl"
    line.write_text(line.read_text().replace('"somebody"', '"<script>alert(2)</script>"'))
    with pytest.raises(InputError, match=r"who is '<script>.*without < and >"):
        read_bank(tmp_path / "bank")


def test_a_cell_has_its_score_its_confusion_and_its_command(site):
    page = (site / "cells/fcsr-table-3/tfidf-svm/sst-2.html").read_text()
    assert "<td>80.00<td>" in page
    assert re.findall(r'style="--share:[0-9.]+">(\d+)<', page) == ["40", "10", "10", "40"]
    assert "retable run fcsr-table-3 tfidf-svm sst-2" in page
    assert "FLOPs per word, forward " in page
    assert re.search(
        r"\n  learning_rate: [0-9.]+\n", (site / "cells/fcsr-table-3/fasttext/sst-2.html").read_text(encoding="utf-8")
    )


def test_a_paper_shows_what_is_measured_and_says_what_is_not(site):
    shown = (site / "papers/fcsr.html").read_text()
    assert "80.00" in shown
    assert 'href="../missing.html#fcsr-table-3">why not</a>' in shown


@pytest.mark.parametrize(
    ("row", "low", "runs", "said"),
    [
        ("cnn", "78.00", "3", ""),
        ("cnn", "78.00", "2", "two runs"),
        ("cnn", "78.00", "1", "one run"),
        ("cnn", "", "1", ""),
        ("nb-svm", "78.00", "1", ""),
    ],
)
def test_an_interval_of_few_runs_says_so_because_its_spread_is_that_of_the_column(row, low, runs, said):
    line = Line(row, "sst-2", "accuracy", "80.00", low, low and "82.00", runs)
    assert few_runs(line, result_table("fcsr-table-3").row(row)) == said
    macros = environment().get_template("macros.html").make_module({"root": ""})
    shown = macros.score(line, said)
    assert (f", {said}" in shown) if said else "run" not in shown


@pytest.mark.parametrize(
    ("measured", "unit", "counts", "shown"),
    [
        ("25.38", "%", [1900, 1900, 1900, 1900], "25.00"),  # Deep CNN on AG's News
        ("26.00", "%", [1900, 1900, 1900, 1900], ""),
        ("0.4000", "fraction", [60, 40], "0.6000"),
        ("", "%", [60, 40], ""),
    ],
)
def test_a_score_of_the_most_frequent_class_never_stands_without_a_remark(measured, unit, counts, shown):
    line = Line("cnn", "sst-2", "accuracy", measured, unit=unit)
    statistics = {"sst-2": {"splits": {"test": {"labels": dict(enumerate(counts))}}}}
    assert frequent_class(line, Column("sst-2", "SST", corpus="sst-2"), statistics) == shown
    assert not frequent_class(line, Column("sst-2", "SST", corpus="r8"), statistics)


@pytest.mark.parametrize(("table", "count"), [("fcsr-table-3", None), ("survey-table-3", 46)])
def test_every_printed_table_stands_among_what_is_not_measured_also_without_any_run(site, table, count):
    page = (site / "missing.html").read_text(encoding="utf-8")
    told = re.search(rf'<details id="{table}">.*?\((\d+) cells\)', page, re.DOTALL)
    assert told
    assert count is None or int(told[1]) == count == len(published_numbers(paper("survey"), "table-3"))


def test_a_table_with_many_columns_and_few_rows_is_turned(site):
    page = (site / "papers/floors.html").read_text(encoding="utf-8")
    heads = re.search(r'<table class="grid sortable">.*?<tbody>', page, re.DOTALL)[0]
    assert [text for text in re.findall(r">([^<>]+)<", heads) if text.strip()] == [
        "corpus", "tf-idf + SVM", "NB-SVM", "fastText",
    ]  # fmt: skip
    row = r'<th scope="row"><a href="../corpora/sst-2.html">SST-2</a> <small><code>sst-2</code></small>'
    assert re.search(row + r'<td[^>]*data-value="80.00"', page)


@pytest.mark.parametrize(
    ("farthest", "reach"),
    [([], 5), ([1.0, 5.0], 5), ([5.1], 8), ([2.0, 17.4], 20), ([2.0, 3.0, 41.0], 5), ([2.0, 30.1, 41.0], 50)],
)
def test_a_failed_reading_makes_no_blob_of_the_other_differences(farthest, reach):
    assert reach_of(farthest) == reach


@pytest.mark.parametrize(
    ("low", "ours", "high", "printed", "shown"),
    [
        (-1.0, 1.0, 3.0, 4.0, {}),
        (-4.0, 1.0, 6.0, None, {("ours", False): ""}),
        (-30.0, -22.9, -16.0, 1.0, {("ours", True): "-22.9"}),
        (-30.0, -5.0, 20.0, 8.0, {("printed", False): "+8.0", ("ours", True): "", ("ours", False): ""}),
    ],
)
def test_what_is_beyond_the_picture_of_a_claim_has_an_arrow_and_a_difference_its_number(
    low, ours, high, printed, shown
):
    assert arrows(low, ours, high, printed, 5) == shown
    assert [within(points, 5) for points in (-5.1, -5.0, 2.5)] == [None, 0.0, 75.0]
    assert at(-130.0, 100) == 0.0


def test_a_printed_difference_is_said_to_be_in_the_interval_not_to_agree():
    """Below a printed +1.6 stood "as printed"."""
    folds = np.linspace(0.5, 0.6, 10)[None]
    assert size_of(1.6, compare_units(folds, folds[:, ::-1], 1000)) == "within our prediction interval"


def test_every_claim_has_a_page_of_its_own_named_by_what_it_compares():
    assert len(set(places())) == len(places()) == len(claims())
    assert "claims/fcsr-table-3-fcsr-beside-cnn.html" in places()


def test_all_numbers_stand_in_the_list_with_the_csv_beside(site):
    assert (site / "numbers.html").read_text().count('data-value="80.00"') >= 1
    assert (site / "data/fcsr-table-3.csv").read_text().count("80.00") >= 1


def test_a_table_is_there_in_every_form_that_its_page_offers_and_in_no_other(site):
    page = (site / "papers/fcsr.html").read_text()
    offered = {"csv", "parquet", "tex", "md"}
    for suffix in offered:
        assert f'href="../data/fcsr-table-3.{suffix}"' in page
        assert (site / f"data/fcsr-table-3.{suffix}").stat().st_size > 0
    assert {path.suffix[1:] for path in (site / "data").glob("fcsr-table-3.*")} == offered


def test_the_page_of_a_cell_has_all_runs_that_its_table_shows(tmp_path):
    """The first of a cell's runs was another table's, and the link led to that table's page of one run."""
    plan = scale_preset(BANK_SCALE)
    predictions = answered(tmp_path / "answers.parquet", 80, "good")
    runs = [
        run(plan, table, "fasttext", "r8", seed=seed, right=0.8, predictions=predictions)
        for table, seed in (("floors-table-1", 1), ("lama-table-4", 5))  # the survey shows seeds 1 to 3
    ]
    add_to_bank(tmp_path / "bank", runs, "somebody")
    resolver = bank_resolver(tmp_path / "bank")
    shown = resolver.fill(result_table("lama-table-4")).runs["fasttext", "r8"]
    of_cell = [each for of_seed in shown for each in of_seed]
    assert [each.place[0] for each in of_cell] == ["floors-table-1", "lama-table-4"]
    assert place_of(of_cell, resolver) == "cells/lama-table-4/fasttext/r8.html"
    assert place_of(of_cell[:1], resolver) != place_of(of_cell, resolver)


def test_a_figure_without_a_picture_is_shown_as_its_lines():
    """Table 6 of LAMA, the most attended words, was a CSV that no page showed."""
    figures = {each["name"]: each for each in read_entries(ROOT / "docs/figures")}
    found = as_table(figures["lama-table-6"], ROOT / "docs/figures")["lines"]
    assert {"column": "Reuters", "class": "ship", "place": "1"}.items() <= found[0].items()
    assert not as_table(figures["lama-figure-3"], ROOT / "docs/figures")["lines"]


def test_a_curve_is_drawn_between_its_lowest_and_highest_value():
    found = curves([(50.0, 60.0, 55.0), (50.0,)], [2, 1])
    assert (found["low"], found["high"], found["epochs"]) == (50.0, 60.0, 3)
    assert found["lines"] == ["0,180 160,0 320,90"]
    assert found["best"] == [(160.0, 0.0)]
    assert curves([(50.0,)], [1]) == {}


def test_a_curve_keeps_its_corners_and_loses_what_is_between_them():
    assert thinned([(0, 0), (1, 0.1), (2, 0), (2, 5), (2, 10)]) == [(0, 0), (2, 0), (2, 10)]
    assert thinned([(3, 4), (3, 4)]) == [(3, 4), (3, 4)]


@pytest.mark.parametrize(
    ("drawn", "copied"),
    [
        ('<path d="M 1.23456 7\nL 40.000 -0.5 \nz\n"/>', '<path d="M1.23 7L40 -0.5z"/>'),
        ('<text transform="rotate(-0 1 2)" x="1.50">0.12345 ; %s</text>', '<text x="1.5">0.12345 ; %s</text>'),
        ('<text style="font-size: 8px; text-anchor: end"/>', '<text style="font-size:8px;text-anchor:end"/>'),
        (
            "<svg style=\"font-family:sans-serif\"><a style=\"font-family: 'DejaVu Sans', 'Verdana', sans-serif; \">",
            "<svg style=\"font-family:'DejaVu Sans', 'Verdana', sans-serif\"><a style=\"\">",
        ),
    ],
)
def test_a_copied_picture_has_nothing_needless_and_the_same_words(tmp_path, drawn, copied):
    (tmp_path / "a.svg").write_text(drawn.replace("%s", "é"), encoding="utf-8")
    copy_pictures(tmp_path, tmp_path / "out")
    assert (tmp_path / "out/a.svg").read_text(encoding="utf-8") == copied.replace("%s", "é")


def test_links_of_documents_lead_to_pages_or_become_text(tmp_path):
    path = tmp_path / "a.md"
    links = "[b](b.md#x) [code](../src/x.py) [far](https://a.b) [here](#the-end-2)"
    path.write_text(f"# A\n\n<!-- generated -->\n{links} <i>raw</i>\n\n|x|\n|-|\n|1|\n\n## The end, (2)\n")
    known = {path.resolve(): "a.html", (tmp_path / "b.md").resolve(): "findings/b.html"}
    title, body = rendered(path, known)
    assert title == "A"
    assert '<a href="findings/b.html#x">b</a>' in body
    assert '<span class="file" title="in the repository: ../src/x.py">code</span>' in body
    assert '<a href="https://a.b">far</a>' in body
    assert "&lt;i&gt;raw" in body
    assert '<a href="#the-end-2">here</a>' in body
    assert '<h2 id="the-end-2">' in body
    assert '<div class="wide"><table>' in body


def test_the_first_page_takes_its_points_from_readme_with_links_to_pages(tmp_path):
    docs = tmp_path / "docs"
    (docs / "findings").mkdir(parents=True)
    (docs / "findings" / "cost.md").write_text("# Cost\n")
    (docs / "results.md").write_text("# Results\n")
    for text, shown in (
        ("- **One** [a](docs/findings/cost.md)\n", '<strong>One</strong> <a href="docs/findings/cost.html">a</a>'),
        (
            "- [b](docs/tables/fcsr.md#x) [c](docs/results.md)\n",
            '<a href="papers/fcsr.html#x">b</a> <a href="numbers.html">c',
        ),
    ):
        (tmp_path / "README.md").write_text(
            f"# R\n<!-- generated: headline -->\n{text}<!-- end of headline -->\n[d](docs/no.md)\n"
        )
        found = overview(docs, ["fcsr"])
        assert shown in found["headline"]
        assert "no.md" not in found["headline"]
        assert found["caveats"] == ""


def test_the_first_page_leads_to_every_document(site):
    page = (site / "index.html").read_text()
    for path in (ROOT / "docs").glob("*.md"):
        assert path.stem == "results" or f'href="docs/{path.stem}.html"' in page, path


def test_a_system_shows_its_equations_in_its_code(site):
    page = (site / "systems/fcsr.html").read_text()
    number, line = re.search(r'<a href="#L(\d+)">fcsr.py:\1</a><td><code>(.*?)</code>', page).groups()
    assert "eq. " in line
    assert re.search(rf'<span id="L{number}"> *{re.escape(line)}\n', page)


@pytest.mark.parametrize(("model", "title"), [("dan", "DAN"), ("tfidf-svm", "tf-idf + SVM"), ("bilstm", "BiLSTM")])
def test_the_page_of_a_system_is_headed_by_its_name(site, model, title):
    assert f"<h1>{title}</h1>" in (site / f"systems/{model}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "title"), [("sst-2", "SST-2"), ("ced", "CED"), ("amazon-full", "amazon-full")])
def test_the_page_of_a_corpus_is_headed_by_its_name_and_says_its_name_in_commands(site, name, title):
    page = (site / f"corpora/{name}.html").read_text(encoding="utf-8")
    assert f"<h1>{title}</h1>" in page
    assert f"<code>{name}</code>" in page


def test_columns_without_a_number_come_last_and_all_others_as_the_paper_has_them(site):
    page = (site / "papers/fcsr.html").read_text(encoding="utf-8")
    heads = re.search(r'<th scope="col">system(<th.*?)<tbody>', page, re.DOTALL)[1]
    printed = [column.printed for column in result_table("fcsr-table-3").columns]
    assert printed.index("SST") > 0
    assert re.findall(r">([^<>]+)</a>", heads)[:3] == ["SST", *(name for name in printed if name != "SST")][:3]


def test_words_are_marked_by_their_weight_of_right_and_wrong_answers_in_both_languages(site, tmp_path):
    page = (site / "attention.html").read_text(encoding="utf-8")
    for shown in ('data-language="zh" data-answer="right"', 'data-language="en" data-answer="wrong"'):
        assert shown in page
    text = {"corpus": "sample-zh", "id": "1", "unit": "characters", "label": "a", "answer": "b"}
    found = attention.shown(text | {"words": ["好", "不", "的"], "weights": [0.5, 0.3, 0.2]})
    assert found["marked"] == [("好", 100), ("不", 40), ("的", 10)]
    assert (found["outcome"], found["heaviest"][0]) == ("wrong", (0.5, "好"))
    made = read_json(ROOT / "docs/attention.json")
    made["texts"][0]["weights"][0] = 1.0
    write_json(tmp_path / "attention.json", made)
    with pytest.raises(InputError, match="changed by hand"):
        list(attention.pages(tmp_path / "attention.json"))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"words": []}, "needs a weight for each word"),
        ({"words": ["one"], "weights": [0.5, 0.5]}, "needs a weight for each word"),
        ({"weights": ["a"]}, r"texts\[1\]\.weights\[1\] is 'a'"),
        ({"weights": [float("nan")]}, r"texts\[1\]\.weights\[1\] is nan"),
        ({"words": [1]}, r"texts\[1\]\.words\[1\] is 1"),
        ({"label": None}, r"texts\[1\]\.label is None"),
        ({"more": 1}, "'more'"),
    ],
)
def test_attention_of_another_form_is_refused_though_its_digest_is_right(changes, sentence, tmp_path):
    texts = [read_json(ROOT / "docs/attention.json")["texts"][0] | changes]
    write_json(tmp_path / "attention.json", {"texts": texts, "digest": sha256_of_value(texts)})
    with pytest.raises(InputError, match=sentence):
        list(attention.pages(tmp_path / "attention.json"))


def luminance(colour):
    """Return the relative luminance of red, green and blue from 0 to 255. Source: WCAG 2.2."""
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(colour, ground):
    """Return the contrast ratio of a colour on a background, 1 to 21."""
    low, high = sorted((luminance(colour), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_words_stand_out_from_their_ground_in_both_themes(theme):  # AA: 4.5 to 1
    text = (ROOT / "src/retable/site/templates/site.css").read_text(encoding="utf-8")
    colours = {}
    for name, digits in re.findall(
        r"--([a-z-]+): #([0-9a-f]+);", re.findall(r":root \{(.*?)\}", text, re.DOTALL)[theme]
    ):
        whole = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
        colours[name] = [int(whole[place : place + 2], 16) for place in (0, 2, 4)]
    grounds = {name.removesuffix("-ground"): ground for name, ground in colours.items() if name.endswith("-ground")}
    pairs = {(name, name): (colours[name], ground) for name, ground in grounds.items()}
    for name in {"ink", "soft", "link", *grounds} & colours.keys():
        pairs |= {(name, ground): (colours[name], colours[ground]) for ground in ("paper", "panel")}
    if "good" in colours:  # the heaviest word of the attention explorer
        marked = [0.45 * a + 0.55 * b for a, b in zip(colours["good"], colours["paper"], strict=True)]
        pairs["ink", "marked"] = (colours["ink"], marked)
        assert "calc(var(--shade) * 0.45%)" in text
    assert {pair: round(found, 2) for pair, of in pairs.items() if (found := contrast(*of)) < 4.5} == {}


def test_a_folder_of_other_files_is_never_replaced(tmp_path, site):
    (tmp_path / "thesis.txt").write_text("mine")
    whole = read_whole(site.parent / "bank")
    with pytest.raises(InputError, match="is not a results site"):
        write_site(tmp_path, whole, ROOT / "docs")
    assert (tmp_path / "thesis.txt").exists()
    assert {path.name for path in site.iterdir()} <= CONTENTS
    (tmp_path / "thesis.txt").rename(site / "thesis.txt")
    with pytest.raises(InputError, match="is not a results site"):
        write_site(site, whole, ROOT / "docs")
    (site / "thesis.txt").unlink()


def test_the_folder_is_refused_before_the_bank_is_read(tmp_path, monkeypatch, capsys):
    (tmp_path / "thesis.txt").write_text("mine")
    monkeypatch.setattr(site_command, "read_whole", None)
    with pytest.raises(SystemExit):
        site_command.main(["--out", str(tmp_path)])
    assert "is not a results site" in capsys.readouterr().err


@pytest.mark.skipif(not CHROMIUM, reason="needs Debian's chromium")
def test_a_browser_sorts_and_filters_without_an_error(site, tmp_path):
    page = (site / "numbers.html").read_text()
    to = re.search(r'href="(cells/fcsr-table-3/nb-svm/sst-2.html)">NB-SVM</a>', page)[1]
    assert "<h1>" in (site / to).read_text(encoding="utf-8")
    script = """<script>addEventListener("load", () => {
      const find = document.querySelector("[data-text]"), measured = document.querySelectorAll("th button")[3];
      find.value = "fasttext";
      find.dispatchEvent(new Event("input", {bubbles: true}));
      measured.click();
      measured.click();
    })</script></body>"""
    (site / "try.html").write_text(page.replace("</body>", script))
    asked = [CHROMIUM, *OPTIONS, f"--user-data-dir={tmp_path}", (site / "try.html").as_uri()]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=True)
    (site / "try.html").unlink()
    assert "CONSOLE" not in done.stderr
    lines = re.search(r">(\d+) of (\d+) lines</output>", done.stdout)
    assert 0 < int(lines[1]) < int(lines[2])
    assert 'aria-sort="descending"' in done.stdout
    body = done.stdout[done.stdout.index("<tbody>") :]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in body.split("</tr>") if "<td" in row]
    scores = [float(re.search(r"[0-9.]+", row[3])[0]) for row in cells]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) > 2


@pytest.mark.skipif(not CHROMIUM, reason="needs Debian's chromium")
def test_a_click_on_a_cell_of_a_table_opens_the_page_of_its_runs_with_the_same_number(site, tmp_path):
    script = """<script>addEventListener("load", () => {
      [...document.querySelectorAll("#fcsr-table-3 td a")].find(each => each.textContent.startsWith("70.00")).click();
    })</script></body>"""
    page = (site / "papers/fcsr.html").read_text(encoding="utf-8")
    (site / "papers/try.html").write_text(page.replace("</body>", script), encoding="utf-8")
    asked = [CHROMIUM, *OPTIONS, f"--user-data-dir={tmp_path}", (site / "papers/try.html").as_uri()]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=True)
    (site / "papers/try.html").unlink()
    assert "CONSOLE" not in done.stderr
    assert "<h1>NB-SVM on SST</h1>" in done.stdout
    assert "<td>70.00</td>" in done.stdout


@pytest.mark.skipif(not CHROMIUM, reason="needs Debian's chromium")
def test_no_page_is_wider_than_a_phone(site, pages, tmp_path):
    names = [path.relative_to(site).as_posix() for path in pages]
    script = """<body><script>(async () => {
      const frame = document.body.appendChild(document.createElement("iframe")), wide = [];
      frame.style = "width: 390px; height: 800px; border: 0";
      for (const page of %s) {
        await new Promise(done => { frame.onload = done; frame.src = page; });
        const width = frame.contentDocument.documentElement.scrollWidth;
        if (width > 390) wide.push(`${page}: ${width}`);
      }
      document.body.innerHTML = `<p>seen ${wide.join("; ")}</p>`;
    })()</script></body>"""
    (site / "try.html").write_text(script % json.dumps(names))
    options = [*OPTIONS, "allow-file-access-from-files", "virtual-time-budget=120000", f"user-data-dir={tmp_path}"]
    asked = [CHROMIUM, *(f"--{option.lstrip('-')}" for option in options), (site / "try.html").as_uri()]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=240, check=True)
    (site / "try.html").unlink()
    assert re.search(r"<p>seen (.*?)</p>", done.stdout)[1] == ""
