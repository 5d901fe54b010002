"""Frozen sentence vectors under a logistic regression or nearest neighbours, as a practitioner would use them today.

Source     minilm-lr: Reimers and Gurevych, "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks", 2019
           (vectors of `retable.models.sentence_encoder`), under scikit-learn's logistic regression, L2.
           minilm-knn: Cover and Hart, "Nearest Neighbor Pattern Classification", 1967; Dudani, "The Distance-Weighted
           k-Nearest-Neighbor Rule", 1976. From memory, not checked against the published papers.
Equation   minilm-knn: p(c) = (1 / C + sum of w_i over the k nearest of class c) / (1 + sum of w_i over the k nearest),
           w_i = max(cos(v, v_i), 0).
Reading    texts are the clean raw ones (unit raw-characters), else the tokens joined by spaces.
Decision   C and k by the score on dev; ties go to the first. Neighbours vote with their cosine, which breaks
           ties; one more vote, shared by all classes, keeps every probability above 0 and changes no decision.
Answers    minilm-lr: softmax over scale * score, as in `retable.models.linear`.
Shapes     N texts, M training texts, S numbers in a vector, C classes.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from safetensors.numpy import load_file

from retable.errors import InputError
from retable.files import write_json
from retable.forms import Form, Number, Section, Text
from retable.layers.options import Counts, Positives
from retable.models.candidate import Candidate, OnCandidate, Search
from retable.models.dense import Scorer, best_scorer, load_arrays, save_arrays
from retable.models.doc2vec import logistic_weights
from retable.models.linear import OF_TEXTS, check_arrays, joined_texts, read_facts, write_weights
from retable.models.sentence_encoder import FILES, PIECES, Encoder, published_encoder
from retable.text.splits import Split
from retable.text.units import RAW, Unit

LR_FILE, KNN_FILE = "sentences.json", "neighbours.json"
CHUNK = 1024  # texts per search for neighbours
WEIGHTS = FILES["model.safetensors"]
AMOUNT = Number(1, 10**9, whole=True)
OF_READER: dict[str, Form] = {**OF_TEXTS, "encoder": Text(), "max_pieces": AMOUNT, "flops_per_text": Number(0)}


@dataclass(frozen=True)
class Reader:
    """Hold the frozen encoder and how texts are passed to it.

    `flops_per_text` is the mean over the training texts.
    """

    encoder: Encoder
    unit: Unit
    lowercase: bool
    flops_per_text: float

    def vectors(self, split: Split) -> np.ndarray:
        """Return the vectors of every text, float32 (N, S)."""
        texts = texts_of(split, self.unit, lowercase=self.lowercase)
        return self.encoder.vectors(self.encoder.pieces(texts), f"{len(texts):,} texts of {split.facts.corpus}")

    @property
    def facts(self) -> dict[str, Any]:
        """Return everything but the encoder's weights, which their SHA-256 identifies."""
        return {
            "encoder": WEIGHTS,
            "max_pieces": self.encoder.max_pieces,
            "unit": self.unit,
            "lowercase": self.lowercase,
            "flops_per_text": self.flops_per_text,
        }


@dataclass(frozen=True)
class SentenceClassifier:
    """Hold a reader and a scorer of its vectors: all that is needed to classify."""

    reader: Reader
    scorer: Scorer

    def probabilities(self, split: Split) -> np.ndarray:
        """Return the class probabilities of every text, float (N, C)."""
        return self.scorer.probabilities(self.reader.vectors(split))

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and sentences.json, without the encoder's weights."""
        save_arrays(folder, LR_FILE, self.reader.facts, {}, self.scorer)

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Return the number of trained weights, and forward FLOPs per unit of text: the encoder's and C S."""
        return {
            "parameters": self.scorer.parameters,
            "parameters_tuned_words": 0,
            "flops_per_word": (self.reader.flops_per_text + 2.0 * self.scorer.weights.size) / words_per_text,
        }


