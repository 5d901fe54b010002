"""Time GloVe and word2vec: co-occurrences, passes over them, and the overhead around gensim.

Texts    3 M words drawn from Zipf's law: 2 M give 17.3 M co-occurrences; 8.57 M of data/pools/pool-en give 23.7 M.
Peers    GloVe: a pass in torch over the same entries, shuffled, in batches, with sparse gradients and AdaGrad,
         timed on part of them. word2vec: gensim itself, with the texts in memory.
Limit    14 operations per number of a vector (product 2, steps 2, roots 2, divisions 2, differences 2, squares and sums
         4) at the rate of matrix products, which involve no roots, divisions or memory traffic.
"""

import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from gensim.models import Word2Vec
from torch import Tensor, nn

from benchmarks.report import Row, timed_row
from benchmarks.timing import PRODUCTS, in_turns, matrix_rate, training_epoch
from retable.vectors.cooccurrence import count_cooccurrences
from retable.vectors.glove_pass import Fit, first_tables, stride_of, visit_all, visit_round
from retable.vectors.tiles import TileRow, in_tiles, number_of_blocks
from retable.vectors.token_lists import TokenLists, frequent_words
from retable.vectors.word2vec import train_word2vec

WORDS, QUICK_WORDS = 3_000_000, 60_000
SIZE, WINDOW, MIN_COUNT, X_MAX, EXPONENT, RATE = 100, 15, 5, 10.0, 0.75, 0.05
REPEATS, OPERATIONS = 3, 14
PEER_BATCH, PEER_BATCHES = 16_384, 8
WORD2VEC_WORDS, WORD2VEC_EPOCHS = 1_000_000, 3
ZIPF_WORDS, WORDS_OF_TEXT = 60_000, 200


class Counted(NamedTuple):
    """Hold the entries of all tiles, and the number of words."""

    words: int
    tiles: list[TileRow]

    @property
    def entries(self) -> int:
        """Count the entries."""
        return sum(len(row.places) for row in self.tiles)


def measure(quick: bool) -> list[Row]:
    """Return three rows for GloVe, one for word2vec."""
    threads = numba.config.NUMBA_NUM_THREADS
    repeats = 1 if quick else REPEATS
    with tempfile.TemporaryDirectory() as folder:
        texts = write_texts(Path(folder) / "texts.parquet", QUICK_WORDS if quick else WORDS)
        counted = count_and_tile(texts, threads)
        counting = in_turns({"ours": lambda: count_and_tile(texts, threads)}, repeats, warm=False)
        some = write_texts(Path(folder) / "some.parquet", QUICK_WORDS if quick else WORD2VEC_WORDS)
        path = f"GloVe: texts of {counted.words:,} frequent words to {counted.entries:,} shuffled co-occurrences"
        return [
            timed_row(path, "s", counting),
            *pass_rows(counted, threads, repeats),
            word2vec_row(some, repeats),
        ]


def count_and_tile(texts: Path, threads: int) -> Counted:
    """Turn the file of texts into the entries of all tiles."""
    lists = TokenLists(texts, lowercase=True)
    vocabulary = list(frequent_words(lists.counts(), MIN_COUNT, texts))
    blocks = number_of_blocks(len(vocabulary), 8 * stride_of(SIZE))
    counted = count_cooccurrences(lists.batches(), vocabulary, WINDOW)
    tiles = in_tiles(counted, blocks, x_max=X_MAX, exponent=EXPONENT, seed=1, threads=threads)
    return Counted(len(vocabulary), tiles)


def pass_rows(counted: Counted, threads: int, repeats: int) -> list[Row]:
    """Time passes with all threads and with one, compared with torch's."""
    peer, share = pass_by_torch(counted)
    with ThreadPoolExecutor(threads) as pool, ThreadPoolExecutor(1) as one:
        ways = {"all": pass_of(counted, pool, threads), "one": pass_of(counted, one, 1), "peer": peer}
        times = in_turns(ways, repeats)
    whole = [took / share for took in times["peer"]]

    def row(path: str, way: str, goal: str = "") -> Row:
        return timed_row(
            path,
            "pairs/s",
            {"ours": times[way], "peer": whole},
            work=counted.entries,
            peer="torch, sparse AdaGrad",
            limit=PRODUCTS,
            limit_value=matrix_rate() / (OPERATIONS * (SIZE + 2)),
            goal=goal,
        )

    name = f"GloVe: pass, {SIZE} numbers"
    return [row(f"{name}, {threads} threads", "all", ">= 5,000,000 pairs/s"), row(f"{name}, one thread", "one")]


