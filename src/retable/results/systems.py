"""All systems in a table: where each comes from, how large it is, what is measured, and what its own source printed.

In   the presets, the heads of the models' files, the bank, data/published/{systems,sources}.csv
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from statistics import fmean, median

from retable.files import read_csv
from retable.models import LINEAR_MODELS, MODELS, model_module
from retable.papers import papers
from retable.project.paths import PUBLISHED
from retable.runs.form import PERCENT
from retable.runs.record import RunRecord
from retable.tables.markdown import markdown_table

HEAD = re.compile(r"^[A-Z][a-z]+ {2,}", re.MULTILINE)  # of a part of a file's head
TITLE = re.compile(r'"([^"]+?),?"[^"]*?\b((?:19|20)\d\d)\b')
EQUATIONS = re.compile(r"\beq\. (\d+(?:(?:-|, | and | to )\d+)*)")
FRACTIONS = ("map", "mrr")  # printed as such; other scores are in percent


def systems_markdown(runs: Iterable[RunRecord]) -> str:
    """Return every system in a line, and below them the numbers of their own sources beside ours."""
    of_model: dict[str, list[RunRecord]] = defaultdict(list)
    for run in runs:
        of_model[run.metrics["model"]].append(run)
    families = families_of_models()
    lines = [
        [f"`{name}`", families.get(name, ""), *source_of(name), equations_of(name), *measured(of_model[name])]
        for name in sorted(MODELS | LINEAR_MODELS)
    ]
    names = ["system", "family", "source", "year", "equations", "weights", "FLOPs a word", "runs", "corpora"]
    beside = [list(row.values()) for row in beside_sources(of_model)]
    return (
        f"{markdown_table(names, lines)}\n"
        "### Their own sources' numbers beside ours\n\n"
        "Of the first paper of a system, on a corpus that is at hand (data/published/sources.csv). Ours is the mean "
        "over all runs of the model in the bank, under the options, vectors and limits of our tables, which are not "
        "the source's: it is no verdict. *Seen*: where the number was looked up; *from memory*: nobody has looked it "
        "up, and it may be wrong.\n\n"
        f"{markdown_table(['system', 'corpus', 'score', 'source', 'ours', 'runs', 'printed in', 'seen'], beside)}"
    )


def families_of_models() -> dict[str, str]:
    """Return model -> family: that of its own name in the list of systems, else that of a row of a table that it is."""
    listed = {line["id"]: line["family"] for line in read_csv(PUBLISHED / "systems.csv")}
    found: dict[str, str] = {}
    for row in (row for paper in papers() for table in paper.results for row in table.rows if row.model):
        if row.id in listed:
            found.setdefault(str(row.model), listed[row.id])
    return found | {name: listed[name] for name in MODELS | LINEAR_MODELS if name in listed}


def source_of(name: str) -> tuple[str, str]:
    """Return title and year of the first work that the head of a model's file names; "" without one."""
    text = getdoc(import_module(model_module(name))) or ""
    _, _, source = text.partition("\nSource ")
    source = " ".join(HEAD.split(source, maxsplit=1)[0].split())
    _, named, own = source.partition(f"{name}: ")
    found = TITLE.search(own if named else source)
    return (found[1], found[2]) if found else ("", "")


def equations_of(name: str) -> str:
    """Return how many of its source's equations a model's file names by number; "" where it names none."""
    module = import_module(model_module(name))
    numbers: set[int] = set()
    for found in EQUATIONS.findall(Path(str(module.__file__)).read_text(encoding="utf-8")):
        for part in re.split(r", | and ", found):
            first, *last = map(int, re.split(r"-| to ", part))
            numbers |= set(range(first, (last or [first])[0] + 1))
    return str(len(numbers)) if numbers else ""


def measured(runs: list[RunRecord]) -> list[str]:
    """Return the median number of weights without those of words, of FLOPs a word, and how many runs and corpora."""
    if not runs:
        return ["", "", "0", "0"]
    weights = median(run.cost["parameters"] - run.cost["parameters_tuned_words"] for run in runs)
    flops = median(run.cost["flops_per_word"] for run in runs)
    corpora = {run.metrics["corpus"] for run in runs}
    return [f"{round(weights):,}", f"{round(flops):,}", str(len(runs)), str(len(corpora))]


def beside_sources(of_model: dict[str, list[RunRecord]]) -> Iterator[dict[str, str]]:
    """Yield each number of data/published/sources.csv with the mean of our runs of the model on the corpus."""
    for line in read_csv(PUBLISHED / "sources.csv"):
        metric, unit = line["metric"], 1 if line["metric"] in FRACTIONS else PERCENT
        ours = [
            unit * run.metrics["test"][metric]
            for run in of_model.get(line["model"], [])
            if run.metrics["corpus"] == line["corpus"] and metric in run.metrics["test"]
        ]
        digits = 3 if unit == 1 else 1
        yield {
            "system": f"`{line['model']}`" + (f" ({line['variant']})" if line["variant"] else ""),
            "corpus": line["corpus"],
            "score": metric,
            "source": line["value"],
            "ours": f"{fmean(ours):.{digits}f}" if ours else "–",
            "runs": str(len(ours)) if ours else "",
            "printed in": line["printed_in"],
            "seen": line["where"] if line["seen"] == "yes" else "*from memory*",
        }