@dataclass(frozen=True)
class NeighbourClassifier:
    """Hold a reader, the training texts' vectors, float32 (M, S), their classes, int64 (M,), and k."""

    reader: Reader
    vectors: np.ndarray
    classes: np.ndarray
    count: int
    neighbours: int

    def probabilities(self, split: Split) -> np.ndarray:
        """Return the class probabilities of every text, float (N, C)."""
        cosines, places = nearest(self.reader.vectors(split), self.vectors, self.neighbours)
        return vote_shares(cosines, self.classes[places], self.count)

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and neighbours.json, without the encoder's weights."""
        write_weights(folder, {"vectors": self.vectors, "classes": self.classes})
        write_json(folder / KNN_FILE, self.reader.facts | {"count": self.count, "neighbours": self.neighbours})

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Return the number of stored values, and forward FLOPs per unit of text: the encoder's and M S."""
        return {
            "parameters": self.vectors.size,
            "parameters_tuned_words": 0,
            "flops_per_word": (self.reader.flops_per_text + 2.0 * self.vectors.size) / words_per_text,
        }


def load_sentences(folder: Path) -> SentenceClassifier:
    """Read what `SentenceClassifier.save` wrote."""
    facts, _, scorer = load_arrays(folder, LR_FILE, OF_READER, lambda facts, arrays: (arrays["weights"].shape[1], {}))
    return SentenceClassifier(reader_of(facts, folder, scorer.weights), scorer)


def load_neighbours(folder: Path) -> NeighbourClassifier:
    """Read what `NeighbourClassifier.save` wrote. Raises: InputError or ValueError if a file has another form."""
    facts = read_facts(folder / KNN_FILE, Section(OF_READER | {"count": AMOUNT, "neighbours": AMOUNT}, closed=True))
    vectors, classes = (arrays := load_file(folder / "weights.safetensors"))["vectors"], arrays["classes"]
    check_arrays(arrays, vectors=vectors.shape, classes=(len(vectors),))
    count, neighbours = facts.pop("count"), facts.pop("neighbours")
    if classes.dtype != np.int64 or classes.min() < 0 or classes.max() >= count:
        raise ValueError(f"classes are not whole numbers from 0 to {count - 1}")
    return NeighbourClassifier(reader_of(facts, folder, vectors), vectors, classes, count, neighbours)


def reader_of(facts: dict[str, Any], folder: Path, weights: np.ndarray) -> Reader:
    """Return the reader with these facts, whose vectors meet these weights, (n, S).

    Raises: InputError if the encoder's weights differ; ValueError if its vectors have another size.
    """
    facts = dict(facts)
    if facts.pop("encoder") != WEIGHTS:
        raise InputError(f"the model in {folder} was trained on vectors of a different encoder; train it again.")
    encoder = published_encoder(facts.pop("max_pieces"))
    if weights.shape[1:] != (encoder.config.hidden_size,):
        raise ValueError(f"the weights have the shape {weights.shape}; allowed: (n, {encoder.config.hidden_size})")
    return Reader(encoder, **facts)


def train_minilm_lr(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = RAW,
    costs: Positives = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
    max_pieces: Annotated[int, PIECES] = 256,
    on_candidate: OnCandidate | None = None,
) -> tuple[SentenceClassifier, list[Candidate]]:
    """Train a logistic regression on frozen sentence vectors of all-MiniLM-L6-v2.

    Args:
        costs: values of C to choose from.
        max_pieces: texts are truncated to this many word pieces.
        on_candidate: called with each setting tried.
    Raises: ValueError if max_pieces is more than the encoder reads; InputError if the encoder is not installed.
    """
    reader, x = read_training(train, unit, lowercase=lowercase, max_pieces=max_pieces)
    search = Search(dev, len(costs), on_candidate)
    scorer = best_scorer("minilm", (x, reader.vectors(dev)), train, costs, logistic_weights, seed=seed, search=search)
    assert scorer is not None
    return SentenceClassifier(reader, scorer), search.tried


