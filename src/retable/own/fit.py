"""Train a model on a user's own texts: read, split, train, choose on dev, test once, and save the model."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import precision_recall_fscore_support

from retable.files import sha256_of_file
from retable.own.budget import seconds_of
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
from retable.own.folder import check_target, model_in, write_model
from retable.own.model import Model, load
from retable.own.reading import labelled_texts, with_name
from retable.own.vectors import check_vectors, vectors_for
from retable.project.progress import progress
from retable.runs.metrics import score
from retable.runs.provenance import versions
from retable.tables.comparison import Comparison
from retable.text.splits import Split


@dataclass(frozen=True)
class Against:
    """The chosen model compared with the best model of the other kind, on the same test texts."""

    rival: Candidate
    accuracy: float  # of the rival
    comparison: Comparison


@dataclass(frozen=True)
class Fitted:
    """Hold the result of `fit`: the model folder, the candidates, the test scores, and the older model ("" if none)."""

    folder: Path
    corpus: OwnCorpus
    tried: list[Candidate]
    left_out: list[str]
    chosen: Candidate
    scores: dict[str, Any]
    against: Against | None
    replaced: str

    @property
    def model(self) -> Model:
        """Return the model, loaded from its folder."""
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
    budget: float | str = 600.0,
    seed: int = 1,
    device: str = "auto",
    to: Path | str | None = None,
    on_corpus: Callable[[OwnCorpus], None] = lambda corpus: None,
) -> Fitted:
    """Train on a file of texts and labels, and write a model folder.

    Args:
        texts: a table (.csv, .tsv, .jsonl, .parquet), or a folder with one folder per class.
        text, label: columns of the table.
        test: a file of the same form; without it, a tenth of the texts is held out for the test.
        model: id of a model, or auto: linear models, then networks; the best on dev is chosen.
        language: en, zh, other, or auto.
        vectors: auto (published ones if available locally, else trained on these texts), none, or a folder.
        markup: remove HTML tags and entities from the texts.
        drop_rare: leave out labels with fewer than three texts, which are refused otherwise.
        budget: time of training, in seconds or such as 90s, 10m or 2h; a network stops after the epoch in which it
            runs out.
        seed: of initial weights, order and dropout.
        device: auto, cpu or cuda.
        to: the model folder; by default next to the texts. An older model there is replaced.
        on_corpus: called with the splits and their findings, before any training.
    Raises: InputError with the problem, before any training.
    """
    source, seconds = with_name(Path(texts)), seconds_of(budget)
    folder = Path(to) if to else source.with_name(f"{source.stem}-model")
    check_target(folder)
    replaced = model_in(folder)
    check_vectors(vectors)
    models = models_asked(model)
    examples = labelled_texts(source, text=text, label=label)
    asked = labelled_texts(Path(test), text=text, label=label, split="test") if test else []
    with progress("fit · copies", len(examples) + len(asked), "texts") as bar:
        corpus = own_corpus(
            examples, name=source.stem, test=asked, language=language, markup=markup, drop_rare=drop_rare,
            on_texts=bar.advance,
        )  # fmt: skip
        bar.finish()
    on_corpus(corpus)

    own_vectors = partial(vectors_for, corpus.train, vectors, seed=seed)
    tried, left_out = candidates(models, corpus, own_vectors, budget=seconds, seed=seed, device=device)
    chosen = best_of(tried)
    answers = chosen.trained.classifier.probabilities(corpus.test)
    scores = scores_of(answers, corpus.test)
    against = against_rival(chosen, answers, tried, corpus)
    fitted = Fitted(folder, corpus, tried, left_out, chosen, scores, against, replaced)
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


def scores_of(answers: np.ndarray, test: Split) -> dict[str, Any]:
    """Return the scores of the test texts, and the accuracy on the clean ones if there are others.

    Unlike the tables', means over labels leave out those that no test text has.
    """
    precision, recall, f1, _ = precision_recall_fscore_support(
        test.classes, answers.argmax(axis=1), labels=np.unique(test.classes), average="macro", zero_division=0
    )
    means = {"precision": float(precision), "recall": float(recall), "macro_f1": float(f1)}
    scores = score(answers, test.classes) | means
    if test.clean.any() and not test.clean.all():
        clean_accuracy = float(right(answers, test)[test.clean].mean())
        scores |= {"clean_texts": int(test.clean.sum()), "clean_accuracy": clean_accuracy}
    return scores


def against_rival(chosen: Candidate, answers: np.ndarray, tried: list[Candidate], corpus: OwnCorpus) -> Against | None:
    """Compare the chosen model with the best of the other kind on the test texts; None if there is only one kind."""
    rival = rival_of(chosen, tried)
    if rival is None:
        return None
    of_rival = right(rival.trained.classifier.probabilities(corpus.test), corpus.test)
    return Against(rival, float(of_rival.mean()), compared(right(answers, corpus.test), of_rival))
