"""A trained model for use: texts in, labels and probabilities out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from retable.errors import InputError, shown
from retable.own.corpus import split_of_texts
from retable.own.folder import Stored, read_model
from retable.text.clean.cleaning import clean_text
from retable.text.splits import TEXT, TOKENS

MOST_WORDS = 200  # of a text that the service and the command explain: n words cost n predictions of n words


class Answer(NamedTuple):
    """A text's label and its probability; None and 0 for an empty text."""

    label: str | None
    probability: float


class WordWeight(NamedTuple):
    """A word of a text, and the drop in the answer's probability without it."""

    word: str
    weight: float


@dataclass(frozen=True)
class Model:
    """A trained model that answers texts; `load` reads one from its folder."""

    stored: Stored

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels, in the order of the probability columns."""
        return self.stored.facts.labels

    def probabilities(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability of every label, float64 (text, label); zeros for an empty text.

        Raises: InputError like `texts_of`.
        """
        cleaned = [clean_text(text, markup=self.stored.markup) for text in texts_of(texts)]
        found = np.zeros((len(cleaned), len(self.labels)))
        places = [place for place, text in enumerate(cleaned) if text]
        if places:
            split = split_of_texts(self.stored.facts, [cleaned[place] for place in places])
            found[places] = self.stored.classifier.probabilities(split)
        return found

    def predict(self, texts: Sequence[str]) -> list[Answer]:
        """Return the most probable label of every text, and its probability."""
        return answers_of(self.probabilities(texts), self.labels)

    def words(self, text: str) -> list[str]:
        """Return the words of a text as the model reads them."""
        cleaned = clean_text(text, markup=self.stored.markup)
        found: list[str] = split_of_texts(self.stored.facts, [cleaned]).tokens[0].as_py() if cleaned else []
        return found

    def explain(self, text: str) -> list[WordWeight]:
        """Return the weight of every word of a text: the word is left out, and the model predicts again.

        A text of n words costs n predictions.
        """
        cleaned = clean_text(text, markup=self.stored.markup)
        if not cleaned:
            return []
        whole = split_of_texts(self.stored.facts, [cleaned])
        words = whole.tokens[0].as_py()
        probabilities = self.stored.classifier.probabilities(whole)[0]
        label = int(probabilities.argmax())
        if len(words) == 1:
            return [WordWeight(words[0], float(probabilities[label]))]
        without = [words[:place] + words[place + 1 :] for place in range(len(words))]
        asked = replace(
            whole,
            ids=[str(place) for place in range(len(words))],
            tokens=pa.array(without, TOKENS.type),
            classes=np.zeros(len(words), np.int64),
            clean=np.ones(len(words), np.bool_),
            texts=pa.array([" ".join(left) for left in without], TEXT.type),
        )
        left = self.stored.classifier.probabilities(asked)[:, label]
        return [WordWeight(word, float(probabilities[label] - each)) for word, each in zip(words, left, strict=True)]


def texts_of(given: Any) -> list[str]:
    """Return texts as a list. Raises: InputError for a single text, or an element that is not a text."""
    if isinstance(given, str):
        raise InputError("a single text was given; give a list of texts.")
    texts = list(given)
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"text {place} is {shown(text)}, which is not a text; give a list of texts (str).")
    return texts


def answers_of(probabilities: np.ndarray, labels: Sequence[str]) -> list[Answer]:
    """Return the most probable label of every row, float (text, label), and its probability."""
    best = probabilities.argmax(axis=1).tolist()
    return [
        Answer(labels[place] if row[place] else None, float(row[place]))
        for row, place in zip(probabilities, best, strict=True)
    ]


def load(folder: Path | str, *, device: str = "auto") -> Model:
    """Load the model in a folder that `retable fit` wrote.

    Raises: InputError if there is no model, it is damaged, or a newer retable wrote it.
    """
    return Model(read_model(Path(folder), device=device))