def train_minilm_knn(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = RAW,
    neighbours: Counts = (1, 3, 5, 10, 20, 50, 100, 200),
    max_pieces: Annotated[int, PIECES] = 256,
    on_candidate: OnCandidate | None = None,
) -> tuple[NeighbourClassifier, list[Candidate]]:
    """Choose the number of nearest neighbours among frozen sentence vectors of all-MiniLM-L6-v2.

    Args:
        seed: unused; nothing is random.
        neighbours: values of k to choose from; one above the number of training texts takes them all.
        max_pieces: texts are truncated to this many word pieces.
        on_candidate: called with each setting tried.
    Raises: ValueError if max_pieces is more than the encoder reads; InputError if the encoder is not installed.
    """
    reader, x = read_training(train, unit, lowercase=lowercase, max_pieces=max_pieces)
    classes_in_all = len(train.facts.labels)
    cosines, places = nearest(reader.vectors(dev), x, max(neighbours))
    search, best = Search(dev, len(neighbours), on_candidate), neighbours[0]
    for k in neighbours:
        shares = vote_shares(cosines[:, :k], train.classes[places[:, :k]], classes_in_all)
        if search.add(f"neighbours-{k}", None, shares):
            best = k
        if search.ended:
            break
    return NeighbourClassifier(reader, x, train.classes, classes_in_all, best), search.tried


def read_training(train: Split, unit: Unit, *, lowercase: bool, max_pieces: int) -> tuple[Reader, np.ndarray]:
    """Return the reader and the training texts' vectors, float32 (M, S)."""
    encoder = published_encoder(max_pieces)
    pieces = encoder.pieces(texts_of(train, unit, lowercase=lowercase))
    flops = float(encoder.flops(np.array([len(each) for each in pieces])).mean())
    vectors = encoder.vectors(pieces, f"{len(pieces):,} training texts of {train.facts.corpus}")
    return Reader(encoder, unit, lowercase, flops), vectors


def texts_of(split: Split, unit: Unit, *, lowercase: bool) -> list[str]:
    """Return the clean raw texts if the unit is raw characters and the split has them, else the joined tokens."""
    if unit != RAW or split.texts is None:
        return joined_texts(split, "words" if unit == RAW else unit, lowercase=lowercase)
    texts: list[str] = split.texts.to_pylist()
    return [text.lower() for text in texts] if lowercase else texts


def nearest(x: np.ndarray, kept: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k largest cosines of each text, the largest first, float (N, k), and their rows in `kept`, int (N, k).

    Args:
        x: unit vectors of the texts, (N, S).
        kept: unit vectors to search, (M, S); if M is below k, M are returned.
    """
    k = min(k, len(kept))
    cosines, places = np.zeros((len(x), k), x.dtype), np.zeros((len(x), k), np.int64)
    for start in range(0, len(x), CHUNK):
        of_chunk = x[start : start + CHUNK] @ kept.T
        found = np.sort(np.argpartition(-of_chunk, k - 1, axis=1)[:, :k], axis=1)  # ties: first text first
        values = np.take_along_axis(of_chunk, found, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        cosines[start : start + CHUNK] = np.take_along_axis(values, order, axis=1)
        places[start : start + CHUNK] = np.take_along_axis(found, order, axis=1)
    return cosines, places


def vote_shares(cosines: np.ndarray, classes: np.ndarray, count: int) -> np.ndarray:
    """Return the class probabilities, float64 (N, C), from the neighbours' cosines and classes."""
    votes = np.maximum(cosines.astype(np.float64), 0.0)  # w_i
    of_class = np.stack([(votes * (classes == each)).sum(axis=1) for each in range(count)], axis=1)
    return (1 / count + of_class) / (1 + votes.sum(axis=1, keepdims=True))
