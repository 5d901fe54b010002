"""A pool: training and unlabelled texts of some corpora, from which vectors are trained.

It contains no text that any corpus holds out for dev or test, even if another corpus has it in its training split or
among its unlabelled texts (but for the whole of which its only corpus is a part, as R52 is of R8), and no unlabelled
text that nearly repeats a dev or test text of its own corpus.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from retable.declaration import Corpus
from retable.errors import InputError
from retable.text.leaks.leakage import digest
from retable.text.splits import CLEAN, TOKENS, read_batches

DIGEST = re.compile(rb"[0-9a-f]{32}")  # of retable.text.leaks.leakage.digest
POOL_SCHEMA = pa.schema([TOKENS])


def pool_language(name: str, corpora: Sequence[Corpus]) -> str:
    """Return the language of a pool's corpora.

    Raises: InputError if there is no corpus, one is excluded from pools, or they are in several languages.
    """
    if not corpora:
        raise InputError(f"pools.{name} in params.yaml has no corpus; name one or more under `corpora`.")
    for corpus in corpora:
        if not corpus.pooled:
            raise InputError(
                f"pools.{name} in params.yaml has {corpus.name}, which no pool may contain ({corpus.note}); remove it."
            )
    languages = sorted({corpus.language for corpus in corpora})
    if len(languages) > 1:
        raise InputError(
            f"pools.{name} in params.yaml has corpora in {' and '.join(languages)}; make a pool for each language."
        )
    return languages[0]


def whole_of_pool(corpora: Sequence[Corpus]) -> str:
    """Return the corpus of which a pool's only corpus is a part; empty if there is none, or the pool has several."""
    return corpora[0].part_of if len(corpora) == 1 else ""


def read_held_out(files: Mapping[str, Path]) -> dict[str, frozenset[str]]:
    """Return corpus -> digests of its dev and test texts, from its heldout.txt.

    Raises: InputError if a file is missing or holds anything but digests: a pool could contain a test text.
    """
    missing = next((file for file in files.values() if not file.exists()), None)
    if missing:
        raise InputError(f"{missing} is missing; `dvc repro` makes it.")
    return {corpus: digests_in(file) for corpus, file in files.items()}


def digests_in(file: Path) -> frozenset[str]:
    """Return the digests in a heldout.txt, one a line."""
    lines = file.read_bytes().split()
    if other := next((line for line in lines if not DIGEST.fullmatch(line)), None):
        raise InputError(
            f"{file} contains {other[:40]!r}, which is not a digest of a text; remove it, and `dvc repro`."
        )
    return frozenset(line.decode("ascii") for line in lines)


def build_pool(
    sources: Sequence[Path],
    held_out: Mapping[str, frozenset[str]],
    target: Path,
    *,
    on_texts: Callable[[int], None] = lambda texts: None,
) -> dict[str, Any]:
    """Write the tokens of tagged texts into one Parquet file, one batch at a time.

    Args:
        sources: data/tagged/<corpus>/train.parquet of every corpus of the pool, and unlabelled.parquet if requested.
        held_out: per corpus the digests (`retable.text.leaks.leakage.digest`) of the texts that no pool may contain.
        on_texts: called with the number of texts in each finished batch.
    Returns: texts, words, characters, the number of texts excluded because a corpus holds them out (`excluded`, per
        corpus; a text held out by two corpora counts for both) and of others excluded because `clean` is False
        (`near_copies`: unlabelled texts that nearly repeat a dev or test text of their corpus; training texts are
        always clean).
    Raises: InputError if nothing is left.
    """
    texts = words = characters = near_copies = 0
    excluded = dict.fromkeys(sorted(held_out), 0)
    with pq.ParquetWriter(target, POOL_SCHEMA, compression="zstd") as writer:
        for source in sources:
            for batch in read_batches(source, [TOKENS, CLEAN]):
                rows = zip(batch[TOKENS.name].to_pylist(), batch[CLEAN.name].to_pylist(), strict=True)
                free = [(tokens, clean) for tokens, clean in rows if not _is_held_out(tokens, held_out, excluded)]
                kept = [tokens for tokens, clean in free if clean]
                near_copies += len(free) - len(kept)
                lists = pa.array(kept, TOKENS.type)
                writer.write_batch(pa.record_batch([lists], schema=POOL_SCHEMA))
                texts += len(kept)
                words += len(flat := lists.flatten())
                characters += pc.sum(pc.utf8_length(flat)).as_py() or 0
                on_texts(len(batch))
    if not texts:
        raise InputError(f"{target.parent.name} is an empty pool: all its texts are, or nearly repeat, held-out ones.")
    return {
        "texts": texts, "words": words, "characters": characters, "excluded": excluded, "near_copies": near_copies,
    }  # fmt: skip


def _is_held_out(tokens: list[str], held_out: Mapping[str, frozenset[str]], excluded: dict[str, int]) -> bool:
    form = digest(" ".join(tokens))  # the digest ignores spaces
    holders = [corpus for corpus, digests in held_out.items() if form in digests]
    for corpus in holders:
        excluded[corpus] += 1
    return bool(holders)
