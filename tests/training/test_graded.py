"""A corpus of scores between grades: the loss, the choice of the epoch by correlation, and the scores of a run."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from retable.layers.embedding import WordEmbedding
from retable.models.avg_embedding import AvgEmbedding
from retable.runs.folder import scores_of_splits
from retable.text.grades import agreement, means_of
from retable.text.vocabulary import build_vocabulary, count_words, encode
from retable.training.batches import BatchMaker
from retable.training.history import Epoch
from retable.training.loop import cross_entropy
from retable.training.seeds import seed_everything
from tests.training.conftest import make_split
from tests.training.fitting import fit

CPU = torch.device("cpu")
GRADES = ("1", "2", "3", "4", "5")
MORE = ("none", "little", "some", "much", "all")  # words worth 0 to 4


def graded(texts: int, seed: int):
    """Return texts of four words, whose score is the mean of what the words are worth."""
    worth = np.random.default_rng(seed).integers(0, 5, (texts, 4))
    scores = worth.mean(axis=1)
    split = make_split(
        [" ".join(MORE[word] for word in words) for words in worth], np.floor(scores + 0.5).astype(int), GRADES
    )
    return replace(split, facts=replace(split.facts, graded=True), scores=scores)


def test_the_loss_is_the_divergence_from_the_distributions_and_their_entropy():
    split = graded(30, 1)
    targets = torch.from_numpy(encode(split, build_vocabulary({}, [], min_count=1, lowercase=True)).targets)
    logits = torch.randn(30, 5, generator=torch.manual_seed(3))
    divergence = F.kl_div(logits.log_softmax(dim=1), targets, reduction="batchmean")
    entropy = torch.special.entr(targets).sum(dim=1).mean()
    assert cross_entropy(logits, targets) == pytest.approx((divergence + entropy).item(), abs=1e-6)


def test_a_network_learns_the_scores_and_keeps_the_epoch_with_the_best_correlation():
    train, dev = graded(200, 1), graded(60, 2)
    vocabulary = build_vocabulary(count_words(train.tokens, lowercase=True), [], min_count=1, lowercase=True)
    seed_everything(1)
    network = AvgEmbedding(WordEmbedding(torch.randn(len(vocabulary.words), 8), tuned=vocabulary.tuned), 5)
    splits = encode(train, vocabulary), encode(dev, vocabulary)
    history = fit(network, *splits, seed=1, device=CPU, learning_rate=0.05, epochs=15, patience=15, batch_size=20)
    best = max(epoch.dev_pearson for epoch in history.epochs)
    assert best > 0.97 > history.epochs[0].dev_pearson
    assert history.epochs[history.chosen - 1].dev_pearson == best
    assert history.epochs[0].line["dev_pearson"] == history.epochs[0].dev_pearson
    answers = network.eval()(*BatchMaker(splits[1], CPU)(np.arange(60)).inputs).softmax(dim=1).detach().numpy()
    assert agreement(means_of(answers), dev.scores)["mse"] < 0.03  # with the nearest grades as classes: above 0.05


def test_the_correlation_chooses_where_there_is_one():
    line = Epoch(1, 0.1, 0.5, 0.5, 0.6, 0.7, 1.0)
    assert "dev_pearson" not in line.line
    assert replace(line, dev_pearson=0.4).score == 0.4


def test_scores_of_a_graded_split_compare_the_means_with_the_scores():
    split = graded(40, 4)
    split = replace(split, clean=np.arange(40) < 10)
    shared = encode(split, build_vocabulary({}, [], min_count=1, lowercase=True)).targets
    scores = scores_of_splits((shared, split), (shared[:, ::-1], split))
    assert scores["dev"]["pearson"] == pytest.approx(1.0, abs=1e-6)
    assert scores["dev"]["mse"] == pytest.approx(0.0, abs=1e-9)
    assert scores["test"]["pearson"] == pytest.approx(-1.0, abs=1e-6)
    assert scores["test_clean"]["mse"] == pytest.approx(((4 - 2 * split.scores[:10]) ** 2).mean(), abs=1e-5)
