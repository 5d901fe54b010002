"""A page for each system: what it is, its source and readings as its module says them, its options, all its numbers."""

from collections.abc import Iterator
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

from retable.experiments.scale import model_preset
from retable.files import read_csv
from retable.models import LINEAR_MODELS, MODELS, linear_trainer, model_module
from retable.project.paths import PUBLISHED, ROOT
from retable.results.facts import first_sentence
from retable.results.whole import Whole
from retable.site.tables import numbers
from retable.site.templating import render


def pages(whole: Whole) -> Iterator[tuple[str, str]]:
    """Yield a page for each system, and one that lists them."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in sorted(MODELS | LINEAR_MODELS)}
    for measured in whole.tables.values():
        for number in numbers(measured, whole):
            if number["row"].model in found:
                found[number["row"].model].append(number)
    families = families_of()
    listed = [
        (name, first_sentence(model_module(name), name), families.get(name, ""), len(of)) for name, of in found.items()
    ]
    yield "systems/index.html", render("systems.html", "systems/index.html", {"systems": listed})
    for name, of_model in found.items():
        values = {"name": name, "numbers": of_model, "family": families.get(name, ""), **told(name)}
        yield f"systems/{name}.html", render("system.html", f"systems/{name}.html", values)


def families_of() -> dict[str, str]:
    """Return system -> its family, of those that the published lists name alike."""
    return {line["id"]: line["family"] for line in read_csv(PUBLISHED / "systems.csv")}


def told(name: str) -> dict[str, Any]:
    """Return what the code says of a system."""
    module = import_module(model_module(name))
    about = getdoc(linear_trainer(name)) if name in LINEAR_MODELS else getdoc(module)
    preset = {section: options for section, options in model_preset(name).items() if isinstance(options, dict)}
    source = Path(module.__file__ or "").resolve()
    return {"about": about or "", "preset": preset, "source": source.relative_to(ROOT / "src").as_posix()}
