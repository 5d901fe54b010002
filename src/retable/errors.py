"""User mistakes, each reported in one sentence."""

import difflib
import reprlib
from collections.abc import Iterable

# Modules that a plain `pip install retable` lacks -> the extra that installs them.
EXTRAS = {
    "jieba": "chinese", "numba": "chinese",
    "gensim": "vectors",
    "fastapi": "serve", "pydantic": "serve", "starlette": "serve", "uvicorn": "serve",
    "all_minilm_l6_v2": "pretrained", "tokenizers": "pretrained", "transformers": "pretrained",
    "onnx": "onnx", "onnxruntime": "onnx",
    "submitit": "cluster",
    "dvc": "pipeline", "jinja2": "pipeline", "markdown_it": "pipeline", "matplotlib": "pipeline", "mlflow": "pipeline",
    "psutil": "pipeline", "requests": "pipeline", "spacy": "pipeline", "statsmodels": "pipeline",
}  # fmt: skip

LONGEST_VALUE = 120  # characters of a value in a message
MOST_NAMES = 60  # in a message


class InputError(ValueError):
    """A file, value or name from outside is wrong; the message says what it was, what is allowed and what to do."""


def unknown_name(what: str, name: object, known: Iterable[str]) -> InputError:
    """Return an error for a misspelt name, with the nearest known one.

    Args:
        what: the kind of name and its container, as the user sees them ("column of texts.csv").
        name: the value found.
        known: all allowed names.
    """
    names, asked = sorted(known), shortened(name) if isinstance(name, str) else shown(name)
    small = {each.casefold(): each for each in reversed(names)}
    near = difflib.get_close_matches(asked.casefold(), small, n=1)
    hint = f'; did you mean "{shortened(small[near[0]])}"?' if near else "."
    listed = ", ".join(map(shortened, names[:MOST_NAMES])) or "none"
    rest = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return InputError(f'unknown {what}: "{asked}"{hint} Known: {listed}{rest}.')


def lacks(module: str, what: str = "this") -> InputError:
    """Return an error for a module that is not installed, with the extra that brings it.

    Args:
        module: its name, one of EXTRAS.
        what: the feature that needs it, as the user sees it.
    """
    return InputError(f'{what} needs {module}, which is not installed: pip install "retable[{EXTRAS[module]}]"')


def shown(value: object) -> str:
    """Return a value for a message: as Python's repr, on one line, shortened if long."""
    return shortened(_SHORT.repr(value))


def on_one_line(text: str) -> str:
    """Return a text with its line ends and control characters written as in Python: "a\\nb"."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def shortened(text: str) -> str:
    """Return a text on one line, shortened if long."""
    line = on_one_line(text)
    return line if len(line) <= LONGEST_VALUE else f"{line[: LONGEST_VALUE - 3]}..."


_SHORT = reprlib.Repr()  # never formats a whole value, which may be endless
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother, _SHORT.maxlong = 4, LONGEST_VALUE, LONGEST_VALUE, LONGEST_VALUE
_SHORT.maxdict = _SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = 12
