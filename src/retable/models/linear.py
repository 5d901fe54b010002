"""Linear models on n-grams: what a user would pick instead of a network.

Source     tfidf-svm: Salton and Buckley 1988 (weights), Fan et al., "LIBLINEAR", JMLR 2008 (the SVM). nb-svm: Wang and
           Manning, "Baselines and Bigrams", ACL 2012, eq. 2-4: binary n-grams scaled by the log-count ratio of a class
           against the rest, and weights interpolated with their mean size.
Choice     n-grams and C by the score on dev (`retable.models.candidate`); ties go to the first, the smaller model.
Unit       if the unit is characters, words-n and characters-n are the same, n-grams of characters across words; this is
           called characters-n and tried once.
Answers    softmax over scale * score; the single number `scale` is fitted on the dev split and changes no decision.
Shapes     N texts, V n-grams, C classes.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from safetensors.numpy import load_file, save
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from retable.files import MODEL_AGAIN, atomic_file, read_json, write_json
from retable.forms import FLAG, Distinct, Form, Number, OneOf, Section, Text, check
from retable.layers.options import Positives, Range
from retable.models.candidate import Candidate, OnCandidate, Search
from retable.text.splits import Split
from retable.text.units import Unit, in_unit

Features = Literal["words-1", "words-2", "words-3", "characters-4", "characters-5"]
Weighting = Literal["tfidf", "binary", "binary-unit-length", "counts"]
# fit_weights(x, classes, cost, seed) returns the weights (C, V) and the bias (C,)
FitWeights = Callable[[sparse.csr_matrix, np.ndarray, Any, int], tuple[np.ndarray, np.ndarray]]
FEATURES = get_args(Features)
Ngrams = Annotated[
    Sequence[Features],
    Range(f"one or more of {', '.join(FEATURES)}", lambda names: bool(names) and set(names) <= set(FEATURES)),
]
SMALL = 5_000_000  # characters of training text; above this, the large features take many minutes and gigabytes
LARGE_FEATURES = ("words-3", "characters-4", "characters-5")
OF_TEXTS: dict[str, Form] = {"lowercase": FLAG, "unit": OneOf(get_args(Unit))}
SCALE = Number(0)  # of the scores
FORM = Section(  # of vocabulary.json
    {
        "features": Text(r"(words|characters)-[1-5]", "words-1 to characters-5"),
        "weighting": OneOf(get_args(Weighting)),
        "ngrams": Distinct(),
        "scale": SCALE,
        **OF_TEXTS,
    },
    closed=True,
)
PASSES = 200  # largest number of iterations of dual coordinate descent


@dataclass(frozen=True)
class LinearClassifier:
    """Hold features, weights and the scale of the scores: all that is needed to classify.

    `ngrams` lists the n-grams in the order of their columns, `factors` float (V,) multiplies the columns (idf, or
    ones), `weights` float (C, V), `bias` float (C,).
    """

    features: str
    weighting: Weighting
    lowercase: bool
    unit: Unit
    ngrams: list[str]
    factors: np.ndarray
    weights: np.ndarray
    bias: np.ndarray
    scale: float

    def probabilities(self, split: Split) -> np.ndarray:
        """Return the class probabilities of every text, float (N, C)."""
        counter = ngram_counter(self.features, self.unit, vocabulary=self.ngrams)
        counts = counter.transform(joined_texts(split, self.unit, lowercase=self.lowercase))
        x = weigh(counts, self.weighting, self.factors)
        return softmax(self.scale * (x @ self.weights.T + self.bias), axis=1)

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and vocabulary.json."""
        write_weights(folder, {"factors": self.factors, "weights": self.weights, "bias": self.bias})
        facts = {
            "features": self.features,
            "weighting": self.weighting,
            "lowercase": self.lowercase,
            "unit": self.unit,
            "scale": self.scale,
            "ngrams": self.ngrams,
        }
        write_json(folder / "vocabulary.json", facts)

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Return the number of weights and FLOPs per token: each n-gram starting at it meets one weight per class."""
        kind, length = self.features.split("-")
        within_words = kind == "characters" and self.unit == "words"
        ngrams_at_a_word = int(length) * 5.0 if within_words else int(length)  # about five characters per word
        return {
            "parameters": self.weights.size + self.bias.size,
            "parameters_tuned_words": 0,
            "flops_per_word": 2.0 * ngrams_at_a_word * len(self.bias),
        }


def write_weights(folder: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write weights.safetensors.

    Arrays are made contiguous: safetensors writes raw memory, and liblinear returns several classes by column.
    """
    with atomic_file(folder / "weights.safetensors") as part:
        # save_file would not raise OSError on a full disk
        part.write_bytes(save({name: np.ascontiguousarray(array) for name, array in arrays.items()}))


def load_linear(folder: Path) -> LinearClassifier:
    """Read what `LinearClassifier.save` wrote. Raises: InputError or ValueError if a file has another form."""
    facts, arrays = read_facts(folder / "vocabulary.json", FORM), load_file(folder / "weights.safetensors")
    ngrams, classes = len(facts["ngrams"]), len(arrays["bias"])
    check_arrays(arrays, factors=(ngrams,), weights=(classes, ngrams), bias=(classes,))
    return LinearClassifier(**facts, **arrays)


