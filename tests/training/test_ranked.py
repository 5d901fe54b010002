"""A corpus of questions and candidates: the epoch is chosen by mean average precision, which is among the scores."""

from dataclasses import replace

import numpy as np
import torch

from retable.layers.embedding import WordEmbedding
from retable.models.pair_encoder import PairEncoder
from retable.runs.folder import scores_of_splits
from retable.text.pairs import joined
from retable.text.vocabulary import build_vocabulary, count_words, encode
from retable.training.history import Epoch
from retable.training.seeds import seed_everything
from tests.training.conftest import make_split
from tests.training.fitting import fit

CPU = torch.device("cpu")


def ranked(questions: int, seed: int):
    """Return four candidates per question; the answer names its word. Mostly "no", so accuracy says little."""
    generator = np.random.default_rng(seed)
    texts, labels = [], []
    for number in range(questions):
        asked, *others = generator.permutation(["rain", "snow", "wind", "fog", "sun"])[:4]
        for named in (asked, *others):
            texts.append(joined(f"question {number} is on {asked}", f"it says {named}"))
            labels.append(int(named == asked))
    split = make_split(texts, labels, ("no", "yes"))
    return replace(split, facts=replace(split.facts, ranked=True))


def test_the_epoch_with_the_best_map_is_kept_and_its_line_says_so():
    train, dev = ranked(40, 1), ranked(12, 2)
    vocabulary = build_vocabulary(
        count_words(train.tokens, lowercase=True), [], min_count=2, lowercase=True, sides=True
    )
    seed_everything(5)
    embedding = WordEmbedding(torch.randn(len(vocabulary.words), 8), tuned=vocabulary.tuned)
    network = PairEncoder(embedding, 2, encoder="mean", mlp_hidden=16)
    splits = encode(train, vocabulary), encode(dev, vocabulary)
    history = fit(network, *splits, seed=1, device=CPU, learning_rate=0.02, epochs=12, patience=12, batch_size=10)
    best = max(epoch.dev_map for epoch in history.epochs)
    assert history.epochs[history.chosen - 1].dev_map == best
    assert best > 0.6  # candidates in random order: 0.52
    assert history.epochs[0].line["dev_map"] == history.epochs[0].dev_map


def test_a_line_of_another_corpus_has_no_map():
    line = Epoch(1, 0.1, 0.5, 0.5, 0.6, 0.7, 1.0)
    assert "dev_map" not in line.line
    assert line.score == 0.7
    assert replace(line, dev_map=0.4).score == 0.4


def test_scores_of_a_ranked_split_hold_map_mrr_and_questions():
    split = ranked(3, 4)
    right = np.eye(2)[split.classes]
    scores = scores_of_splits((right, split), (1 - right, split))
    assert (scores["dev"]["map"], scores["dev"]["mrr"], scores["dev"]["questions"]) == (1.0, 1.0, 3)
    assert scores["test"]["mrr"] == 0.25  # the answer is the last of four
    assert "map" not in scores["test_clean"]
