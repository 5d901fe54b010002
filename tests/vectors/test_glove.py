"""GloVe: loss, gradient and step by hand, a slow loop from the paper, planted analogies, equal bytes."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from retable.errors import InputError
from retable.vectors.cooccurrence import ENTRY, count_cooccurrences
from retable.vectors.glove import Weights, first_weights, train_glove, visit
from retable.vectors.quality import WordSpace, analogy_scores
from retable.vectors.store import WordVectors
from retable.vectors.token_lists import TokenLists

SETTINGS = {
    "size": 8, "epochs": 100, "window": 5, "min_count": 2, "x_max": 100.0, "exponent": 0.75, "learning_rate": 0.05,
    "lowercase": True, "seed": 1,
}  # fmt: skip


def by_hand():
    """Words a and b, size 1, twice in the text "a b": X_ab = X_ba = 2."""
    entries = np.array([(0, 1, 2.0), (1, 0, 2.0)], ENTRY)
    weights = Weights(
        words=column(0.5, -1.0),
        contexts=column(2.0, 1.0),
        word_biases=row(0.1, 0.2),
        context_biases=row(0.3, -0.4),
    )
    return entries, weights, Weights(column(1, 1), column(1, 1), row(1, 1), row(1, 1))


def test_loss_by_hand():
    """Eq. 8-9 with x_max 32 and exponent 0.75: f(2) = (1/16)^0.75 = 1/8, log 2 = 0.693147.

    a, b: 0.5 * 1 + 0.1 - 0.4 - 0.693147 = -0.493147, squared 0.243194
    b, a: -1 * 2 + 0.2 + 0.3 - 0.693147 = -2.193147, squared 4.809894; (0.243194 + 4.809894) / 8 = 0.631636
    """
    entries, weights, sums = by_hand()
    assert visit(entries, weights, sums, x_max=32, exponent=0.75, learning_rate=0) == pytest.approx(0.631636, rel=1e-5)
    above = visit(entries, weights, sums, x_max=1.5, exponent=0.75, learning_rate=0)  # f = 1
    assert above == pytest.approx(0.243194 + 4.809894, rel=1e-5)
    assert np.array_equal(weights.words, column(0.5, -1.0)), "a learning rate of 0 changes nothing"


def test_two_steps_of_adagrad_by_hand():
    """X_ab = 1, so log X = 0 and, with x_max 1, f = 1; learning rate 0.5; only w_a, w~_b and their biases move.

    1st  difference 0.5 * 1 + 0.1 - 0.4 = 0.2, factor 0.1: steps 0.1 * 1 for w_a, 0.1 * 0.5 for w~_b, 0.1 for the two
         biases, each over sqrt(1); sums 1 + 0.1^2, 1 + 0.05^2, 1.01
    2nd  difference 0.4 * 0.95 + 0 - 0.5 = -0.12, factor -0.06: -0.057 / sqrt(1.01), -0.024 / sqrt(1.0025),
         -0.06 / sqrt(1.01)
    """
    _, weights, sums = by_hand()
    entry = np.array([(0, 1, 1.0)], ENTRY)
    assert visit(entry, weights, sums, x_max=1, exponent=0.75, learning_rate=0.5) == pytest.approx(0.04)
    assert_weights(weights, [0.4, -1], [2, 0.95], [0, 0.2], [0.3, -0.5])
    assert_weights(sums, [1.01, 1], [1, 1.0025], [1.01, 1], [1, 1.01])
    assert visit(entry, weights, sums, x_max=1, exponent=0.75, learning_rate=0.5) == pytest.approx(0.0144)
    assert_weights(weights, [0.456717, -1], [2, 0.973970], [0.059702, 0.2], [0.3, -0.440298])
    assert_weights(sums, [1.013249, 1], [1, 1.003076], [1.0136, 1], [1, 1.0136])


def test_the_step_of_every_entry_is_the_gradient_of_half_the_loss():
    draw = np.random.default_rng(1)
    entries = random_entries(draw)
    start, _ = first_weights(5, 4, draw)
    for entry in entries:
        weights, sums = copied(start), Weights(*[np.ones_like(part) for part in start])
        visit(np.array([entry]), weights, sums, x_max=3, exponent=0.6, learning_rate=1)  # steps are gradients
        parts = [torch.tensor(part, dtype=torch.float64, requires_grad=True) for part in start]
        (loss_in_torch(np.array([entry]), parts, x_max=3, exponent=0.6) / 2).backward()
        for before, after, part in zip(start, weights, parts, strict=True):
            np.testing.assert_allclose(before - after, part.grad, atol=1e-6)


def test_the_loss_is_that_of_the_paper():
    draw = np.random.default_rng(2)
    entries, (weights, sums) = random_entries(draw), first_weights(5, 4, draw)
    expected = loss_in_torch(entries, [torch.tensor(part, dtype=torch.float64) for part in weights], 3, 0.6)
    assert visit(entries, weights, sums, x_max=3, exponent=0.6, learning_rate=0) == pytest.approx(float(expected), 1e-6)


def test_the_slow_loop():
    draw = np.random.default_rng(3)
    entries, (weights, sums) = random_entries(draw), first_weights(5, 4, draw)
    slow, slow_sums = ([part.astype(np.float64) for part in parts] for parts in (weights, sums))
    for _ in range(20):
        fast_loss = visit(entries, weights, sums, x_max=3, exponent=0.6, learning_rate=0.05)
        slow_loss = slow_pass(entries, slow, slow_sums, x_max=3, exponent=0.6, learning_rate=0.05)
        assert fast_loss == pytest.approx(slow_loss, rel=1e-4)
    for fast, expected in zip((*weights, *sums), (*slow, *slow_sums), strict=True):
        np.testing.assert_allclose(fast, expected, rtol=1e-3, atol=1e-5)


def test_first_weights_are_small_and_even():
    weights, sums = first_weights(1000, 50, np.random.default_rng(1))
    for part in weights:
        assert part.dtype == np.float32
        assert -0.01 <= part.min() < -0.0095
        assert 0.0095 < part.max() < 0.01
        assert abs(part.mean()) < 0.0006  # biases: 0.02 / sqrt(12 * 1000), times three
    assert all((part == 1).all() for part in sums)


def test_a_training_is_passes_over_shuffled_entries_and_the_sum_of_both_vectors(planted):
    vectors = train_glove(planted.texts, **SETTINGS | {"epochs": 3})
    lists = TokenLists(planted.texts, lowercase=True)
    entries = count_cooccurrences(lists.batches(), vectors.words, SETTINGS["window"])
    draw = np.random.default_rng(SETTINGS["seed"])
    weights, sums = first_weights(len(vectors.words), SETTINGS["size"], draw)
    draw.shuffle(entries)
    options = {name: SETTINGS[name] for name in ("x_max", "exponent", "learning_rate")}
    losses = [visit(entries, weights, sums, **options) / len(entries) for _ in range(3)]
    np.testing.assert_array_equal(vectors.matrix, weights.words + weights.contexts)
    assert vectors.facts["losses"] == pytest.approx(losses, abs=1e-6)


def test_planted_analogies_are_found(planted):
    vectors = train_glove(planted.texts, **SETTINGS)
    found = analogy_scores(WordSpace(vectors, lowercase=True), planted.questions)
    assert found["asked"] == 56
    assert found["accuracy"] > 0.9
    noise = np.random.default_rng(1).normal(size=vectors.matrix.shape).astype(np.float32)
    by_chance = analogy_scores(WordSpace(WordVectors(vectors.words, noise, {}), lowercase=True), planted.questions)
    assert by_chance["accuracy"] < 0.3


def test_the_loss_falls_from_pass_to_pass(planted):
    vectors = train_glove(planted.texts, **SETTINGS | {"epochs": 10})
    losses = vectors.facts["losses"]
    assert len(losses) == 10
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] / 5


def test_two_processes_give_equal_bytes(tmp_path, planted):
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
from pathlib import Path
from retable.vectors.glove import train_glove
from retable.vectors.store import write_vectors
write_vectors(Path(sys.argv[1]), "v", train_glove(Path(sys.argv[2]), **{SETTINGS | {"epochs": 2}!r}))
"""
    for hash_seed in ("1", "2"):
        (tmp_path / hash_seed).mkdir()
        command = [sys.executable, "-c", program, tmp_path / hash_seed, planted.texts]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": hash_seed})
    for file in ("vectors.npy", "words.txt", "vectors.json"):
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()


