"""Write params.yaml as text, section by section, so that every comment keeps its place.

A section whose values already equal the preset's is not changed.
"""

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from retable.files import write_text

LINE = 90  # characters; options that fit are written on one line
Place = tuple[str, ...]  # keys from the outermost to the innermost
Comments = Mapping[Place, str]


def sections_of(text: str) -> dict[str, str]:
    """Return top-level section -> its text, with the comment lines above it; text before the first key is under ""."""
    sections: dict[str, str] = {"": ""}
    current, waiting = "", ""
    for line in text.splitlines(keepends=True):
        key = re.match(r"([A-Za-z][\w-]*):", line)
        if key:
            current = key.group(1)
            sections[current] = waiting + line
            waiting = ""
        elif current and line.startswith("#"):
            waiting += line
        else:
            sections[current] += waiting + line
            waiting = ""
    sections[current] += waiting
    return sections


def replace_sections(text: str, preset_text: str, names: tuple[str, ...]) -> str:
    """Copy these sections of the preset into the text; one that already has the same values stays unchanged."""
    old, new = sections_of(text), sections_of(preset_text)
    yaml = YAML(typ="safe", pure=True)
    for name in names:
        if name not in old or yaml.load(old[name]) != yaml.load(new[name]):
            old[name] = new[name].rstrip("\n") + "\n\n"
    return "".join(old.values())


def comments_of(text: str) -> dict[Place, str]:
    """Return position of a key -> the comment after it, in YAML indented by two spaces."""
    comments: dict[Place, str] = {}
    place: Place = ()
    for line in text.splitlines():
        if key := re.match(r"((?:  )*)([\w.-]+):", line):
            place = (*place[: len(key.group(1)) // 2], key.group(2))
            if comment := line.partition("  #")[2]:
                comments[place] = comment.strip()
    return comments


def text_of(values: Mapping[str, Any], comments: Comments) -> str:
    """Return values as YAML with their comments.

    An option without its own comment gets that of the first option with its name in the section; no comment appears
    twice in a section.
    """
    lines = []
    for section, value in values.items():
        of_name: dict[str, str] = {}
        for place, comment in comments.items():
            if place[0] == section:
                of_name.setdefault(place[-1], comment)
        used = set()
        for place, line in lines_of((section,), value, comments):
            comment = comments.get(place) or of_name.get(place[-1], "")
            lines.append(f"{line}  # {comment}" if comment and comment not in used else line)
            used.add(comment)
    return "".join(f"{line}\n" for line in lines)


def lines_of(place: Place, value: Any, comments: Comments) -> Iterator[tuple[Place, str]]:
    """Yield a key's lines with their positions; options with comments or too long for one line get separate lines."""
    key = f"{'  ' * (len(place) - 1)}{place[-1]}:"
    line = f"{key} {in_one_line(value)}"
    commented = any(len(other) > len(place) and other[: len(place)] == place for other in comments)
    if not isinstance(value, dict) or (len(place) > 1 and len(line) <= LINE and not commented):
        yield place, line
        return
    yield place, key
    for name, inner in value.items():
        yield from lines_of((*place, name), inner, comments)


def in_one_line(value: Any) -> str:
    """Return a value as one line of YAML, with its keys in order."""
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style, yaml.width, yaml.sort_base_mapping_type_on_output = True, 10**6, False
    text = io.StringIO()
    yaml.dump(value, text)
    return text.getvalue().removesuffix("\n").removesuffix("\n...")


def replace_text(path: Path, text: str) -> None:
    """Replace a file if its text changed."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_text(path, text.rstrip("\n") + "\n")
