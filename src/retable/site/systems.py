"""A page for each system: a description, its source and readings from the module header, its code, all its numbers."""

import re
from collections.abc import Iterator
from importlib import import_module
from inspect import cleandoc, getdoc
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from retable.experiments.scale import model_preset
from retable.models import TRAINERS, description, model_module, trainer_of
from retable.papers import result_tables
from retable.project.paths import ROOT
from retable.results.systems import families_of_models
from retable.results.whole import Whole
from retable.site.tables import numbers
from retable.site.templating import render

EQUATION = re.compile(r"\beqs?\. \d")
ENTRY = re.compile(r"(?m)^([A-Z][a-z]+) {2,}")  # of a module header: "Source     Kim, ..."
SHARED = "retable.layers."


class Place(NamedTuple):
    """Hold a line of code that names an equation: the file below src/, the line number, the line."""

    file: str
    number: int
    code: str


def pages(whole: Whole) -> Iterator[tuple[str, str]]:
    """Yield a page for each system, and an index."""
    families = families_of_models()
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in families}
    for measured in whole.tables.values():
        for number in numbers(measured, whole):
            if number["row"].model in found:
                found[number["row"].model].append(number)
    listed = [(name, title_of(name), description(name), families[name], len(of)) for name, of in found.items()]
    yield "systems/index.html", render("systems.html", "systems/index.html", {"systems": listed})
    for name, of_model in found.items():
        values = {"name": name, "title": title_of(name), "numbers": of_model, "family": families[name], **about(name)}
        yield f"systems/{name}.html", render("system.html", f"systems/{name}.html", values)


def title_of(name: str) -> str:
    """Return a system's name for readers: a network's description begins with it; else that of its first row."""
    title, colon, _ = description(name).partition(": ")
    rows = (row.printed for table in result_tables() for row in table.rows if row.model == name and not row.reading_of)
    return title if colon and name not in TRAINERS else next(rows, name)


def about(name: str) -> dict[str, Any]:
    """Return what the code says about a system."""
    module = import_module(model_module(name))
    said = getdoc(trainer_of(name)) if name in TRAINERS else getdoc(module)
    first, *entries = ENTRY.split(said or "")
    shared = {
        value.__module__ for value in vars(module).values() if str(getattr(value, "__module__", "")).startswith(SHARED)
    }
    return {
        "about": first.strip(),
        "entries": [(title, cleandoc(text)) for title, text in zip(entries[::2], entries[1::2], strict=True)],
        "preset": {section: options for section, options in model_preset(name).items() if isinstance(options, dict)},
        "source": file_of(module),
        "code": code_of(module),
        "equations": [place for each in (module, *map(import_module, sorted(shared))) for place in equations(each)],
    }


def file_of(module: ModuleType) -> str:
    """Return a module's file, relative to the checkout."""
    return Path(module.__file__ or "").resolve().relative_to(ROOT).as_posix()


def code_of(module: ModuleType) -> list[str]:
    """Return the lines of a module's file."""
    return Path(module.__file__ or "").read_text(encoding="utf-8").splitlines()


def equations(module: ModuleType) -> Iterator[Place]:
    """Yield the lines of a module, after its docstring, that name an equation of a paper."""
    header = len((module.__doc__ or "").splitlines())
    for number, line in enumerate(code_of(module), start=1):
        if number > header and EQUATION.search(line):
            yield Place(file_of(module), number, line.strip())
