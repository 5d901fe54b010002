"""Digests of prepared data: they cover the arrays, not a file's bytes, so a new pyarrow makes no run stale.

Tokens     SHA-256 of the corpus's name, labels and domains, and of each split's ids, labels and tokens.
Texts      The same with parts of speech, for networks that read them: only of a corpus that was tagged with them. A
           tagger trained on another processor tags a few words differently; a model that reads words alone is not
           affected.
Raw        SHA-256 of the ids and clean texts of each split, also needed by a run that reads raw characters.
Vectors    SHA-256 of the words and of the float32 numbers, row by row.

`tag` and `embed` write them next to the data, and into one lock file in git (data/digests.json), so that a clone
without any data can tell which runs are current.
"""

import hashlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retable.errors import InputError, unknown_name
from retable.files import AGAIN, read_json, sha256_of_value, write_json
from retable.forms import DIGEST, Named, Section, check
from retable.text.splits import ID, LABEL, PARTS, SPLITS, TEXT, TOKENS, column_names, read_columns, read_facts
from retable.vectors.store import WordVectors, read_vectors

Kind = Literal["texts", "tokens", "raw", "vectors"]
KINDS = get_args(Kind)
TEXTS = Section({"texts": DIGEST}, {"tokens": DIGEST, "raw": DIGEST})  # digests stored with a tagged corpus
VECTORS = Section({}, {"digest": DIGEST})
LOCK = Section({}, dict.fromkeys(KINDS, Named(DIGEST)))
CHECKED_OUT = "`git checkout data/digests.json`"
DIGEST_FILE = "digest.json"
BLOCK_ROWS = 65_536  # rows of a matrix hashed at a time


def texts_digest(folder: Path) -> str:
    """Return the digest of a tagged corpus (data/tagged/<corpus>/): the one stored with it, else that of its arrays.

    It is that of the tokens if the corpus was tagged without parts of speech.

    Raises: FileNotFoundError if a split is missing.
    """
    return _written(folder).get("texts") or digest_of_texts(folder)


def tokens_digest(folder: Path) -> str:
    """Return the digest of a tagged corpus without parts of speech, in the same way. Raises: FileNotFoundError."""
    return _written(folder).get("tokens") or digest_of_texts(folder, parts=False)


def raw_digest(folder: Path) -> str:
    """Return the digest of the clean texts of a tagged corpus: the stored one, else that of data/clean/<corpus>/.

    Raises: FileNotFoundError if a split is missing.
    """
    return _written(folder).get("raw") or digest_of_raw(folder.parents[1] / "clean" / folder.name)


def vectors_digest(folder: Path) -> str:
    """Return the digest of word vectors (data/vectors/<name>/), in the same way. Raises: FileNotFoundError."""
    path = folder / "vectors.json"
    facts = read_json(path)
    check(facts, VECTORS, str(path), AGAIN)
    return str(facts["digest"]) if "digest" in facts else digest_of_vectors(folder)


def _written(folder: Path) -> dict[str, str]:
    """Return the digests stored with a tagged corpus; empty if there is no such file."""
    path = folder / DIGEST_FILE
    if not path.exists():
        return {}
    found: dict[str, str] = read_json(path)
    check(found, TEXTS, str(path), AGAIN)
    return found


def check_texts(folder: Path, clean: Path | None) -> None:
    """Refuse a tagged corpus whose arrays do not match the stored digests, which identify its runs.

    Args:
        clean: data/clean/<corpus>/, if raw characters are read.
    Raises: InputError.
    """
    files = [*(folder / f"{split}.parquet" for split in SPLITS), folder / DIGEST_FILE]
    files += [clean / f"{split}.parquet" for split in SPLITS] if clean else []
    if all(path.exists() for path in files):  # a missing file is reported when it is read
        _check_texts(folder, clean, tuple(path.stat().st_mtime_ns for path in files))


@cache  # all runs of a cell use one corpus
def _check_texts(folder: Path, clean: Path | None, _changed: tuple[int, ...]) -> None:
    written = _written(folder)
    found: dict[str, Callable[[], str]] = {
        "texts": lambda: digest_of_texts(folder),
        "tokens": lambda: digest_of_texts(folder, parts=False),
    }
    if clean:
        found["raw"] = partial(digest_of_raw, clean)
    for name, taken in found.items():
        if name in written and taken() != written[name]:
            raise InputError(f"{folder} has changed since it was made: its digest of {name} differs; {AGAIN}.")