def test_another_seed_gives_other_vectors(planted):
    first, second = (train_glove(planted.texts, **SETTINGS | {"seed": seed, "epochs": 2}) for seed in (1, 2))
    assert first.words == second.words
    assert first.matrix.dtype == np.float32
    assert not np.allclose(first.matrix, second.matrix)


def test_where_the_weighting_ends(planted):  # eq. 9: f is 1 with exponent 0, and above x_max
    short = SETTINGS | {"epochs": 2}
    even = train_glove(planted.texts, **short | {"exponent": 0.0})
    np.testing.assert_array_equal(train_glove(planted.texts, **short | {"x_max": 1e-3}).matrix, even.matrix)
    hardly = train_glove(planted.texts, **short | {"x_max": 1e9})
    assert np.abs(hardly.matrix).max() < 1.1 / SETTINGS["size"], "with hardly any weight vectors stay where they began"


def test_vocabulary_by_count_then_alphabet(tmp_path):
    file = written(tmp_path / "t", [["b", "A", "c", "a", "b"], ["c", "zz", "B"]])
    assert train_glove(file, **SETTINGS).words == ["b", "a", "c"]  # 3, 2, 2; "zz" occurs once
    cased = train_glove(file, **SETTINGS | {"lowercase": False, "min_count": 1})
    assert cased.words == ["b", "c", "A", "B", "a", "zz"]


