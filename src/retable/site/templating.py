"""Turn a template of this package and its values into a page; every value is escaped."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from retable.tables.costs import short
from retable.tables.markdown import half_interval

TEMPLATES = Path(__file__).parent / "templates"
WORDS = {  # a verdict of a cell, as the site says it
    "agrees": "agrees", "higher": "ours higher", "lower": "ours lower", "uninformative": "cannot tell",
    "cut": "cut", "one-run": "one run", "not-run": "", "": "",
}  # fmt: skip


@cache
def environment() -> Environment:
    """Return what renders the templates."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"half_interval": half_interval, "short": short}
    found.globals["words"] = WORDS
    return found


def render(template: str, place: str, values: Mapping[str, Any]) -> str:
    """Return a page.

    Args:
        template: its file.
        place: where the page will stand in the site, "claims/fcsr.html"; its links start there.
        values: what the template shows.
    """
    return environment().get_template(template).render(root="../" * place.count("/"), place=place, **values)
