"""Collect what should be recorded from a folder of results: plain values from its files, without MLflow."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from retable.errors import InputError
from retable.experiments.scale import model_preset, scale_preset
from retable.files import sha256_of_file, sha256_of_value
from retable.forms import Form
from retable.runs.form import FILES, KEY_DIGITS, UNVERIFIED, read_cost, read_metrics

FILTERS = ("table", "row", "column", "model", "corpus", "seed", "fold", "scale", "device", "dvc_experiment", "tagger")
NAMED = ("model", "embedding", "training", "seed", "precision")  # sections whose changes name a focus run
OF_CORPUS = ("vectors", "unit", "size")  # options that `retable use` sets by the corpus
SCORED = ("test_", "dev_")
LONGEST_VALUE = 6_000  # characters; MLflow would truncate silently
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """A future MLflow run. `facts` is its metrics.json, or the JSON file that it records."""

    kind: str  # run, cell, focus, corpus, vectors, tagger
    experiment: str
    name: str
    place: str
    key: str
    digest: str
    facts: Facts
    files: tuple[Path, ...] = ()
    runs: tuple["Entry", ...] = ()  # of a cell

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.place, self.key, self.digest


def cells(runs: Path) -> list[Entry]:
    """Return the cells with runs in results/runs/: runs that share table, row and column, but not seed and fold.

    Half-written files of a killed run are in a hidden folder.

    Raises: InputError if a folder is incomplete or damaged, or a run is there twice.
    """
    groups: dict[tuple[str, str], list[Entry]] = {}
    folders: dict[str, Path] = {}  # of each key
    for path in runs.glob("[!.]*/[!.]*/metrics.json"):
        entry = run_entry(path.parent, "runs/" + path.parent.relative_to(runs).as_posix())
        if (other := folders.setdefault(entry.key, path.parent)) != path.parent:
            raise InputError(
                f"{path.parent} and {other} are the same run; remove the copy: a run's folder is named "
                f"{entry.key[:KEY_DIGITS]}, in that of its table, {entry.facts['table']}."
            )
        place = "/".join(("runs", *(str(entry.facts[name]) for name in ("table", "row", "column"))))
        groups.setdefault((place, cell_key(entry.facts)), []).append(entry)
    return [cell_entry(*cell, sorted(groups[cell], key=lambda run: run.name)) for cell in sorted(groups)]


def run_entry(folder: Path, place: str) -> Entry:
    """Return the entry of a cell's run."""
    facts = read_facts(folder)
    fold = "" if facts["fold"] is None else f" · fold {facts['fold']}"
    return trained_entry("run", facts["paper"], f"seed {facts['seed']}{fold}", place, facts, folder)


def trained_entry(kind: str, experiment: str, name: str, place: str, facts: Facts, folder: Path) -> Entry:
    """Return the entry of a folder with a trained model."""
    digest = sha256_of_file(folder / "metrics.json")
    return Entry(kind, experiment, name, place, facts["key"], digest, facts, run_files(folder))


def cell_entry(place: str, key: str, runs: Sequence[Entry]) -> Entry:
    """Return the parent entry of these runs."""
    facts = {
        name: value for name, value in runs[0].facts.items() if name not in ("seed", "fold", "test", "dev", "date")
    }
    facts["parameters"] = without_seed(facts["parameters"])
    facts[UNVERIFIED] = any(run.facts.get(UNVERIFIED) for run in runs)
    name = f"{facts['row']} on {facts['column']} · {facts['table']}"
    digest = sha256_of_value(sorted(run.digest for run in runs))
    return Entry("cell", facts["paper"], name, place, key, digest, facts, runs=tuple(runs))


def focus_entry(folder: Path, experiment: str | None) -> Entry | None:
    """Return the focus run, if there is one.

    Args:
        experiment: the name that DVC gave the experiment, if it is one.
    """
    if not (folder / "metrics.json").exists():
        return None
    facts = read_facts(folder) | ({"dvc_experiment": experiment} if experiment else {})
    return trained_entry("focus", "focus", focus_name(facts), "focus", facts, folder)


def focus_name(facts: Facts) -> str:
    """Return model, corpus, and the differences from the preset of model and scale: "fcsr on sst-2, alpha 0.3"."""
    usual = model_preset(facts["model"]) | {"seed": 1, "precision": "float32"}
    usual["training"] = usual.get("training", {}) | scale_preset(facts["scale"])["focus"]["training"]
    preset = dict(flat(usual))
    own = flat({name: facts["parameters"][name] for name in NAMED if name in facts["parameters"]})
    changed = [(place.rpartition(".")[2], value) for place, value in own if preset.get(place, value) != value]
    options = [f"{option} {value}" for option, value in changed if option not in OF_CORPUS]
    return ", ".join([f"{facts['model']} on {facts['corpus']}", *options])


def file_entry(kind: str, name: str, place: str, path: Path) -> Entry:
    """Return a JSON file of figures other than a run: corpus statistics, facts of vectors, the tagger's accuracy.

    Raises: InputError if it has another form.
    """
    from retable.results.facts import ACCURACY, OF_VECTORS, json_at  # not at the top: numpy loads slowly
    from retable.tables.statistics import statistics_form

    forms: dict[str, Form] = {"corpus": statistics_form(name), "vectors": OF_VECTORS, "tagger": ACCURACY}
    figures = json_at(path, forms[kind])
    digest = sha256_of_file(path)
    experiment = {"corpus": "corpora"}.get(kind, kind)
    facts = {"figures": figures, "parameters": figures.get("parameters", {}), kind: name}
    return Entry(kind, experiment, name, place, digest, digest, facts, (path,))


