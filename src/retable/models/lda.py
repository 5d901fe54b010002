"""LDA: the shares of a text's topics, and a linear support vector machine on them.

Source     Blei, Ng and Jordan, "Latent Dirichlet Allocation", JMLR 2003 (the model); Hoffman, Blei and Bach, "Online
           Learning for Latent Dirichlet Allocation", NIPS 2010 (the fitting, in scikit-learn); Maas et al., "Learning
           Word Vectors for Sentiment Analysis", ACL 2011, section 4 (topics as classifier features, and the choice of
           words). From code and memory, not checked against the published papers.
Equation   gamma_k = alpha + sum over words w of n_w phi_wk, phi_wk ~ exp(E[log theta_k] + E[log beta_kw]); features are
           gamma / |gamma|.
Reading    words are the 5,000 most frequent after the first 50 (Maas et al.); a vocabulary of 50 or fewer keeps all.
Decision   the number of topics and C are chosen on dev; both priors are 1 / topics; ten passes in batches of 128 texts.
Shapes     N texts, V words, K topics, C classes.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from retable.forms import Distinct
from retable.layers.options import Count, CountOrZero, Counts, Positives
from retable.models.candidate import Candidate, OnCandidate, Search
from retable.models.dense import Scorer, best_scorer, load_arrays, save_arrays
from retable.models.linear import OF_TEXTS, joined_texts, ngram_counter, svm_weights, word_counts
from retable.text.splits import Split
from retable.text.units import Unit

FILE = "topics.json"
ROUNDS = 100  # largest number of updates of a text's phi and gamma


@dataclass(frozen=True)
class TopicClassifier:
    """Hold words, topics and a scorer: all that is needed to classify.

    `words` name the columns of `topics`, which is exp(E[log beta]), float (K, V).
    """

    words: list[str]
    lowercase: bool
    unit: Unit
    topics: np.ndarray
    scorer: Scorer

    def probabilities(self, split: Split) -> np.ndarray:
        """Return the class probabilities of every text, float (N, C)."""
        counts = word_counts(split, self.words, self.unit, lowercase=self.lowercase)
        return self.scorer.probabilities(topic_shares(self.topics, counts))

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and topics.json."""
        facts = {"words": self.words, "lowercase": self.lowercase, "unit": self.unit}
        save_arrays(folder, FILE, facts, {"topics": self.topics}, self.scorer)

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Return the number of weights and FLOPs per word: two products with K numbers per round; C K per text."""
        rounds = 2 * ROUNDS * len(self.topics)  # the most that a text may take
        return {
            "parameters": self.topics.size + self.scorer.parameters,
            "parameters_tuned_words": 0,
            "flops_per_word": 2.0 * (rounds + self.scorer.weights.size / words_per_text),
        }


def load_topics(folder: Path) -> TopicClassifier:
    """Read what `TopicClassifier.save` wrote."""
    facts, arrays, scorer = load_arrays(
        folder,
        FILE,
        OF_TEXTS | {"words": Distinct()},
        lambda facts, arrays: (len(arrays["topics"]), {"topics": (len(arrays["topics"]), len(facts["words"]))}),
    )
    return TopicClassifier(**facts, topics=arrays["topics"], scorer=scorer)


def train_lda(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = "words",
    topics: Counts = (20, 50, 100),
    costs: Positives = (0.1, 1.0, 10.0, 100.0),
    words: Count = 5000,
    skip: CountOrZero = 50,
    passes: Count = 10,
    on_candidate: OnCandidate | None = None,
) -> tuple[TopicClassifier, list[Candidate]]:
    """Find the topics of the training texts (LDA), and train a support vector machine on each text's shares of them.

    Args:
        topics: numbers of topics to choose from.
        costs: values of C to choose from.
        words: largest size of the vocabulary.
        skip: number of most frequent words to leave out.
        passes: passes over the training texts.
        on_candidate: called with each setting tried.
    """
    known = vocabulary_of(train, unit, lowercase=lowercase, words=words, skip=skip)
    counts, dev_counts = (word_counts(split, known, unit, lowercase=lowercase) for split in (train, dev))
    search = Search(dev, len(topics) * len(costs), on_candidate)
    best: TopicClassifier | None = None
    for number in topics:
        found = fitted_topics(counts, number, passes, seed)
        shares = topic_shares(found, counts), topic_shares(found, dev_counts)
        scorer = best_scorer(f"topics-{number}", shares, train, costs, svm_weights, seed=seed, search=search)
        best = TopicClassifier(known, lowercase, unit, found, scorer) if scorer else best
        if search.ended:
            break
    assert best is not None
    return best, search.tried


def vocabulary_of(split: Split, unit: Unit, *, lowercase: bool, words: int, skip: int) -> list[str]:
    """Return up to `words` words after the `skip` most frequent, by falling frequency, ties alphabetically."""
    counter = ngram_counter("words-1", unit)
    totals = np.asarray(counter.fit_transform(joined_texts(split, unit, lowercase=lowercase)).sum(axis=0)).ravel()
    ranked = counter.get_feature_names_out()[np.argsort(-totals, kind="stable")].tolist()
    return ranked[skip : skip + words] or ranked[:words]


def fitted_topics(counts: sparse.csr_matrix, topics: int, passes: int, seed: int) -> np.ndarray:
    """Return exp(E[log beta]) of the topics fitted to these counts, float64 (K, V)."""
    model = LatentDirichletAllocation(
        topics, learning_method="online", max_iter=passes, batch_size=128, random_state=seed
    )
    return np.ascontiguousarray(model.fit(counts).exp_dirichlet_component_)


def topic_shares(topics: np.ndarray, counts: sparse.csr_matrix) -> np.ndarray:
    """Return gamma / |gamma| of every text under these topics, float64 (N, K); equal shares if it has no word."""
    model = LatentDirichletAllocation(len(topics), max_doc_update_iter=ROUNDS)
    model.exp_dirichlet_component_ = topics  # scikit-learn's transform reads these attributes of a fit
    model.components_ = topics
    model.doc_topic_prior_ = 1 / len(topics)
    model.n_features_in_ = topics.shape[1]
    return model.transform(counts)