def read_facts(path: Path, form: Section) -> dict[str, Any]:
    """Read the JSON file of a saved model. Raises: InputError if it has another form."""
    facts: dict[str, Any] = read_json(path, advice=MODEL_AGAIN)
    check(facts, form, str(path), MODEL_AGAIN)
    return facts


def check_arrays(arrays: Mapping[str, np.ndarray], **shapes: tuple[int, ...]) -> None:
    """Raise ValueError for weights of other names or shapes, or that are not finite."""
    if {name: array.shape for name, array in arrays.items()} != shapes:
        raise ValueError(f"the shapes {[(name, array.shape) for name, array in sorted(arrays.items())]} do not fit")
    if wrong := [name for name, array in arrays.items() if not np.isfinite(array).all()]:
        raise ValueError(f"{wrong[0]} has a number that is infinite or NaN")


def train_tfidf_svm(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    features: Ngrams = ("words-1", "words-2", "characters-5"),
    costs: Positives = (0.1, 0.3, 1.0, 3.0),
    on_candidate: OnCandidate | None = None,
) -> tuple[LinearClassifier, list[Candidate]]:
    """Train a support vector machine on tf-idf: (1 + log tf) * idf, rows of unit length.

    Args:
        features: n-grams to choose from; words-2 means single words and pairs, characters-5 one to five characters.
        costs: values of C to choose from.
        on_candidate: called with each setting tried.
    """
    return choose(
        train,
        dev,
        "tfidf",
        features,
        costs,
        seed=seed,
        lowercase=lowercase,
        unit=unit,
        on_candidate=on_candidate,
        fit_weights=svm_weights,
    )