def read_facts(folder: Path) -> dict[str, Any]:
    """Return metrics.json of a run.

    Raises: InputError if it is missing or damaged.
    """
    if not (folder / "metrics.json").exists():
        raise InputError(f"{folder / 'metrics.json'} is missing; remove {folder} and run `dvc repro`.")
    return read_metrics(folder)


def run_files(folder: Path) -> tuple[Path, ...]:
    """Return the recorded files of a run, all of which must exist."""
    for name in FILES:
        if not (folder / name).exists():
            raise InputError(
                f"{folder} has no {name}, so the run is incomplete; remove the folder and run `dvc repro`."
            )
    return tuple(folder / name for name in FILES)


def without_seed(parameters: Facts) -> dict[str, Any]:
    """Return the parameters that all runs of a cell share, on the corpus's own splits or on its folds."""
    shared = {name: value for name, value in parameters.items() if name != "seed"}
    corpus = parameters.get("corpus")
    return shared | {"corpus": {**corpus, "fold": None}} if corpus and "fold" in corpus else shared


def cell_key(facts: Facts) -> str:
    """Return a cell's identity: parameters without the seed, data and code."""
    hashes = facts["hashes"]
    return sha256_of_value([without_seed(facts["parameters"]), hashes["data"], hashes["recipe"]])


def tags(kind: str, facts: Facts) -> dict[str, str]:
    """Return the tags by which a run can be filtered."""
    found = {name: facts[name] for name in FILTERS if facts.get(name) is not None}
    hashes = facts.get("hashes", {})
    found |= {"kind": kind, "commit": facts.get("git_commit")}
    found |= {f"{name}_hash": hashes.get(name) for name in ("data", "parameters")} | {"recipe": hashes.get("recipe")}
    if hashes:  # both values: a cell keeps its tags until they are written again
        found[UNVERIFIED] = "yes" if facts.get(UNVERIFIED) else "no"
    vectors = facts.get("vectors")
    found["vectors"] = vectors["name"] if isinstance(vectors, Mapping) else vectors
    found |= {f"version.{name}": version for name, version in facts.get("versions", {}).items()}
    return {name: str(value) for name, value in found.items() if value is not None}


def parameters(facts: Facts) -> dict[str, str]:
    """Return all parameters, flattened (training.epochs); what is too long for MLflow is cut and marked so."""
    values = dict(flat(facts.get("parameters", {})))
    values |= {f"chosen.{name}": text for name, text in flat(facts.get("chosen", {}))}
    return {name: cut(value if isinstance(value, str) else json.dumps(value)) for name, value in values.items()}


def cut(text: str) -> str:
    """Cut a text to at most `LONGEST_VALUE` characters."""
    if len(text) <= LONGEST_VALUE:
        return text
    rest = f" ... (cut: {len(text):,} characters; metrics.json has all of it)"
    return text[: LONGEST_VALUE - len(rest)] + rest


def final_metrics(entry: Entry) -> dict[str, float]:
    """Return the figures of a finished entry: test_accuracy, ..., cost_seconds, ...; for a cell, the means over its
    runs, and the standard deviations of scores between runs (test_accuracy_sd).
    """
    if entry.kind == "cell":
        runs = [final_metrics(run) for run in entry.runs]
        values = {name: [run[name] for run in runs] for name in sorted(set(runs[0]).intersection(*runs))}
        deviations = {f"{name}_sd": stdev(found) for name, found in values.items() if len(runs) > 1 and is_score(name)}
        return {name: fmean(found) for name, found in values.items()} | deviations | {"runs": len(runs)}
    if "figures" in entry.facts:
        return numbers(entry.facts["figures"], "/")
    sections = {name: entry.facts.get(name) for name in ("test", "test_clean", "dev", "epochs", "vectors")}
    cost = next(read_cost(file.parent) for file in entry.files if file.name == "cost.json")
    return numbers({name: value for name, value in sections.items() if value}, "_") | numbers({"cost": cost}, "_")


def is_score(name: str) -> bool:
    """Return whether a figure is a score, which differs between runs."""
    return name.startswith(SCORED) and not name.endswith("texts")


def numbers(values: Any, separator: str) -> dict[str, float]:
    """Return the numbers in nested JSON under names that MLflow allows."""
    return {
        re.sub(r"[^/\w.\- :]", "_", name)[:250]: float(value)
        for name, value in flat(values, separator)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def flat(values: Any, separator: str = ".", prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name and value of every leaf of nested dicts."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, separator, f"{prefix}{name}{separator}")
        else:
            yield f"{prefix}{name}", value


def points(line: Facts, position: int) -> list[tuple[str, int, float]]:
    """Return name, step and value of the numbers in one line of a curve: epoch/dev_accuracy, 3, 0.81.

    Args:
        line: from curve.csv or from training: an epoch of a network, or a candidate of a linear model.
        position: position of the line, from 1; the step if the line has no number of its own.
    """
    kind = "epoch" if "epoch" in line else "candidate"
    step = int(line.get(kind, position))
    return [(f"{kind}/{name}", step, float(value)) for name, value in line.items() if name != kind and is_number(value)]


def is_number(value: Any) -> bool:
    """Return whether a cell of a curve holds a number, as text or as a value."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def start_and_end(entry: Entry) -> tuple[float, float]:
    """Return when a run began and ended, in seconds since 1970; for a cell, from its first run to its last.

    The end is when its first file was written, because the date in metrics.json is only a day.
    """
    if entry.runs:
        times = [start_and_end(run) for run in entry.runs]
        return min(start for start, _ in times), max(end for _, end in times)
    end = entry.files[0].stat().st_mtime
    costs = [read_cost(file.parent) for file in entry.files if file.name == "cost.json"]
    return end - sum(cost["seconds"] for cost in costs), end
