"""A table of all systems: where each comes from, how large it is, what is measured.

In   the presets, the header of each model's file, the bank, data/published/systems.csv
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from statistics import median

from retable.files import read_csv
from retable.models import MODELS, TRAINERS, model_module
from retable.papers import papers
from retable.project.paths import PUBLISHED
from retable.runs.record import RunRecord
from retable.tables.markdown import markdown_table

HEAD = re.compile(r"^[A-Z][a-z]+ {2,}", re.MULTILINE)  # a keyword of a file's header
TITLE = re.compile(r'"([^"]+?),?"[^"]*?\b((?:19|20)\d\d)\b')
TITLE_ALONE = re.compile(r'"([^"]+?),?"')  # of a manuscript, which has no year
EQUATIONS = re.compile(r"\beq\. (\d+(?:(?:-|, | and | to )\d+)*)")

NEWER = {  # family of the systems that the survey and the other papers do not list
    "fcsr-fp": "attention", "minilm-knn": "transformer", "minilm-lr": "transformer", "nb-svm": "classical",
    "region-embedding": "cnn", "texting": "graph", "tfidf-svm": "classical", "wide-mlp": "feed-forward",
}  # fmt: skip


def systems_markdown(runs: Iterable[RunRecord]) -> str:
    """Return every system, one per line."""
    of_model: dict[str, list[RunRecord]] = defaultdict(list)
    for run in runs:
        of_model[run.metrics["model"]].append(run)
    families = families_of_models()
    lines = [
        [f"`{name}`", families[name], *source_of(name), equations_of(name), *measured(of_model[name])]
        for name in sorted(MODELS | TRAINERS)
    ]
    names = ["system", "family", "source", "year", "equations", "weights", "FLOPs per word", "runs", "corpora"]
    return markdown_table(names, lines)


@cache
def families_of_models() -> Mapping[str, str]:
    """Return system -> family, by its own name in the lists of systems, or else by that of a table row that uses it."""
    listed = {line["id"]: line["family"] for line in read_csv(PUBLISHED / "systems.csv")} | NEWER
    found = dict.fromkeys(sorted(MODELS | TRAINERS), "other")
    for row in (row for paper in papers() for table in paper.results for row in table.rows if row.model):
        if row.id in listed and found[str(row.model)] == "other":
            found[str(row.model)] = listed[row.id]
    return found | {name: listed[name] for name in found if name in listed}


def source_of(name: str) -> tuple[str, str]:
    """Return title and year of the first work that a model file's header names; "" for what it lacks."""
    text = getdoc(import_module(model_module(name))) or ""
    _, _, source = text.partition("\nSource ")
    source = " ".join(HEAD.split(source, maxsplit=1)[0].split())
    *_, source = re.split(rf"(?<!\S){name}: ", source, maxsplit=1)  # one of several models in a file
    if found := TITLE.search(source):
        return found[1], found[2]
    alone = TITLE_ALONE.search(source)
    return (alone[1] if alone else ""), ""


def equations_of(name: str) -> str:
    """Return how many of its source's equations a model's file cites by number; "" if none."""
    module = import_module(model_module(name))
    numbers: set[int] = set()
    for found in EQUATIONS.findall(Path(str(module.__file__)).read_text(encoding="utf-8")):
        for part in re.split(r", | and ", found):
            first, *last = map(int, re.split(r"-| to ", part))
            numbers |= set(range(first, (last or [first])[0] + 1))
    return str(len(numbers)) if numbers else ""


def measured(runs: list[RunRecord]) -> list[str]:
    """Return the medians of parameters without word vectors and of FLOPs per word, and how many runs and corpora."""
    if not runs:
        return ["", "", "0", "0"]
    weights = median(run.weights for run in runs)
    flops = median(run.cost["flops_per_word"] for run in runs)
    corpora = {run.metrics["corpus"] for run in runs}
    return [f"{round(weights):,}", f"{round(flops):,}", str(len(runs)), str(len(corpora))]
