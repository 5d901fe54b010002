"""Make texts uniform without changing what they say, and take copies out where we draw the splits ourselves.

The rule, in order: HTML tags become a space and entities their character (corpora declared `html` only); C1 controls
become the characters of Windows-1252 that they were before somebody read them as latin-1; other invisible controls go;
Unicode NFC; runs of white space become one space. Tokens, case, accents and emoji are left alone.
"""

import html
import re
import unicodedata
from array import array
from collections.abc import Callable
from typing import NamedTuple

TAG = re.compile(r"</?(?:a|b|br|em|hr|i|p|strong|u)\b[^<>]*>", re.IGNORECASE)  # <grin> is a word, no tag
ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-f]+|\w+);", re.IGNORECASE)  # with its semicolon: "Q&A" is none


WINDOWS = {code: bytes([code]).decode("cp1252", errors="ignore") for code in range(0x80, 0xA0)}  # "" if undefined
SPACES = dict.fromkeys((*b"\t\n\v\f\r", 0x200B), " ")
INVISIBLE = dict.fromkeys(  # soft hyphen, direction marks, invisible operators; joiners stay, Indian scripts need them
    (*range(0x20), 0x7F, 0xAD, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF), ""
)
CONTROLS = {**INVISIBLE, **SPACES, **WINDOWS}


def clean_text(text: str, *, markup: bool) -> str:
    """One text, cleaned; "" if nothing is left. Cleaning twice changes nothing more, but for entities of entities.

    Args:
        markup: take out HTML tags and entities.
    """
    if markup:
        text = ENTITY.sub(lambda match: html.unescape(match[0]), TAG.sub(" ", text))
    return " ".join(unicodedata.normalize("NFC", text.translate(CONTROLS)).split())


class Removed(NamedTuple):
    """A text that is in no split: why, and the id of the text that it repeats ("" if it repeats none)."""

    id: str
    reason: str
    of: str


class Copies:
    """Keeps the first of equal texts; where equal texts have different labels, it keeps none of them.

    For corpora that we split ourselves: else a text could be learnt and asked. A published split stays as published.
    Of a text it remembers 16 bytes of its SHA-256.
    """

    def __init__(self) -> None:
        self._groups: dict[bytes, int] = {}  # in the order of their first texts
        self._places, self._labels = array("q"), array("h")  # of the first text of every group
        self._others: list[tuple[int, str]] = []  # group, id
        self._contradicting: set[int] = set()

    def is_copy(self, digest: bytes, label: int, name: str, place: int) -> bool:
        """Whether an equal text came before.

        Args:
            digest: of the text.
            label: which one.
            name: the text's id.
            place: where the text will stand if it is kept.
        """
        group = self._groups.setdefault(digest, len(self._places))
        if group == len(self._places):
            self._places.append(place)
            self._labels.append(label)
            return False
        self._others.append((group, name))
        if self._labels[group] != label:
            self._contradicting.add(group)
        return True

    def removed(self, id_at: Callable[[int], str]) -> tuple[list[int], list[Removed]]:
        """Places of first texts that go after all, and all texts that are removed, group after group.

        Args:
            id_at: place of a first text -> its id.
        """
        found: list[Removed] = []
        before = -1
        for group, name in sorted(self._others, key=lambda other: other[0]):
            first = id_at(self._places[group])
            reason = "contradicting label" if group in self._contradicting else "copy"
            if group in self._contradicting and group != before:
                found.append(Removed(first, reason, first))
            found.append(Removed(name, reason, first))
            before = group
        return sorted(self._places[group] for group in self._contradicting), found
