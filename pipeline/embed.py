"""Word vectors: trained on a pool, or read from a published file (docs/vectors.md), or none.

In   `source`: data/pools/<pool>/ for `method: word2vec`, a published file for `method: file`; with `corpora`, only the
     words in data/tagged/ of these are kept of a file
Out  data/vectors/<name>/{vectors.npy,words.txt,vectors.json}
"""

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from pipeline.command import command
from pipeline.params import read_params
from pipeline.paths import CHECKOUT, ROOT, TAGGED, VECTORS
from pipeline.progress import progress
from retable.errors import InputError, unknown_name
from retable.files import atomic_folder, read_json
from retable.text.splits import SPLITS, read_facts
from retable.vectors.published import read_published
from retable.vectors.store import NO_VECTORS, WordVectors, write_vectors
from retable.vectors.token_lists import TokenLists
from retable.vectors.word2vec import train_word2vec


@command
def main(name: str) -> None:
    known = {"none": {"method": "none"}} | read_params("vectors")
    if name not in known:
        raise unknown_name("word vectors", name, known)
    options = dict(known[name])
    method = options.pop("method")
    if method not in METHODS:
        raise unknown_name(f"vectors.{name}.method in params.yaml", method, METHODS)
    vectors = METHODS[method](name, **options)
    vectors = replace(vectors, facts={**vectors.facts, "method": method, "parameters": options})
    with atomic_folder(VECTORS / name) as folder:
        write_vectors(folder, name, vectors)


def from_pool(name: str, *, source: str, epochs: int, **options: Any) -> WordVectors:
    """`method: word2vec`."""
    pool = ROOT / source
    if not (pool / "pool.json").exists():
        raise InputError(f"vectors.{name}.source in params.yaml is {source}, which is no pool; `dvc repro` makes one.")
    words = read_json(pool / "pool.json")["words"]
    with progress(f"embed {name}", epochs * words, "words") as bar:
        start = time.monotonic()

        def show(more: int) -> None:
            epoch = min(epochs, 1 + int(bar.done + more - 1) // words)
            speed = (bar.done + more) / (time.monotonic() - start)
            bar.advance(more, f"(epoch {epoch} of {epochs}, {speed:,.0f} words/s)")

        return train_word2vec(pool / "texts.parquet", epochs=epochs, on_words=show, **options)


def from_file(name: str, *, source: str, format: str, member: str = "", corpora: Iterable[str] = ()) -> WordVectors:
    """`method: file`; a relative path starts at the checkout."""
    wanted = words_of(corpora) or None
    with progress(f"embed {name}", 1, "file") as bar:
        vectors = read_published(CHECKOUT / source, format, member=member, wanted=wanted)
        bar.advance(1, f"({len(vectors.words):,} words kept)")
    return vectors


def no_vectors(name: str) -> WordVectors:
    """`method: none`: every word vector of a run is drawn at random."""
    return NO_VECTORS


def words_of(corpora: Iterable[str]) -> set[str]:
    """Every word of these corpora, as it stands and lower-cased."""
    words: set[str] = set()
    for corpus in corpora:
        for split in SPLITS:
            read_facts(file := TAGGED / corpus / f"{split}.parquet")  # says what to do if the file is missing
            for lowercase in (False, True):
                words.update(TokenLists(file, lowercase=lowercase).counts())
    return words


METHODS: dict[str, Callable[..., WordVectors]] = {"word2vec": from_pool, "file": from_file, "none": no_vectors}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors")
    main(parser.parse_args().vectors)
