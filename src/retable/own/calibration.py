"""Set the scale of a linear model's scores so that no text of one's own gets a probability of exactly 1.

Reason     `fitted_scale` (models.linear), which the papers' runs keep, has no greatest likelihood where dev is answered
           without an error: it goes to its bound, and every probability to 0 or 1.
Choice     half an error more than dev shows (Jeffreys' prior), towards the most probable other label of each text.
           Platt's whole one (1999) costs more where dev has errors; docs/your-own-texts.md has the measurement.
Shapes     N texts, C classes.
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from retable.models.linear import LinearClassifier, joined_texts, ngram_counter, weigh
from retable.text.splits import Split
from retable.training.run import Trained

BOUNDS = (-4.0, 6.0)  # of log(scale), as in `fitted_scale`


def calibrated(trained: Trained, dev: Split) -> Trained:
    """Return a trained model whose scale is fitted on smoothed dev classes; another than an n-gram model as it is."""
    if not isinstance(trained.classifier, LinearClassifier):
        return trained
    scale = smoothed_scale(scores_of(trained.classifier, dev), dev.classes)
    return replace(trained, classifier=replace(trained.classifier, scale=scale))


def scores_of(classifier: LinearClassifier, split: Split) -> np.ndarray:
    """Return the scores before the scale and softmax, float (N, C)."""
    counter = ngram_counter(classifier.features, classifier.unit, vocabulary=classifier.ngrams)
    counts = counter.transform(joined_texts(split, classifier.unit, lowercase=classifier.lowercase))
    x = weigh(counts, classifier.weighting, classifier.factors)
    scores: np.ndarray = x @ classifier.weights.T + classifier.bias
    return scores


def smoothed_scale(scores: np.ndarray, classes: np.ndarray) -> float:
    """Return the factor on the scores, float (N, C), with the greatest likelihood of the smoothed classes, int (N,)."""
    rows, error = np.arange(len(classes)), 0.5 / (len(classes) + 1)
    others = scores.astype(np.float64)
    others[rows, classes] = -np.inf
    other = others.argmax(axis=1)

    def loss(log_scale: float) -> float:
        found = log_softmax(np.exp(log_scale) * scores, axis=1)
        return float(-((1 - error) * found[rows, classes] + error * found[rows, other]).mean())

    return float(np.exp(minimize_scalar(loss, bounds=BOUNDS, method="bounded").x))
