"""Digests of prepared data: of what the arrays hold, not of a file's bytes, so that no new pyarrow makes a run stale.

Tokens     SHA-256 of the corpus's name, labels and domains, and for each split of ids, labels and tokens.
Texts      The same with parts of speech, where the corpus has them: for a network that reads them. A tagger trained on
           another processor gives a few words other parts, which is nothing to who reads words alone.
Raw        SHA-256 of the ids and clean texts of each split, which a run that reads raw characters needs beside these.
Vectors    SHA-256 of the words and of the float32 numbers, row by row.

`tag` and `embed` write them beside the data, and into one lock file in git (data/digests.json), so that a clone without
any data can tell which runs are current.
"""

import hashlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from retable.files import read_json, sha256_of_value, write_json
from retable.text.splits import SPLITS, read_facts
from retable.vectors.store import read_vectors

Kind = Literal["texts", "tokens", "raw", "vectors"]
DIGEST_FILE = "digest.json"
BLOCK_ROWS = 65_536  # of a matrix, hashed at a time


def texts_digest(folder: Path) -> str:
    """Return the digest of a tagged corpus (data/tagged/<corpus>/): the one written beside it, else of its arrays.

    Raises: FileNotFoundError if a split is missing.
    """
    written = folder / DIGEST_FILE
    return str(read_json(written)["texts"]) if written.exists() else digest_of_texts(folder)


def tokens_digest(folder: Path) -> str:
    """Return the digest of a tagged corpus without its parts of speech, likewise. Raises: FileNotFoundError."""
    written = folder / DIGEST_FILE
    found = read_json(written).get("tokens") if written.exists() else None
    return str(found or digest_of_texts(folder, parts=False))


def raw_digest(folder: Path) -> str:
    """Return the digest of the clean texts of a tagged corpus: the one written beside it, else of data/clean/<corpus>/.

    Raises: FileNotFoundError if a split is missing.
    """
    written = folder / DIGEST_FILE
    found = read_json(written).get("raw") if written.exists() else None
    return str(found or digest_of_raw(folder.parents[1] / "clean" / folder.name))


def vectors_digest(folder: Path) -> str:
    """Return the digest of a set of word vectors (data/vectors/<name>/), likewise. Raises: FileNotFoundError."""
    facts = read_json(folder / "vectors.json")
    return str(facts["digest"]) if "digest" in facts else digest_of_vectors(folder)


def digest_of_texts(folder: Path, *, parts: bool = True) -> str:
    """Return the digest of three splits: ids, labels, tokens, parts of speech if wanted, and the corpus's facts."""
    names = ("id", "label", "tokens", "parts") if parts else ("id", "label", "tokens")
    found: list[Any] = []
    for split in SPLITS:
        path = folder / f"{split}.parquet"
        if not path.exists():
            raise FileNotFoundError(2, "No such file", str(path))
        facts, table = read_facts(path), pq.read_table(path)
        found.append([facts.corpus, facts.language, list(facts.labels), list(facts.domains)])
        for name in names:
            if name in table.column_names:
                found.append([split, name, digest_of_column(table.column(name).combine_chunks())])
    return sha256_of_value(found)


def digest_of_column(column: pa.Array) -> str:
    """Return the digest of an array of strings, or of lists of strings: lengths and UTF-8 bytes in their order."""
    found = hashlib.sha256()
    if pa.types.is_list(column.type):
        found.update(np.diff(column.offsets.to_numpy()).astype("<i8").tobytes())
        column = column.flatten()
    found.update(pc.binary_length(column).to_numpy(zero_copy_only=False).astype("<i8").tobytes())
    for start in range(0, len(column), BLOCK_ROWS):
        found.update("".join(column.slice(start, BLOCK_ROWS).to_pylist()).encode("utf-8"))
    return found.hexdigest()


def digest_of_vectors(folder: Path) -> str:
    """Return the digest of the words and numbers of a set of word vectors."""
    vectors = read_vectors(folder)
    found = hashlib.sha256(f"{vectors.matrix.shape}\n".encode())
    found.update("\n".join(vectors.words).encode("utf-8"))
    for start in range(0, len(vectors.words), BLOCK_ROWS):
        found.update(np.ascontiguousarray(vectors.matrix[start : start + BLOCK_ROWS], dtype="<f4").tobytes())
    return found.hexdigest()


def digest_of_raw(clean: Path) -> str:
    """Return the digest of the ids and texts of three splits of data/clean/<corpus>/."""
    parts = []
    for split in SPLITS:
        table = pq.read_table(clean / f"{split}.parquet", columns=["id", "text"])
        parts += [[split, name, digest_of_column(table.column(name).combine_chunks())] for name in ("id", "text")]
    return sha256_of_value(parts)


def seal_texts(folder: Path, clean: Path) -> dict[Kind, str]:
    """Write the digests of a tagged corpus and of its clean texts beside it, and return them."""
    digests: dict[Kind, str] = {
        "texts": digest_of_texts(folder),
        "tokens": digest_of_texts(folder, parts=False),
        "raw": digest_of_raw(clean),
    }
    write_json(folder / DIGEST_FILE, digests)
    return digests


def seal_vectors(folder: Path) -> str:
    """Write the digest of a set of word vectors into its vectors.json, and return it."""
    digest = digest_of_vectors(folder)
    write_json(folder / "vectors.json", read_json(folder / "vectors.json") | {"digest": digest})
    return digest


def read_lock(path: Path) -> dict[str, dict[str, str]]:
    """Return kind -> name -> digest of the lock file; empty if there is none."""
    found: dict[str, dict[str, str]] = read_json(path) if path.exists() else {}
    return {"texts": {}, "tokens": {}, "raw": {}, "vectors": {}} | found


def lock_digests(path: Path, kind: Kind, digests: dict[str, str]) -> list[str]:
    """Put digests into the lock file, and return the names that stood there with another one."""
    lock = read_lock(path)
    changed = [name for name, digest in digests.items() if lock[kind].get(name, digest) != digest]
    if lock[kind] | digests != lock[kind]:
        write_json(path, lock | {kind: lock[kind] | digests})
    return changed
