"""Bags of words: multinomial naive Bayes, a support vector machine on words, and tf times the difference of two idf.

Source     naive-bayes, bow-svm: Wang and Manning, "Baselines and Bigrams", ACL 2012, eq. 1-2 and section 2.
           delta-tfidf: Martineau and Finin, "Delta TFIDF", ICWSM 2009, the equation of V_{t,d}. All from code and
           memory, not checked against the papers.
Reading    naive-bayes: each of C classes has the row log(p / |p|) and the bias log N_c, minus their means over classes:
           this changes no answer, and with two classes it leaves r / 2 of eq. 2 and its mirror. bow-svm: rows of unit
           length, as in the number that the survey quotes (87.8 on imdb is Maas et al.'s "bnc"); false gives the SVM of
           Wang and Manning itself.
Decision   delta-tfidf: a word that is absent from one class has no idf there; `smoothing` is added to both counts of
           texts (Paltoglou and Thelwall, ACL 2010, add 0.5). C is chosen on dev.
Departure  delta-tfidf: the paper has two classes; with more, each has its own weighting and SVM against the rest.
Shapes     N texts, V n-grams, C classes.
"""

import numpy as np
from scipy import sparse

from retable.layers.options import Positive, Positives
from retable.models.candidate import Candidate, OnCandidate
from retable.models.linear import (
    LinearClassifier,
    Ngrams,
    choose,
    one_against_the_rest,
    svm_weights,
)
from retable.text.splits import Split
from retable.text.units import Unit


def train_naive_bayes(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    features: Ngrams = ("words-1", "words-2"),
    smoothing: Positive = 1.0,
    binary: bool = True,
    on_candidate: OnCandidate | None = None,
) -> tuple[LinearClassifier, list[Candidate]]:
    """Train multinomial naive Bayes: count the n-grams of each class.

    Args:
        features: n-grams to choose from.
        smoothing: added to the count of every n-gram in every class (alpha), above 0.
        binary: whether an n-gram counts at most once per text, which Wang and Manning found better.
        on_candidate: called with each setting tried.
    """

    def fit_weights(x: sparse.csr_matrix, classes: np.ndarray, _: None, seed: int) -> tuple[np.ndarray, np.ndarray]:
        return naive_bayes_weights(x, classes, smoothing)

    return choose(
        train,
        dev,
        "binary" if binary else "counts",
        features,
        (None,),
        seed=seed,
        lowercase=lowercase,
        unit=unit,
        on_candidate=on_candidate,
        fit_weights=fit_weights,
    )


def train_bow_svm(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    features: Ngrams = ("words-1",),
    costs: Positives = (0.01, 0.1, 1.0, 10.0),
    unit_length: bool = True,
    on_candidate: OnCandidate | None = None,
) -> tuple[LinearClassifier, list[Candidate]]:
    """Train a support vector machine on a bag of words with binary features.

    Args:
        features: n-grams to choose from.
        costs: values of C to choose from.
        unit_length: whether a text's features are scaled to unit length.
        on_candidate: called with each setting tried.
    """
    return choose(
        train,
        dev,
        "binary-unit-length" if unit_length else "binary",
        features,
        costs,
        seed=seed,
        lowercase=lowercase,
        unit=unit,
        on_candidate=on_candidate,
        fit_weights=svm_weights,
    )


def train_delta_tfidf(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    features: Ngrams = ("words-1", "words-2"),
    costs: Positives = (0.0001, 0.001, 0.01, 0.1),
    smoothing: Positive = 0.5,
    on_candidate: OnCandidate | None = None,
) -> tuple[LinearClassifier, list[Candidate]]:
    """Train a support vector machine on counts times the idf difference between the class and the rest.

    Args:
        features: n-grams to choose from.
        costs: values of C to choose from.
        smoothing: added to a word's document frequencies in the class and in the rest, above 0.
        on_candidate: called with each setting tried.
    """

    def fit_weights(x: sparse.csr_matrix, classes: np.ndarray, cost: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
        return delta_weights(x, classes, cost, seed, smoothing)

    return choose(
        train,
        dev,
        "counts",
        features,
        costs,
        seed=seed,
        lowercase=lowercase,
        unit=unit,
        on_candidate=on_candidate,
        fit_weights=fit_weights,
    )


def naive_bayes_weights(x: sparse.csr_matrix, classes: np.ndarray, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (C, V) and bias (C,) of naive Bayes, each minus its mean over the classes."""
    members = sparse.csr_matrix((np.ones(len(classes)), (classes, np.arange(len(classes)))))  # (C, N)
    p = smoothing + (members @ x).toarray()  # eq. 2: p = alpha + sum of f over the texts of the class
    weights = np.log(p / p.sum(axis=1, keepdims=True))  # log(p / |p|)
    bias = np.log(np.bincount(classes))  # b = log(N+ / N-) for two classes
    return (weights - weights.mean(axis=0)).astype(np.float32), (bias - bias.mean()).astype(np.float32)


def delta_weights(
    x: sparse.csr_matrix, classes: np.ndarray, cost: float, seed: int, smoothing: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (C, V) for plain counts, with the idf differences multiplied in, and bias (C,)."""

    def fit_class(positive: np.ndarray) -> tuple[np.ndarray, float]:
        delta = idf_difference(x, positive, smoothing)
        weights, bias = svm_weights(x.multiply(delta).tocsr(), positive, cost, seed)
        return weights[1] * delta, bias[1]

    return one_against_the_rest(classes, fit_class)


def idf_difference(x: sparse.csr_matrix, positive: np.ndarray, smoothing: float) -> np.ndarray:
    """Return log2(|P| / P_t) - log2(|N| / N_t), with P_t and N_t the smoothed numbers of texts with n-gram t, (V,)."""
    has_ngram = x > 0
    found = [smoothing + np.asarray(has_ngram[positive == side].sum(axis=0)).ravel() for side in (1, 0)]
    idf_in_class = np.log2(positive.sum() / found[0])
    idf_in_rest = np.log2((len(positive) - positive.sum()) / found[1])
    return (idf_in_class - idf_in_rest).astype(np.float32)
