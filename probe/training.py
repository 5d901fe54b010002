"""Probe small runs: every model in all its readings, every optimiser and schedule past its first rate, and other
training options, each through the function that makes the runs of tables, in float32 and in float64.
"""

import csv
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import torch

from probe.case import Arrays, Case, texts
from probe.loops import LOOPS, Options
from probe.samples import OF_PAIRS, OF_TREES, PLAIN, VECTORS, WITH_DOMAINS, WITH_SENTENCES, digest_of_sample
from retable.experiments.identity import identity
from retable.experiments.run import train_run
from retable.experiments.scale import model_preset
from retable.models import MODELS, PRETRAINED, TRAINERS, network_class, read_beside_words
from retable.papers import PAPERS, paper
from retable.project.paths import TAGGED
from retable.project.paths import VECTORS as VECTORS_FOLDER
from retable.runs.predictions import read_predictions
from retable.runs.recipes import recipe_of

SMALL = {  # option -> the largest value in a case of the probe
    "hidden": 12, "mlp_hidden": 10, "heads": 3, "queries": 4, "maps": 8, "blocks": 3, "filters": 6,
    "attention_hidden": 8, "layers": 2, "size": 12, "steps": 3, "buckets": 500, "distance": 4,
    "frames": 204,
}  # fmt: skip
TRAINING = {"epochs": 3, "epochs_max": 6, "batch_size": 8, "patience": 6}
# Otherwise their logits do not depend on the text.
LIVELY = {model: {"spread": 0.5} for model in ("fcsr", "fcsr-fp", "char-cnn", "word-cnn")}
# Numbers that change the computation, besides Literal and bool options: where a preset has 0 or 1, another value too,
# because a product with 1 hides the factor.
MORE_READINGS: dict[str, list[Options]] = {
    "fcsr": [
        {"alpha": 0.9},  # texts of over 32 words: with the preset's 0.2 nothing is left at that distance
        {"alpha": 0.9, "window": 25},
        {"alpha": 0.9, "window": 4, "window_means": "distance"},
    ],
    "fcsr-fp": [{"alpha": 0.9, "window": 4, "window_means": "distance"}, {"reversal": 0.3}],
    "lama": [{"heads": 1}, {"disagreement": "positions", "context": "mean"}, {"mlp_hidden": 0, "heads": 2}],
    "cspan": [{"queries": 1}, {"dropout": 0.3}],
    "dpcnn": [{"shared": True, "region": 1}],
    "fasttext": [{"ngrams": 1}, {"ngrams": 3}],
    "structured-self-attention": [{"mlp_hidden": 0}],
    "transformer-f": [{"heads": 2}, {"hook_a": 1.5}, {"content_weight": 0.7}],
    "universal-transformer": [
        {"heads": 2},
        {"halting": "adaptive", "combine": "sum"},
        {"halting": "adaptive", "threshold": 0.6, "ponder": 0.2},
    ],
}
IDLE: dict[str, list[Options]] = {  # readings equal to another one: their options matter only together with others
    "fcsr": [{"window_means": "distance"}],
    "fcsr-fp": [{"window_means": "distance"}],
    "cspan": [{"first_attention": False, "fusion": "parallel"}],
    "generalized-pooling": [{"penalised": "none"}],
    "universal-transformer": [{"combine": "sum"}],
}
BFLOAT16_ROUNDING = 0.05  # bfloat16 has three digits, after a few steps


def training_cases() -> Iterator[Case]:
    """Yield a case for each reading of each model, and for each feature of the loop."""
    for model in (*MODELS, *(each for each in TRAINERS if each not in PRETRAINED)):
        for reading, options in readings(model).items():
            yield case(f"{model}{f': {reading}' if reading else ''}", parameters_of(model, {"model": options}))
    for name, (model, asked) in LOOPS.items():
        yield case(f"loop: {name}", parameters_of(model, asked))


def readings(model: str) -> dict[str, Options]:
    """Return name -> options for every reading of a model: each value of each choice alone, and each row of a paper."""
    found: dict[str, Options] = {}
    seen: list[dict[str, Any]] = []
    defaults = model_preset(model)["model"]
    rows = [row for name in PAPERS for table in paper(name).results for row in table.rows if row.model == model]
    for options in ({}, *choices_of(model, defaults), *MORE_READINGS.get(model, ()), *(small(row) for row in rows)):
        name = ", ".join(f"{option} {value}" for option, value in sorted(options.items()))
        parameters = parameters_of(model, {"model": options})
        if parameters not in seen and options not in IDLE.get(model, ()):
            seen.append(parameters)
            found[name] = options
    return found


def choices_of(model: str, defaults: Mapping[str, Any]) -> Iterator[Options]:
    """Yield each value of each Literal or bool option of a network."""
    if model in TRAINERS:
        return
    build = network_class(model)
    hints = get_type_hints(build.__init__)
    for option in inspect.signature(build).parameters:
        if option in defaults:
            hint = hints[option]
            values = get_args(hint) if get_origin(hint) is Literal else (True, False) if hint is bool else ()
            yield from ({option: value} for value in values)


def small(row: Any) -> Options:
    """Return a row's own model options, none larger than the probe's networks."""
    own = row.overrides.get("model", {})
    return {
        option: min(value, SMALL[option]) if option in SMALL and type(value) is int else value
        for option, value in own.items()
    }


