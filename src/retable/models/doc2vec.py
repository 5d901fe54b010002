"""Doc2vec: two paragraph vectors of a text, PV-DBOW and PV-DM, concatenated, and a logistic regression on them.

Source     Le and Mikolov, "Distributed Representations of Sentences and Documents", ICML 2014, section 2.2-2.3, eq. 1
           and 3.2 (400 numbers each, a window of 8 on the treebank and 10 on imdb, hierarchical softmax); gensim's
           Doc2Vec. From code and notes that quote it, not checked against the paper.
Equation   PV-DBOW: the text's vector d predicts each of its words, log p(w | d). PV-DM: the mean of d and the words
           around predicts the word between. For a new text only d is trained, all else fixed, from d = 0.
Reading    passes and rate are not printed: 20, from 0.025 down to 0.0001, in training and for a new text. Frequent
           words are not subsampled, words that occur once are left out, and gensim reads the first 10,000 words of a
           text. Its sigmoid comes from a table of 1,000 entries and is slightly low: 0.494 at 0.
Pairs      with `compare` a text is a pair, and its features are the cosines of its two texts' vectors, one per network:
           Yang, Yih and Meek, "WikiQA", EMNLP 2015, section 4 (from memory), which ranks by the cosine alone.
Departure  PV-DM takes the mean of the words on both sides, up to the window's 8 or 10 on each, where the paper
           concatenates the 7 or 9 before a word, which is as many times wider and slower. Vectors are trained on the
           training texts; the paper's on all phrases of the treebank, and on IMDB's unlabelled texts. One logistic
           regression (L2, C chosen on dev); for imdb the paper adds a hidden layer of 50 below it.
Shapes     N texts, V words, S size of a vector, C classes.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from retable.errors import InputError
from retable.forms import FLAG, Distinct, Form, ListOf, Number
from retable.layers.options import Count, Positives
from retable.models.candidate import Candidate, OnCandidate, Search
from retable.models.dense import Scorer, best_scorer, load_arrays, save_arrays
from retable.models.linear import OF_TEXTS, fitted_rows, joined_texts
from retable.text.pairs import pairs_of
from retable.text.splits import Split
from retable.text.units import Unit

FILE = "paragraphs.json"
KINDS = ("dbow", "dm")
AMOUNT = Number(1, 10**9, whole=True)
FORM: dict[str, Form] = {
    **OF_TEXTS, **dict.fromkeys(("size", "window", "epochs"), AMOUNT), "words": Distinct(), "counts": ListOf(AMOUNT),
    "seed": Number(0, 2**32 - 1, whole=True), "compare": FLAG,
}  # fmt: skip
FIRST_RATE, LAST_RATE = 0.025, 0.0001
STEPS = 1000  # maximum for the logistic regression


@dataclass(frozen=True)
class ParagraphClassifier:
    """Hold the networks of both paragraph vectors and a scorer: all that is needed to classify.

    `counts` are the training counts of the words, which determine the softmax's tree; `arrays` holds the vectors of
    the words (dm) and of the tree (dm, dbow), float32 (V, S) each.
    """

    words: list[str]
    counts: list[int]
    size: int
    window: int
    epochs: int
    seed: int
    lowercase: bool
    unit: Unit
    arrays: dict[str, np.ndarray]
    scorer: Scorer
    compare: bool = False

    def probabilities(self, split: Split) -> np.ndarray:
        """Return the class probabilities of every text, float (N, C)."""
        networks = {kind: self.network(kind) for kind in KINDS}
        texts = texts_of(split, self.unit, lowercase=self.lowercase, compare=self.compare)
        found = inferred(networks, texts, self.epochs, self.seed)
        return self.scorer.probabilities(cosines(found) if self.compare else found)

    def network(self, kind: str) -> Any:
        """Return gensim's network with these weights."""
        found = new_network(kind, self.size, self.window, self.epochs, self.seed)
        found.build_vocab_from_freq(dict(zip(self.words, self.counts, strict=True)))
        found.syn1 = self.arrays[f"{kind}.tree"]
        if kind == "dm":
            found.wv.vectors = self.arrays["dm.words"]
        return found

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and paragraphs.json."""
        names = ("words", "counts", "size", "window", "epochs", "seed", "lowercase", "unit", "compare")
        save_arrays(folder, FILE, {name: getattr(self, name) for name in names}, self.arrays, self.scorer)

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Return the number of weights, and FLOPs per word of a new text, whose vectors must be trained.

        A pass takes 2 S for each of about log2 V steps down the tree in each network, and S for each surrounding word.
        """
        steps = 2 * len(KINDS) * np.log2(max(len(self.words), 2)) + self.window + 1
        return {
            "parameters": sum(each.size for each in self.arrays.values()) + self.scorer.parameters,
            "parameters_tuned_words": 0,
            "flops_per_word": 2.0 * float(self.epochs * self.size * steps + self.scorer.weights.size / words_per_text),
        }


