"""A cell whose runs are trained fused: the results of the runs alone, also after a kill."""

import csv
from pathlib import Path

import numpy as np
import pytest

from pipeline.folding import Planned
from pipeline.fusing import groups_of
from retable.errors import InputError
from retable.files import read_json, write_json
from retable.text.folds import Fold
from retable.training.parallel import ALONE, Ranks
from tests.pipeline.test_resume import CELL, STEPS, probabilities, results, run, write_project

SEEDS = ("1", "2")


def write_fused(folder, **protocol):
    write_project(folder)
    params = read_json(folder / "params.yaml")
    params["papers"]["fcsr"] |= {"fused": 8, **protocol}
    write_json(folder / "params.yaml", params)
    return folder


def of_run(folder, seed, name):
    return read_json(folder / "runs" / Path(*CELL) / seed / name)


def curve(folder, seed):
    with (folder / "runs" / Path(*CELL) / seed / "curve.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = write_project(tmp_path_factory.mktemp("alone"))
    status, said = run(folder)
    assert status == 0, said
    return folder


@pytest.fixture(scope="module")
def fused(tmp_path_factory):
    folder = write_fused(tmp_path_factory.mktemp("fused"))
    status, said = run(folder)
    assert status == 0, said
    assert "fcsr-table-3 · avg-embedding · covid-sentiment · 2 runs" in said
    assert not list((folder / "states").iterdir())
    return folder


def test_the_results_are_those_of_the_runs_alone(alone, fused):
    for seed in SEEDS:
        assert np.abs(probabilities(fused, seed) - probabilities(alone, seed)).max() < 1e-5
        for mine, theirs in zip(curve(fused, seed), curve(alone, seed), strict=True):
            for name in mine.keys() - {"seconds"}:
                assert float(mine[name]) == pytest.approx(float(theirs[name]), abs=1e-5)
    assert np.abs(probabilities(fused, "1") - probabilities(fused, "2")).max() > 1e-3


def test_a_run_is_the_same_run_and_says_how_many_were_trained_with_it(alone, fused):
    for seed in SEEDS:
        metrics, lone = of_run(fused, seed, "metrics.json"), of_run(alone, seed, "metrics.json")
        assert metrics["key"] == lone["key"]
        assert metrics["parameters"] == lone["parameters"]
        assert metrics["fused"] == 2
        assert "fused" not in lone
        cost = of_run(fused, seed, "cost.json")
        assert cost["fused"] == 2
        assert cost.keys() - of_run(alone, seed, "cost.json").keys() == {"fused"}


def test_times_are_shares_of_those_of_all(fused):
    costs = [of_run(fused, seed, "cost.json") for seed in SEEDS]
    assert costs[0]["seconds"] == costs[1]["seconds"]
    assert costs[0]["seconds_per_epoch"] < costs[0]["seconds"]


@pytest.mark.parametrize("step", [3, 2 * STEPS - 1])
def test_a_killed_group_goes_on_and_ends_with_the_same_bytes(tmp_path, fused, step):
    folder = write_fused(tmp_path)
    assert run(folder, f"9 {step} 0")[0] == -9
    assert not (folder / "runs" / Path(*CELL)).exists()
    assert len(list(folder.glob("states/*/state"))) == 1
    status, said = run(folder)
    assert status == 0, said
    assert "goes on at" in said
    assert "of the first of 2 runs" in said
    assert results(folder) == results(fused)
    assert not list((folder / "states").iterdir())


def test_sigterm_saves_and_says_how_to_go_on(tmp_path, fused):
    folder = write_fused(tmp_path)
    status, said = run(folder, "15 9 0")
    assert status == 143
    assert "its state is saved, and the same command goes on from there." in said
    status, said = run(folder)
    assert status == 0, said
    assert results(folder) == results(fused)


def test_a_run_that_was_finished_alone_is_taken_and_the_rest_is_trained(tmp_path, fused, alone):
    folder = write_project(tmp_path)
    assert run(folder, f"9 {STEPS + 3} 0")[0] == -9  # the second seed
    write_fused_key(folder)
    status, said = run(folder)
    assert status == 0, said
    assert "a run that was finished before is taken from" in said
    assert results(folder)["1"] == results(alone)["1"]
    assert of_run(folder, "2", "metrics.json")["fused"] == 1
    assert np.abs(probabilities(folder, "2") - probabilities(alone, "2")).max() < 1e-5


def write_fused_key(folder):
    params = read_json(folder / "params.yaml")
    params["papers"]["fcsr"]["fused"] = 8
    write_json(folder / "params.yaml", params)


def test_two_processes_do_not_train_fused(tmp_path):
    status, said = run(write_fused(tmp_path), launcher="torchrun --nproc-per-node 2")
    assert status == 1
    assert "and the launcher started 2 processes; runs that are trained fused share one" in said


def test_deterministic_algorithms_change_nothing_on_a_cpu(tmp_path, alone):
    folder = write_fused(tmp_path, fused=0, deterministic=True)
    status, said = run(folder)
    assert status == 0, said
    assert results(folder) == results(alone)
    assert of_run(folder, "1", "metrics.json")["key"] == of_run(alone, "1", "metrics.json")["key"]


PLANNED = [Planned(seed, Fold("dev", 3, number)) for seed in (1, 2, 3) for number in (1, 2, 3)]


@pytest.mark.parametrize(("most", "sizes"), [(2, [2, 2, 2, 2, 1]), (8, [5, 4]), (9, [9]), (100, [9])])
def test_groups_are_of_about_equal_size_and_hold_every_run_once(most, sizes):
    groups = groups_of(PLANNED, most, {"name": "textcnn"}, ALONE)
    assert [len(group) for group in groups] == sizes
    assert [planned for group in groups for planned in group] == PLANNED


def test_a_model_that_cannot_be_stacked_is_told_and_trained_run_by_run(capsys):
    assert groups_of(PLANNED, 8, {"name": "fasttext"}, Ranks(0, 2)) == []
    assert "the runs of fasttext are trained one after the other: its gradients are sparse" in capsys.readouterr().err


def test_several_processes_are_refused():
    with pytest.raises(InputError, match=r"`fused` is 8 in params\.yaml, and the launcher started 2 processes"):
        groups_of(PLANNED, 8, {"name": "textcnn"}, Ranks(0, 2))
