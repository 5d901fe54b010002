"""A page that highlights the words of texts by the weights a network gives them.

The texts are the project's own samples, made by `python -m benchmarks.attention`: many corpora may not be shared.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from retable.errors import InputError, shortened
from retable.files import read_json, sha256_of_value
from retable.forms import ANY_TEXT, DIGEST, ListOf, Number, Section, check
from retable.site.templating import render

FORM = Section(  # of docs/attention.json
    {
        "digest": DIGEST,
        "texts": ListOf(
            Section(
                {
                    **dict.fromkeys(("corpus", "id", "unit", "label", "answer"), ANY_TEXT),
                    "words": ListOf(ANY_TEXT),
                    "weights": ListOf(Number(0, 1)),
                },
                closed=True,
            )
        ),
    }
)
NAMED = 3  # number of heaviest words per text shown with their weights


def pages(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the page. Raises: InputError if the texts have another form, or do not match their digest."""
    made, advice = read_json(path), f"`git checkout {path}`"
    check(made, FORM, str(path), advice)
    for text in made["texts"]:
        if not len(text["words"]) == len(text["weights"]) > 0:
            raise InputError(f"{path}: the text {shortened(text['id'])} needs a weight for each word; {advice}.")
    if sha256_of_value(made["texts"]) != made["digest"]:
        raise InputError(f"{path} was changed by hand; run {advice} or `python -m benchmarks.attention`.")
    values = {"texts": [shown(text) for text in made["texts"]], "digest": made["digest"]}
    yield "attention.html", render("attention.html", "attention.html", values)


def shown(text: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a text: its words and the heaviest.

    A word is shaded from 0 (at most half of an even share of the attention) to 100 (at least one and a half).
    """
    words, weights = text["words"], text["weights"]
    shades = [round(100 * min(max(weight * len(words) - 0.5, 0.0), 1.0)) for weight in weights]
    heaviest = sorted(zip(weights, words, strict=True), reverse=True)[:NAMED]
    return {
        **text,
        "language": text["corpus"].rpartition("-")[2],
        "marked": list(zip(words, shades, strict=True)),
        "gap": "" if text["unit"] == "characters" else " ",
        "heaviest": heaviest,
        "even": 1 / len(words),
        "outcome": "right" if text["answer"] == text["label"] else "wrong",
    }
