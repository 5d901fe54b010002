"""Learn from people's own texts: read, split, train, choose by dev, ask the test texts once, keep the model."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from retable.files import sha256_of_file
from retable.own.candidates import (
    AUTO,
    Candidate,
    best_of,
    candidates,
    compared,
    models_asked,
    right,
    rival_of,
)
from retable.own.card import model_card
from retable.own.corpus import OwnCorpus, own_corpus
from retable.own.folder import check_target, write_model
from retable.own.model import Model, load
from retable.own.reading import labelled_texts
from retable.own.vectors import check_vectors, vectors_for
from retable.runs.metrics import score
from retable.runs.provenance import versions
from retable.tables.comparison import Comparison


@dataclass(frozen=True)
class Against:
    """The chosen model beside the best of the other kind, on the same test texts."""

    rival: Candidate
    accuracy: float  # of the rival
    comparison: Comparison


@dataclass(frozen=True)
class Fitted:
    """Hold what `fit` made: the model in its folder, what was tried, and its scores on the test texts."""

    folder: Path
    corpus: OwnCorpus
    tried: list[Candidate]
    left_out: list[str]
    chosen: Candidate
    scores: dict[str, Any]
    against: Against | None

    @property
    def model(self) -> Model:
        """Return the model, read from its folder."""
        return load(self.folder)


def fit(
    texts: Path | str,
    *,
    text: str = "text",
    label: str = "label",
    test: Path | str | None = None,
    model: str = AUTO,
    language: str = "auto",
    vectors: str = "auto",
    markup: bool = False,
    drop_rare: bool = False,
    budget: float = 600.0,
    seed: int = 1,
    device: str = "auto",
    to: Path | str | None = None,
) -> Fitted:
    """Learn from a file of texts and labels, and write a model folder.

    Args:
        texts: a table (.csv, .tsv, .jsonl, .parquet), or a folder with a folder a class.
        text, label: columns of the table.
        test: a file of the same form; without it a tenth of the texts is kept for test.
        model: id of a model, or auto: linear models, then networks, and the best on dev.
        language: en, zh, other, or auto.
        vectors: auto (published ones where they are at hand, else trained on these texts), none, or a folder.
        markup: take HTML tags and entities out of the texts.
        drop_rare: leave out labels of fewer than three texts, where they are refused otherwise.
        budget: seconds of training; a network ends after the epoch in which they are used up.
        seed: of first weights, order and dropout.
        device: auto, cpu or cuda.
        to: the model folder; beside the texts without.
    Raises: InputError with what is wrong, before any training.
    """
    source = Path(texts)
    folder = Path(to) if to else source.with_name(f"{source.stem}-model")
    check_target(folder)
    check_vectors(vectors)
    models = models_asked(model)
    corpus = own_corpus(
        labelled_texts(source, text=text, label=label),
        name=source.stem,
        test=labelled_texts(Path(test), text=text, label=label, split="test") if test else (),
        language=language,
        markup=markup,
        drop_rare=drop_rare,
    )

    own_vectors = partial(vectors_for, corpus.train, vectors, seed=seed)
    tried, left_out = candidates(models, corpus, own_vectors, budget=budget, seed=seed, device=device)
    chosen = best_of(tried)
    answers = chosen.trained.classifier.probabilities(corpus.test)
    scores = score(answers, corpus.test.classes)
    against = against_rival(chosen, answers, tried, corpus)
    fitted = Fitted(folder, corpus, tried, left_out, chosen, scores, against)
    contents = {
        "markup": markup,
        "parameters": chosen.parameters,
        "scores": scores,
        "source": {"name": source.name, "sha256": sha256_of_file(source) if source.is_file() else None},
        "versions": versions(),
    }
    card = model_card(fitted, answers)
    write_model(folder, chosen.trained.classifier, corpus, answers, contents=contents, card=card)
    return fitted


def against_rival(chosen: Candidate, answers: np.ndarray, tried: list[Candidate], corpus: OwnCorpus) -> Against | None:
    """Return the chosen model beside the best of the other kind on the test texts; None where it was the only kind."""
    rival = rival_of(chosen, tried)
    if rival is None:
        return None
    theirs = right(rival.trained.classifier.probabilities(corpus.test), corpus.test)
    return Against(rival, float(theirs.mean()), compared(right(answers, corpus.test), theirs))
