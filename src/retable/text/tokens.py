"""Texts to tokens: the corpus's own if it is tokenised, else those of its language's tokeniser. Case is kept."""

from collections.abc import Callable, Sequence

import pyarrow as pa

from retable.errors import unknown_name
from retable.text.parts.chinese import chinese_words
from retable.text.parts.english import english_tokens, tokens_of_any_language
from retable.text.splits import TOKENS

Tokenise = Callable[[Sequence[str]], pa.ListArray]

TOKENISERS: dict[str, Tokenise] = {
    "en": english_tokens,
    "zh": chinese_words,
    "other": tokens_of_any_language,
}


def own_tokens(texts: Sequence[str]) -> pa.ListArray:
    """Return the tokens of tokenised texts, which white space separates."""
    return pa.array([text.split() for text in texts], TOKENS.type)


def tokeniser_for(language: str, *, tokenised: bool) -> Tokenise:
    """Return the function that turns the texts of a corpus into tokens.

    Args:
        language: of the texts, as in the registry ("en").
        tokenised: whether the texts come as tokens separated by white space.
    Raises: InputError if no tokeniser for the language is known.
    """
    if tokenised:
        return own_tokens
    if language not in TOKENISERS:
        raise unknown_name("language of a corpus", language, TOKENISERS)
    return TOKENISERS[language]
