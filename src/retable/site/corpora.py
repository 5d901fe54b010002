"""A page for each corpus: its counts, leaks, licence and known defects, and all results on it."""

from collections.abc import Iterator
from typing import Any

from retable.corpora import CORPORA, corpus
from retable.papers import papers
from retable.results.tables import published_numbers
from retable.results.whole import Whole
from retable.site.tables import numbers, titles
from retable.site.templating import render
from retable.tables.lines import Line
from retable.tables.statistics import statistics_lines


def pages(whole: Whole) -> Iterator[tuple[str, str]]:
    """Yield a page for each corpus, and an index."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in CORPORA}
    for measured in whole.tables.values():
        for number in numbers(measured, whole):
            if number["column"].corpus in found:
                found[number["column"].corpus].append(number)
    printed = beside_print(whole)
    declared = {name: corpus(name) for name in found}
    listed = [
        (titles().get(name, name), each, whole.statistics.get(name, {}), len(found[name]))
        for name, each in declared.items()
    ]
    yield "corpora/index.html", render("corpora.html", "corpora/index.html", {"corpora": listed})
    for name, each in declared.items():
        values = {"title": titles().get(name, name), "corpus": each, "facts": whole.statistics.get(name, {})}
        values |= {"numbers": found[name], "printed": printed.get(name, [])}
        yield f"corpora/{name}.html", render("corpus.html", f"corpora/{name}.html", values)


def beside_print(whole: Whole) -> dict[str, list[tuple[str, Line]]]:
    """Return corpus -> the statistics that papers print of it, each with the paper's table and our count."""
    found: dict[str, list[tuple[str, Line]]] = {}
    for source in papers():
        for facts in source.statistics:
            for line in statistics_lines(facts, published_numbers(source, facts.published), whole.statistics):
                if line.published and line.row in facts.corpora:
                    found.setdefault(facts.corpora[line.row], []).append((facts.title, line))
    return found
