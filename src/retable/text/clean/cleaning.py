"""Normalise texts without changing their content, and remove copies if we draw the splits ourselves.

The steps, in order: HTML tags become a space and entities their character (corpora declared `html` only); C1 controls
become the Windows-1252 characters that were misread as latin-1; other invisible controls are removed; Unicode NFC; runs
of white space become one space. Tokens, case, accents and emoji are unchanged.
"""

import html
import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from retable.declaration import Example

TAG = re.compile(r"</?(?:a|b|br|em|hr|i|p|strong|u)\b[^<>]*>", re.IGNORECASE)  # <grin> is a word, not a tag
ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-f]+|\w+);", re.IGNORECASE)  # with its semicolon: "Q&A" is not one
LONGEST_ENTITY = 1000  # characters; Python parses no integer of over 4,300 digits


WINDOWS = {code: bytes([code]).decode("cp1252", errors="ignore") for code in range(0x80, 0xA0)}  # "" if undefined
SPACES = dict.fromkeys((*b"\t\n\v\f\r", 0x200B), " ")
INVISIBLE = dict.fromkeys(  # soft hyphen, direction marks, invisible operators; joiners stay, Indic scripts need them
    (*range(0x20), 0x7F, 0xAD, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF), ""
)
CONTROLS = {**INVISIBLE, **SPACES, **WINDOWS}
ACCENTS = re.compile(r"[^\w\s\x00-\x7f]{100,}")  # and other characters; Python's \w excludes accents


def clean_text(text: str, *, markup: bool) -> str:
    """Clean one text; return "" if nothing is left.

    Cleaning is idempotent, except for entities of entities.

    Args:
        markup: remove HTML tags and entities.
    """
    if markup:
        text = ENTITY.sub(character_of, TAG.sub(" ", text))
    return " ".join(unicodedata.normalize("NFC", ACCENTS.sub(in_order, text.translate(CONTROLS))).split())


def in_order(run: re.Match[str]) -> str:
    """Return accents in NFC order, since NFC takes quadratic time for thousands of accents on one letter."""
    pieces = groupby(run[0], key=lambda character: unicodedata.combining(character) > 0)
    return "".join("".join(sorted(each, key=unicodedata.combining) if accents else each) for accents, each in pieces)


def character_of(entity: re.Match[str]) -> str:
    """Return the character that an entity names; a number too long to be one is unchanged."""
    return html.unescape(entity[0]) if len(entity[0]) <= LONGEST_ENTITY else entity[0]


class Removed(NamedTuple):
    """A text that is in no split: the reason, and the id of the text that it repeats ("" if none)."""

    id: str
    reason: str
    of: str


def clean_examples(
    examples: Iterable[Example], *, markup: bool, drop_copies: bool
) -> tuple[list[Example], list[Removed]]:
    """Clean every text; remove empty ones and, if requested, copies.

    Args:
        markup: remove HTML tags and entities.
        drop_copies: as `remove_copies`.
    Returns: the remaining texts, in order; the removed ones.
    """
    cleaned = [example._replace(text=clean_text(example.text, markup=markup)) for example in examples]
    kept = [example for example in cleaned if example.text]
    removed = [Removed(example.id, "empty", "") for example in cleaned if not example.text]
    if drop_copies:
        kept, copies = remove_copies(kept)
        removed += copies
    return kept, removed


def remove_copies(examples: Iterable[Example]) -> tuple[list[Example], list[Removed]]:
    """Keep the first of equal texts; if equal texts have different labels, keep none of them.

    For corpora that we split ourselves, since a text could be in both train and test. Published splits are unchanged.
    """
    groups: dict[str, list[Example]] = {}  # in the order of first occurrence
    for example in examples:
        groups.setdefault(example.text, []).append(example)
    kept, removed = [], []
    for first, *others in groups.values():
        if all(example.label == first.label for example in others):
            kept.append(first)
            removed += [Removed(example.id, "copy", first.id) for example in others]
        else:
            removed += [Removed(example.id, "contradicting label", first.id) for example in (first, *others)]
    return kept, removed