def load_paragraphs(folder: Path) -> ParagraphClassifier:
    """Read what `ParagraphClassifier.save` wrote."""

    def shapes(facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> tuple[int, dict[str, tuple[int, ...]]]:
        of_network = (len(facts["words"]), facts["size"])
        features = len(KINDS) * (1 if facts.get("compare") else facts["size"])
        return features, dict.fromkeys(("dm.words", *(f"{kind}.tree" for kind in KINDS)), of_network)

    facts, arrays, scorer = load_arrays(folder, FILE, FORM, shapes)
    if len(facts["counts"]) != len(facts["words"]):
        raise ValueError(f"there are {len(facts['words'])} words, but {len(facts['counts'])} counts")
    return ParagraphClassifier(**facts, arrays=arrays, scorer=scorer)


def train_doc2vec(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    size: Count = 400,
    window: Count = 8,
    epochs: Count = 20,
    min_count: Count = 2,
    compare: bool = False,
    costs: Positives = (0.01, 0.1, 1.0, 10.0),
    on_candidate: OnCandidate | None = None,
) -> tuple[ParagraphClassifier, list[Candidate]]:
    """Train paragraph vectors (doc2vec: PV-DBOW and PV-DM) of the training texts and a logistic regression on them.

    Args:
        size: size of each of the two vectors.
        window: maximum number of words that PV-DM reads on each side of a word.
        epochs: passes over the training texts and over a new text.
        min_count: words that occur less often in training are left out.
        compare: whether a text is a pair whose two vectors are compared.
        costs: values of C to choose from.
        on_candidate: called with each setting tried.
    Raises: ValueError if no word is frequent enough; InputError if a text to compare is not a pair.
    """
    texts = texts_of(train, unit, lowercase=lowercase, compare=compare)
    frequent = {word for word, count in Counter(word for text in texts for word in text).items() if count >= min_count}
    if not frequent:
        raise InputError(f"min_count is {min_count}; allowed: at most the count of the most frequent word")
    texts = [[word for word in text if word in frequent] for text in texts]
    networks = {kind: trained_network(kind, texts, size, window, epochs, seed) for kind in KINDS}
    own = np.concatenate([networks[kind].dv.vectors for kind in KINDS], axis=1)
    x_dev = inferred(networks, texts_of(dev, unit, lowercase=lowercase, compare=compare), epochs, seed)
    if compare:
        own, x_dev = cosines(own), cosines(x_dev)
    search = Search(dev, len(costs), on_candidate)
    scorer = best_scorer("pv-dbow + pv-dm", (own, x_dev), train, costs, logistic_weights, seed=seed, search=search)
    assert scorer is not None
    vectors = networks["dm"].wv
    arrays = {f"{kind}.tree": networks[kind].syn1 for kind in KINDS} | {"dm.words": vectors.vectors}
    counts = [int(vectors.get_vecattr(word, "count")) for word in vectors.index_to_key]
    words = list(vectors.index_to_key)
    return (
        ParagraphClassifier(words, counts, size, window, epochs, seed, lowercase, unit, arrays, scorer, compare),
        search.tried,
    )


def texts_of(split: Split, unit: Unit, *, lowercase: bool, compare: bool) -> list[list[str]]:
    """Return the tokens of every text in this unit; for pairs to compare, all first texts, then all second texts."""
    if compare:
        pairs = pairs_of(split, unit, lowercase=lowercase)
        return [side[place] for place in (0, 1) for side in pairs]
    return [text.split() for text in joined_texts(split, unit, lowercase=lowercase)]


def new_network(kind: str, size: int, window: int, epochs: int, seed: int) -> Any:
    """Return gensim's network without words; its word sorting is off because it depends on the machine."""
    from gensim.models import Doc2Vec  # not at the top: it takes a second to import

    return Doc2Vec(
        dm=int(kind == "dm"), vector_size=size, window=window, epochs=epochs, hs=1, negative=0, sample=0,
        min_count=1, sorted_vocab=0, alpha=FIRST_RATE, min_alpha=LAST_RATE, seed=seed, workers=1,
    )  # fmt: skip


def trained_network(kind: str, texts: list[list[str]], size: int, window: int, epochs: int, seed: int) -> Any:
    """Train one of the two networks on texts that contain only words to keep."""
    from gensim.models.doc2vec import TaggedDocument

    network = new_network(kind, size, window, epochs, seed)
    documents = [TaggedDocument(text, [number]) for number, text in enumerate(texts)]
    network.build_vocab(documents)
    network.train(documents, total_examples=len(documents), epochs=epochs)
    return network


def inferred(networks: dict[str, Any], texts: list[list[str]], epochs: int, seed: int) -> np.ndarray:
    """Return both vectors of new texts, concatenated, float32 (N, 2 S); they do not depend on other texts."""
    return np.array(
        [np.concatenate([one_vector(networks[kind], text, epochs, seed) for kind in KINDS]) for text in texts]
    )


def cosines(vectors: np.ndarray) -> np.ndarray:
    """Return the cosine of the two texts of every pair in each network, float32 (N, 2).

    Args:
        vectors: of all first texts, then all second texts, with both networks concatenated, (2 N, 2 S).
    """
    first, second = (each.reshape(len(vectors) // 2, len(KINDS), -1) for each in np.split(vectors, 2))
    lengths = np.linalg.norm(first, axis=2) * np.linalg.norm(second, axis=2)
    found: np.ndarray = (first * second).sum(axis=2) / np.where(lengths > 0, lengths, 1.0)
    return found


def one_vector(network: Any, text: list[str], epochs: int, seed: int) -> np.ndarray:
    """Return the paragraph vector of one new text, float32 (S,).

    gensim's `infer_vector` starts from a hash of the text, which differs between processes, and continues the random
    numbers of earlier texts; here it starts from 0 with random numbers from the seed.
    """
    from gensim.models.doc2vec import train_document_dbow, train_document_dm

    network.random.seed(seed)
    size = network.vector_size
    vector, work, sums = (np.zeros(size, np.float32) for _ in range(3))
    fixed = {
        "learn_words": False, "learn_hidden": False,
        "doctag_vectors": vector.reshape(1, size), "doctags_lockf": np.ones(1, np.float32),
    }  # fmt: skip
    for rate in np.linspace(FIRST_RATE, LAST_RATE, epochs):
        if network.dm:
            train_document_dm(network, text, [0], rate, work, sums, **fixed)
        else:
            train_document_dbow(network, text, [0], rate, work, **fixed)
    return vector


def logistic_weights(x: np.ndarray, classes: np.ndarray, cost: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (C, F) and bias (C,) of a logistic regression; two classes get mirrored rows."""
    return fitted_rows(LogisticRegression(C=cost, max_iter=STEPS, random_state=seed), x, classes)
