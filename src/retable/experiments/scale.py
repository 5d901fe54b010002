"""Read presets: the sections of a scale, and the options of a model.

A scale is base.yaml changed by its own file, after the files of any scales that it builds on.
"""

import copy
from pathlib import Path
from typing import Any

from retable.errors import InputError, unknown_name
from retable.forms import Form, OneOf, Section, Text, check
from retable.models import MODELS, TRAINERS
from retable.project.params import load_once
from retable.project.params_text import Place, comments_of, text_of
from retable.project.paths import PRESETS, SCALES

MODEL_SECTIONS = ("model", "embedding", "training")
SCALE_SECTIONS = (
    "scale", "corpora", "references", "tagger", "parts-table", "pools", "vectors", "papers", "cells",
)  # fmt: skip
BASE = "base"
CLOSED = ("tagger", "parts-table", "papers", "focus")  # sections to which a scale cannot add entries
LIKE, ONLY = "like", "only"
PRESET: dict[str, Form] = {
    "recipe": Text(r"\d+\.\d+", 'major.minor in quotes, such as "1.0"'),
    "embedding": Section({"vectors": Text()}),
    "training": Section({}),
}


def scales() -> list[str]:
    """Return the names of the scales."""
    return sorted(path.stem for path in SCALES.glob("*.yaml") if path.stem != BASE)


def scale_preset(scale: str, folder: Path = SCALES) -> dict[str, Any]:
    """Return every section of a scale; its cells are rules (`retable.experiments.cells`).

    Raises: InputError for an unknown scale, section or name.
    """
    first, *others = files_of(scale, folder)
    base = merged({}, load_once(first), {}, first.name)
    preset = base
    for path in others:
        own = {name: value for name, value in load_once(path).items() if name != LIKE}
        check_changes(own, base, path.name)
        preset = merged(preset, own, base, path.name)
    return copy.deepcopy(preset) | {"scale": scale}


def scale_text(scale: str) -> str:
    """Return the sections of a scale for params.yaml, with their comments."""
    preset = scale_preset(scale)
    comments: dict[Place, str] = {}
    for path in files_of(scale):
        comments |= comments_of(path.read_text(encoding="utf-8"))
    return text_of({name: preset[name] for name in SCALE_SECTIONS}, comments)


def files_of(scale: str, folder: Path = SCALES) -> list[Path]:
    """Return the files that make up a scale, base.yaml first."""
    known = {path.stem: path for path in folder.glob("*.yaml")}
    files: list[Path] = []
    where, name = "scale", scale
    while name != BASE or not files:
        if name not in known or name == BASE:
            raise unknown_name(where, name, known.keys() - {BASE})
        if known[name] in files:
            raise InputError(f"{where} is {name}, which is itself like {scale}; name another scale or none.")
        files.append(known[name])
        where, name = f"{LIKE} in {name}.yaml", load_once(known[name]).get(LIKE, BASE)
    return [known[BASE], *reversed(files)]


def check_changes(own: dict[str, Any], base: dict[str, Any], file: str) -> None:
    """Refuse unknown sections, and new entries in closed sections."""
    for section, value in own.items():
        if section not in base:
            raise unknown_name(f"section of {file}", section, base)
        if isinstance(base[section], dict) and not isinstance(value, (dict, list)):
            raise InputError(f"{section} in {file} is {value!r}; it must have options, or list names of {BASE}.yaml.")
        if section in CLOSED and isinstance(value, dict):
            for name in value:
                if name not in (ONLY, *base[section]):
                    raise unknown_name(f"key of {section} in {file}", name, base[section])


def merged(old: Any, own: Any, base: Any, place: str) -> Any:
    """Return a scale's values, updated by those of a file.

    Args:
        old: the scale's values so far.
        own: the file's values: options are merged one by one, a list of names selects, anything else replaces.
        base: the values of base.yaml; an entry that is selected or changed but not in `old` starts from these.
        place: the position of `own`, for errors.
    """
    if own is None:
        raise InputError(f"{place} is empty; give it a value, or {{}} for what {BASE}.yaml has.")
    if isinstance(own, list) and isinstance(old, dict):
        own = {ONLY: own}
    if not isinstance(own, dict):
        return own
    old, base = (value if isinstance(value, dict) else {} for value in (old, base))
    known = base | old
    result = {name: _entry(known, name, f"name in {place}") for name in own[ONLY]} if ONLY in own else dict(old)
    for name, value in own.items():
        inner = f"{place}, {name}" if place.endswith(".yaml") else f"{place}.{name}"
        start = known.get(name)
        if isinstance(value, dict) and LIKE in value:
            start = _entry(known | result, value[LIKE], f"{LIKE} of {inner}")
            value = {key: one for key, one in value.items() if key != LIKE}
        if name != ONLY:
            result[name] = merged(start, value, base.get(name), inner)
    return result


def _entry(known: dict[str, Any], name: str, where: str) -> Any:
    """Return an entry by its name. Raises: InputError."""
    if name not in known:
        raise unknown_name(where, name, known)
    return known[name]


def model_preset(model: str) -> dict[str, Any]:
    """Return the sections model, embedding and training of a model. Raises: InputError for an unknown model."""
    return copy.deepcopy(read_preset(model))


def read_preset(model: str) -> dict[str, Any]:
    """Return the same, read-only: comparing thousands of rows needs no copies. Raises: InputError, for its form too."""
    if model not in MODELS and model not in TRAINERS:
        raise unknown_name("model", model, MODELS | TRAINERS)
    return load_once(PRESETS / f"models/{model}.yaml", check_preset)


def check_preset(path: Path, preset: dict[str, Any]) -> None:
    """Refuse a preset without a recipe or a section, or of another model. Raises: InputError."""
    form = Section({**PRESET, "model": Section({"name": OneOf((path.stem,))})})
    check(preset, form, f"src/retable/conf/models/{path.name}", "docs/add-a-model.md says what it holds")
