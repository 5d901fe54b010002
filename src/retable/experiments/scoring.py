"""Score a trained model of a cell or of the focus run, and write the folder of its run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retable.experiments.training import Inputs
from retable.files import write_json
from retable.project.paths import ROOT
from retable.runs.folder import scores_of_splits, today, write_cost, write_curve
from retable.runs.predictions import write_predictions
from retable.runs.provenance import git_commit, versions
from retable.text.splits import Split
from retable.text.trees import MARKS
from retable.text.units import in_unit
from retable.text.vocabulary import count_words
from retable.training.run import Classifier, Trained
from retable.vectors.store import WordVectors, coverage


def vectors_facts(vectors: WordVectors, train: Split, embedding: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the name of the word vectors and their coverage of the training split in its unit, or None."""
    if not vectors.words:
        return None
    tokens = in_unit(train, embedding["unit"]).tokens
    counts = count_words(tokens, lowercase=embedding["lowercase"])
    words = {word: count for word, count in counts.items() if word not in MARKS}  # the marks of trees are none
    covered = coverage(words, set(vectors.words))
    return {"name": vectors.facts["name"], "words_covered": covered.words, "tokens_covered": covered.tokens}


def evaluate_into(folder: Path, trained: Trained, facts: dict[str, Any], inputs: Inputs) -> None:
    """Score a trained model and write the folder of its run; metrics.json comes last."""
    write_curve(folder / "curve.csv", trained.curve)
    write_cost(folder / "cost.json", trained.cost)
    scored = score_into(folder, trained.classifier, inputs.dev, inputs.read_test())
    write_json(folder / "metrics.json", facts | scored | training_facts(trained, inputs, facts["parameters"]))


def training_facts(trained: Trained, inputs: Inputs, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a training beside its parameters: epochs, choices on dev, vectors, where and when."""
    return {
        "epochs": trained.epochs,
        "chosen": trained.chosen,
        "vectors": vectors_facts(inputs.vectors, inputs.train, parameters["embedding"]),
        **surroundings(trained.cost),
    }


def score_into(folder: Path, classifier: Classifier, dev: Split, test: Split) -> dict[str, Any]:
    """Score dev and test and write predictions.parquet: the only place where the test split is read."""
    answers = classifier.probabilities(test)
    write_predictions(folder / "predictions.parquet", test, answers)
    return scores_of_splits((classifier.probabilities(dev), dev), (answers, test))


def surroundings(cost: dict[str, Any]) -> dict[str, Any]:
    """Return where and when a run was made."""
    return {
        "git_commit": git_commit(ROOT),
        "versions": versions(),
        "device": cost["device"],
        "threads": cost["threads"],
        "date": today(),
    }
