"""Features of two texts and a logistic regression: how alike they are, the words of the second, and words across.

Source     Bowman, Angeli, Potts and Manning, "A large annotated corpus for learning natural language inference", EMNLP
           2015, section 3.2 and table 5: (1) BLEU of the second text, of 1 to 4 words; (2) the difference of lengths;
           (3) shared words, their number and share; (4) every word and bigram of the second text; (5) every pair of
           words, one from each text; (6) every pair of bigrams, one from each text. From memory and lists of the
           paper's results, not checked against the published paper.
Reading    unlexicalized is 1 to 3; unigrams adds what needs no bigrams of 4 to 6; lexicalized is all. BLEU is 0 if no
           n-gram is shared. The share is relative to the distinct words of the text that has fewer.
Departure  in the paper the words of (5) and the last words of (6) have the same part of speech, and (3) is also counted
           for nouns, verbs, adjectives and adverbs; here parts of speech are ignored. A feature that occurs in only one
           training pair is left out.
Choice     C by accuracy on the dev split; ties go to the first.
Shapes     N pairs, V features, C classes.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from retable.forms import Distinct, Form, OneOf
from retable.layers.options import Positives
from retable.models.candidate import Candidate, OnCandidate, Search
from retable.models.dense import Scorer, best_scorer, load_arrays, save_arrays
from retable.models.doc2vec import logistic_weights
from retable.models.linear import OF_TEXTS
from retable.text.pairs import pairs_of
from retable.text.splits import Split
from retable.text.units import Unit

FILE = "pairs.json"
LONGEST = 4  # longest n-gram of BLEU
LEAST = 2  # training pairs in which a lexical feature must occur
ALIKE = [*(f"bleu {n}" for n in range(1, LONGEST + 1)), "length", "shared", "share"]
Features = Literal["unlexicalized", "unigrams", "lexicalized"]
FORM: dict[str, Form] = {**OF_TEXTS, "features": OneOf(get_args(Features)), "names": Distinct()}
Pair = tuple[list[str], list[str]]


@dataclass(frozen=True)
class PairClassifier:
    """Hold the features in the order of their columns, and a scorer: all that is needed to classify pairs."""

    features: Features
    lowercase: bool
    unit: Unit
    names: list[str]
    scorer: Scorer

    def probabilities(self, split: Split) -> np.ndarray:
        """Return the class probabilities of every pair, float (N, C)."""
        pairs = pairs_of(split, self.unit, lowercase=self.lowercase)
        return self.scorer.probabilities(matrix([features_of(pair, self.features) for pair in pairs], self.names))

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and pairs.json."""
        names = ("features", "lowercase", "unit", "names")
        save_arrays(folder, FILE, {name: getattr(self, name) for name in names}, {}, self.scorer)

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Return the number of weights and FLOPs per word: one weight per class for each feature of a pair."""
        half = words_per_text / 2
        across = {"unlexicalized": 0.0, "unigrams": half + half**2, "lexicalized": 2 * half + 2 * half**2}
        of_pair = 2.0 * len(self.scorer.bias) * (len(ALIKE) + across[self.features])
        return {
            "parameters": self.scorer.parameters,
            "parameters_tuned_words": 0,
            "flops_per_word": of_pair / words_per_text,
        }


def load_pairs(folder: Path) -> PairClassifier:
    """Read what `PairClassifier.save` wrote."""
    facts, _, scorer = load_arrays(folder, FILE, FORM, lambda facts, arrays: (len(facts["names"]), {}))
    return PairClassifier(**facts, scorer=scorer)


def train_pair_features(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    features: Features = "lexicalized",
    costs: Positives = (0.01, 0.1, 1.0, 10.0),
    on_candidate: OnCandidate | None = None,
) -> tuple[PairClassifier, list[Candidate]]:
    """Train a logistic regression on what two texts share and on the words across them.

    Args:
        features: unlexicalized (similarity of the texts), unigrams (and words), lexicalized (and bigrams).
        costs: values of C to choose from.
        on_candidate: called with each setting tried.
    Raises: InputError if a text is no pair.
    """
    found = [
        [features_of(pair, features) for pair in pairs_of(split, unit, lowercase=lowercase)] for split in (train, dev)
    ]
    texts_with = Counter(name for each in found[0] for name in each)
    names = ALIKE + sorted(name for name, texts in texts_with.items() if texts >= LEAST and name not in ALIKE)
    search, x = Search(dev, len(costs), on_candidate), (matrix(found[0], names), matrix(found[1], names))
    scorer = best_scorer(features, x, train, costs, logistic_weights, seed=seed, search=search)
    assert scorer is not None
    return PairClassifier(features, lowercase, unit, names, scorer), search.tried


def features_of(pair: Pair, features: Features) -> dict[str, float]:
    """Return the non-zero features of a pair by name."""
    first, second = pair
    found = {f"bleu {n}": bleu(first, second, n) for n in range(1, LONGEST + 1)}
    shared = len(set(first) & set(second))
    found |= {
        "length": float(len(second) - len(first)),
        "shared": float(shared),
        "share": shared / max(min(len(set(first)), len(set(second))), 1),
    }
    if features != "unlexicalized":
        found |= dict.fromkeys(words_of(pair, neighbours=features == "lexicalized"), 1.0)
    return {name: value for name, value in found.items() if value}


def words_of(pair: Pair, *, neighbours: bool) -> Iterator[str]:
    """Yield the names of the second text's words and of word pairs across, with `neighbours` of bigrams too."""
    first, second = pair
    kinds = [(first, second)]
    if neighbours:
        kinds.append(([" ".join(two) for two in pairwise(first)], [" ".join(two) for two in pairwise(second)]))
    for left, right in kinds:
        yield from (f"second: {word}" for word in right)
        yield from (f"across: {word} | {other}" for word in left for other in right)


def bleu(reference: list[str], text: list[str], longest: int) -> float:
    """Return the BLEU of a text against one reference, in [0, 1]; 0 if no n-gram of some length is shared.

    Source: Papineni et al., ACL 2002, section 2.3.
    """
    logs = []
    for n in range(1, longest + 1):
        own, known = ngrams(text, n), ngrams(reference, n)
        shared = sum((own & known).values())
        if not shared:
            return 0.0
        logs.append(math.log(shared / sum(own.values())))
    return math.exp(min(0.0, 1 - len(reference) / len(text)) + sum(logs) / longest)


def ngrams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    """Return how often each n-gram occurs."""
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def matrix(found: Sequence[dict[str, float]], names: Sequence[str]) -> Any:
    """Return features by name as a sparse matrix, float32 (N, V); features without a column are left out."""
    columns = {name: column for column, name in enumerate(names)}
    places = [
        (row, columns[name], value) for row, each in enumerate(found) for name, value in each.items() if name in columns
    ]
    rows, cells, values = np.array(places, np.float64).reshape(-1, 3).T
    shape = (len(found), len(names))
    return sparse.csr_matrix((values.astype(np.float32), (rows.astype(int), cells.astype(int))), shape=shape)
