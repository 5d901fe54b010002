"""Presets: what a scale runs and what a model's options are, and how they get into params.yaml and the cells.

Files are changed section by section as text, so that every comment stays where it is; a section that already says what
the preset says is not touched at all.
"""

import copy
import io
import re
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from pipeline.params import load_yaml
from pipeline.paths import PARAMS, PRESETS, ROOT
from retable.corpora import CORPORA, corpus
from retable.errors import InputError, unknown_name
from retable.files import atomic_file
from retable.models import LINEAR_MODELS, MODELS
from retable.papers import PAPERS, paper, paper_of_table

FORMER_SECTIONS = ("treebanks",)  # of older versions; nothing reads them
SCALE_SECTIONS = (
    "scale", "corpora", "references", "tagger", "parts-table", "pools", "vectors", "evaluation", "papers",
)  # fmt: skip
MODEL_SECTIONS = ("model", "embedding", "training")
UNITS = {"zh": "characters"}  # of the focus run, by language; words elsewhere
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


def scales() -> list[str]:
    """Names of the scales."""
    return sorted(path.stem for path in (PRESETS / "scales").glob("*.yaml"))


def scale_preset(scale: str) -> dict[str, Any]:
    """What a scale says. Raises: InputError for an unknown scale."""
    preset: dict[str, Any] = YAML(typ="safe", pure=True).load(scale_text(scale))
    return preset


def scale_text(scale: str) -> str:
    """The text of a scale's preset; the sections that one with a key `like` does not say are the other's.

    Raises: InputError for an unknown scale.
    """
    if scale not in scales():
        raise unknown_name("SCALE", scale, scales())
    path = PRESETS / f"scales/{scale}.yaml"
    own, text = load_yaml(path), path.read_text(encoding="utf-8")
    if "like" not in own:
        return text
    return replace_sections(scale_text(own["like"]), text, tuple(name for name in own if name != "like"))


def model_preset(model: str) -> dict[str, Any]:
    """Sections model, embedding and training of a model. Raises: InputError for an unknown model."""
    known = MODELS | LINEAR_MODELS
    if model not in known:
        raise unknown_name("the model", model, known)
    path = PRESETS / f"models/{model}.yaml"
    return copy.deepcopy(_as_read(path, path.stat().st_mtime_ns if path.exists() else 0))


@cache  # a table asks for the presets of its rows cell by cell, and reading one takes milliseconds
def _as_read(path: Path, changed_ns: int) -> dict[str, Any]:
    """A preset, as it was when the file was last changed."""
    preset: dict[str, Any] = load_yaml(path)
    return preset


def write_scale(scale: str) -> None:
    """Write a scale into params.yaml and into every paper's cells.yaml."""
    preset = scale_preset(scale)
    text = PARAMS.read_text(encoding="utf-8") if PARAMS.exists() else FIRST_PARAMS
    text = replace_sections(text, scale_text(scale), SCALE_SECTIONS)
    focus = preset["focus"]
    text = replace_sections(text, FOCUS_SECTIONS.format(corpus=focus["corpus"]), ("corpus",))
    unit = UNITS.get(corpus(focus["corpus"]).language, "words")
    text = with_model(text, focus["model"], focus["vectors"], unit)
    if not re.search(r"^seed:", text, re.MULTILINE):
        text += LAST_SECTIONS
    write_text(PARAMS, text)
    for name in PAPERS:
        write_cells(name, preset)


def cells_of_paper(name: str, preset: dict[str, Any]) -> dict[str, dict[str, dict[str, str]]]:
    """Table -> named cells of a scale, for every table of a paper; none where the scale runs none."""
    return {table.name: {} for table in paper(name).results} | {
        table: cells_of_table(table, columns)
        for table, columns in preset["cells"].items()
        if paper_of_table(table).name == name
    }


def write_cells(name: str, preset: dict[str, Any]) -> None:
    """Write pipeline/<paper>/cells.yaml."""
    text = io.StringIO()
    text.write(f"# The cells of scale {preset['scale']}; written by `make params SCALE={preset['scale']}`.\n")
    yaml = YAML()
    yaml.width = 200
    yaml.dump(cells_of_paper(name, preset), text)
    write_text(ROOT / f"pipeline/{name}/cells.yaml", text.getvalue())