def parameters_of(model: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a small run: a model's preset, shrunk, with the given options."""
    preset = model_preset(model)
    network = model in MODELS
    sections: dict[str, Any] = {name: dict(preset[name]) for name in ("model", "embedding", "training")}
    if network:
        for option, largest in SMALL.items():
            if isinstance(value := sections["model"].get(option), int):
                sections["model"][option] = min(value, largest)
        sections["model"] |= LIVELY.get(model, {})
        sections["embedding"]["vectors"] = "none" if network_class(model).alphabet else VECTORS
        sections["training"] |= TRAINING
    compares = asked.get("model", {}).get("compare", False)  # doc2vec's prediction for pairs
    trees = asked.get("model", {}).get("tree") == "given"  # tree-lstm's
    sections |= {
        "corpus": {"name": OF_PAIRS if compares else OF_TREES if trees else corpus_for(model)},
        "seed": 1,
        "device": "cpu",
        "precision": "float32",
    }
    for name, options in asked.items():
        sections[name] = sections[name] | options if isinstance(options, Mapping) else options
    return sections


def corpus_for(model: str) -> str:
    """Return a corpus with the inputs that a model reads."""
    reads = read_beside_words(model)
    if "sides" in reads:
        return OF_PAIRS
    return WITH_DOMAINS if "domains" in reads else WITH_SENTENCES if "sentences" in reads else PLAIN


def case(name: str, parameters: dict[str, Any]) -> Case:
    """Return the case of a run, trained in float32, and in float64 too unless it uses bfloat16."""
    recipe = recipe_of(parameters, model_preset(parameters["model"]["name"])["recipe"])
    narrow = parameters["precision"] == "bfloat16"
    asked = parameters | {"samples": digest_of_sample(parameters["corpus"]["name"])}
    return Case(name, asked, recipe, partial(trained, parameters), BFLOAT16_ROUNDING if narrow else 0.0)


def trained(parameters: dict[str, Any], scratch: Path) -> Arrays:
    """Train and score a run; in float64 only its losses on the training texts are compared."""
    found = arrays_of(parameters, scratch)
    if parameters["precision"] == "float32" and parameters["model"]["name"] in MODELS:
        torch.set_default_dtype(torch.float64)
        try:
            found["float64 losses"] = arrays_of(parameters, scratch)["curve train_loss"]
        finally:
            torch.set_default_dtype(torch.float32)
    found["curve train_loss"] = found["curve train_loss"].astype(np.float32)
    return found


def arrays_of(parameters: dict[str, Any], scratch: Path) -> Arrays:
    """Make a run and read its folder."""
    facts = {"paper": "floors", "table": "probe", "row": "probe", "column": "probe", "scale": "probe"}
    facts |= identity(
        parameters, TAGGED / parameters["corpus"]["name"], VECTORS_FOLDER / parameters["embedding"]["vectors"]
    )
    with TemporaryDirectory(dir=scratch) as folder:
        return read_run(train_run(facts, Path(folder)))


def read_run(folder: Path) -> Arrays:
    """Return the contents of a run's folder: curve, epochs, predictions, scores on dev, test and clean test texts."""
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    with (folder / "curve.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    _, _, classes, clean, probabilities = read_predictions(folder / "predictions.parquet")
    found = {
        "curve train_loss": np.array([float(line.get("train_loss", 0)) for line in lines], dtype=np.float64),
        "learning_rate": np.array([float(line.get("learning_rate", 0)) for line in lines], dtype=np.float64),
        "candidates": texts([f"{line.get('features')} {line.get('cost')}" for line in lines]),
        "epochs": np.array([metrics["epochs"][name] or 0 for name in ("run", "chosen")], dtype=np.int64),
        "chosen": texts([f"{metrics['epochs']['turned']}", *(f"{value}" for value in metrics["chosen"].values())]),
        "test log-probabilities": np.log(np.maximum(probabilities, 1e-12)).astype(np.float32),
        "test classes": classes,
        "test clean": clean.astype(np.int64),
    }
    for name in ("dev_accuracy", "dev_map", "dev_loss", "train_accuracy", *({"dev_pearson"} & lines[0].keys())):
        found[f"curve {name}"] = np.array([float(line.get(name, 0)) for line in lines], dtype=np.float32)
    if vectors := metrics["vectors"]:
        found["covered"] = np.array([vectors["words_covered"], vectors["tokens_covered"]], dtype=np.float64)
    for split in ("dev", "test", "test_clean"):
        found[f"{split} scores"] = scores_of(metrics[split], ("texts", "accuracy", "macro_f1", "loss"))
    for domain, scores in sorted((metrics.get("domains") or {}).items()):
        found[f"{domain} scores"] = scores_of(scores["test"], ("accuracy", "loss"))
        found[f"/{domain} clean scores"] = scores_of(scores["test_clean"], ("texts", "accuracy", "macro_f1"))
    return found


def scores_of(scores: Mapping[str, Any] | None, names: Sequence[str]) -> np.ndarray:
    """Return some scores; zeros if there are no texts."""
    return np.array([(scores or {}).get(name) or 0.0 for name in names], dtype=np.float32)
