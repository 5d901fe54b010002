"""A cell that is killed or stopped ends with the same results as an uninterrupted one."""

import csv
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.experiments import identity
from retable.experiments.cells import cells_of
from retable.experiments.folds import data_of_run
from retable.experiments.scale import scale_preset
from retable.files import read_json, write_json
from retable.papers import paper_of_table
from retable.results import running
from retable.runs.predictions import read_predictions
from retable.text.splits import Facts, tagged_schema
from retable.vectors.store import NO_VECTORS, write_vectors
from tests.programs import python

ROOT = Path(__file__).parents[2]
FACTS = Facts("covid-sentiment", "en", ("anger", "fear", "joy", "sad"))
CELL = ("fcsr-table-3", "avg-embedding", "covid-sentiment")
STEPS = 2 * 8  # per seed: 400 texts in batches of 50, two epochs


def write_project(folder):
    """Write the inputs of one cell's run: params.yaml, the cell, texts whose words reveal the label, no vectors."""
    chance = np.random.default_rng(1)
    for name, texts in (("train", 400), ("dev", 60), ("test", 60)):
        labels = chance.integers(4, size=texts)
        tokens = [
            [f"w{word * 4 + label}" for word in chance.integers(9, size=chance.integers(1, 9))] for label in labels
        ]
        columns = {
            "id": [f"{name}-{number}" for number in range(texts)],
            "tokens": tokens,
            "label": [FACTS.labels[label] for label in labels],
            "clean": [True] * texts,
        }
        (folder / "tagged/covid-sentiment").mkdir(parents=True, exist_ok=True)
        table = pa.table(columns, schema=tagged_schema(FACTS, parts=False))
        pq.write_table(table, folder / f"tagged/covid-sentiment/{name}.parquet")
    (folder / "vectors/none").mkdir(parents=True)
    write_vectors(folder / "vectors/none", "none", NO_VECTORS)
    write_digest(folder, "a")
    protocol = scale_preset("smoke")["papers"]["fcsr"] | {
        "seeds": [1, 2],
        "epochs": 2,
        "training": {},
        "keep_weights": ["avg-embedding"],
    }
    table, row, column = CELL
    cells = {table: {"vectors": "none", "columns": column, "rows": row}}
    params = {"scale": "smoke", "papers": {"fcsr": protocol}, "cells": cells, "corpora": {column: {}}, "vectors": {}}
    write_json(folder / "params.yaml", params)  # JSON is YAML
    return folder


def write_digest(folder, digest):
    write_json(folder / "tagged/covid-sentiment/digest.json", {"texts": digest * 64, "tokens": digest * 64})


