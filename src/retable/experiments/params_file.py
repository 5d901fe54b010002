"""Write presets into params.yaml: `retable use <model> <corpus>` for the focus run, `retable params <scale>`."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from retable.corpora import CORPORA, FAMILIES, corpus
from retable.errors import InputError, unknown_name
from retable.experiments.scale import MODEL_SECTIONS, SCALE_SECTIONS, model_preset, scale_preset, scale_text
from retable.forms import NAME, Named, Section, Text, check
from retable.project.params import load_yaml, read_text
from retable.project.params_text import replace_sections, replace_text, sections_of
from retable.project.paths import PARAMS, PRESETS

SECTIONS = Named(Section({}))
READ_BY_USE = Section(
    {"scale": NAME, "corpora": SECTIONS, "pools": SECTIONS, "vectors": Named(Section({"source": Text()}))}
)
UNITS = {"zh": "characters"}  # unit of the focus run, by language; words elsewhere
FIRST_PARAMS = """\
# Every knob of the pipeline. `make params SCALE=...` and `retable use <model> <corpus>` write presets into it, comments
# kept; `dvc exp run -S model.alpha=0.3` changes one value of the focus run (the sections corpus to precision).
"""
FOCUS_SECTIONS = """\
corpus:
  name: {corpus}  # of the focus run

"""
LAST_SECTIONS = """\
seed: 1  # of the focus run: weights, order of the texts, dropout

device: auto  # auto, cpu, cuda

precision: float32  # or bfloat16 (autocast)

"""


def write_scale(scale: str) -> None:
    """Write a scale into params.yaml. Raises: InputError if params.yaml is damaged."""
    preset = scale_preset(scale)
    text = read_text(PARAMS) if PARAMS.exists() else FIRST_PARAMS
    if PARAMS.exists() and text.strip():
        load_yaml(PARAMS)  # refuses invalid YAML, as after a merge
    text = replace_sections(text, scale_text(scale), SCALE_SECTIONS)
    text = with_corpora(text, FAMILIES["own"])
    focus = preset["focus"]
    text = with_focus(text, focus["model"], focus["corpus"], focus["vectors"], focus["training"])
    if not re.search(r"^seed:", text, re.MULTILINE):
        text += LAST_SECTIONS
    replace_text(PARAMS, text)


def with_corpora(text: str, names: Iterable[str]) -> str:
    """Return the text of params.yaml with these corpora added, without parts of speech."""
    section = sections_of(text)["corpora"]
    new = [f"  {name}: {{parts: none}}\n" for name in names if f"\n  {name}:" not in section]
    return text.replace(section, f"{section.rstrip()}\n{''.join(new)}\n", 1) if new else text


def use(model: str, name: str) -> None:
    """Make a model on a corpus the focus run, with the scale's options of training.

    Chinese is read as characters (docs/readings.md, "Unit of text").
    """
    model_preset(model)
    if name not in CORPORA:
        raise unknown_name("corpus", name, CORPORA)
    params = load_yaml(PARAMS)
    check(params, READ_BY_USE, str(PARAMS), "`make params SCALE=cpu` writes it again")
    if name not in params["corpora"]:
        raise InputError(
            f"corpus {name} is not prepared at scale {params['scale']}; add it to `corpora` in params.yaml, "
            f"choose one of {', '.join(params['corpora'])}, or another scale: `make params SCALE=cpu`."
        )
    vectors = focus_vectors(params, corpus(name).language, unit_of(name))
    training = scale_preset(params["scale"])["focus"]["training"]
    replace_text(PARAMS, with_focus(read_text(PARAMS), model, name, vectors, training))


def unit_of(name: str) -> str:
    """Return the unit in which the focus run reads a corpus."""
    return UNITS.get(corpus(name).language, "words")


def focus_vectors(params: dict[str, Any], language: str, unit: str) -> str:
    """Return the first set of word vectors of this language and unit; none if there is no such set."""
    for name, asked in params["vectors"].items():
        pool = params["pools"].get(Path(asked["source"]).name, {})
        languages = {corpus(source).language for source in pool.get("corpora", [])} or {asked.get("language", "en")}
        if languages == {language} and asked.get("unit", "words") == unit:
            return str(name)
    return "none"


def with_focus(text: str, model: str, name: str, vectors: str, training: Mapping[str, Any] | None = None) -> str:
    """Return the text of params.yaml with another focus run: a model's preset on a corpus with these vectors.

    Args:
        training: options that override the preset's.
    """
    preset_text = (PRESETS / f"models/{model}.yaml").read_text(encoding="utf-8")
    if model_preset(model)["embedding"]["vectors"] != "none":
        preset_text = re.sub(r"^(  vectors: )\S+", rf"\g<1>{vectors}", preset_text, flags=re.MULTILINE)
    preset_text = re.sub(r"^(  unit: )\S+", rf"\g<1>{unit_of(name)}", preset_text, flags=re.MULTILINE)
    for option, value in (training or {}).items():
        preset_text = re.sub(rf"^(  {option}: )\S+", rf"\g<1>{value}", preset_text, flags=re.MULTILINE)
    text = replace_sections(text, FOCUS_SECTIONS.format(corpus=name), ("corpus",))
    return replace_sections(text, preset_text, MODEL_SECTIONS)