def test_characters_of_a_pool_of_words(tmp_path):
    file = written(tmp_path / "t", [["电影", "好看"], ["好", "电影"]])
    vectors = train_glove(file, **SETTINGS, unit="characters")
    assert vectors.words == ["好", "影", "电"]  # twice each; "看" once
    assert vectors.facts["training_words"] == 7
    assert vectors.facts["cooccurrences"] == 6  # both texts hold each pair


def test_progress_adds_up(planted, monkeypatch):
    monkeypatch.setattr("retable.vectors.glove.ENTRIES_AT_ONCE", 100)
    words, told = [], []
    vectors = train_glove(
        planted.texts,
        **SETTINGS | {"epochs": 3},
        on_words=words.append,
        on_entries=lambda visited, entries, loss: told.append((visited, entries, loss)),
    )
    entries, blocks = vectors.facts["cooccurrences"], len(told) // 3
    assert sum(words) == vectors.facts["training_words"]
    assert [sum(visited for visited, _, _ in told[start : start + blocks]) for start in (0, blocks, 2 * blocks)] == [
        entries
    ] * 3
    assert {of for _, of, _ in told} == {entries}
    assert [loss for _, _, loss in told[blocks - 1 :: blocks]] == pytest.approx(vectors.facts["losses"], abs=1e-6)


def test_progress_within_a_pass_changes_nothing(planted, monkeypatch):
    whole = train_glove(planted.texts, **SETTINGS | {"epochs": 2})
    monkeypatch.setattr("retable.vectors.glove.ENTRIES_AT_ONCE", 100)
    np.testing.assert_array_equal(train_glove(planted.texts, **SETTINGS | {"epochs": 2}).matrix, whole.matrix)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"size": 0}, "size of GloVe vectors is 0; allowed: 1 or more"),
        ({"epochs": 0}, "epochs of GloVe vectors is 0"),
        ({"exponent": -0.1}, "exponent of GloVe vectors is -0.1; allowed: 0 or more"),
        ({"x_max": 0.0}, "x_max of GloVe vectors is 0.0; allowed: more than 0"),
        ({"learning_rate": -1.0}, "learning_rate of GloVe vectors is -1.0"),
        ({"window": 0}, "window of word vectors is 0"),
        ({"unit": "letters"}, 'unit of word vectors is "letters".* Known: characters, words'),
        ({"min_count": 100_000}, r"no word of .*texts\.parquet occurs 100000 times"),
        ({"learning_rate": 1e30}, r"the loss is no number any more in pass \d+; lower learning_rate \(1e\+30\)"),
    ],
)
def test_what_cannot_be_trained(planted, option, message):
    with pytest.raises(InputError, match=message):
        train_glove(planted.texts, **SETTINGS | option)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "no word of .* occurs 2 times"),
        ([["a"], ["a"], ["b", "c"]], "no text of .* has two words that occur 2 times or more"),
    ],
)
def test_a_pool_in_which_nothing_stands_together(tmp_path, texts, message):
    with pytest.raises(InputError, match=message):
        train_glove(written(tmp_path / "t", texts), **SETTINGS)


def column(*numbers):
    return np.array(numbers, np.float32)[:, None]


def row(*numbers):
    return np.array(numbers, np.float32)


def assert_weights(weights, *expected):
    for part, numbers in zip(weights, expected, strict=True):
        np.testing.assert_allclose(part.ravel(), numbers, rtol=1e-5, atol=1e-6)


def copied(weights):
    return Weights(*[part.copy() for part in weights])


def random_entries(draw):
    """All pairs of five words, in a random order, some above x_max = 3."""
    entries = np.array([(i, j, 0.0) for i in range(5) for j in range(5)], ENTRY)
    entries["count"] = draw.exponential(2, len(entries)) + 0.1
    draw.shuffle(entries)
    return entries


def loss_in_torch(entries, parts, x_max, exponent):
    words, contexts, word_biases, context_biases = parts
    i, j = (torch.tensor(entries[side].astype(np.int64)) for side in ("word", "context"))
    x = torch.tensor(entries["count"].astype(np.float64))
    weight = torch.where(x < x_max, (x / x_max) ** exponent, 1.0)
    return (weight * ((words[i] * contexts[j]).sum(1) + word_biases[i] + context_biases[j] - x.log()) ** 2).sum()


def slow_pass(entries, weights, sums, *, x_max, exponent, learning_rate):
    """The header of glove.py, number by number, in float64."""
    w, w_, b, b_ = weights
    total = 0.0
    for i, j, x in entries.tolist():
        f = min(1.0, (x / x_max) ** exponent)
        difference = sum(w[i][k] * w_[j][k] for k in range(w.shape[1])) + b[i] + b_[j] - np.log(x)
        total += f * difference**2
        gradients = [f * difference * w_[j], f * difference * w[i], f * difference, f * difference]
        for part, summed, place, gradient in zip(weights, sums, (i, j, i, j), gradients, strict=True):
            step = learning_rate * gradient
            part[place] -= step / np.sqrt(summed[place])
            summed[place] += step**2
    return total


def written(path, lists):
    pq.write_table(pa.table({"tokens": pa.array(lists, pa.list_(pa.string()))}), path)
    return path
