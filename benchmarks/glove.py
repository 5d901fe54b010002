"""GloVe and word2vec: co-occurrences, passes over them, and what stands around gensim.

    python -m benchmarks.glove [--quick] [--stanford build/ of Stanford's GloVe]

Texts    8.57 M words of data/pools/pool-en; where it is not there, as many words drawn by Zipf's law.
Peers    GloVe: the authors' programs in C with as many threads, where `--stanford` or $RETABLE_PEERS names them, and
         the loop of this project's first trainer, one shuffle and one thread (`glove_in_order.py`), which takes the
         steps of the C of 2014; today's steps its biases 20 times as far, so its loss is another. word2vec: gensim
         itself, texts in memory.
Limit    14 operations a number of a vector (product 2, steps 2, roots 2, divisions 2, differences 2, squares and sums
         4) at the rate of matrix products, which know neither roots nor divisions nor memory.
"""

import argparse
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numba
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from gensim.models import Word2Vec

from benchmarks.glove_in_c import InC, programs, run
from benchmarks.glove_in_order import first_weights, shuffled_entries, visit
from benchmarks.rows import Row
from benchmarks.timing import in_turns, matrix_rate, seconds
from retable.project.command import command
from retable.project.paths import POOLS
from retable.vectors.cooccurrence import count_cooccurrences
from retable.vectors.glove_pass import Fit, first_tables, stride_of, visit_all, visit_round
from retable.vectors.tiles import TileRow, in_tiles, number_of_blocks
from retable.vectors.token_lists import TokenLists, frequent_words
from retable.vectors.word2vec import train_word2vec

WORDS, QUICK_WORDS = 8_570_000, 60_000
SIZE, WINDOW, MIN_COUNT, X_MAX, EXPONENT, RATE = 100, 15, 5, 10.0, 0.75, 0.05
PASSES, REPEATS, OPERATIONS = 2, 3, 14
WORD2VEC_WORDS, WORD2VEC_EPOCHS = 1_000_000, 3
ZIPF_WORDS, WORDS_OF_TEXT = 60_000, 200
IN_C_COUNTING_S, IN_C_RATE = 9.8, 1.0e6  # the authors' programs with two threads, on the machine of issue 5


class Counted(NamedTuple):
    """What a pass visits, and of how many words."""

    words: int
    tiles: list[TileRow]

    @property
    def entries(self) -> int:
        return sum(len(row.places) for row in self.tiles)


class Passes(NamedTuple):
    """Seconds of passes with all threads, with one, and in one order; the mean losses of the last and of that."""

    all_s: float
    one_s: float
    in_order_s: float
    losses: list[float]
    losses_in_order: list[float]


def measure(quick: bool, stanford: Path | None = None) -> list[Row]:
    """Four rows of GloVe, one of word2vec.

    Raises: InputError if `stanford` holds no programs.
    """
    threads = numba.config.NUMBA_NUM_THREADS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = write_pool(folder / "texts.parquet", QUICK_WORDS if quick else WORDS, quick=quick)
        count_and_tile(texts, threads)  # compiles
        found: list[Counted] = []
        counting_s = median(
            seconds(lambda: found.append(count_and_tile(texts, threads))) for _ in range(1 if quick else REPEATS)
        )
        passes = time_passes(found[-1], threads)
        built = programs(stanford)
        options = {"size": SIZE, "window": WINDOW, "min_count": MIN_COUNT, "x_max": X_MAX, "rate": RATE}
        in_c = run(built, texts, folder, threads=threads, **options) if built else None  # type: ignore[arg-type]
        rows = rows_of_glove(found[-1], counting_s, passes, in_c, threads)
        return [*rows, row_of_word2vec(folder, quick=quick)]


def rows_of_glove(counted: Counted, counting_s: float, passes: Passes, in_c: InC | None, threads: int) -> list[Row]:
    """Counting; a pass with all threads and with one; the loss."""
    entries = counted.entries
    limit = matrix_rate() / (OPERATIONS * (SIZE + 2))
    name = "Stanford's C, same run" if in_c else "Stanford's C, two threads elsewhere, not scaled"
    counting = f"GloVe: texts of {counted.words:,} frequent words to {entries:,} shuffled co-occurrences"
    a_pass = f"GloVe: pass, {SIZE} numbers, {threads} threads"
    in_order = "one shuffle, one thread"
    return [
        Row(counting, "s", counting_s, in_c.counting_s if in_c else IN_C_COUNTING_S, name, None, "", "<= 10 s"),
        Row(
            a_pass, "pairs/s", entries / passes.all_s, entries / in_c.pass_s if in_c else IN_C_RATE, name, limit,
            "matrix products", ">= 5 M pairs/s",
        ),
        Row(
            "GloVe: pass, one thread", "pairs/s", entries / passes.one_s, entries / passes.in_order_s, in_order, None,
            "", "",
        ),
        Row(
            f"GloVe: mean loss of pass {PASSES}", "", passes.losses[-1], passes.losses_in_order[-1], in_order, None,
            "", "<= 1.02x the peer",
        ),
    ]  # fmt: skip


