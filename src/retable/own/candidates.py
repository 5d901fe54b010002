"""Train models on a user's own texts, one after another, and choose on dev."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from retable.errors import InputError
from retable.experiments.display import display, show_line, show_pass
from retable.experiments.scale import model_preset
from retable.models import TRAINERS, is_floor, read_beside_words
from retable.own.calibration import calibrated
from retable.own.corpus import OwnCorpus
from retable.runs.form import LARGEST_SEED
from retable.tables.comparison import Comparison, compare
from retable.text.splits import Split
from retable.text.units import RAW
from retable.training.network import choose_device
from retable.training.options import Progress
from retable.training.run import Trained, train_classifier
from retable.vectors.store import NO_VECTORS, WordVectors

AUTO = "auto"
# Linear models first, then networks, fastest first.
TRIED = ("tfidf-svm", "nb-svm", "fasttext", "textcnn", "fcsr", "bilstm")
NOT_OF_OWN_TEXTS = {"parts": "parts of speech", "sides": "pairs of texts", "domains": "domains"}


@dataclass(frozen=True)
class Candidate:
    """A trained model, its correct dev predictions, and whether the budget ended its training."""

    parameters: dict[str, Any]
    trained: Trained
    dev: np.ndarray
    right: np.ndarray  # bool (text,), on dev
    stopped: bool

    @property
    def model(self) -> str:
        """Return the model's id."""
        return str(self.parameters["model"]["name"])

    @property
    def accuracy(self) -> float:
        """Return the share of dev texts that it classifies correctly."""
        return float(self.right.mean())

    @property
    def seconds(self) -> float:
        """Return its training time."""
        return float(self.trained.cost["seconds"])


def check_model(model: str) -> None:
    """Refuse a model that is unknown or needs inputs that own texts lack. Raises: InputError."""
    preset = model_preset(model)
    for trait, what in NOT_OF_OWN_TEXTS.items():
        if trait in read_beside_words(model):
            raise InputError(f"{model} reads {what}, which your own texts do not have; choose another model, or auto.")
    if preset["training"].get("heads") == "per-domain":
        raise InputError(
            f"{model} has a classifier for each domain, but your own texts have none; choose another, or auto."
        )


def models_asked(model: str) -> tuple[str, ...]:
    """Return the models to try: one, or those of auto. Raises: InputError like `check_model`."""
    models = TRIED if model == AUTO else (model,)
    for each in models:
        check_model(each)
    return models


def parameters_of(model: str, corpus: OwnCorpus, vectors: WordVectors, *, seed: int, device: str) -> dict[str, Any]:
    """Return the parameters of a training: the model's preset on these texts and vectors."""
    preset = model_preset(model)
    sections = {name: dict(preset[name]) for name in ("model", "embedding", "training")}
    if sections["embedding"]["unit"] != RAW:
        sections["embedding"]["vectors"] = vectors.facts.get("name", "none")
    return sections | {
        "corpus": {"name": corpus.facts.corpus},
        "seed": seed,
        "device": device,
        "precision": "float32",
    }


def trained_candidate(
    parameters: dict[str, Any], corpus: OwnCorpus, vectors: WordVectors, until: float, *, shown: bool
) -> Candidate:
    """Train one model; a network stops after the epoch in which the clock passes `until` (time.monotonic)."""
    stopped = False

    def enough() -> bool:
        nonlocal stopped
        stopped = time.monotonic() > until
        return stopped

    def train(progress: Progress) -> Candidate:
        trained = calibrated(train_classifier(parameters, corpus.train, corpus.dev, vectors, progress), corpus.dev)
        dev = trained.classifier.probabilities(corpus.dev)
        return Candidate(parameters, trained, dev, right(dev, corpus.dev), stopped)

    if not shown:
        return train(Progress(enough=enough))
    with display(f"fit {parameters['model']['name']}", parameters, corpus.train) as bar:
        found = train(
            Progress(
                on_batch=lambda epoch, words: bar.advance(words, f"epoch {epoch}"),
                on_pretraining=partial(show_pass, bar),
                on_line=lambda line: show_line(bar, line),
                enough=enough,
            )
        )
        bar.advance(0, f"best dev {100 * found.accuracy:.1f}%")  # the last candidate or epoch may be worse
        bar.finish()
    return found


def candidates(
    models: Sequence[str],
    corpus: OwnCorpus,
    vectors: Callable[[], WordVectors],
    *,
    budget: float,
    seed: int,
    device: str,
    shown: bool = True,
) -> tuple[list[Candidate], list[str]]:
    """Train models in order until the budget runs out; the first is always trained.

    Args:
        vectors: returns the word vectors; called once, when the first network needs them.
        budget: seconds.
        shown: show progress on standard error.
    Returns: the candidates, and the models that were left out for lack of time.
    Raises: InputError for an invalid seed or an unavailable device.
    """
    check_asked(seed, device)
    until = time.monotonic() + budget
    vectors = cache(vectors)
    found: list[Candidate] = []
    for place, model in enumerate(models):
        if found and time.monotonic() > until:
            return found, list(models[place:])
        own = NO_VECTORS if model in TRAINERS else vectors()
        parameters = parameters_of(model, corpus, own, seed=seed, device=device)
        found.append(trained_candidate(parameters, corpus, own, until, shown=shown))
    return found, []


def check_asked(seed: int, device: str) -> None:
    """Raises: InputError if the seed is invalid for numpy, or torch has no such device."""
    if type(seed) is not int or not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"the seed is {seed!r}; allowed: a whole number from 0 to {LARGEST_SEED}.")
    choose_device(device)


def right(probabilities: np.ndarray, split: Split) -> np.ndarray:
    """Return which texts are classified correctly, bool (text,)."""
    found: np.ndarray = probabilities.argmax(axis=1) == split.classes
    return found


def best_of(found: Sequence[Candidate]) -> Candidate:
    """Return the best candidate on dev; ties go to the first, so the simplest."""
    return max(found, key=lambda each: each.accuracy)


def rival_of(best: Candidate, found: Sequence[Candidate]) -> Candidate | None:
    """Return the best candidate of the other kind, network or linear model; None if none was tried."""
    others = [each for each in found if is_floor(each.model) is not is_floor(best.model)]
    return best_of(others) if others else None


def compared(first: np.ndarray, second: np.ndarray) -> Comparison:
    """Compare the correct predictions, bool (text,), of two trained models.

    The interval does not include the variation between seeds.
    """
    return compare(first[None].astype(float), second[None].astype(float), seedless=(True, True))
