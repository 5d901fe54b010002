"""Split texts with long pieces (hundreds of characters without white space) as spaCy's tokeniser does, in linear time.

spaCy strips marks off either end of a piece one by one, and searches and copies the whole rest each time: 20,000 marks
in a row take minutes. Its rules look only at a few characters, except for runs of points, so a window is enough.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer

WINDOW = 64  # characters; more than any rule looks at, except for runs
# The user and password part of spaCy's URL pattern, which takes quadratic time; and its equivalent for a piece
# without white space.
USER, SAME_USER = r"(?:\S+(?::\S*)?@)?", r"(?:\S+@)?"


class Cut(NamedTuple):
    """An empty match of `re`, between two tokens."""

    place: int

    def start(self) -> int:
        return self.place

    def end(self) -> int:
        return self.place


class Cuts:
    """Find where a tokeniser's rules split a piece, as `spacy.tokenizer.Tokenizer._split_affixes` and `_attach_tokens`.

    Args:
        tokeniser: holds the rules; it has no `token_match`, like the English and the language-neutral ones.
    """

    def __init__(self, tokeniser: "Tokenizer") -> None:
        assert tokeniser.token_match is None, "such a rule sees the whole rest at each step"
        self.rules = tokeniser
        self.url = re.compile(tokeniser.url_match.__self__.pattern.replace(USER, SAME_USER))
        self.special: dict[str, list[int]] = {}  # string -> the lengths of its tokens
        self.longest = 0

    def know(self, special: dict[str, list[int]]) -> None:
        """Register strings with their fixed splits, which apply wherever they are the rest of a piece."""
        self.special, self.longest = special, max(map(len, special))

    def __call__(self, piece: str) -> Sequence[Cut]:
        low, high, before, places = 0, len(piece), -1, set()
        while low < high and high - low != before:
            before = high - low
            if self._is_special(piece, low, high):
                break
            prefix = self._prefix(piece, low, high)
            if prefix and self._is_special(piece, low + prefix, high):
                low += prefix
                places.add(low)
                break
            suffix = self._suffix(piece, low + prefix, high)
            if suffix and self._is_special(piece, low, high - suffix):
                high -= suffix
                places.add(high)
                break
            low, high = low + prefix, high - suffix
            places |= {low, high}
        places.update(low + place for place in self._inside(piece[low:high]))
        return [Cut(place) for place in sorted(places - {0, len(piece)})]

    def _is_special(self, piece: str, low: int, high: int) -> bool:
        return 0 < high - low <= self.longest and piece[low:high] in self.special

    def _prefix(self, piece: str, low: int, high: int) -> int:
        width = WINDOW
        while found := self.rules.prefix_search(piece[low : min(low + width, high)]):
            if found.end() < width or low + width >= high:
                return int(found.end() - found.start())
            width *= 2
        return 0

    def _suffix(self, piece: str, low: int, high: int) -> int:
        width = WINDOW
        while found := self.rules.suffix_search(piece[max(low, high - width) : high]):
            if found.start() > 0 or high - width <= low:
                return int(found.end() - found.start())
            width *= 2
        return 0

    def _inside(self, rest: str) -> set[int]:
        """Return where the rest between prefixes and suffixes is split."""
        if rest in self.special:
            lengths = self.special[rest]
            return {sum(lengths[:number]) for number in range(len(lengths))}
        if not rest or self.url.match(rest):
            return set()
        infixes: list[re.Match[str]] = [found for found in self.rules.infix_finditer(rest) if found.start() > 0]
        return {place for found in infixes for place in found.span()}


def for_long_pieces(tokeniser: "Tokenizer") -> "Tokenizer":
    """Return a tokeniser with identical tokens, faster for long pieces and slower for all others."""
    from spacy.attrs import ORTH
    from spacy.tokenizer import Tokenizer

    cuts = Cuts(tokeniser)  # spaCy searches for infixes once per piece: here they carry all cuts
    same = Tokenizer(tokeniser.vocab, rules=tokeniser.rules, infix_finditer=cuts)
    cuts.know({string: [len(token[ORTH]) for token in tokens] for string, tokens in tokeniser.rules.items()})
    return same