def pass_of(counted: Counted, pool: ThreadPoolExecutor, threads: int) -> Callable[[], object]:
    """Return a function that runs one pass of our GloVe."""
    draw = np.random.default_rng(1)
    fit = Fit(counted.tiles, first_tables(counted.words, SIZE, len(counted.tiles), draw), SIZE, RATE)
    visit_round(fit._replace(learning_rate=0.0), [(0, 0)], pool, 1)  # compiles
    return lambda: visit_all(fit, draw, pool, threads)


def pass_by_torch(counted: Counted) -> tuple[Callable[[], None], float]:
    """Return some batches of a pass in plain torch, with vectors and biases in one table row, and their share of it."""
    blocks = len(counted.tiles)
    places = np.concatenate([block + blocks * row.places[:, 0] for block, row in enumerate(counted.tiles)])
    others = np.concatenate(
        [np.repeat(np.arange(blocks), np.diff(row.starts)) + blocks * row.places[:, 1] for row in counted.tiles]
    )
    targets = np.concatenate([row.targets for row in counted.tiles])  # log X_ij and f(X_ij)
    order = np.random.default_rng(1).permutation(len(places))[: PEER_BATCH * PEER_BATCHES]
    given = [torch.from_numpy(each[order]) for each in (places.astype(np.int64), others.astype(np.int64), targets)]
    words, contexts = (nn.Embedding(counted.words, SIZE + 1, sparse=True) for _ in range(2))

    def loss(i: Tensor, j: Tensor, target: Tensor) -> Tensor:
        word, context = words(i), contexts(j)
        product = (word[:, :SIZE] * context[:, :SIZE]).sum(dim=1)
        difference = product + word[:, SIZE] + context[:, SIZE] - target[:, 0]
        summed: Tensor = (target[:, 1] * difference**2).sum()
        return summed

    optimiser = torch.optim.Adagrad([*words.parameters(), *contexts.parameters()], lr=RATE)
    batches = list(zip(*(torch.split(each, PEER_BATCH) for each in given), strict=True))
    return training_epoch(loss, optimiser, batches), len(order) / counted.entries


def word2vec_row(texts: Path, repeats: int) -> Row:
    """Time train_word2vec against gensim with texts in memory."""
    lists = list(TokenLists(texts, lowercase=True))
    options: dict[str, Any] = {"window": 5, "min_count": MIN_COUNT, "negative": 5, "sample": 1e-3, "seed": 1}
    ways: dict[str, Callable[[], object]] = {
        "ours": lambda: train_word2vec(
            texts, size=SIZE, epochs=WORD2VEC_EPOCHS, algorithm="skip-gram", lowercase=True, **options
        ),
        "peer": lambda: Word2Vec(lists, vector_size=SIZE, sg=1, workers=1, epochs=WORD2VEC_EPOCHS, **options),
    }
    path = f"word2vec: {sum(map(len, lists)):,} words, {WORD2VEC_EPOCHS} epochs, {SIZE} numbers"
    return timed_row(path, "s", in_turns(ways, repeats), peer="gensim alone", goal=">= 0.95x the peer")


def write_texts(file: Path, words: int) -> Path:
    """Write texts whose words are drawn from Zipf's law."""
    weights = 1.0 / np.arange(1, ZIPF_WORDS + 1)
    drawn = np.random.default_rng(1).choice(ZIPF_WORDS, words, p=weights / weights.sum())
    tokens = pa.array([f"w{word}" for word in range(ZIPF_WORDS)]).take(pa.array(drawn))
    offsets = pa.array([*range(0, words, WORDS_OF_TEXT), words], pa.int32())
    pq.write_table(pa.table({"tokens": pa.ListArray.from_arrays(offsets, tokens)}), file)
    return file
