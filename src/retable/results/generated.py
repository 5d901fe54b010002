"""Replace generated text between two markers in a page of the docs; the text around it is kept."""

import re
from pathlib import Path

from retable.errors import InputError
from retable.files import write_text


def renew(page: Path, block: str, body: str) -> bool:
    """Put a body between `<!-- generated: block -->` and `<!-- end of block -->`; return whether the page changed.

    Raises: InputError if the page lacks the markers.
    """
    text = page.read_text(encoding="utf-8")
    markers = re.compile(
        rf"(<!-- generated: {re.escape(block)}\b.*?-->\n).*?(<!-- end of {re.escape(block)} -->)", re.DOTALL
    )
    new, found = markers.subn(lambda match: f"{match[1]}{body.rstrip()}\n{match[2]}", text)
    if not found:
        raise InputError(
            f"{page} has no line '<!-- generated: {block} -->' with '<!-- end of {block} -->' below; "
            f"`git checkout {page.name}` restores the markers."
        )
    if new == text:
        return False
    write_text(page, new)
    return True