def checked_vectors(folder: Path) -> WordVectors:
    """Read word vectors and check them against the digest that identifies their runs. Raises: InputError."""
    vectors = read_vectors(folder)
    if "digest" in vectors.facts and digest_of(vectors) != vectors.facts["digest"]:
        raise InputError(f"the vectors in {folder} do not match the digest in vectors.json; {AGAIN}.")
    return vectors


def digest_of_texts(folder: Path, *, parts: bool = True) -> str:
    """Return the digest of three splits: ids, labels, tokens, optionally parts of speech, and the corpus's facts."""
    fields = (ID, LABEL, TOKENS, PARTS) if parts else (ID, LABEL, TOKENS)
    found: list[Any] = []
    for split in SPLITS:
        path = folder / f"{split}.parquet"
        if not path.exists():
            raise FileNotFoundError(2, "No such file", str(path))
        facts, there = read_facts(path), column_names(path)
        own = [field for field in fields if field.name in there or field is not PARTS]
        table = read_columns(path, own)
        found.append([facts.corpus, facts.language, list(facts.labels), list(facts.domains)])
        for field in own:
            found.append([split, field.name, digest_of_column(table.column(field.name).combine_chunks())])
    return sha256_of_value(found)


def digest_of_column(column: pa.Array) -> str:
    """Return the digest of an array of strings, or of lists of strings: lengths and UTF-8 bytes, in order."""
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
    return digest_of(read_vectors(folder))


def digest_of(vectors: WordVectors) -> str:
    """Return the digest of words and numbers."""
    found = hashlib.sha256(f"{vectors.matrix.shape}\n".encode())
    found.update("\n".join(vectors.words).encode("utf-8"))
    for start in range(0, len(vectors.words), BLOCK_ROWS):
        found.update(np.ascontiguousarray(vectors.matrix[start : start + BLOCK_ROWS], dtype="<f4").tobytes())
    return found.hexdigest()


def digest_of_raw(clean: Path) -> str:
    """Return the digest of the ids and texts of three splits of data/clean/<corpus>/."""
    parts = []
    for split in SPLITS:
        path = clean / f"{split}.parquet"
        if not path.exists():
            raise FileNotFoundError(2, "No such file", str(path))
        table = read_columns(path, [ID, TEXT])
        parts += [[split, name, digest_of_column(table.column(name).combine_chunks())] for name in ("id", "text")]
    return sha256_of_value(parts)


def seal_texts(folder: Path, clean: Path) -> dict[Kind, str]:
    """Write the digests of a tagged corpus and of its clean texts next to it, and return them."""
    digests: dict[Kind, str] = {
        "tokens": digest_of_texts(folder, parts=False),  # first: in the lock, other tokens drop the texts
        "texts": digest_of_texts(folder),
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
    """Return the lock file as kind -> name -> digest, read-only; empty if there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return _lock_as_read(path, None)
    return _lock_as_read(path, (status.st_ino, status.st_mtime_ns, status.st_size))


@cache  # pages look up each run's data, and checking the file takes milliseconds
def _lock_as_read(path: Path, version: tuple[int, int, int] | None) -> dict[str, dict[str, str]]:
    """Read the lock file once after each change."""
    found: dict[str, dict[str, str]] = read_json(path, advice=CHECKED_OUT) if version else {}
    if unknown := [kind for kind in found if kind not in KINDS]:
        raise unknown_name(f"kind in {path}", unknown[0], KINDS)
    check(found, LOCK, str(path), CHECKED_OUT)
    return {"texts": {}, "tokens": {}, "raw": {}, "vectors": {}} | found


def lock_digests(path: Path, kind: Kind, digests: dict[str, str]) -> list[str]:
    """Write digests into the lock file, and return the names whose digest has changed.

    Texts of other tokens are dropped, because a scale without parts of speech would not replace them.
    """
    lock = read_lock(path)
    changed = [name for name, digest in digests.items() if lock[kind].get(name, digest) != digest]
    if lock[kind] | digests != lock[kind]:
        lock = lock | {kind: lock[kind] | digests}
        if kind == "tokens":
            lock["texts"] = {name: digest for name, digest in lock["texts"].items() if name not in changed}
        write_json(path, lock)
    return changed
