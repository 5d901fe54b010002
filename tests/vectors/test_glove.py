"""GloVe: loss, gradient and step by hand, a slow loop from the paper, equal bytes with any number of threads."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from retable.errors import InputError
from retable.vectors.cooccurrence import count_cooccurrences
from retable.vectors.glove import train_glove
from retable.vectors.glove_pass import Fit, first_tables, stride_of, sums_of_both, tables_of, visit_all
from retable.vectors.tiles import in_tiles, number_of_blocks, rounds
from retable.vectors.token_lists import TokenLists
from tests.vectors.conftest import GLOVE, written

EVEN = {"x_max": 3, "exponent": 0.6}


def by_hand():
    """Words a and b, size 1, twice in the text "a b": X_ab = X_ba = 2."""
    return tables_of(column(0.5, -1.0), column(2.0, 1.0), row(0.1, 0.2), row(0.3, -0.4), blocks=1)


def test_loss_by_hand():
    """Eq. 8-9 with x_max 32 and exponent 0.75: f(2) = (1/16)^0.75 = 1/8, log 2 = 0.693147.

    a, b: 0.5 * 1 + 0.1 - 0.4 - 0.693147 = -0.493147, squared 0.243194
    b, a: -1 * 2 + 0.2 + 0.3 - 0.693147 = -2.193147, squared 4.809894; (0.243194 + 4.809894) / 8 = 0.631636
    """
    entries, tables = [(0, 1, 2.0), (1, 0, 2.0)], by_hand()
    assert visit(entries, tables, x_max=32, exponent=0.75, learning_rate=0) == pytest.approx(0.631636, rel=1e-5)
    above = visit(entries, tables, x_max=1.5, exponent=0.75, learning_rate=0)  # f = 1
    assert above == pytest.approx(0.243194 + 4.809894, rel=1e-5)
    assert np.array_equal(weights_of(tables, 2, 1)[0], column(0.5, -1.0)), "a learning rate of 0 changes nothing"


def test_two_steps_of_adagrad_by_hand():
    """X_ab = 1, so log X = 0 and, with x_max 1, f = 1; learning rate 0.5; only w_a, w~_b and their biases move.

    1st  difference 0.5 * 1 + 0.1 - 0.4 = 0.2, factor 0.1: steps 0.1 * 1 for w_a, 0.1 * 0.5 for w~_b, 0.1 for the two
         biases, each over sqrt(1); sums 1 + 0.1^2, 1 + 0.05^2, 1.01
    2nd  difference 0.4 * 0.95 + 0 - 0.5 = -0.12, factor -0.06: -0.057 / sqrt(1.01), -0.024 / sqrt(1.0025),
         -0.06 / sqrt(1.01)
    """
    entry, tables = [(0, 1, 1.0)], by_hand()
    assert visit(entry, tables, x_max=1, exponent=0.75, learning_rate=0.5) == pytest.approx(0.04)
    assert_weights(weights_of(tables, 2, 1), [0.4, -1], [2, 0.95], [0, 0.2], [0.3, -0.5])
    assert_weights(sums_of(tables, 2, 1), [1.01, 1], [1, 1.0025], [1.01, 1], [1, 1.01])
    assert visit(entry, tables, x_max=1, exponent=0.75, learning_rate=0.5) == pytest.approx(0.0144)
    assert_weights(weights_of(tables, 2, 1), [0.456717, -1], [2, 0.973970], [0.059702, 0.2], [0.3, -0.440298])
    assert_weights(sums_of(tables, 2, 1), [1.013249, 1], [1, 1.003076], [1.0136, 1], [1, 1.0136])


def test_the_step_of_every_entry_is_the_gradient_of_half_the_loss():
    draw = np.random.default_rng(1)
    entries = random_entries(draw, 5)
    start = first_tables(5, 4, 2, draw)
    for entry in entries:
        tables = copied(start)
        visit([entry], tables, learning_rate=1, **EVEN)  # steps are gradients
        before = weights_of(start, 5, 4)
        parts = [torch.tensor(part, dtype=torch.float64, requires_grad=True) for part in before]
        (loss_in_torch([entry], parts, **EVEN) / 2).backward()
        for first, after, part in zip(before, weights_of(tables, 5, 4), parts, strict=True):
            np.testing.assert_allclose(first - after, part.grad, atol=1e-6)


@pytest.mark.parametrize("blocks", [1, 3])
def test_the_loss_is_that_of_the_paper(blocks):
    draw = np.random.default_rng(2)
    entries, tables = random_entries(draw, 5), first_tables(5, 4, blocks, draw)
    expected = loss_in_torch(
        entries, [torch.tensor(part, dtype=torch.float64) for part in weights_of(tables, 5, 4)], **EVEN
    )
    assert visit(entries, tables, learning_rate=0, **EVEN) == pytest.approx(float(expected), 1e-6)


@pytest.mark.parametrize(("blocks", "size", "threads"), [(1, 4, 1), (4, 4, 1), (4, 17, 2), (7, 30, 3)])
def test_the_slow_loop_over_tiles(blocks, size, threads):
    draw = np.random.default_rng(3)
    entries, tables = random_entries(draw, 20), first_tables(20, size, blocks, draw)
    slow, slow_sums = ([part.astype(np.float64) for part in parts(tables, 20, size)] for parts in (weights_of, sums_of))
    fit = Fit(tiles_of(entries, 20, blocks, **EVEN), tables, size, 0.05)
    order, slow_order = np.random.default_rng(4), np.random.default_rng(4)
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(20):
            loss = visit_all(fit, order, pool, threads)
            in_order = [entry for tiles in rounds(blocks, slow_order) for tile in tiles for entry in listed(fit, tile)]
            assert sorted(entry[:2] for entry in in_order) == sorted(entry[:2] for entry in entries)
            slow_loss = slow_pass(in_order, slow, slow_sums, learning_rate=0.05, **EVEN)
            assert loss == pytest.approx(slow_loss / len(entries), rel=1e-4)
    for fast, expected in zip(
        (*weights_of(tables, 20, size), *sums_of(tables, 20, size)), (*slow, *slow_sums), strict=True
    ):
        np.testing.assert_allclose(fast, expected, rtol=1e-3, atol=1e-5)


def test_what_is_no_weight_stays():
    draw = np.random.default_rng(5)
    tables = first_tables(20, 12, 4, draw)
    visit(random_entries(draw, 20), tables, learning_rate=0.1, **EVEN)
    assert stride_of(12) == 16
    assert (tables.words[:, :, 0, 13] == 1).all()
    assert (tables.contexts[:, :, 0, 12] == 1).all()
    assert not any(table[:, :, 0, 14:].any() for table in tables)
    assert all(table.ctypes.data % 64 == 0 for table in tables), "a row starts with a cache line"


def test_first_weights_are_small_and_even():
    tables = first_tables(1000, 50, 16, np.random.default_rng(1))
    for part in weights_of(tables, 1000, 50):
        assert part.dtype == np.float32
        assert -0.01 <= part.min() < -0.0095
        assert 0.0095 < part.max() < 0.01
        assert abs(part.mean()) < 0.0006  # biases: 0.02 / sqrt(12 * 1000), times three
        assert len(np.unique(part)) > 0.99 * part.size
    assert all((part == 1).all() for part in sums_of(tables, 1000, 50))


def test_a_training_is_passes_over_tiles_and_the_sum_of_both_vectors(planted):
    vectors = train_glove(planted.texts, **GLOVE | {"epochs": 3})
    words, size = len(vectors.words), GLOVE["size"]
    blocks = number_of_blocks(words, 8 * stride_of(size))
    assert blocks == 16
    batches = TokenLists(planted.texts, lowercase=True).batches()
    counted = count_cooccurrences(batches, vectors.words, GLOVE["window"])
    tiles = in_tiles(counted, blocks, x_max=GLOVE["x_max"], exponent=GLOVE["exponent"], seed=GLOVE["seed"])
    draw = np.random.default_rng(GLOVE["seed"])
    tables = first_tables(words, size, blocks, draw)
    fit = Fit(tiles, tables, size, GLOVE["learning_rate"])
    with ThreadPoolExecutor(1) as pool:
        losses = [visit_all(fit, draw, pool, 1) for _ in range(3)]
    np.testing.assert_array_equal(vectors.matrix, sums_of_both(tables, words, size))
    weights = weights_of(tables, words, size)
    np.testing.assert_array_equal(vectors.matrix, weights[0] + weights[1])
    assert vectors.facts["losses"] == pytest.approx(losses, abs=1e-6)


def test_equal_bytes_with_any_number_of_threads(planted):
    one, *others = (train_glove(planted.texts, **GLOVE | {"epochs": 5}, threads=threads) for threads in (1, 2, 3, 20))
    for other in others:
        np.testing.assert_array_equal(one.matrix, other.matrix)
        assert one.facts == other.facts


def test_where_the_weighting_ends(planted):  # eq. 9: f is 1 with exponent 0, and above x_max
    short = GLOVE | {"epochs": 2}
    even = train_glove(planted.texts, **short | {"exponent": 0.0})
    np.testing.assert_array_equal(train_glove(planted.texts, **short | {"x_max": 1e-3}).matrix, even.matrix)
    hardly = train_glove(planted.texts, **short | {"x_max": 1e9})
    assert np.abs(hardly.matrix).max() < 1.1 / GLOVE["size"], "with hardly any weight vectors stay where they began"


def test_progress_adds_up(planted):
    words, calls = [], []
    vectors = train_glove(
        planted.texts,
        **GLOVE | {"epochs": 3},
        on_words=words.append,
        on_entries=lambda visited, entries, loss: calls.append((visited, entries, loss)),
    )
    entries, rounds_of_pass = vectors.facts["cooccurrences"], len(calls) // 3
    assert rounds_of_pass == 16
    assert sum(words) == vectors.facts["training_words"]
    for start in range(0, len(calls), rounds_of_pass):
        assert sum(visited for visited, _, _ in calls[start : start + rounds_of_pass]) == entries
    assert {of for _, of, _ in calls} == {entries}
    assert [loss for _, _, loss in calls[rounds_of_pass - 1 :: rounds_of_pass]] == pytest.approx(
        vectors.facts["losses"], abs=1e-6
    )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"size": 0}, "size of GloVe vectors is 0; allowed: 1 or more"),
        ({"epochs": 0}, "epochs of GloVe vectors is 0"),
        ({"threads": 0}, "threads of GloVe vectors is 0; allowed: 1 or more"),
        ({"exponent": -0.1}, "exponent of GloVe vectors is -0.1; allowed: 0 or more"),
        ({"x_max": 0.0}, "x_max of GloVe vectors is 0.0; allowed: more than 0"),
        ({"learning_rate": -1.0}, "learning_rate of GloVe vectors is -1.0"),
        ({"window": 0}, "window of word vectors is 0"),
        ({"learning_rate": 1e30}, r"the loss is not finite in pass \d+; lower learning_rate \(1e\+30\)"),
    ],
)
def test_what_cannot_be_trained(planted, option, message):
    with pytest.raises(InputError, match=message):
        train_glove(planted.texts, **GLOVE | option)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "no word of .* occurs 2 times"),
        ([["a"], ["a"], ["b", "c"]], "no text of .* has two words that occur 2 times or more"),
    ],
)
def test_a_pool_in_which_nothing_stands_together(tmp_path, texts, message):
    with pytest.raises(InputError, match=message):
        train_glove(written(tmp_path / "t", texts), **GLOVE)


def column(*numbers):
    return np.array(numbers, np.float32)[:, None]


def row(*numbers):
    return np.array(numbers, np.float32)


def assert_weights(weights, *expected):
    for part, numbers in zip(weights, expected, strict=True):
        np.testing.assert_allclose(part.ravel(), numbers, rtol=1e-5, atol=1e-6)


def weights_of(tables, words, size):
    """Return w, w~, b, b~ as in the paper."""
    return _in_rows(tables, 0, words, size)


def sums_of(tables, words, size):
    """Return AdaGrad's sums for each of them."""
    return _in_rows(tables, 1, words, size)


