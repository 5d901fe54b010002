"""Complete files or none: everything is written under a temporary name and renamed when it is complete."""

import csv
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from retable.errors import InputError, shown

AGAIN = "remove it and run `dvc repro`, or `git checkout` it"  # advice for a damaged file
MODEL_AGAIN = "make the model again"  # the same for a file of a saved model
PLAIN_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*", re.ASCII)
HALF = re.compile("[\ud800-\udfff]")  # half of a character, which no file can hold
PART = re.compile(r"\.[a-z0-9_]{8}(\.old)?\.part$")  # suffix of half-written files
PART_BYTES = len("..12345678.old.part")  # by which the name of a half-written file is longer


def is_plain_name(name: object) -> bool:
    """Return whether a name cannot lead to another folder and has no meaning to a shell."""
    return isinstance(name, str) and bool(PLAIN_NAME.fullmatch(name))


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`; rename it to `path` at the end, remove it after an error."""
    with _part(path, _new_file) as (part, descriptor):
        yield part
        os.fsync(descriptor)
        part.replace(path)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty temporary folder next to `path`; it replaces `path` at the end."""
    with _part(path, _new_folder) as (part, _):
        yield part
        for file in part.rglob("*"):
            if file.is_file():
                _flush(file)
        old = path.rename(part.with_suffix(".old.part")) if path.exists() else None
        try:
            part.rename(path)
        except OSError:
            if old:
                old.rename(path)
            raise
        if old:
            shutil.rmtree(old, ignore_errors=True)  # the next write removes any remains


def refuse_other_files(folder: Path, own: Collection[str], what: str) -> None:
    """Refuse to replace a folder that has other files than one's own.

    Args:
        own: the names of the files that it may have.
        what: what such a file is, for the message.
    Raises: InputError.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; choose a new folder, or an earlier one of the same files.")
    found = folder.iterdir() if folder.exists() else ()
    if others := sorted(path.name for path in found if path.name not in own or path.is_dir()):
        raise InputError(f"{folder} contains {others[0]}, which is not {what}; move it, or choose another folder.")


def copy_file(path: Path, to: Path) -> None:
    """Copy a file, completely or not at all."""
    with atomic_file(to) as part:
        shutil.copyfile(path, part)


@contextmanager
def _part(path: Path, new: Callable[[Path], Path]) -> Iterator[tuple[Path, int]]:
    """Yield a new temporary file or folder next to `path`, and its descriptor; remove what is left of it.

    It is locked while this process lives: an unlocked one was left by a killed process, and is removed when the same
    name is written again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    clear_parts(path.parent, path.name)
    part, descriptor = _locked(new, path)
    try:
        yield part, descriptor
    except OSError as error:
        error.filename = error.filename or str(path)  # a refused write does not name its file
        raise
    finally:
        _remove(part)
        os.close(descriptor)


def _locked(new: Callable[[Path], Path], path: Path) -> tuple[Path, int]:
    """Return a new temporary file or folder, and its descriptor, which holds its lock."""
    while True:
        part = new(path)
        with suppress(FileNotFoundError):  # another process took it for a leftover before it was locked
            descriptor = os.open(part, os.O_RDONLY)
            _lock(descriptor)
            if part.exists():
                return part, descriptor
            os.close(descriptor)


def clear_parts(folder: Path, name: str = "*") -> None:
    """Remove half-written files of killed processes in a folder, for one name or for all."""
    for left in _left_parts(folder):
        if PART.sub("", left)[1:] == name or name == "*":
            part = folder / left
            try:
                descriptor = os.open(part, os.O_RDONLY)
            except OSError:  # already removed
                continue
            if _lock(descriptor, wait=False):
                _remove(part)
            os.close(descriptor)


@cache  # one check per folder: a process removes its own leftovers
def _left_parts(folder: Path) -> list[str]:
    names = os.listdir(folder) if folder.is_dir() else []
    return [name for name in names if name.startswith(".") and PART.search(name)]


def _lock(descriptor: int, *, wait: bool = True) -> bool:
    """Lock an open file or folder; return False if another process has it, or the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _new_file(path: Path) -> Path:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    os.chmod(name, 0o644)
    return Path(name)


def _new_folder(path: Path) -> Path:
    part = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    part.chmod(0o755)
    return part


def _flush(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, completely or not at all."""
    with atomic_file(path) as part:
        part.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON with sorted keys, so that equal values give equal bytes."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def object_of(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of a JSON text, as `object_pairs_hook`.

    Raises: ValueError if a key is repeated, of which json would silently keep the last.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {shown(next(name for name in names if names.count(name) > 1))} occurs twice")
    return found


def parse_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises: ValueError if it is not valid, repeats a key, or has half of a character ("\\ud800"); RecursionError.
    """
    found = json.loads(text, object_pairs_hook=object_of)
    if "\\u" in text and (half := HALF.search(json.dumps(found, ensure_ascii=False))):
        raise ValueError(f"{half[0]!r} is half of a character")
    return found


def read_json(path: Path, kind: type = dict, advice: str = AGAIN) -> Any:
    """Read a JSON file.

    Args:
        kind: the required type: an object (dict) or a list.
        advice: what a user can do if it is another.
    Raises: InputError if it is damaged; FileNotFoundError.
    """
    try:
        found = parse_json(path.read_bytes().decode("utf-8"))
    except (ValueError, RecursionError, IsADirectoryError) as error:
        raise InputError(f"{path} is not valid JSON ({error}); {advice}.") from None
    if not isinstance(found, kind):
        raise InputError(
            f"{path} contains {shown(found)}, not {'an object' if kind is dict else 'a ' + kind.__name__}; {advice}."
        )
    return found


def read_json_lines(path: Path, what: str, advice: str) -> Iterator[tuple[str, Any]]:
    """Yield "FILE, line N" and the value of each line of a file; lines end only at LF, because a name may hold U+2028.

    Args:
        what: what each line is ("a run").
        advice: what a user can do if one is not.
    Raises: InputError for a line that is not JSON; FileNotFoundError.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                where = f"{path}, line {number}"
                try:
                    found = parse_json(line.decode("utf-8"))
                except (ValueError, RecursionError) as error:
                    raise InputError(f"{where}, is not {what} ({error}); {advice}.") from None
                yield where, found
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a file of lines; {advice}.") from None


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Write rows under these columns; other keys of a row are ignored."""
    with atomic_file(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path: Path, columns: Iterable[str] = ()) -> list[dict[str, str]]:
    """Read a CSV file with a header.

    Args:
        columns: required columns, among others.
    Raises: InputError if it is damaged, lacks a column, or a line has more or fewer fields; FileNotFoundError.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, restval=None, strict=True)
            if lacks := [name for name in columns if name not in (reader.fieldnames or ())]:
                raise InputError(f"{path} has no column {', '.join(lacks)}; {AGAIN}.")
            found = []
            for line in reader:
                if None in line or None in line.values():
                    raise InputError(
                        f"{path}, line {reader.line_num}: it does not have the "
                        f"{len(reader.fieldnames or ())} fields of the header; {AGAIN}."
                    )
                if any("\0" in field for field in line.values()):
                    raise InputError(f"{path}, line {reader.line_num}: it contains NUL; {AGAIN}.")
                found.append(line)
            return found
    except (csv.Error, UnicodeDecodeError, IsADirectoryError) as error:
        raise InputError(f"{path} is not valid CSV ({error}); {AGAIN}.") from None


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_value(value: Any) -> str:
    """Return the SHA-256 of a JSON value: equal values have equal digests, regardless of the order of keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
