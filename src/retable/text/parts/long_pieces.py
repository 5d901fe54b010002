"""Cut texts with long pieces (no white space in hundreds of characters) as spaCy's tokeniser does, in linear time.

spaCy peels marks off either end of a piece one by one, and searches and copies the whole rest each time: 20,000 marks
in a row take minutes. Its rules look at a few characters only, but for runs of points, so a window is enough.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer

WINDOW = 64  # characters, more than any rule looks at that is no run
# What spaCy's pattern of a URL says of user and password, which takes quadratic time; and the same of a piece without
# white space.
USER, SAME_USER = r"(?:\S+(?::\S*)?@)?", r"(?:\S+@)?"


class Cut(NamedTuple):
    """An empty match of `re`, between two tokens."""

    place: int

    def start(self) -> int:
        return self.place

    def end(self) -> int:
        return self.place


class Cuts:
    """Find where a tokeniser's rules cut a piece, as `spacy.tokenizer.Tokenizer._split_affixes` and `_attach_tokens`.

    Args:
        tokeniser: with the rules; one without `token_match`, as those of English and of no language in particular.
    """

    def __init__(self, tokeniser: "Tokenizer") -> None:
        assert tokeniser.token_match is None, "such a rule sees the whole rest at each step"
        self.rules = tokeniser
        self.url = re.compile(tokeniser.url_match.__self__.pattern.replace(USER, SAME_USER))
        self.special: dict[str, list[int]] = {}  # -> the lengths of its tokens
        self.longest = 0

    def know(self, special: dict[str, list[int]]) -> None:
        """Let these strings be cut as they say, wherever they are what is left of a piece."""
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
        """Return where what is left between prefixes and suffixes is cut."""
        if rest in self.special:
            lengths = self.special[rest]
            return {sum(lengths[:number]) for number in range(len(lengths))}
        if not rest or self.url.match(rest):
            return set()
        infixes: list[re.Match[str]] = [found for found in self.rules.infix_finditer(rest) if found.start() > 0]
        return {place for found in infixes for place in found.span()}


def for_long_pieces(tokeniser: "Tokenizer") -> "Tokenizer":
    """Return a tokeniser with equal tokens, faster for long pieces and slower for all others."""
    from spacy.attrs import ORTH
    from spacy.tokenizer import Tokenizer

    cuts = Cuts(tokeniser)  # spaCy looks for infixes once a piece: they are all of its cuts here
    same = Tokenizer(tokeniser.vocab, rules=tokeniser.rules, infix_finditer=cuts)
    cuts.know({string: [len(token[ORTH]) for token in tokens] for string, tokens in tokeniser.rules.items()})
    return same