def _in_rows(tables, layer, words, size):
    both = [
        np.stack([table[word % len(table), word // len(table), layer] for word in range(words)]) for table in tables
    ]
    return both[0][:, :size], both[1][:, :size], both[0][:, size], both[1][:, size + 1]


def visit(entries, tables, *, x_max, exponent, learning_rate):
    """Run one pass; return the loss summed over the entries."""
    blocks, places, _, stride = tables.words.shape
    size = int(np.flatnonzero(tables.words[0, 0, 0])[-1]) - 1  # the 1 after the bias is the last nonzero value
    fit = Fit(tiles_of(entries, blocks * places, blocks, x_max=x_max, exponent=exponent), tables, size, learning_rate)
    assert stride == stride_of(size)
    with ThreadPoolExecutor(1) as pool:
        return len(entries) * visit_all(fit, np.random.default_rng(1), pool, 1)


def tiles_of(entries, words, blocks, *, x_max, exponent):
    """Return tiles of entries (word, context, X_ij)."""

    def counted(block, blocks):
        own = [[(j, x) for i, j, x in entries if i == word] for word in range(block, words, blocks)]
        contexts, counts = (np.array([entry[side] for row in own for entry in row]) for side in (0, 1))
        return np.cumsum([0, *map(len, own)]), contexts.astype(np.int32), counts.astype(np.float32)

    return in_tiles(SimpleNamespace(block=counted), blocks, x_max=x_max, exponent=exponent, seed=1)


def listed(fit, tile):
    """Return (word, context, X_ij) of a tile, in the order of the pass."""
    blocks, (word_block, context_block) = len(fit.tiles), tile
    for (i, j), (log_x, _) in zip(*(part.tolist() for part in fit.tiles[word_block].tile(context_block)), strict=True):
        yield word_block + i * blocks, context_block + j * blocks, np.exp(log_x)


def copied(tables):
    return tables._replace(words=tables.words.copy(), contexts=tables.contexts.copy())


def random_entries(draw, words):
    """Return all pairs of words, some above x_max = 3."""
    return [(i, j, float(draw.exponential(2) + 0.1)) for i in range(words) for j in range(words)]


def loss_in_torch(entries, parts, x_max, exponent):
    words, contexts, word_biases, context_biases = parts
    i, j = (torch.tensor([entry[side] for entry in entries]) for side in (0, 1))
    x = torch.tensor([entry[2] for entry in entries], dtype=torch.float64)
    weight = torch.where(x < x_max, (x / x_max) ** exponent, 1.0)
    return (weight * ((words[i] * contexts[j]).sum(1) + word_biases[i] + context_biases[j] - x.log()) ** 2).sum()


def slow_pass(entries, weights, sums, *, x_max, exponent, learning_rate):
    """Compute the equations in the header of glove.py, number by number, in float64."""
    w, w_, b, b_ = weights
    total = 0.0
    for i, j, x in entries:
        f = min(1.0, (x / x_max) ** exponent)
        difference = sum(w[i][k] * w_[j][k] for k in range(w.shape[1])) + b[i] + b_[j] - np.log(x)
        total += f * difference**2
        gradients = [f * difference * w_[j], f * difference * w[i], f * difference, f * difference]
        for part, summed, place, gradient in zip(weights, sums, (i, j, i, j), gradients, strict=True):
            step = learning_rate * gradient
            part[place] -= step / np.sqrt(summed[place])
            summed[place] += step**2
    return total
