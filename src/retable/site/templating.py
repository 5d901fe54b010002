"""Render a template of this package with its values; every value is escaped."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from retable.tables.costs import NOTE
from retable.tables.lines import UNVERIFIED
from retable.tables.markdown import half_interval
from retable.wording import number_of

TEMPLATES = Path(__file__).parent / "templates"
IMPLIED = re.compile(r"\s*</(?:td|th|tr|li|dt|dd|option|thead|tbody)>\s*")  # end tags that HTML lets a page leave out
WORDS = {  # a cell's verdict, in the wording of the site
    "agrees": "agrees", "higher": "ours higher", "lower": "ours lower", "uninformative": "cannot tell",
    "cut": "cut", "one-run": "one run", "not-run": "", "": "",
}  # fmt: skip
MEANINGS = {
    "agrees": "the printed number is in our 95% prediction interval",
    "higher": "the printed number is below it",
    "lower": "the printed number is above it",
    "uninformative": "the interval is too wide to tell",
    "cut": "no verdict: the limit of the scale or row ended training",
    "one-run": "no verdict: one run gives no spread",
    UNVERIFIED: "no verdict: imported, answers not compared with the test texts",
}


@cache
def environment() -> Environment:
    """Return the environment that renders the templates."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"half_interval": half_interval, "number_of": number_of}
    found.globals |= {"words": WORDS, "meanings": MEANINGS, "cost_note": NOTE}
    return found


def render(template: str, place: str, values: Mapping[str, Any]) -> str:
    """Render a page, without the end tags that a browser does not need.

    Args:
        template: file name of the template.
        place: path of the page in the site, such as "claims/fcsr.html"; its links are relative to it.
        values: values for the template; "root", the way back to the home page, is one unless they say another.
    """
    page = environment().get_template(template).render({"root": "../" * place.count("/"), "place": place, **values})
    return IMPLIED.sub("", page)
