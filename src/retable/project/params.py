"""Read params.yaml as DVC reads it: YAML 1.2, so that 1e-3 is a number and no is a word."""

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
        raise InputError(f"{path} is missing; `make params SCALE=cpu` writes params.yaml and the cells.") from None
    except YAMLError as error:
        raise InputError(
            f"{path} is not YAML: {' '.join(str(error).split())}. Mend the line or `git checkout` the file."
        ) from None


def read_params(section: str) -> Any:
    """One section of params.yaml."""
    params = load_yaml(PARAMS)
    if section not in params:
        raise InputError(f"params.yaml has no section {section}; `make params SCALE=cpu` writes it again.")
    return params[section]
