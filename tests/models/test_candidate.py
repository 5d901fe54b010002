"""The settings of a linear model: the first of the best on dev is kept, and no other is tried once the time is over."""

from dataclasses import replace

import numpy as np
import pytest

from retable.experiments.scale import model_preset
from retable.models import PRETRAINED, TRAINERS
from retable.models.candidate import Candidate, Search
from retable.runs.folder import scores_of_splits
from retable.training.options import Progress
from retable.training.run import train_classifier
from retable.vectors.store import NO_VECTORS
from tests.training.conftest import make_split
from tests.training.test_ranked import ranked

MODELS = [name for name in TRAINERS if name not in PRETRAINED]
SMALL = {"doc2vec": {"size": 8, "epochs": 2}, "lda": {"topics": [2, 3], "passes": 1, "skip": 0}}


def plain(split):
    """Return the same pairs as texts of no question."""
    return replace(split, facts=replace(split.facts, ranked=False))


def noisy(split, seed):
    """Return a split with a random label for three texts of ten."""
    generator, classes = np.random.default_rng(seed), split.classes.copy()
    random = generator.random(len(classes)) < 0.3
    classes[random] = generator.integers(0, 2, random.sum())
    return replace(split, classes=classes)


def parameters(model):
    preset = model_preset(model)
    return {
        "corpus": {"name": "made-up"}, "model": preset["model"] | SMALL.get(model, {}),
        "embedding": preset["embedding"], "training": {}, "seed": 1, "device": "cpu", "precision": "float32",
    }  # fmt: skip


def test_a_setting_is_the_best_if_it_beats_all_earlier_ones():
    dev = make_split(["a", "b"], [0, 1])
    none, one, all_right = (np.eye(2)[classes] for classes in ([1, 0], [0, 0], [0, 1]))
    search = Search(dev, 5)
    assert [search.add("words-1", 1.0, scores) for scores in (none, one, one, all_right, one)] == [1, 1, 0, 1, 0]
    assert [candidate.dev_accuracy for candidate in search.tried] == [0.0, 0.5, 0.5, 1.0, 0.5]
    assert not search.ended


def test_of_candidates_for_questions_the_best_ranking_is_chosen_where_accuracy_says_nothing():
    dev = ranked(3, 1)
    never = np.stack([np.ones(12), -dev.classes], axis=1)  # "no" to all, of each question's answer most of all
    search = Search(dev, 4)
    assert [search.add("words-1", cost, never * cost) for cost in (1.0, 2.0)] == [True, False]
    assert search.add("words-1", 3.0, np.stack([1.0 - dev.classes / 2, np.zeros(12)], axis=1))
    assert not search.add("words-1", 4.0, np.eye(2)[dev.classes])  # right everywhere, but no better a ranking
    assert [candidate.dev_accuracy for candidate in search.tried] == [0.75, 0.75, 0.75, 1.0]
    assert [candidate.dev_map for candidate in search.tried] == [0.25, 0.25, 1.0, 1.0]  # the last of four, the first


def test_a_line_of_another_corpus_has_no_map():
    candidate = Candidate("words-1", None, 0.7)
    assert candidate.line == {"features": "words-1", "dev_accuracy": 0.7}
    assert candidate.score == 0.7
    of_questions = replace(candidate, cost=0.3, dev_map=0.4)
    assert of_questions.line == {"features": "words-1", "cost": 0.3, "dev_accuracy": 0.7, "dev_map": 0.4}
    assert of_questions.score == 0.4


@pytest.mark.parametrize("model", MODELS)
def test_on_a_ranked_corpus_a_model_has_the_setting_with_the_best_map(model):
    accuracy_differs = False
    for seed in (2, 8):
        train, dev = noisy(ranked(20, 1), seed), noisy(ranked(8, 2), seed + 50)
        trained = train_classifier(parameters(model), train, dev, NO_VECTORS)
        best = max(trained.curve, key=lambda line: line["dev_map"])
        assert trained.chosen == {name: best[name] for name in trained.chosen}
        answers = trained.classifier.probabilities(dev)
        assert scores_of_splits((answers, dev), (answers, dev))["dev"]["map"] == pytest.approx(best["dev_map"])
        most_right = max(trained.curve, key=lambda line: line["dev_accuracy"])
        accuracy_differs |= most_right["dev_map"] < best["dev_map"]
    assert accuracy_differs or model == "sgc", "accuracy would have kept the same settings"


def test_small_probabilities_are_not_tied():
    dev = ranked(1, 1)
    yes = np.where(dev.classes == 1, 3e-8, 1e-8).astype(np.float32)
    search = Search(dev, 1)
    search.add("bert", None, np.stack([1 - yes, yes], axis=1))
    assert search.tried[0].dev_map == 1.0


@pytest.mark.parametrize("model", MODELS)
def test_no_setting_is_tried_after_the_time_is_over(model):
    train, dev = plain(ranked(20, 1)), plain(ranked(6, 2))
    whole = train_classifier(parameters(model), train, dev, NO_VECTORS).curve
    asked = []

    def enough():
        asked.append(True)
        return len(asked) == 2

    cut = train_classifier(parameters(model), train, dev, NO_VECTORS, Progress(enough=enough))
    assert cut.curve == whole[:2]
    assert len(asked) == min(2, len(whole) - 1)  # not after the last
    right = (cut.classifier.probabilities(dev).argmax(axis=1) == dev.classes).mean()
    assert right == max(line["dev_accuracy"] for line in cut.curve)