def cells_of_table(table: str, columns: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Named cells of a table: "fcsr.sst-2" -> row, column, model, corpus, vectors."""
    found = paper_of_table(table).result_table(table)
    cells: dict[str, dict[str, str]] = {}
    for name, rows in columns.items():
        if name == "vectors":
            continue
        column = found.column(name)
        if column.runs_of:
            raise InputError(f"{table}: {name} shows the runs of {column.runs_of}; list that column instead.")
        for row in map(found.row, rows):
            if row.model is None or column.corpus is None:
                raise InputError(f"{table}: {row.id} on {name} cannot be run: {row.reason or column.reason}.")
            needs_vectors = model_preset(row.model)["embedding"]["vectors"] != "none"
            cells[f"{row.id}.{name}"] = {
                "row": row.id,
                "column": name,
                "model": row.model,
                "corpus": column.corpus,
                "vectors": vectors_for(columns["vectors"], column.corpus) if needs_vectors else "none",
            }
    return cells


def vectors_for(named: str | dict[str, str], name: str) -> str:
    """The word vectors of a cell: one set for all, or one for its corpus, or for its corpus's language."""
    return named if isinstance(named, str) else named.get(name) or named[corpus(name).language]


def use(model: str, name: str) -> None:
    """Make a model on a corpus the focus run; Chinese is read as characters (docs/readings.md, "Unit of text")."""
    model_preset(model)
    if name not in CORPORA:
        raise unknown_name("the corpus", name, CORPORA)
    params = load_yaml(PARAMS)
    if name not in params["corpora"]:
        raise InputError(
            f"corpus {name} is not prepared at scale {params['scale']}; add it to `corpora` in params.yaml, "
            f"or take one of {', '.join(params['corpora'])}."
        )
    language = corpus(name).language
    unit = UNITS.get(language, "words")
    vectors = focus_vectors(params, language, unit)
    text = replace_sections(PARAMS.read_text(encoding="utf-8"), FOCUS_SECTIONS.format(corpus=name), ("corpus",))
    write_text(PARAMS, with_model(text, model, vectors, unit))


def focus_vectors(params: dict[str, Any], language: str, unit: str) -> str:
    """The first set of word vectors of this language and unit; none where there is no such set."""
    for name, asked in params["vectors"].items():
        pool = params["pools"].get(Path(asked["source"]).name, {})
        languages = {corpus(source).language for source in pool.get("corpora", [])} or {asked.get("language", "en")}
        if languages == {language} and asked.get("unit", "words") == unit:
            return str(name)
    return "none"


def with_model(text: str, model: str, vectors: str, unit: str) -> str:
    """The text of params.yaml with a model's preset on these vectors, read in this unit."""
    preset_text = (PRESETS / f"models/{model}.yaml").read_text(encoding="utf-8")
    if model_preset(model)["embedding"]["vectors"] != "none":
        preset_text = re.sub(r"^(  vectors: )\S+", rf"\g<1>{vectors}", preset_text, flags=re.MULTILINE)
    preset_text = re.sub(r"^(  unit: )\S+", rf"\g<1>{unit}", preset_text, flags=re.MULTILINE)
    return replace_sections(text, preset_text, MODEL_SECTIONS)


def sections_of(text: str) -> dict[str, str]:
    """Top-level section -> its text, with the comment lines above it; what stands before the first key is under ""."""
    sections: dict[str, str] = {"": ""}
    current, waiting = "", ""
    for line in text.splitlines(keepends=True):
        key = re.match(r"([A-Za-z][\w-]*):", line)
        if key:
            current = key.group(1)
            sections[current] = waiting + line
            waiting = ""
        elif current and line.startswith("#"):
            waiting += line
        else:
            sections[current] += waiting + line
            waiting = ""
    sections[current] += waiting
    return sections


def replace_sections(text: str, preset_text: str, names: tuple[str, ...]) -> str:
    """Put the preset's sections with these names into the text; one that has the same values already stays as it is."""
    old, new = sections_of(text), sections_of(preset_text)
    yaml = YAML(typ="safe", pure=True)
    for name in names:
        if name not in old or yaml.load(old[name]) != yaml.load(new[name]):
            old[name] = new[name].rstrip("\n") + "\n\n"
    return "".join(section for name, section in old.items() if name not in FORMER_SECTIONS)


def write_text(path: Path, text: str) -> None:
    """Replace a file, if its text is another one."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    with atomic_file(path) as part:
        part.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
