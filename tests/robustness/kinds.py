"""What bad input is tried: a valid object, its reader, and ways to damage it, each with words of the error message."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from retable.files import read_json, write_json

Damage = Callable[[Path], object]  # damages the valid object in a folder


class Kind(NamedTuple):
    """Describe one way to be bad; `words` is a regular expression found in the message."""

    name: str
    damage: Damage
    words: str


@dataclass(frozen=True)
class Group:
    """Hold `make`, which writes a valid object into a folder, and `read`, the command or the reader of all commands."""

    make: Callable[[Path], object]
    read: Callable[[Path], object]
    kinds: tuple[Kind, ...]


def put(name: str, content: bytes | str) -> Damage:
    """Write other bytes over a file."""
    return lambda place: (place / name).write_bytes(content.encode() if isinstance(content, str) else content)


def lose(name: str) -> Damage:
    return lambda place: (place / name).unlink()


def cut(name: str, share: float = 0.5) -> Damage:
    """Keep the first bytes of a file."""

    def damage(place: Path) -> None:
        content = (place / name).read_bytes()
        (place / name).write_bytes(content[: int(len(content) * share)])

    return damage


def folder(name: str) -> Damage:
    """Replace a file by a folder."""

    def damage(place: Path) -> None:
        (place / name).unlink(missing_ok=True)
        (place / name).mkdir(parents=True)

    return damage


def replaced(name: str, old: str, new: str) -> Damage:
    """Change a text file."""

    def damage(place: Path) -> None:
        content = (place / name).read_text(encoding="utf-8")
        assert old in content
        (place / name).write_text(content.replace(old, new), encoding="utf-8")

    return damage


def edit(name: str, where: str, value: Any) -> Damage:
    """Change a value of a JSON file; `where` is its path, "test/accuracy"."""

    def damage(place: Path) -> None:
        whole = read_json(place / name)
        set_at(whole, where, value)
        write_json(place / name, whole)

    return damage


def without(name: str, where: str) -> Damage:
    """Remove a value from a JSON file."""

    def damage(place: Path) -> None:
        whole = read_json(place / name)
        *sections, last = where.split("/")
        inner = whole
        for section in sections:
            inner = inner[section]
        del inner[last]
        write_json(place / name, whole)

    return damage


def twice(key: str, name: str) -> Damage:
    """Give an object of a JSON file a duplicate of a key, in front."""

    def damage(place: Path) -> None:
        (place / name).write_text((place / name).read_text().replace("{", f'{{"{key}": 1, ', 1))

    return damage


def set_at(whole: Any, where: str, value: Any) -> None:
    """Set a value in nested dicts."""
    *sections, last = where.split("/")
    for section in sections:
        whole = whole[section]
    whole[last] = value


def files(name: str, *, kind: str, words: str = "") -> tuple[Kind, ...]:
    """Return what can happen to any file: missing, cut off, empty, other bytes, a folder."""
    words = words or name.rpartition("/")[2].replace(".", r"\.")
    return (
        Kind(f"{kind} missing", lose(name), words),
        Kind(f"{kind} cut off", cut(name), words),
        Kind(f"{kind} empty", put(name, b""), words),
        Kind(f"{kind} of other bytes", put(name, b"\x93\x00\xff garbage " * 9), words),
        Kind(f"{kind} a folder", folder(name), words),
    )


def json_file(name: str, *, kind: str, words: str = "") -> tuple[Kind, ...]:
    """Return what can additionally happen to a JSON file."""
    words = words or name.rpartition("/")[2].replace(".", r"\.")
    return (
        *files(name, kind=kind, words=words),
        Kind(f"{kind} a list", put(name, "[]"), words),
        Kind(f"{kind} null", put(name, "null"), words),
        Kind(f"{kind} nested too deep", put(name, "[" * 100_000), words),
        Kind(f"{kind} with a number of 5,000 digits", put(name, '{"n": ' + "1" * 5000 + "}"), words),
        Kind(f"{kind} without anything", put(name, "{}"), words),
    )
