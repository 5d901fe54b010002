"""A page on the public API of `import retable`, from signatures and docstrings."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from retable.site.templating import render

Public = Mapping[str, Sequence[Callable[..., Any]]]  # heading -> functions and classes
WIDTH = 100  # characters per line


class Entry(NamedTuple):
    """A function, class or method as shown on the page."""

    name: str
    signature: str
    says: str


def pages(public: Public) -> Iterator[tuple[str, str]]:
    """Yield the page."""
    groups = {title: [entry for each in things for entry in entries(each)] for title, things in public.items()}
    yield "python.html", render("python.html", "python.html", {"groups": groups})


def entries(thing: Callable[..., Any]) -> Iterator[Entry]:
    """Yield a function, or a class and its own public methods."""
    name = thing.__name__
    yield Entry(name, called(name, thing), inspect.getdoc(thing) or "")
    for key, member in vars(thing).items() if inspect.isclass(thing) else ():
        if inspect.isfunction(member) and not key.startswith("_"):
            yield Entry(f"{name}.{key}", called(f"{name}.{key}", member), inspect.getdoc(member) or "")


def called(name: str, thing: Callable[..., Any]) -> str:
    """Return the call signature, with one parameter per line if it is too long."""
    signature = inspect.signature(thing)
    line = f"{name}{signature}"
    if len(line) <= WIDTH:
        return line
    result = f" -> {inspect.formatannotation(signature.return_annotation)}"
    parameters = "".join(f"    {each},\n" for each in signature.parameters.values())
    return f"{name}(\n{parameters}){result}"
