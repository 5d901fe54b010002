"""Read params.yaml as DVC reads it: YAML 1.2, so that 1e-3 is a number and no is a word."""

import copy
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from retable.errors import InputError
from retable.project.paths import PARAMS


def load_yaml(path: Path) -> Any:
    """Plain dicts, lists and scalars of a YAML file."""
    try:
        return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} is missing; `make params SCALE=cpu` writes it.") from None
    except YAMLError as error:
        raise InputError(
            f"{path} is not YAML: {' '.join(str(error).split())}. Mend the line or `git checkout` the file."
        ) from None


def read_params(section: str) -> Any:
    """Return one section of params.yaml. Raises: InputError."""
    params = all_params()
    if section not in params:
        raise InputError(f"params.yaml has no section {section}; `make params SCALE=cpu` writes it again.")
    return copy.deepcopy(params[section])


def all_params() -> dict[str, Any]:
    """Return params.yaml, read once after each change; not to be changed."""
    return _as_read(PARAMS, PARAMS.stat().st_mtime_ns if PARAMS.exists() else 0)


@cache  # tables ask for their cells again and again, and reading takes a tenth of a second
def _as_read(path: Path, changed_ns: int) -> dict[str, Any]:
    params: dict[str, Any] = load_yaml(path)
    return params
