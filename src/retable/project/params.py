"""Read params.yaml as DVC does: YAML 1.2, in which 1e-3 is a number and `no` is a string."""

import copy
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent, ScalarEvent

from retable.errors import InputError, shortened, shown
from retable.files import HALF
from retable.project.paths import PARAMS

Check = Callable[[Path, dict[str, Any]], None]
HALF_ESCAPED = re.compile(r"\\[uU](0000)?d[89a-f]", re.IGNORECASE)


def load_yaml(path: Path) -> dict[str, Any]:
    """Return the sections of a YAML file, as plain dicts, lists and scalars. Raises: InputError."""
    try:
        text = read_text(path)
        refuse_aliases(path, text)
        refuse_halves(path, text)
        found = YAML(typ="safe", pure=True).load(text)
    except FileNotFoundError:
        raise InputError(f"{path} is missing; `make params SCALE=cpu` writes it.") from None
    except RecursionError:
        raise InputError(f"{path} is nested too deeply; fix the line or `git checkout` the file.") from None
    except InputError:
        raise
    except (YAMLError, ValueError) as error:
        raise InputError(
            f"{path} is not YAML: {shortened(' '.join(str(error).split()))}. Fix the line or `git checkout` the file."
        ) from None
    if not isinstance(found, dict):
        raise InputError(f"{path} is {shown(found)}, without sections; remove it and run `make params SCALE=cpu`.")
    return found


def refuse_aliases(path: Path, text: str) -> None:
    """Refuse a value that repeats another by its alias (*name): thirty such lines can expand beyond any memory.

    Raises: InputError.
    """
    if "&" in text and "*" in text:
        for event in YAML(typ="safe", pure=True).parse(text):
            if isinstance(event, AliasEvent):
                raise InputError(
                    f"{path}, line {event.start_mark.line + 1} has the alias *{event.anchor}; write the value itself."
                )


def refuse_halves(path: Path, text: str) -> None:
    """Refuse half of a character ("\\ud800"), which no file can hold. Raises: InputError."""
    if HALF_ESCAPED.search(text):
        for event in YAML(typ="safe", pure=True).parse(text):
            if isinstance(event, ScalarEvent) and (half := HALF.search(event.value)):
                raise InputError(
                    f"{path}, line {event.start_mark.line + 1}: {half[0]!r} is half of a character; write it whole."
                )


def read_text(path: Path) -> str:
    """Return the text of a file. Raises: InputError if it is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; remove it and run `make params SCALE=cpu`.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 ({error}); save it as UTF-8 or `git checkout` the file.") from None


def read_params(section: str) -> Any:
    """Return one section of params.yaml. Raises: InputError."""
    params = load_once(PARAMS)
    if section not in params:
        raise InputError(f"params.yaml has no section {section}; `make params SCALE=cpu` writes it again.")
    return copy.deepcopy(params[section])


def load_once(path: Path, check: Check | None = None) -> dict[str, Any]:
    """Return the sections of a YAML file, read and checked once after each of its changes; read-only.

    Raises: InputError.
    """
    return _as_read(path, path.stat().st_mtime_ns if path.exists() else 0, check)


@cache  # tables request cells and presets repeatedly, and reading takes up to a tenth of a second
def _as_read(path: Path, changed_ns: int, check: Check | None) -> dict[str, Any]:
    found = load_yaml(path)
    if check:
        check(path, found)
    return found
