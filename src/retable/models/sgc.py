"""SGC: the tf-idf of a text, propagated two steps over a graph of words, and a logistic regression on the result.

Source     Wu, Zhang, Souza, Fifty, Yu and Weinberger, "Simplifying Graph Convolutional Networks", ICML 2019; the
           authors' code for texts, Tiiiger/SGC (downstream/TextSGC: train.py, tuning.py, utils.py), which was read; not
           checked against the published paper. The graph and its weights A~: `retable.layers.word_graph`.
Equation   Y = softmax(A~^K X W), K = 2, X = I: a text's features are its row of A~^2. Each is scaled to the range from
           0 to 1 over the training texts (code). W has no bias; the loss is the mean cross-entropy + w / 2 |W|^2.
Choice     w by the score on dev; ties go to the first, the largest. The code draws 60 numbers from 1e-6 to 1.
Departure  inductive, like `retable.models.text_gcn`: the graph is that of the training texts, any text is attached to
           it through its words, and only words are features. The code's graph has the dev and test texts, and texts are
           features too. Stop words stay. L-BFGS runs until it converges, not for 60 steps.
Answers    softmax over scale * score, as in `retable.models.linear`.
Shapes     N texts, V words, C classes.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from retable.files import write_json
from retable.forms import Distinct, Section
from retable.layers.options import Count, Positives
from retable.layers.word_graph import WordGraph, word_graph
from retable.models.candidate import Candidate, OnCandidate, Search
from retable.models.linear import (
    OF_TEXTS,
    SCALE,
    check_arrays,
    fitted_scale,
    joined_texts,
    ngram_counter,
    read_facts,
    word_counts,
    write_weights,
)
from retable.text.splits import Split
from retable.text.units import Unit

FILE = "graph.json"
CHUNK = 1024  # texts whose dense features are held at once
STEPS = 300  # largest number of L-BFGS steps


@dataclass(frozen=True)
class GraphRegression:
    """Hold words and weights: all that is needed to classify.

    `idf` and `sums`, float64 (V,), belong to the graph. `far`, float64 (V, C), are the weights of words two steps away,
    A~ W, `near` those of words one step away, W, both divided by the features' ranges; `bias`, float64 (C,), accounts
    for the features' minima.
    """

    words: list[str]
    lowercase: bool
    unit: Unit
    idf: np.ndarray
    sums: np.ndarray
    far: np.ndarray
    near: np.ndarray
    bias: np.ndarray
    scale: float

    def probabilities(self, split: Split) -> np.ndarray:
        """Return the class probabilities of every text, float (N, C)."""
        nothing = sparse.csr_matrix((len(self.words), len(self.words)))
        graph = WordGraph(nothing, self.idf, self.sums)
        to_words, own = graph.attached(word_counts(split, self.words, self.unit, lowercase=self.lowercase))
        return softmax(self.scale * self.scores(to_words, own), axis=1)

    def scores(self, to_words: sparse.csr_matrix, own: np.ndarray) -> np.ndarray:
        """Return A~^2 W, float64 (N, C), of texts with these weights to words (N, V) and to themselves (N,)."""
        return np.asarray(to_words @ self.far + own[:, None] * (to_words @ self.near) + self.bias)

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and graph.json."""
        write_weights(folder, {name: getattr(self, name) for name in ("idf", "sums", "far", "near", "bias")})
        facts = {"words": self.words, "lowercase": self.lowercase, "unit": self.unit, "scale": self.scale}
        write_json(folder / FILE, facts)

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Return the number of weights and FLOPs per word: C one and C two steps away; C per text for its loop."""
        classes = len(self.bias)
        return {
            "parameters": self.near.size,
            "parameters_tuned_words": 0,
            "flops_per_word": 2.0 * (2 * classes + classes / words_per_text),
        }


def load_graph(folder: Path) -> GraphRegression:
    """Read what `GraphRegression.save` wrote. Raises: InputError or ValueError if a file has another form."""
    form = Section({**OF_TEXTS, "words": Distinct(), "scale": SCALE}, closed=True)
    facts, arrays = read_facts(folder / FILE, form), load_file(folder / "weights.safetensors")
    words, classes = len(facts["words"]), len(arrays["bias"])
    check_arrays(arrays, idf=(words,), sums=(words,), far=(words, classes), near=(words, classes), bias=(classes,))
    return GraphRegression(**facts, **arrays)


def train_sgc(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    penalties: Positives = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
    window: Count = 20,
    min_count: Count = 5,
    on_candidate: OnCandidate | None = None,
) -> tuple[GraphRegression, list[Candidate]]:
    """Carry tf-idf two steps over a graph of words, and train a logistic regression on what arrives.

    Args:
        seed: unused; nothing is random.
        penalties: values of w to choose from.
        window: words in a window.
        min_count: words that are rarer in training are left out.
        on_candidate: called with each setting tried.
    """
    words = known_words(train, unit, lowercase=lowercase, min_count=min_count)
    places = {word: place for place, word in enumerate(words)}
    texts = [
        np.array([places[word] for word in text.split() if word in places], dtype=np.int64)
        for text in joined_texts(train, unit, lowercase=lowercase)
    ]
    graph = word_graph(texts, len(words), window)
    (x, own), (x_dev, own_dev) = (
        graph.attached(word_counts(split, words, unit, lowercase=lowercase)) for split in (train, dev)
    )
    least, ranges = extent(x, own, graph.edges)
    search = Search(dev, len(penalties), on_candidate)
    best: GraphRegression | None = None
    start = np.zeros((len(words), len(train.facts.labels)))
    for penalty in penalties:
        start = fitted(x, own, graph.edges, least, ranges, train.classes, penalty, start)
        near = start / ranges[:, None]
        far, bias = np.asarray(graph.edges @ near), -(least @ near)
        found = GraphRegression(words, lowercase, unit, graph.idf, graph.sums, far, near, bias, 1.0)
        scores = found.scores(x_dev, own_dev)
        if search.add("graph", penalty, scores):
            best = replace(found, scale=fitted_scale(scores, dev.classes))
        if search.ended:
            break
    assert best is not None
    return best, search.tried


def known_words(split: Split, unit: Unit, *, lowercase: bool, min_count: int) -> list[str]:
    """Return the words that occur at least `min_count` times, sorted; all words if none does."""
    counter = ngram_counter("words-1", unit)
    totals = np.asarray(counter.fit_transform(joined_texts(split, unit, lowercase=lowercase)).sum(axis=0)).ravel()
    names = counter.get_feature_names_out()
    kept: list[str] = names[totals >= min_count].tolist()
    return kept or names.tolist()


def extent(x: sparse.csr_matrix, own: np.ndarray, edges: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
    """Return each feature's minimum over these texts, float64 (V,), and its range; 1 if it is constant."""
    least, most = np.full(x.shape[1], np.inf), np.full(x.shape[1], -np.inf)
    for start in range(0, x.shape[0], CHUNK):
        rows = x[start : start + CHUNK]
        features = (rows @ edges + sparse.diags_array(own[start : start + CHUNK]) @ rows).toarray()
        least, most = np.minimum(least, features.min(axis=0)), np.maximum(most, features.max(axis=0))
    return least, np.where(most > least, most - least, 1.0)


def fitted(
    x: sparse.csr_matrix,
    own: np.ndarray,
    edges: sparse.csr_matrix,
    least: np.ndarray,
    ranges: np.ndarray,
    classes: np.ndarray,
    penalty: float,
    start: np.ndarray,
) -> np.ndarray:
    """Return the W of least loss, float64 (V, C); A~^2 is never built, as its products are those with A~ twice."""
    rows = np.arange(len(classes))

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(start.shape)
        scaled = weights / ranges[:, None]
        scores = x @ (edges @ scaled) + own[:, None] * (x @ scaled) - least @ scaled
        logs = log_softmax(scores, axis=1)
        value = -logs[rows, classes].mean() + penalty / 2 * (weights**2).sum()
        of_scores = np.exp(logs)
        of_scores[rows, classes] -= 1
        of_scores /= len(classes)
        of_scaled = edges.T @ (x.T @ of_scores) + x.T @ (own[:, None] * of_scores)
        of_scaled -= np.outer(least, of_scores.sum(axis=0))
        return float(value), (of_scaled / ranges[:, None] + penalty * weights).ravel()

    found = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return np.asarray(found.x.reshape(start.shape))
