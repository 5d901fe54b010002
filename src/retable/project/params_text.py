"""Write params.yaml section by section as text, so that every comment stays where it is.

A section that has the values of the preset already is not touched at all.
"""

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from retable.files import atomic_file

FORMER_SECTIONS = ("treebanks",)  # of older versions; nothing reads them
LINE = 90  # characters; options that fit stand in one line
Place = tuple[str, ...]  # keys from the outermost to the innermost
Comments = Mapping[Place, str]


def sections_of(text: str) -> dict[str, str]:
    """Top-level section -> its text, with the comment lines above it; what stands before the first key is under ""."""
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
    """Put the preset's sections with these names into the text; one that has the same values already stays as it is."""
    old, new = sections_of(text), sections_of(preset_text)
    yaml = YAML(typ="safe", pure=True)
    for name in names:
        if name not in old or yaml.load(old[name]) != yaml.load(new[name]):
            old[name] = new[name].rstrip("\n") + "\n\n"
    return "".join(section for name, section in old.items() if name not in FORMER_SECTIONS)


def comments_of(text: str) -> dict[Place, str]:
    """Return the place of a key -> the comment behind it, in YAML indented by two spaces."""
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

    An option without a comment of its own has that of the first option of its name in the section; no comment is said
    twice in a section.
    """
    lines = []
    for section, value in values.items():
        of_name: dict[str, str] = {}
        for place, comment in comments.items():
            if place[0] == section:
                of_name.setdefault(place[-1], comment)
        said = set()
        for place, line in lines_of((section,), value, comments):
            comment = comments.get(place) or of_name.get(place[-1], "")
            lines.append(f"{line}  # {comment}" if comment and comment not in said else line)
            said.add(comment)
    return "".join(f"{line}\n" for line in lines)


def lines_of(place: Place, value: Any, comments: Comments) -> Iterator[tuple[Place, str]]:
    """Yield lines of a key, each with its place; options with comments or of a long line stand below each other."""
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
    """Return a value as YAML in one line, keys in their order."""
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style, yaml.width, yaml.sort_base_mapping_type_on_output = True, 10**6, False
    text = io.StringIO()
    yaml.dump(value, text)
    return text.getvalue().removesuffix("\n").removesuffix("\n...")


def write_text(path: Path, text: str) -> None:
    """Replace a file, if its text is another one."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    with atomic_file(path) as part:
        part.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