def count_and_tile(texts: Path, threads: int) -> Counted:
    """From the file of texts to the entries of all tiles."""
    lists = TokenLists(texts, lowercase=True)
    vocabulary = list(frequent_words(lists.counts(), MIN_COUNT, texts))
    blocks = number_of_blocks(len(vocabulary), 8 * stride_of(SIZE))
    counted = count_cooccurrences(lists.batches(), vocabulary, WINDOW, blocks=blocks, threads=threads)
    tiles = in_tiles(counted, blocks, x_max=X_MAX, exponent=EXPONENT, seed=1, threads=threads)
    return Counted(len(vocabulary), tiles)


def time_passes(counted: Counted, threads: int) -> Passes:
    """Passes in turns; all losses are the mean of eq. 8 over a pass, each entry before its update."""
    losses: dict[str, list[float]] = {"all": [], "one": [], "in order": []}
    with ThreadPoolExecutor(threads) as pool, ThreadPoolExecutor(1) as one:
        ways = {
            "all": _passes(counted, pool, threads, losses["all"]),
            "one": _passes(counted, one, 1, losses["one"]),
            "in order": _passes_in_order(counted, losses["in order"]),
        }
        times = in_turns(ways, PASSES, warm=False)
    assert losses["all"] == losses["one"], "threads change nothing"
    fastest = [min(times[name]) for name in ways]
    return Passes(fastest[0], fastest[1], fastest[2], losses["all"], losses["in order"])


def _passes(counted: Counted, pool: ThreadPoolExecutor, threads: int, losses: list[float]) -> Callable[[], object]:
    draw = np.random.default_rng(1)
    fit = Fit(counted.tiles, first_tables(counted.words, SIZE, len(counted.tiles), draw), SIZE, RATE)
    visit_round(fit._replace(learning_rate=0.0), [(0, 0)], pool, 1)  # compiles
    return lambda: losses.append(visit_all(fit, draw, pool, threads))


def _passes_in_order(counted: Counted, losses: list[float]) -> Callable[[], object]:
    entries, (weights, sums) = shuffled_entries(counted.tiles, seed=1), first_weights(counted.words, SIZE, seed=1)
    options = (np.float32(X_MAX), np.float32(EXPONENT), np.float32(RATE))
    visit(*(part[:0] for part in entries), weights, sums, *options)  # compiles
    return lambda: losses.append(visit(*entries, weights, sums, *options) / counted.entries)


def row_of_word2vec(folder: Path, *, quick: bool) -> Row:
    """What train_word2vec takes beside gensim with texts in memory."""
    texts = write_pool(folder / "some.parquet", QUICK_WORDS if quick else WORD2VEC_WORDS, quick=quick)
    lists = list(TokenLists(texts, lowercase=True))
    options = {"window": 5, "min_count": MIN_COUNT, "negative": 5, "sample": 1e-3, "seed": 1}

    def gensim_alone() -> None:
        Word2Vec(lists, vector_size=SIZE, sg=1, workers=1, epochs=WORD2VEC_EPOCHS, **options)

    def ours() -> None:
        train_word2vec(
            texts, size=SIZE, epochs=WORD2VEC_EPOCHS, algorithm="skip-gram", lowercase=True, **options  # type: ignore[arg-type]
        )  # fmt: skip

    times = in_turns({"ours": ours, "peer": gensim_alone}, 1 if quick else REPEATS, warm=not quick)
    path = f"word2vec: {sum(map(len, lists)):,} words, {WORD2VEC_EPOCHS} epochs, {SIZE} numbers"
    peer = "gensim alone, same run"
    return Row(path, "s", min(times["ours"]), min(times["peer"]), peer, None, "", "<= 1.05x the peer")


def write_pool(file: Path, words: int, *, quick: bool) -> Path:
    """The first texts of pool-en that have so many words; or texts drawn by Zipf's law."""
    pool = POOLS / "pool-en/texts.parquet"
    batches = []
    if pool.exists() and not quick:
        for batch in pq.ParquetFile(pool).iter_batches(100, columns=["tokens"]):
            batches.append(batch)
            words -= len(batch["tokens"].flatten())
            if words <= 0:
                break
    else:
        weights = 1.0 / np.arange(1, ZIPF_WORDS + 1)
        drawn = np.random.default_rng(1).choice(ZIPF_WORDS, words, p=weights / weights.sum())
        tokens = pa.array([f"w{word}" for word in range(ZIPF_WORDS)]).take(pa.array(drawn))
        offsets = pa.array([*range(0, words, WORDS_OF_TEXT), words], pa.int32())
        batches.append(pa.record_batch({"tokens": pa.ListArray.from_arrays(offsets, tokens)}))
    pq.write_table(pa.Table.from_batches(batches), file)
    return file


@command
def main(quick: bool, stanford: Path | None) -> None:
    for row in measure(quick, stanford):
        peer = f", {row.peer_name} {row.peer:,.4g}" if row.peer else ""
        print(f"{row.path}: {row.ours:,.4g} {row.unit}{peer}; {row.goal} {row.verdict}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="does it run? On 60,000 drawn words")
    parser.add_argument("--stanford", type=Path, help="folder of vocab_count, cooccur, shuffle and glove")
    arguments = parser.parse_args()
    main(arguments.quick, arguments.stanford)