def train_nb_svm(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    features: Ngrams = ("words-2", "words-3"),
    costs: Positives = (0.01, 0.1, 1.0),
    beta: Annotated[float, Range("0 <= {} <= 1", lambda value: 0 <= value <= 1)] = 0.25,
    on_candidate: OnCandidate | None = None,
) -> tuple[LinearClassifier, list[Candidate]]:
    """Train a support vector machine on binary n-grams scaled by naive Bayes log-count ratios, one class against the
    rest.

    Args:
        beta: share of the fitted weights, in [0, 1]; the rest is their mean size (Wang and Manning, eq. 4).
    """

    def fit_weights(x: sparse.csr_matrix, classes: np.ndarray, cost: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
        return nb_svm_weights(x, classes, cost, seed, beta)

    return choose(
        train,
        dev,
        "binary",
        features,
        costs,
        seed=seed,
        lowercase=lowercase,
        unit=unit,
        on_candidate=on_candidate,
        fit_weights=fit_weights,
    )


def choose(
    train: Split,
    dev: Split,
    weighting: Weighting,
    features: Sequence[str],
    costs: Sequence[float | None],
    *,
    seed: int,
    lowercase: bool,
    unit: Unit,
    fit_weights: FitWeights,
    on_candidate: OnCandidate | None,
) -> tuple[LinearClassifier, list[Candidate]]:
    """Fit every candidate on the training split and keep the one that is best on dev."""
    features = features_in_unit(features, unit)
    train_texts, dev_texts = (joined_texts(split, unit, lowercase=lowercase) for split in (train, dev))
    too_long = sum(map(len, train_texts)) > SMALL
    best: LinearClassifier | None = None
    if too_long:
        features = [name for name in features if name not in LARGE_FEATURES] or features
    search = Search(dev, len(features) * len(costs), on_candidate)
    for name in features:
        counter = ngram_counter(name, unit)
        train_counts, dev_counts = counter.fit_transform(train_texts), counter.transform(dev_texts)
        factors = idf(train_counts) if weighting == "tfidf" else np.ones(train_counts.shape[1], np.float32)
        x, x_dev = weigh(train_counts, weighting, factors), weigh(dev_counts, weighting, factors)
        for cost in costs:
            weights, bias = fit_weights(x, train.classes, cost, seed)
            scores = x_dev @ weights.T + bias
            if search.add(name, cost, scores):
                ngrams = counter.get_feature_names_out().tolist()
                best = LinearClassifier(
                    name, weighting, lowercase, unit, ngrams, factors, weights, bias, fitted_scale(scores, dev.classes)
                )
            if search.ended:
                break
        if search.ended:
            break
    assert best is not None
    return best, search.tried


def svm_weights(x: sparse.csr_matrix, classes: np.ndarray, cost: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (C, V) and bias (C,) of a linear support vector machine; two classes get mirrored rows."""
    return fitted_rows(LinearSVC(C=cost, dual=True, max_iter=PASSES, random_state=seed), x, classes)


def fitted_rows(
    machine: LinearSVC | LogisticRegression, x: np.ndarray | sparse.csr_matrix, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Fit scikit-learn's machine and return weights (C, V) and bias (C,); two classes get mirrored rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a large C may stop early; dev judges the result
        machine.fit(x, classes)
    weights, bias = machine.coef_.astype(np.float32), machine.intercept_.astype(np.float32)
    if len(weights) == 1:
        return np.concatenate([-weights, weights]), np.concatenate([-bias, bias])
    return weights, bias


def nb_svm_weights(
    x: sparse.csr_matrix, classes: np.ndarray, cost: float, seed: int, beta: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (C, V) on binary features, multiplied by the log-count ratio (Wang and Manning, eq. 2-4)."""

    def fit_class(positive: np.ndarray) -> tuple[np.ndarray, float]:
        ratio = log_count_ratio(x, positive)
        weights, bias = svm_weights(x.multiply(ratio).tocsr(), positive, cost, seed)
        mean_size = np.abs(weights[1]).mean()
        prior = np.log(positive.sum() / (len(positive) - positive.sum()))
        row = (((1 - beta) * mean_size + beta * weights[1]) * ratio).astype(np.float32)  # eq. 4
        return row, (1 - beta) * mean_size * prior + beta * bias[1]

    return one_against_the_rest(classes, fit_class)


def one_against_the_rest(
    classes: np.ndarray, fit_class: Callable[[np.ndarray], tuple[np.ndarray, float]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (C, V) and bias (C,), one row per class; `fit_class` gets 1 for its texts and 0 for others."""
    rows, biases = [], []
    for target in range(int(classes.max()) + 1):
        row, bias = fit_class((classes == target).astype(np.int64))
        rows.append(row)
        biases.append(bias)
        if classes.max() == 1:  # the second problem mirrors the first
            return np.stack([rows[0], -rows[0]]), np.array([biases[0], -biases[0]], np.float32)
    return np.stack(rows), np.array(biases, np.float32)


def log_count_ratio(x: sparse.csr_matrix, positive: np.ndarray) -> np.ndarray:
    """Return log((p / |p|) / (q / |q|)), (V,), p and q the smoothed n-gram counts of class and rest (eq. 2)."""
    p = 1.0 + np.asarray(x[positive == 1].sum(axis=0)).ravel()
    q = 1.0 + np.asarray(x[positive == 0].sum(axis=0)).ravel()
    return np.log((p / p.sum()) / (q / q.sum())).astype(np.float32)


def fitted_scale(scores: np.ndarray, classes: np.ndarray) -> float:
    """Return the factor on the scores that gives the dev classes the greatest softmax likelihood."""

    def loss(log_scale: float) -> float:
        return float(-log_softmax(np.exp(log_scale) * scores, axis=1)[np.arange(len(classes)), classes].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-4.0, 6.0), method="bounded").x))


def features_in_unit(features: Sequence[str], unit: Unit) -> list[str]:
    """Return the feature names in this unit, each once: with characters, words-2 becomes characters-2."""
    if unit == "words":
        return list(features)
    return list(dict.fromkeys(f"characters-{name.partition('-')[2]}" for name in features))


def joined_texts(split: Split, unit: Unit, *, lowercase: bool) -> list[str]:
    """Return the tokens of every text in this unit, joined by spaces."""
    texts = [" ".join(tokens) for tokens in in_unit(split, unit).tokens.to_pylist()]
    return [text.lower() for text in texts] if lowercase else texts


def ngram_counter(features: str, unit: Unit, vocabulary: list[str] | None = None) -> CountVectorizer:
    """Return a counter of n-grams of space-separated tokens, or of character n-grams within words."""
    kind, length = features.split("-")
    if kind == "words" or unit == "characters":
        return CountVectorizer(
            analyzer="word",
            tokenizer=str.split,
            token_pattern=None,
            lowercase=False,
            ngram_range=(1, int(length)),
            vocabulary=vocabulary,
            dtype=np.float32,
        )
    return CountVectorizer(
        analyzer="char_wb", lowercase=False, ngram_range=(1, int(length)), vocabulary=vocabulary, dtype=np.float32
    )


def word_counts(split: Split, words: list[str], unit: Unit, *, lowercase: bool) -> sparse.csr_matrix:
    """Return how often each word occurs in each text, float64 (N, V)."""
    counter = ngram_counter("words-1", unit, vocabulary=words)
    return counter.transform(joined_texts(split, unit, lowercase=lowercase)).astype(np.float64)


def idf(counts: sparse.csr_matrix) -> np.ndarray:
    """Return log((1 + N) / (1 + texts with the n-gram)) + 1, float32 (V,)."""
    return TfidfTransformer().fit(counts).idf_.astype(np.float32)


def weigh(counts: sparse.csr_matrix, weighting: str, factors: np.ndarray) -> sparse.csr_matrix:
    """Map counts (N, V) to features (N, V): tf-idf or binary with rows of unit length, plain binary, or the counts."""
    x = counts.copy()
    if weighting == "counts":
        return x
    if weighting == "tfidf":
        x.data = (1.0 + np.log(x.data)) * factors[x.indices]
    else:
        x.data[:] = 1.0
    if weighting == "binary":
        return x
    lengths = np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
    x.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(x.indptr)).astype(np.float32)
    return x
