"""Define which parts of speech are those of content words (docs/readings.md, "POS weights")."""

from collections.abc import Sequence

CONTENT = (
    *("NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"),  # Universal Dependencies
    # jieba: nouns, verbs, adjectives, numerals, measure words, pronouns, adverbs; nouns of time, place, direction;
    # adjectives that only modify or that name a state; idioms, set phrases and abbreviations, made of such words.
    *("n", "v", "a", "m", "q", "r", "d", "t", "s", "f", "b", "z", "i", "l", "j"),
)
NO_CLASS = (
    "eng",
    "x",
)  # jieba's flags of Latin words and of signs: separate classes, whose first letter means nothing


def is_content(tag: str, content: Sequence[str]) -> bool:
    """Return whether a part of speech is that of a content word.

    A tag counts if it is in `content`. For jieba's lower-case flags the first letter is the class and the rest a
    subclass (nr, a person's name, is a noun), so they count with their class; `eng`, `x` and capital tags do not.
    """
    return tag in content or (tag.islower() and tag not in NO_CLASS and tag[0] in content)
