"""What a result depends on: digests of code, data and parameters, and the versions that were at work.

The digest of code is taken of syntax trees, without docstrings, so that a comment does not invalidate a night's work,
and in a form that does not change with Python's version.
"""

import ast
import importlib.metadata
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retable.files import sha256_of_value
from retable.runs.recipes import from_text, majors

# A registry only says which module has which name: a new line in it changes no run.
REGISTRIES = ("retable.models", "retable.corpora", "retable.papers")
PACKAGES = ("numpy", "pyarrow", "scikit-learn", "scipy", "torch")


def module_digests(roots: Iterable[str], source: Path) -> dict[str, str]:
    """Digest of every module of retable that the roots import at module level, directly or through others.

    Args:
        roots: module names ("retable.training.run").
        source: the folder that holds the package `retable`.
    Returns: module name -> SHA-256 of its syntax tree, in the order of the names.
    """
    found: dict[str, str] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        path = module_path(name, source)
        if path is None or name in found or name in REGISTRIES:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found[name] = tree_digest(tree)
        waiting += imported_modules(tree)
        if "." in name:
            waiting.append(name.rpartition(".")[0])  # importing a module runs its packages
    return dict(sorted(found.items()))


def module_path(name: str, source: Path) -> Path | None:
    """The file of a module of retable; None for a name that is no module here."""
    if name.partition(".")[0] != "retable":
        return None
    base = source.joinpath(*name.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def imported_modules(tree: ast.Module) -> list[str]:
    """Names that a module imports at its top level; `from a import b` may mean the module a.b."""
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def tree_digest(tree: ast.AST) -> str:
    """SHA-256 of a syntax tree without docstrings."""
    return sha256_of_value(_plain(tree))


def _plain(node: Any) -> Any:
    """A tree as lists; fields that are absent or empty are left out, because newer Pythons add such fields."""
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


def run_key(parameters: str, data: str, recipe: str) -> str:
    """Return what makes two runs the same run: parameters, data and the majors of the recipe."""
    return sha256_of_value([parameters, data, majors(from_text(recipe))])


def versions() -> dict[str, str]:
    """Python and the packages that a number can depend on."""
    return {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in PACKAGES}}


def git_commit(checkout: Path) -> str:
    """The commit of the checkout, with "+" behind it where tracked sources were changed; "unknown" without git."""
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
