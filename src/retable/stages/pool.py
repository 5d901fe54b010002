"""Collect the texts of one pool, without any that is, or nearly repeats, a dev or test text that a corpus holds out.

In   data/tagged/<corpus>/train.parquet of the pool's corpora and, for `unlabelled: true`, unlabelled.parquet of those
     that have unlabelled texts; data/clean/<corpus>/heldout.txt of all corpora in params.yaml
Out  data/pools/<pool>/{texts.parquet,pool.json}; for `folds: 3` of one corpus also fold-1-of-3/ ..., each with the
     training texts of that fold

The pools are in the section pools of params.yaml; a pool named after a corpus is that corpus's training split. Pools
of other corpora contain no text of a corpus that a paper splits into folds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from retable.corpora import CORPORA, FAMILIES, corpus
from retable.errors import unknown_name
from retable.experiments.folds import folded_corpora
from retable.files import atomic_folder, write_json
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import CLEAN, POOLS, TAGGED
from retable.project.progress import progress
from retable.text.folds import Fold, FoldedCorpus, part
from retable.text.leaks.leakage import digest
from retable.text.splits import SPLITS, UNLABELLED, Split, number_of_rows, read_split
from retable.vectors.pool import build_pool, pool_language, read_held_out, whole_of_pool


@command
def main(name: str) -> None:
    pools = {corpus: {"corpora": [corpus], "unlabelled": False} for corpus in CORPORA} | read_params("pools")
    if name not in pools:
        raise unknown_name("pool", name, pools)
    corpora, unlabelled = pools[name]["corpora"], pools[name].get("unlabelled", False)
    folds = pools[name].get("folds", 0)
    unknown = next((corpus for corpus in corpora if corpus not in CORPORA), None)
    if unknown is not None:
        raise unknown_name(f"corpus of pools.{name} in params.yaml", unknown, CORPORA)
    language = pool_language(name, [corpus(source) for source in corpora])
    sources = list(tagged_files(corpora, unlabelled=unlabelled))
    texts = sum(map(number_of_rows, sources))
    held_out = held_out_texts(corpora)
    if folds:  # each training text, dev included, is in the pools of all folds but one
        texts += (folds - 1) * (texts + number_of_rows(TAGGED / corpora[0] / "dev.parquet"))
    with progress(f"pool {name}", texts, "texts") as bar, atomic_folder(POOLS / name) as folder:
        facts = build_pool(sources, held_out, folder / "texts.parquet", on_texts=bar.advance)
        origin = {"name": name, "language": language, "corpora": corpora, "unlabelled": unlabelled}
        write_json(folder / "pool.json", origin | facts)
        if folds:
            for fold, found in pools_of_folds(corpora[0], folds, held_out, folder, bar.advance):
                write_json(folder / fold.name / "pool.json", origin | fold.parameters | found)
        bar.note = f"({facts['words']:,} words kept)"


def held_out_texts(pooled: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return corpus -> digests of the texts that a pool of these corpora must not contain.

    A joint corpus holds out what its domains hold out. A corpus that is split into folds holds out every text once, so
    all are excluded unless the pool is of that corpus. A corpus that a user added holds out nothing unless it is
    pooled, and the whole of which a corpus is a part nothing from the pool of that part alone (no run on the whole may
    use it: `check_vectors_fit`), so that preparing one of these changes no word vectors.
    """
    free = set(FAMILIES["own"]) - set(pooled) | {whole_of_pool([corpus(each) for each in pooled])}
    holding = [held for held in read_params("corpora") if held not in free and not corpus(held).domains]
    held_out = read_held_out({held: CLEAN / held / "heldout.txt" for held in holding})
    folded = sorted(folded_corpora(read_params("papers")) - set(pooled) - free)
    return held_out | {name: digests(read_split(TAGGED / name, split) for split in SPLITS) for name in folded}


def digests(splits: Iterable[Split]) -> frozenset[str]:
    """Return the digests of the texts of these splits (`retable.text.leaks.leakage.digest`)."""
    return frozenset(digest(" ".join(tokens)) for split in splits for tokens in split.tokens.to_pylist())


def pools_of_folds(
    name: str, folds: int, held_out: Mapping[str, frozenset[str]], folder: Path, on_texts: Callable[[int], None]
) -> Iterator[tuple[Fold, dict[str, Any]]]:
    """Write the pool of each dev fold of a corpus into its own folder; yield the fold and the facts of `build_pool`."""
    whole = FoldedCorpus(
        [read_split(TAGGED / name, split) for split in SPLITS], "dev", folds, grouped=corpus(name).grouped
    )
    for number in range(1, folds + 1):
        fold, places = Fold("dev", folds, number), whole.places(number)
        (folder / fold.name).mkdir()
        own = digests(part(whole.texts, places[split]) for split in ("dev", "test"))
        with TemporaryDirectory() as scratch:
            training = Path(scratch) / "train.parquet"
            tokens = part(whole.texts, places["train"]).tokens
            pq.write_table(pa.table({"tokens": tokens, "clean": np.ones(len(tokens), dtype=np.bool_)}), training)
            target = folder / fold.name / "texts.parquet"
            yield fold, build_pool([training], {**held_out, name: own}, target, on_texts=on_texts)


def tagged_files(corpora: Sequence[str], *, unlabelled: bool) -> Iterator[Path]:
    """Yield the files of a pool: each corpus's training split, then, if requested, its unlabelled texts."""
    for name in corpora:
        yield TAGGED / name / "train.parquet"
        if unlabelled and corpus(name).unlabelled:
            yield TAGGED / name / f"{UNLABELLED}.parquet"
