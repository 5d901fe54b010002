"""A page for each corpus: what was counted, what leaks, its licence and known defects, all numbers on it."""

from collections.abc import Iterator
from typing import Any

from retable.corpora import CORPORA, corpus
from retable.results.whole import Whole
from retable.site.tables import numbers
from retable.site.templating import render


def pages(whole: Whole) -> Iterator[tuple[str, str]]:
    """Yield a page for each corpus, and one that lists them."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in CORPORA}
    for measured in whole.tables.values():
        for number in numbers(measured, whole):
            if number["column"].corpus in found:
                found[number["column"].corpus].append(number)
    declared = {name: corpus(name) for name in found}
    listed = [(each, whole.statistics.get(name, {}), len(found[name])) for name, each in declared.items()]
    yield "corpora/index.html", render("corpora.html", "corpora/index.html", {"corpora": listed})
    for name, each in declared.items():
        values = {"corpus": each, "facts": whole.statistics.get(name, {}), "numbers": found[name]}
        yield f"corpora/{name}.html", render("corpus.html", f"corpora/{name}.html", values)
