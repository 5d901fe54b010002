"""The models as a scikit-learn text classifier: for `clone`, `Pipeline`, `GridSearchCV`, `cross_val_score`."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from retable.declaration import Example
from retable.errors import InputError
from retable.own.budget import seconds_of
from retable.own.candidates import AUTO, best_of, candidates, models_asked
from retable.own.corpus import OwnCorpus, own_corpus
from retable.own.folder import Stored
from retable.own.model import Model, texts_of
from retable.own.vectors import vectors_for
from retable.wording import number_of


class Classifier(ClassifierMixin, BaseEstimator):
    """Train on texts in memory, as `retable.fit` trains on a file; nothing is written.

    A tenth of the texts is held out to choose by, none for the test: hold those out yourself. Copies are used once.

    Args:
        model, language, vectors, markup, budget, seed, device: as in `retable.fit`.
    Attributes (after `fit`): `classes_` (the labels, sorted), `model_` (the `Model`), `tried_` (the candidates).
    """

    def __init__(
        self,
        model: str = AUTO,
        *,
        language: str = "auto",
        vectors: str = "auto",
        markup: bool = False,
        budget: float | str = 600.0,
        seed: int = 1,
        device: str = "auto",
    ) -> None:
        self.model = model
        self.language = language
        self.vectors = vectors
        self.markup = markup
        self.budget = budget
        self.seed = seed
        self.device = device

    def fit(self, X: Sequence[str], y: Sequence[Any]) -> Self:
        """Train on texts and their labels, one per text: names, numbers, or booleans.

        Raises: InputError with the problem, before any training.
        """
        models, budget = models_asked(self.model), seconds_of(self.budget)
        texts, labels = texts_of(X), labels_of(y)
        if len(texts) != len(labels):
            raise InputError(
                f"X has {number_of(len(texts), 'texts')} and y {number_of(len(labels), 'labels')}; "
                "give one label per text."
            )
        self.classes_, places = np.unique(labels, return_inverse=True)
        names = [str(label) for label in self.classes_.tolist()]
        corpus = corpus_of(texts, [names[place] for place in places], language=self.language, markup=self.markup)
        self.tried_, _ = candidates(
            models, corpus, partial(vectors_for, corpus.train, self.vectors, seed=self.seed),
            budget=budget, seed=self.seed, device=self.device, shown=False,
        )  # fmt: skip
        best = best_of(self.tried_)
        self.model_ = Model(Stored(best.trained.classifier, corpus.facts, self.markup, best.parameters))
        self.columns_ = [names.index(label) for label in self.model_.labels]
        self.shares_ = np.bincount(places, minlength=len(names)) / len(places)
        return self

    def predict_proba(self, X: Sequence[str]) -> np.ndarray:
        """Return the probability of every label, float64 (text, label), in the order of `classes_`.

        An empty text gets the label frequencies of the training texts.
        """
        check_is_fitted(self)
        answers = self.model_.probabilities(texts_of(X))
        found = np.zeros((len(answers), len(self.classes_)))
        found[:, self.columns_] = answers
        found[~answers.any(axis=1)] = self.shares_
        return found

    def predict(self, X: Sequence[str]) -> np.ndarray:
        """Return the most probable label of every text, (text,)."""
        rows = self.predict_proba(X)
        best: np.ndarray = self.classes_[rows.argmax(axis=1)]
        return best

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: the input is a list of texts, not a numeric table."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array, tags.input_tags.one_d_array = True, False, True
        return tags


def corpus_of(texts: Sequence[str], labels: Sequence[str], *, language: str, markup: bool) -> OwnCorpus:
    """Return the splits of texts in memory, without a test split. Raises: InputError like `own_corpus`."""
    examples = [
        Example(f"texts/{place}", "all", text, label)
        for place, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    return own_corpus(examples, name="texts", language=language, markup=markup, held=False)


def labels_of(given: Any) -> np.ndarray:
    """Return labels as an array (text,). Raises: InputError if one is missing or they are not names."""
    labels = np.asarray(given)
    if labels.ndim != 1:
        raise InputError(f"the labels have {labels.ndim} dimensions; give one label per text.")
    for place, label in enumerate(labels.tolist()):
        whole = isinstance(label, float) and label.is_integer()
        if not (isinstance(label, str | int) or whole):
            raise InputError(f"label {place} is {label!r}; a label is a name, a whole number, or true or false.")
    return labels
