"""Runs from their texts to their results, trained fused; a training of several that is killed goes on."""

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
import torch

from retable.errors import InputError
from retable.training.fused.group import Group
from retable.training.fused.run import Asked, train_classifiers
from retable.training.run import load_classifier, train_classifier
from retable.training.state import StateFile
from retable.training.stopping import Stopped
from retable.vectors.store import NO_VECTORS
from tests.training.test_run import VECTORS, parameters, with_parts

MODELS = [
    {"name": "avg-embedding", "dropout": 0.1},
    {"name": "bilstm", "hidden": 8, "dropout": 0.2, "layers": 2},
    {"name": "transformer-f", "layers": 1, "size": 8},
    {"name": "textcnn", "filters": 4},
]
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model["name"])


def seeds(model, splits, numbers=(1, 2), vectors=NO_VECTORS, **embedding):
    """Runs that differ in their seed."""
    return [Asked({**brief(model, **embedding), "seed": seed}, *splits, vectors) for seed in numbers]


def brief(model, *, epochs=3, patience=3, **embedding):
    """The parameters of a run of few epochs."""
    asked = parameters(model, **embedding)
    return asked | {"training": asked["training"] | {"epochs": epochs, "patience": patience}}


def domains(model, splits, **epochs):
    """Runs on three parts of a corpus, each with a vocabulary of its own."""
    train, dev = splits
    parts = [part_of(train, start, stop, own) for start, stop, own in ((0, 20, 1), (20, 37, 4), (30, 60, 9))]
    asked = [{**brief(model, **epochs), "corpus": {"name": str(number)}} for number in range(3)]
    return [Asked(each, part, dev, NO_VECTORS) for each, part in zip(asked, parts, strict=True)]


def part_of(split, start, stop, own):
    """Some of the texts, each with one of `own` words of their domain behind it, a noun."""
    tokens = [[*text, f"own{number % own}"] for number, text in enumerate(split.tokens[start:stop].to_pylist())]
    parts = [[*text, "NOUN"] for text in split.parts[start:stop].to_pylist()]
    return replace(
        split,
        ids=split.ids[start:stop],
        tokens=pa.array(tokens),
        parts=pa.array(parts),
        classes=split.classes[start:stop],
        clean=split.clean[start:stop],
    )


@pytest.fixture
def opinions(opinions):
    return [with_parts(split) for split in opinions]


def assert_as_alone(asked, tmp_path):
    for each, trained in zip(asked, train_classifiers(asked), strict=True):
        alone = train_classifier(*each)
        assert trained.epochs == alone.epochs
        assert trained.cost.keys() - alone.cost.keys() == {"fused"}
        for mine, theirs in zip(trained.curve, alone.curve, strict=True):
            assert mine.keys() == theirs.keys()
            assert mine["dev_accuracy"] == theirs["dev_accuracy"]
            assert mine["train_loss"] == pytest.approx(theirs["train_loss"], rel=1e-3)
        answers = trained.classifier.probabilities(each.dev)
        assert np.abs(answers - alone.classifier.probabilities(each.dev)).max() < 1e-3
        trained.classifier.save(tmp_path)
        again = load_classifier(each.parameters, tmp_path, each.dev.facts)
        assert np.array_equal(again.probabilities(each.dev), answers)


@every_model
def test_seeds_are_trained_and_saved_as_alone(opinions, model, tmp_path):
    assert_as_alone(seeds(model, opinions), tmp_path)


@pytest.mark.parametrize("model", MODELS[:3], ids=lambda model: model["name"])
def test_corpora_with_their_own_vocabularies_too(opinions, model, tmp_path):
    asked = domains(model, opinions)
    sizes = {len(trained.classifier.vocabulary.words) for trained in train_classifiers(asked)}
    assert len(sizes) == 3
    assert_as_alone(asked, tmp_path)


@pytest.mark.parametrize("tune", [True, False])
def test_given_vectors(opinions, tmp_path, tune):
    assert_as_alone(seeds(MODELS[0], opinions, vectors=VECTORS, tune=tune), tmp_path)


