"""List the training options besides the model, one case each, and their visible effect on the numbers.

A case fails if it no longer does what its name says, once versions and numbers agree.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from probe.case import Arrays
from probe.compare import Outcome
from probe.samples import FOLDS, GRADED, GROUPED, OF_PAIRS, TWO_LABELS, VECTORS_OF_FOLDS, WITH_DOMAINS

Options = dict[str, Any]

# Schedule -> rates at the ends of six epochs.
RATES = {"constant": 1, "fcsr": 6, "halving": 2, "linear": 6, "steps": 3, "warmup": 2}
FAST = {"learning_rate": 0.02}
SGD = {"optimiser": "sgd", "learning_rate": 0.5}
ADAGRAD = {"optimiser": "adagrad", "learning_rate": 0.05}
LINEAR_CHOICES = {
    "tfidf-svm": {"features": ["words-3", "characters-4", "words-1"], "costs": [1.0, 0.02]},
    "nb-svm": {"features": ["characters-5", "words-1"], "costs": [0.02, 1.0], "beta": 0.8},
}
LOOPS: dict[str, tuple[str, Options]] = {  # case -> model, and its options in addition to TRAINING, by section
    **{f"schedule {name}": ("textcnn", {"training": {"schedule": name, "epochs": 6}}) for name in RATES},
    "sgd": ("textcnn", {"training": {"optimiser": "sgd", "learning_rate": 0.1, "momentum": 0.9}}),
    "adagrad": ("textcnn", {"training": ADAGRAD}),
    "adagrad, rows": ("fasttext", {"training": {"optimiser": "adagrad", "weight_decay": 0.01}}),
    "adam, rows": ("fasttext", {"training": {"optimiser": "adam"}}),
    "sgd, rows": ("fasttext", {"training": SGD}),
    "weight decay": ("textcnn", {"training": {"weight_decay": 0.05}}),
    "weight decay, adagrad": ("textcnn", {"training": ADAGRAD | {"weight_decay": 0.05}}),
    "weight decay, sgd": ("textcnn", {"training": SGD | {"weight_decay": 0.05}}),
    "clip": ("bilstm", {"training": {"clip": 0.05}}),
    "clip, sgd": ("bilstm", {"training": SGD | {"clip": 0.05}}),
    "patience": ("avg-embedding", {"training": {"patience": 1, "epochs": 30, "epochs_max": 30, "learning_rate": 0.5}}),
    "patience, equal accuracy": ("lstm", {"training": {"patience": 2, "epochs": 8, "epochs_max": 8}, "seed": 3}),
    "words cut": ("textcnn", {"training": {"max_words": 20}}),
    "words cut, with parts": ("transformer-f", {"training": {"max_words": 20}}),
    "vectors fixed": ("textcnn", {"embedding": {"tune": False}}),
    "vectors random": ("textcnn", {"embedding": {"vectors": "none", "size": 14, "spread": 0.3}}),
    "case kept": ("textcnn", {"embedding": {"lowercase": False, "min_count": 1}}),
    "characters": ("textcnn", {"embedding": {"unit": "characters", "vectors": "none", "size": 10}}),
    "bfloat16": ("transformer", {"precision": "bfloat16"}),
    "domains": ("textcnn", {"corpus": {"name": WITH_DOMAINS}}),
    "domains, a head each": ("textcnn", {"corpus": {"name": WITH_DOMAINS}, "training": {"heads": "per-domain"}}),
    "domains, a head each, bilstm": ("bilstm", {"corpus": {"name": WITH_DOMAINS}, "training": {"heads": "per-domain"}}),
    "domains, linear": ("nb-svm", {"corpus": {"name": WITH_DOMAINS}}),
    **{
        f"{kind} fold {number}, {model}": (model, {"corpus": {"folds": FOLDS, "fold": number, "kind": kind}})
        for model in ("textcnn", "tfidf-svm")
        for kind, number in (("dev", 2), ("test", 3))
    },
    "dev fold 2, its own vectors": (
        "textcnn",
        {"corpus": {"folds": FOLDS, "fold": 2, "kind": "dev"}, "embedding": {"vectors": VECTORS_OF_FOLDS}},
    ),
    **{
        f"{kind} fold 1, near copies": (
            "tfidf-svm", {"corpus": {"name": GROUPED, "folds": FOLDS, "fold": 1, "kind": kind}}
        )
        for kind in ("dev", "test")
    },
    **{f"two labels, {model}": (model, {"corpus": {"name": TWO_LABELS}}) for model in ("tfidf-svm", "nb-svm")},
    **{f"choices, {model}": (model, {"model": options}) for model, options in LINEAR_CHOICES.items()},
    **{f"characters, {model}": (model, {"embedding": {"unit": "characters"}}) for model in LINEAR_CHOICES},
    "ranked, tfidf-svm": ("tfidf-svm", {"corpus": {"name": OF_PAIRS}}),
    "graded": (
        "avg-embedding",
        {"corpus": {"name": GRADED}, "training": dict.fromkeys(("epochs", "epochs_max", "patience"), 10) | FAST},
    ),
    "case kept, tfidf-svm": ("tfidf-svm", {"embedding": {"lowercase": False}}),
    "rare words": ("textcnn", {"corpus": {"name": TWO_LABELS}}),
    "rare words, rows": ("fasttext", {"corpus": {"name": TWO_LABELS}}),
    "rare words, vectors fixed": ("textcnn", {"corpus": {"name": TWO_LABELS}, "embedding": {"tune": False}}),
    "rare parts": ("transformer-f", {"corpus": {"name": TWO_LABELS}}),
    "seed 2": ("textcnn", {"seed": 2}),
}  # fmt: skip


def lines(arrays: Arrays) -> int:
    """Count the epochs of a run."""
    return len(arrays["learning_rate"])


def last_rise(arrays: Arrays) -> int:
    """Return the first epoch of the best dev accuracy."""
    return 1 + int(np.argmax(arrays["curve dev_accuracy"]))


def scored_domains(arrays: Arrays) -> bool:
    """Return whether each of three domains has scores, on clean texts too."""
    return sum(name.endswith("clean scores") and name.startswith("/") for name in arrays) == 3


def first_of_ties(arrays: Arrays) -> bool:
    """Return whether several candidates share the best dev score."""
    accuracies = arrays["curve dev_accuracy"]
    return int((accuracies == accuracies.max()).sum()) > 1


def ranked_best(arrays: Arrays) -> bool:
    """Return whether the candidate with the best mean average precision is not the most accurate one."""
    accuracies = arrays["curve dev_accuracy"]
    return bool(accuracies[np.argmax(arrays["curve dev_map"])] < accuracies.max())


def graded_best(arrays: Arrays) -> bool:
    """Return whether the epoch with the best correlation is not the most accurate one."""
    accuracies = arrays["curve dev_accuracy"]
    return bool(accuracies[np.argmax(arrays["curve dev_pearson"])] < accuracies.max())


def has_rates(count: int, arrays: Arrays) -> bool:
    """Return whether epochs end with this many different learning rates."""
    return len(set(np.round(arrays["learning_rate"], 9).tolist())) == count


SHOWS: dict[str, tuple[str, Callable[[Arrays], bool]]] = {  # case -> expected effect, and a check of it
    **{
        f"loop: schedule {name}": (f"{count} rates", partial(has_rates, count))
        for name, count in RATES.items()
    },
    "loop: patience": ("an end before the last epoch", lambda found: 1 < lines(found) < 30),
    "loop: patience, equal accuracy": (
        "an end two epochs after accuracy rose, and a choice after it by the loss",
        lambda found: lines(found) == last_rise(found) + 2 < 8 and found["epochs"][1] > last_rise(found),
    ),
    **{
        f"loop: {name}": ("scores of three domains", scored_domains)
        for name in ("domains", "domains, a head each", "domains, a head each, bilstm", "domains, linear")
    },
    "loop: dev fold 1, near copies": (
        "texts of test that are clean and that are not", lambda found: len(set(found["test clean"].tolist())) == 2
    ),
    "loop: test fold 1, near copies": ("clean texts of test alone", lambda found: bool(found["test clean"].all())),
    "tfidf-svm": ("two candidates that are best on dev", first_of_ties),
    "nb-svm": ("two candidates that are best on dev", first_of_ties),
    "loop: ranked, tfidf-svm": ("a best ranking that is not the most accurate", ranked_best),
    "loop: graded": ("a best correlation that is not the most accurate", graded_best),
}  # fmt: skip


def idle(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Return a sentence for each case that no longer does what its name says."""
    return [
        f"{case} must show {what}; give it other parameters"
        for case, (what, shows) in SHOWS.items()
        if case in outcomes and not shows(dict(outcomes[case].arrays))
    ]
