"""Estimate how long the stages of a scale take on two cores: words x epochs / words per second (conf/speed.yaml)."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retable.experiments.cells import cells_of_table
from retable.experiments.scale import model_preset
from retable.papers import paper_of_table
from retable.papers.paper import Row
from retable.papers.parameters import Cut, cut_of, limit_of
from retable.project.params import load_yaml
from retable.project.paths import PRESETS

NOT_DEV = 0.9  # of the texts that are no test texts, where dev is drawn


def stages_of(params: dict[str, Any]) -> dict[str, float]:
    """Return every stage of a scale -> its seconds, by the speed table.

    Args:
        params: params.yaml, or what a scale's preset says with the sections model and corpus.
    """
    speed = load_yaml(PRESETS / "speed.yaml")
    seconds = speed["stage_seconds"]
    model = params["model"]["name"]
    of_focus = {"seeds": [1], "epochs": 0, "max_words": 0}
    stages = {"code": seconds["code"], "no-parts": seconds["code"], "no-vectors": seconds["embed"]}
    stages |= data_seconds(params, speed) | vector_seconds(params, speed)
    stages |= {
        "train": run_seconds(Row(model, model, model=model), params["corpus"]["name"], of_focus, speed),
        "evaluate": seconds["evaluate"],
    }
    for table in params["cells"]:
        source = paper_of_table(table)
        found, protocol = source.result_table(table), params["papers"][source.name]
        stages[f"table@{table}"] = seconds["run"] + sum(
            run_seconds(
                found.row(cell["row"]), cell["corpus"], protocol, speed, cut_of(found.column(cell["column"]), protocol)
            )
            for cell in cells_of_table(found, params["cells"][table], params).values()
        )
    return stages | {name: seconds[name] for name in ("tables", "figures", "report", "record")}


def data_seconds(params: dict[str, Any], speed: dict[str, Any]) -> dict[str, float]:
    """Return the stages from download to tokens."""
    seconds, rate = speed["stage_seconds"], speed["words_per_second"]
    stages = {f"download@{name}": seconds["download"] for name in params["corpora"]}
    stages |= {f"reference@{name}": seconds["download"] for name in params["references"]}
    for name, asked in params["corpora"].items():
        words = speed["words"].get(name, 1e6)
        tagging = rate["tag"] if asked["parts"] == "none" else rate["tag-parts"]
        stages[f"clean@{name}"] = seconds["clean"] + words / rate["clean"]
        stages[f"tag@{name}"] = seconds["tag"] + words / tagging
    everything = sum(speed["words"].get(name, 1e6) for name in params["corpora"])
    stages["overlap"] = seconds["overlap"] + everything / rate["overlap"]
    stages["parts-table"] = seconds["parts-table"]
    tagged = params["tagger"]["steps"] * params["tagger"]["batch_words"]
    return stages | {"tagger": seconds["tagger"] + tagged / rate["tagger"]}


def vector_seconds(params: dict[str, Any], speed: dict[str, Any]) -> dict[str, float]:
    """Pools and word vectors."""
    seconds, rate = speed["stage_seconds"], speed["words_per_second"]
    words = {pool: words_of_pool(asked, speed) for pool, asked in params["pools"].items()}
    stages = {f"pool@{pool}": seconds["pool"] + count / rate["pool"] for pool, count in words.items()}
    for name, asked in params["vectors"].items():
        count = words.get(Path(asked["source"]).name, 0.0) * asked.get("epochs", 0)
        stages[f"embed@{name}"] = seconds["embed"] + count / rate.get(asked["method"], rate["word2vec"])
    return stages


def words_of_pool(asked: dict[str, Any], speed: dict[str, Any]) -> float:
    """Return words in a pool, those of its folds added."""
    folds = asked.get("folds", 0)
    return sum(
        training_words(name, speed) + folds * training_words(name, speed, ("dev", folds) if folds else ("", 0))
        for name in asked["corpora"]
    )


def training_words(corpus: str, speed: dict[str, Any], cut: Cut = ("", 0)) -> float:
    """Return words in the training split; of a corpus that is cut into folds, in that of one fold."""
    words, share = float(speed["words"].get(corpus, 1e6)), float(speed["training_share"].get(corpus, 0.7))
    kind, folds = cut
    if kind == "test":
        return words * (folds - 1) / folds * NOT_DEV
    return words * (share / NOT_DEV * (folds - 1) / folds if kind == "dev" else share)


def run_seconds(row: Row, corpus: str, protocol: dict[str, Any], speed: dict[str, Any], cut: Cut = ("", 0)) -> float:
    """Training words x epochs / words per second, for all seeds and folds."""
    of_row = row.overrides.get("training", {})
    preset = model_preset(row.model or "")["training"].get("epochs", 1) * speed["epochs_share"]
    run = min(of_row.get("epochs", preset), limit_of(protocol["epochs"], corpus) or math.inf)
    words = training_words(corpus, speed, cut)
    max_words = of_row.get("max_words") or limit_of(protocol["max_words"], corpus)
    if max_words and corpus in speed["training_texts"]:
        words = min(words, speed["training_texts"][corpus] * max_words)
    seconds = speed["stage_seconds"]["run"] + words * run / rate_of(row, speed["words_per_second"])
    return float(len(protocol["seeds"]) * max(cut[1], 1) * seconds)


def rate_of(row: Row, rates: Mapping[str, float]) -> float:
    """Return the words a second of the row, of rows whose ids begin as its does, or of its model."""
    begins = [name for name in rates if f"{row.id}-".startswith(f"{name}-")]
    return rates[max(begins, key=len)] if begins else rates.get(row.model or "", 1e4)
