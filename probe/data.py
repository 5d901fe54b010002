"""Probe the stages that prepare data, on the project's own samples: texts, parts of speech, copies, word vectors."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from probe.case import Arrays, Case, texts
from retable.files import read_json, sha256_of_file, sha256_of_value
from retable.project.paths import CLEAN, OVERLAP, PARTS_TABLES, POOLS, SAMPLE, TAGGED, TAGGER, VECTORS
from retable.runs.recipes import RECIPES
from retable.stages import clean, download, embed, overlap, parts_table, pool, tag, tagger
from retable.text.splits import SPLITS
from retable.vectors.store import read_vectors

Read = Callable[[], Arrays]


def data_cases(params: dict[str, Any]) -> Iterator[Case]:
    """Yield the stages of a scale in order: each reads what the previous ones left in the worktree."""
    raw = sha256_of_value(sorted([str(path.name), sha256_of_file(path)] for path in SAMPLE.rglob("*.txt")))
    for name in params["corpora"]:
        yield stage(
            f"clean {name}",
            raw,
            ["clean"],
            partial(read_clean, name),
            partial(download.main, name),
            partial(clean.main, name),
        )
    treebank = params["tagger"]["treebank"]
    yield stage("tagger", params["tagger"], ["tagger"], read_tagger, partial(download.main, treebank), tagger.main)
    yield stage("parts-table", raw, ["parts-table", "tokens", "clean"], read_parts_table, parts_table.main)
    for name, options in params["corpora"].items():
        units = ["tokens", "clean", "tagger"]
        yield stage(
            f"tag {name}", [raw, options, params["tagger"]], units, partial(read_tagged, name), partial(tag.main, name)
        )
    yield stage("overlap", [raw, "pairs"], ["overlap", "clean"], read_overlap, overlap.main)
    for name, options in params["pools"].items():
        units = ["pool", "folds", "tokens", "clean"]
        yield stage(f"pool {name}", [raw, options], units, partial(read_pool, name), partial(pool.main, name))
    for name, options in params["vectors"].items():
        units = [options["method"], "pool", "folds", "tokens", "clean"]
        asked = [raw, options, params["pools"]]
        yield stage(f"embed {name}", asked, units, partial(read_set, name), partial(embed.main, name))


def stage(name: str, asked: Any, units: list[str], read: Read, *mains: Callable[[], None]) -> Case:
    """Return a case that runs one or more stages and reads their output."""

    def run(scratch: Path) -> Arrays:
        for main in mains:
            main()
        return read()

    return Case(name, {"asked": asked}, {unit: RECIPES[unit] for unit in units}, run)


def read_clean(name: str) -> Arrays:
    """Return texts, labels and which of them are clean."""
    found = {}
    for split in SPLITS:
        table = pq.read_table(CLEAN / name / f"{split}.parquet")
        for column in ("id", "text", "label"):
            found[f"{split} {column}"] = texts(table.column(column).to_pylist())
        found[f"{split} clean"] = table.column("clean").to_numpy().astype(np.int64)
    return found


def read_tagger() -> Arrays:
    """Return the tagger's accuracies: two taggers that tag alike count as one."""
    facts = read_json(TAGGER / "accuracy.json")
    return {name: np.array(sorted_numbers(facts[name]), dtype=np.float64) for name in ("dev", "test")}


def sorted_numbers(value: Any) -> list[float]:
    """Return the numbers in a JSON value, by key."""
    if isinstance(value, dict):
        return [number for key in sorted(value) for number in sorted_numbers(value[key])]
    return [float(value)] if isinstance(value, int | float) else []


def read_parts_table() -> Arrays:
    """Return the lines of the table."""
    return {"lines": texts((PARTS_TABLES / "zh/table.tsv").read_text(encoding="utf-8").splitlines())}


def read_tagged(name: str) -> Arrays:
    """Return tokens and parts of speech, one string per text."""
    found = {}
    for split in SPLITS:
        table = pq.read_table(TAGGED / name / f"{split}.parquet")
        for column in set(table.column_names) & {"tokens", "parts"}:
            found[f"{split} {column}"] = texts(["\t".join(row) for row in table.column(column).to_pylist()])
    return found


def read_overlap() -> Arrays:
    """Return how many copies two splits share."""
    return {"pairs": texts((OVERLAP / "pairs.csv").read_text(encoding="utf-8").splitlines())}


def read_pool(name: str) -> Arrays:
    """Return the pool's texts, and those of its folds."""
    files = sorted((POOLS / name).rglob("texts.parquet"))
    return {
        str(file.parent.relative_to(POOLS)): texts([" ".join(row) for row in pq.read_table(file).column(0).to_pylist()])
        for file in files
    }


def read_set(name: str) -> Arrays:
    """Return words and numbers of a set of word vectors and of its folds."""
    found: Arrays = {}
    for folder in sorted(file.parent for file in (VECTORS / name).rglob("vectors.npy")):
        vectors, of = read_vectors(folder), folder.relative_to(VECTORS)
        found |= {f"{of} words": texts(vectors.words), f"{of} numbers": np.array(vectors.matrix)}
    return found
