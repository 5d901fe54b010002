"""Record what a result depends on: its key, the package versions, and the commit.

The digest of a module is taken of its syntax tree without docstrings, so that a comment does not cause a new download
of a corpus, and in a form that does not change between Python versions.
"""

import ast
import importlib.metadata
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retable.files import sha256_of_value
from retable.runs.recipes import from_text, majors

EXECUTION = ("device",)  # parameters that do not identify a run
PACKAGES = ("numpy", "pyarrow", "scikit-learn", "scipy", "torch")


def tree_digest(tree: ast.AST) -> str:
    """Return the SHA-256 of a syntax tree without docstrings."""
    return sha256_of_value(_plain(tree))


def _plain(node: Any) -> Any:
    """Return a tree as lists, without absent or empty fields, because newer Pythons add such fields."""
    if isinstance(node, ast.AST):
        fields = [[name, _plain(value)] for name, value in ast.iter_fields(node) if value is not None and value != []]
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node, clean=False) is not None
        ):
            fields = [[name, value[1:] if name == "body" else value] for name, value in fields]
        return [type(node).__name__, fields]
    if isinstance(node, list):
        return [_plain(item) for item in node]
    return node if isinstance(node, str | int | bool) else repr(node)


def hash_of_parameters(parameters: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a run's parameters, except where it is executed."""
    return sha256_of_value({name: section for name, section in parameters.items() if name not in EXECUTION})


def run_key(parameters: str, data: str, recipe: str) -> str:
    """Return the key of a run from its parameters, data and the majors of the recipe."""
    return sha256_of_value([parameters, data, majors(from_text(recipe))])


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that a number can depend on."""
    return {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in PACKAGES}}


def git_commit(checkout: Path) -> str:
    """Return the checkout's commit, followed by "+" if tracked sources were changed; "unknown" without git."""
    try:
        options = {"cwd": checkout, "capture_output": True, "text": True, "check": True}
        commit = subprocess.run(["git", "rev-parse", "HEAD"], **options).stdout.strip()  # type: ignore[call-overload]
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no", "--", "src"],
            **options,  # type: ignore[call-overload]
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit + ("+" if changed else "")
