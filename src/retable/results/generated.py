"""Replace or read generated text between two markers in a page of the docs; the text around it is kept."""

import re
from pathlib import Path

from retable.errors import InputError
from retable.files import write_text


def renew(page: Path, block: str, body: str) -> bool:
    """Put a body between `<!-- generated: block -->` and `<!-- end of block -->`; return whether the page changed.

    Raises: InputError if the page lacks the markers.
    """
    text = page.read_text(encoding="utf-8")
    new, found = markers(block).subn(lambda match: f"{match[1]}{body.rstrip()}\n{match[3]}", text)
    if not found:
        raise InputError(
            f"{page} has no line '<!-- generated: {block} -->' with '<!-- end of {block} -->' below; "
            f"`git checkout {page.name}` restores the markers."
        )
    if new == text:
        return False
    write_text(page, new)
    return True


def markers(block: str) -> re.Pattern[str]:
    """Return the pattern of a block: its first marker, its text, its last marker."""
    name = re.escape(block)
    return re.compile(rf"(<!-- generated: {name}\b.*?-->\n)(.*?)(<!-- end of {name} -->)", re.DOTALL)


def block_of(page: Path, block: str) -> str:
    """Return the text of a block; empty if the page or the block is not there."""
    found = markers(block).search(page.read_text(encoding="utf-8")) if page.exists() else None
    return found[2] if found else ""