def test_characters(opinions, tmp_path):
    assert_as_alone(seeds(MODELS[0], opinions, unit="characters"), tmp_path)


def test_costs_are_shares_and_say_so(opinions):
    asked = seeds(MODELS[0], opinions)
    costs = [trained.cost for trained in train_classifiers(asked)]
    words = len(opinions[0].tokens.flatten())
    for cost in costs:
        assert cost["fused"] == 2
        assert cost["words_per_second"] * cost["seconds_per_epoch"] == pytest.approx(words)
        assert cost["seconds_per_epoch"] < cost["seconds"]
    assert len({cost["seconds"] for cost in costs}) == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": {"name": "avg-embedding", "dropout": 0.2}}, "differ in model; give them one"),
        ({"precision": "bfloat16"}, "differ in precision"),
        ({"training": {}}, "differ in training"),
    ],
    ids=str,
)
def test_runs_that_differ_in_more_are_refused(opinions, change, sentence):
    asked = seeds(MODELS[0], opinions)
    asked[1] = asked[1]._replace(parameters={**asked[1].parameters, **change})
    with pytest.raises(InputError, match=sentence):
        train_classifiers(asked)


def test_runs_with_other_classes_are_refused(opinions):
    asked = seeds(MODELS[0], opinions)
    train = replace(opinions[0], facts=replace(opinions[0].facts, labels=("bad", "good", "other")))
    with pytest.raises(InputError, match="have 2 and 3 classes; train them alone"):
        train_classifiers([asked[0], asked[1]._replace(train=train)])


def test_models_that_are_trained_alone_are_refused_with_the_reason(opinions):
    with pytest.raises(InputError, match="fasttext is not trained fused: its gradients are sparse"):
        train_classifiers(seeds({"name": "fasttext", "buckets": 50}, opinions))


class KilledError(Exception):
    """As a kill, which nothing catches."""


def answers_of(asked, file=None, kill_at=0):
    """Answers and curves, without seconds; killed in a step if asked."""
    steps = 0

    def on_batch(run, epoch, words):
        nonlocal steps
        steps += 1
        if steps == kill_at:
            raise KilledError

    trained = train_classifiers(asked, state=file, on_batch=on_batch)
    lines = [[{**line, "seconds": 0} for line in each.curve] for each in trained]
    return [each.classifier.probabilities(asked[0].dev).tobytes() for each in trained], lines


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr("retable.training.state.LARGEST_SHARE", 1e9)
    return partial(StateFile, tmp_path / "state", "key", lambda sentence: None, every_s=0.0)


@pytest.mark.parametrize("kill_at", [2, 7, 19])
def test_a_killed_training_goes_on_to_the_same_bits(opinions, kept, kill_at, monkeypatch):
    """Three runs, of which one stops before the others."""
    model = {"name": "textcnn", "filters": 2, "widths": [2]}
    asked, steps, step = domains(model, opinions, epochs=6, patience=2), [], Group.step
    monkeypatch.setattr(Group, "step", lambda self: steps.append(step(self)))
    unbroken = answers_of(asked)
    assert len({len(curve) for curve in unbroken[1]}) > 1
    whole = len(steps)
    with pytest.raises(KilledError):
        answers_of(asked, kept(), kill_at)
    torch.manual_seed(77)
    assert answers_of(asked, kept()) == unbroken
    assert len(steps) == 2 * whole + 1  # the step in which it was killed was not saved


def test_a_state_behind_the_last_step_is_the_end(opinions, kept):
    asked = seeds(MODELS[0], opinions, numbers=(1, 2))
    unbroken = answers_of(asked, kept())
    assert answers_of(asked, kept(), kill_at=10**9) == unbroken


def test_ctrl_c_says_where_the_runs_stand(opinions, kept):
    file = kept()
    file.signals.caught = 2
    with pytest.raises(Stopped, match=r"stopped at epoch 1, step 1 of 6, of the first of 2 runs; its state is saved"):
        train_classifiers(seeds(MODELS[0], opinions), state=file)
