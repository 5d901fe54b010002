"""The form of a run: the required contents of metrics.json and cost.json, and of the bank's lines.

curve.py has that of curve.csv. A record that contradicts itself is refused as well: its key must match its parameters,
data and recipe. Imports are light, because the record is checked at every `make tables`.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retable.errors import InputError, shown
from retable.files import read_json
from retable.forms import (
    COUNT,
    DIGEST,
    NAME,
    Day,
    Form,
    ListOf,
    Maybe,
    Misfit,
    Named,
    Number,
    OneOf,
    Plain,
    Section,
    Text,
    When,
    check,
)
from retable.runs.curve import ADVICE, SHARE
from retable.runs.provenance import hash_of_parameters, run_key

FILES = ("metrics.json", "cost.json", "curve.csv", "predictions.parquet")  # in a run's folder
KEY_DIGITS = 16  # of a key, in the name of that folder
SCORED = ("test", "test_clean", "dev")  # sections of scores; `domains` has the first two for each domain
COUNTS = ("texts", "questions")  # scores that are whole numbers
RANGES = {"loss": (0, math.inf), "mse": (0, math.inf), "pearson": (-1, 1), "spearman": (-1, 1)}  # others: 0 to 1
SCORES = (
    "accuracy", "error_rate", "precision", "recall", "macro_f1", "micro_f1", "macro_auc", "micro_auc", "map", "mrr",
    *RANGES, *COUNTS,
)  # fmt: skip
UNVERIFIED = "unverified"  # in metrics.json: an import whose answers could not be compared with the test texts
LARGEST_SEED = 2**32 - 1
ROUNDING = 1e-9


@dataclass(frozen=True)
class Scores:
    """The scores of one set of answers: fractions, counts and a loss; the accuracy is never null.

    Attributes:
        whole: whether accuracy and texts are required; old runs of the bank have no accuracy on dev.
    """

    whole: bool = False

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        """Yield each violation."""
        if not isinstance(value, Mapping):
            yield Misfit(place, value, "an object of scores")
            return
        for name in ("accuracy", "texts") if self.whole else ():
            if name not in value:
                yield Misfit(f"{place}.{name}", None, "a number")
        for name, score in value.items():
            if name not in SCORES:
                yield Misfit(f"a name in {place}", name, ", ".join(SCORES))
            elif name in COUNTS:
                yield from Number(1, whole=True).misfits(score, f"{place}.{name}")
            elif score is None and name != "accuracy":
                continue
            else:
                least, most = RANGES.get(name, (0, 1))
                if not Number(least, most + ROUNDING).holds(score):
                    allowed = f"a finite number from {least}{'' if most == math.inf else f' to {most}'}"
                    yield Misfit(f"{place}.{name}", score, allowed)


LONGEST = 10**9  # epochs, or words of a text
CORPUS = When(
    "fold",
    Section(
        {"name": NAME, "kind": OneOf(("dev", "test")), **dict.fromkeys(("folds", "fold"), Number(1, 1e6, whole=True))},
        closed=True,
    ),
    Section({"name": NAME}, closed=True),
)
OF_NETWORK = dict.fromkeys(("epochs", "epochs_max", "patience", "max_words"), Number(0, LONGEST, whole=True))
TRAINING = When(
    "schedule", Section({"schedule": NAME, "optimiser": NAME, **OF_NETWORK}, {"heads": NAME}), Section({}, OF_NETWORK)
)
METRICS = Section(
    {
        "key": DIGEST,
        **dict.fromkeys(("paper", "table", "row", "column", "model", "corpus", "scale"), NAME),
        "seed": Number(0, LARGEST_SEED, whole=True),
        "fold": Maybe(Number(1, whole=True)),
        "parameters": Section(
            {
                "corpus": CORPUS,
                "model": Section({"name": NAME}),
                "embedding": Section({}),
                "training": TRAINING,
                "seed": COUNT,
            },
            {"device": Text(), "precision": Text()},
            closed=True,
        ),
        "hashes": Section(
            {
                "data": DIGEST,
                "parameters": DIGEST,
                "recipe": Text(r"[\w.-]+ \d+\.\d+(, [\w.-]+ \d+\.\d+)*", "unit 1.0, ...", 5000),
            },
            closed=True,
        ),
        "vectors": Maybe(
            Section({"name": NAME}, {"words_covered": Maybe(SHARE), "tokens_covered": Maybe(SHARE)}, closed=True)
        ),
        "test": Scores(whole=True),
        "test_clean": Maybe(Scores()),
        "dev": Maybe(Scores()),
        "epochs": Section(
            {"run": Maybe(COUNT), "chosen": Maybe(COUNT), "turned": Maybe(OneOf((True, False)))}, closed=True
        ),
        "chosen": Named(Plain()),
        "git_commit": Text(),
        "versions": Named(Text()),
        "device": Text(),
        "threads": Number(1, whole=True),
        "date": Day(),
    },
    {
        "domains": Named(Section({}, {"test": Maybe(Scores()), "test_clean": Maybe(Scores())}, closed=True)),
        UNVERIFIED: OneOf((True,)),
    },
    closed=True,
)
TRAINING_RECORD = Section(  # training.json: what is known before a run is scored
    {name: form for name, form in METRICS.fields.items() if name not in SCORED}, closed=True
)
COSTS = ("parameters", "parameters_tuned_words", "flops_per_word")
TIMES = ("seconds", "seconds_per_epoch", "words_per_second")
MEMORY = {"peak_memory_mb", "peak_gpu_memory_mb"}  # of the process, or of the GPU's allocator
SECONDS, AMOUNT = Number(0, 1e9), Number(0, 1e18)  # MLflow's store has no room for a time far from today
OF_TRAINING = dict.fromkeys((*COSTS, *TIMES), AMOUNT) | dict.fromkeys(("seconds", "seconds_per_epoch"), SECONDS)
OF_MACHINE: Mapping[str, Form] = {
    **dict.fromkeys(MEMORY, AMOUNT),
    "device": Text(),
    "threads": Number(1, whole=True),
    "date": Day(),
}
COST = Section({}, {**OF_TRAINING, **OF_MACHINE}, closed=True)  # in the bank: old runs lack some values
COST_OF_FOLDER = Section(OF_TRAINING, OF_MACHINE, closed=True)
WHO = Text()  # who banked a run
LINE = Section(
    {
        "metrics": Section({}),
        "curve": ListOf(Number(-100, 100 * (1 + ROUNDING))),  # a correlation may be below 0
        "who": WHO,
        "predictions": NAME,
        "cost": COST,
    },
    closed=True,
)


def read_metrics(folder: Path) -> dict[str, Any]:
    """Read and check metrics.json of a run. Raises: InputError."""
    path = folder / "metrics.json"
    metrics: dict[str, Any] = read_json(path, advice=ADVICE)
    if absent := sorted(METRICS.fields.keys() - metrics.keys()):
        raise InputError(f"{path} lacks {', '.join(absent)}; was it written by this version of retable?")
    check_metrics(metrics, str(path))
    return metrics


def read_training(path: Path) -> dict[str, Any]:
    """Read and check training.json, the record of a trained run without scores. Raises: InputError."""
    facts: dict[str, Any] = read_json(path, advice=ADVICE)
    check_record(facts, TRAINING_RECORD, str(path))
    return facts


def read_cost(folder: Path) -> dict[str, Any]:
    """Read and check cost.json of a run. Raises: InputError."""
    path = folder / "cost.json"
    cost: dict[str, Any] = read_json(path, advice=ADVICE)
    check(cost, COST_OF_FOLDER, str(path), ADVICE)
    if len(cost.keys() & MEMORY) != 1:
        raise InputError(f"{path} must say one of {' and '.join(sorted(MEMORY))}; {ADVICE}.")
    return cost


def check_metrics(metrics: Any, where: str) -> None:
    """Refuse a scored record of another form, or one that contradicts itself.

    Args:
        where: the file, for the error message.
    Raises: InputError.
    """
    check_record(metrics, METRICS, where)


def check_record(metrics: Any, form: Form, where: str) -> None:
    """Refuse a record that does not have this form, or contradicts itself. Raises: InputError."""
    check(metrics, form, where, ADVICE)
    check(metrics["parameters"], Plain(), where, ADVICE, "parameters")
    check(metrics["chosen"], Plain(), where, ADVICE, "chosen")
    if wrong := next(contradictions(metrics), None):
        raise InputError(f"{where} says that {wrong}; it was changed: {ADVICE}.")
    hashes = {name: metrics["hashes"][name] for name in ("parameters", "data", "recipe")}
    if (hashes["parameters"], metrics["key"]) != (hash_of_parameters(metrics["parameters"]), run_key(**hashes)):
        raise InputError(f"{where} was changed: its key does not match its parameters, data and recipe; {ADVICE}.")


def contradictions(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Yield how a record of the right form contradicts its parameters, or its epochs each other."""
    asked, (run, chosen) = metrics["parameters"], (metrics["epochs"][name] for name in ("run", "chosen"))
    stated = {"model": asked["model"]["name"], "corpus": asked["corpus"]["name"], "seed": asked["seed"]}
    stated["fold"] = asked["corpus"].get("fold")
    for name, of_parameters in stated.items():
        if metrics[name] != of_parameters:
            yield f"{name} is {shown(metrics[name])}, but its parameters say {shown(of_parameters)}"
    if stated["fold"] and stated["fold"] > asked["corpus"]["folds"]:
        yield f"fold is {stated['fold']}, but its parameters have {asked['corpus']['folds']} folds"
    vectors = (metrics["vectors"] or {}).get("name")
    if vectors and vectors != (given := asked["embedding"].get("vectors", vectors)):
        yield f"vectors.name is {shown(vectors)}, but its parameters say {shown(given)}"
    if (chosen or 0) > (run or 0):
        yield f"epochs.chosen is {chosen}, but epochs.run is {shown(run)}"
    if (run or 0) > (most := asked["training"].get("epochs", LONGEST)):
        yield f"epochs.run is {run}, but its parameters allow {most}"


def check_line(told: Mapping[str, Any], where: str, advice: str) -> None:
    """Refuse a line of the bank of another form, or with a record that contradicts itself. Raises: InputError."""
    check(told, LINE, where, advice)
    check_metrics(told["metrics"], where)