def run(folder, signal=""):
    """Run the cell; `signal` is "number step". Return its exit status and its messages."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RETABLE", "CELL"))}
    environment |= {"CELL_FOLDER": str(folder), "OMP_NUM_THREADS": "1"}
    environment |= {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    environment |= {"CELL_SIGNAL": signal} if signal else {}
    done = python("-m", "tests.pipeline.cell", *CELL, cwd=ROOT, variables=environment)
    return done.returncode, done.stderr


def runs_by_seed(folder):
    """Return seed -> the folder of its run on the current data."""
    found = {}
    for path in (folder / "runs" / CELL[0]).glob("[!.]*/metrics.json"):
        metrics = read_json(path)
        if metrics["hashes"]["data"] == data_of_run(
            metrics["parameters"], folder / "tagged/covid-sentiment", folder / "vectors/none"
        ):
            found[metrics["seed"]] = path.parent
    return found


def results(folder):
    """Return seed -> bytes of the weights and predictions, and the curve without seconds."""
    found = {}
    for seed, of_seed in runs_by_seed(folder).items():
        with (of_seed / "curve.csv").open() as file:
            curve = [
                {name: value for name, value in line.items() if name != "seconds"} for line in csv.DictReader(file)
            ]
        files = [(of_seed / name).read_bytes() for name in ("model/weights.safetensors", "predictions.parquet")]
        found[seed] = [*files, curve]
    return found


def probabilities(folder, seed=1):
    return read_predictions(runs_by_seed(folder)[seed] / "predictions.parquet")[-1]


def waiting(folder):
    """Return the cells that a table still has to train, as `retable run` finds them."""
    params = read_json(folder / "params.yaml")
    table = paper_of_table(CELL[0]).result_table(CELL[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity, "TAGGED", folder / "tagged")
        patch.setattr(identity, "VECTORS", folder / "vectors")
        patch.setattr(running, "RUNS", folder / "runs")
        patch.setattr(running, "plan_of_checkout", lambda: params)
        return running.waiting_cells(table, list(cells_of(table, params).values()))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = write_project(tmp_path_factory.mktemp("unbroken"))
    status, said = run(folder)
    assert status == 0, said
    assert "resumes at" not in said
    assert not list((folder / "states").iterdir())
    return folder


def test_a_cell_that_is_killed_in_its_second_seed_keeps_the_first_and_goes_on(tmp_path, unbroken):
    folder = write_project(tmp_path)
    assert run(folder, f"9 {STEPS + 12}")[0] == -9
    (first,) = runs_by_seed(folder).values()
    stood = {path.name: path.stat().st_mtime_ns for path in first.iterdir()}
    assert sorted(each.name for each in folder.glob("states/*/*") if each.name != "lock") == ["state"]
    assert len(waiting(folder)) == 1  # the cell must not count as done
    status, said = run(folder)
    assert status == 0, said
    assert "resumes at epoch 2, step 3 of 8, saved 20" in said
    assert {path.name: path.stat().st_mtime_ns for path in first.iterdir()} == stood
    assert results(folder) == results(unbroken)
    assert not waiting(folder)
    assert not list((folder / "states").iterdir())


def test_a_run_whose_folder_was_not_whole_when_the_process_died_is_trained_again(tmp_path, unbroken):
    folder = write_project(tmp_path)
    shutil.copytree(unbroken / "runs", folder / "runs")
    lost = runs_by_seed(folder)[2]
    lost.rename(lost.parent / f".{lost.name}.x.part")  # as after a kill: partly written under another name
    assert len(waiting(folder)) == 1
    assert run(folder)[0] == 0
    assert results(folder) == results(unbroken)


def test_another_seed_trains_that_seed_alone(tmp_path, unbroken):
    folder = write_project(tmp_path)
    shutil.copytree(unbroken / "runs", folder / "runs")
    params = read_json(folder / "params.yaml")
    params["papers"]["fcsr"]["seeds"] = [1, 2, 3]
    write_json(folder / "params.yaml", params)
    status, said = run(folder)
    assert status == 0, said
    assert (said.count("seed 3"), "seed 1" in said, "seed 2" in said) == (said.count("seed"), False, False)
    assert set(runs_by_seed(folder)) == {1, 2, 3}


def test_sigterm_saves_and_says_how_to_go_on_and_other_data_start_anew(tmp_path, unbroken):
    folder = write_project(tmp_path)
    status, said = run(folder, "15 5")
    assert status == 143
    assert (
        "error: stopped at epoch 1, step 5 of 8; its state is saved, and the same command goes on from there." in said
    )
    write_digest(folder, "b")
    status, said = run(folder)
    assert status == 0, said
    assert "resumes at" not in said
    assert results(folder) == results(unbroken)
    assert len(list((folder / "states").iterdir())) == 1  # the one for the other data
    assert len(list((folder / "runs" / CELL[0]).iterdir())) == 2
    write_digest(folder, "a")
    assert "resumes at epoch 1, step 5 of 8" in run(folder)[1]
    assert results(folder) == results(unbroken)


def test_deterministic_algorithms_change_nothing_on_a_cpu(tmp_path, unbroken):
    folder = write_project(tmp_path)
    params = read_json(folder / "params.yaml")
    params["papers"]["fcsr"]["deterministic"] = True
    write_json(folder / "params.yaml", params)
    status, said = run(folder)
    assert status == 0, said
    assert results(folder) == results(unbroken)
    keys = [read_json(runs_by_seed(each)[1] / "metrics.json")["key"] for each in (folder, unbroken)]
    assert keys[0] == keys[1]
