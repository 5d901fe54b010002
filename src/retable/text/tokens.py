"""Texts to tokens: the corpus's own where it comes tokenised, else those of spaCy's tokeniser. Case is kept."""

from collections.abc import Callable, Sequence
from functools import cache

import pyarrow as pa
import spacy
from spacy.tokenizer import Tokenizer

from retable.errors import unknown_name
from retable.text.splits import TOKENS

Tokenise = Callable[[Sequence[str]], pa.ListArray]
STRINGS_REMEMBERED = 250_000


def own_tokens(texts: Sequence[str]) -> pa.ListArray:
    """The tokens of texts that come tokenised, separated by white space."""
    return pa.array([text.split() for text in texts], TOKENS.type)


def english_tokens(texts: Sequence[str]) -> pa.ListArray:
    """The tokens of spaCy's English tokeniser, without white space: "don't" is "do" and "n't"."""
    tokeniser = _english_tokeniser()
    tokens = [[word for word in map(str, tokeniser(text)) if not word.isspace()] for text in texts]
    # spaCy remembers every string that it ever met, and its memory zones would switch its cache off (2.3 times slower).
    if len(tokeniser.vocab.strings) > STRINGS_REMEMBERED:
        _english_tokeniser.cache_clear()
    return pa.array(tokens, TOKENS.type)


TOKENISERS: dict[str, Tokenise] = {"en": english_tokens}


def tokeniser_for(language: str, *, tokenised: bool) -> Tokenise:
    """The function that turns the texts of a corpus into tokens.

    Args:
        language: of the texts, as the registry tells it ("en").
        tokenised: whether the texts come as tokens separated by white space.
    Raises: InputError if no tokeniser for the language is known.
    """
    if tokenised:
        return own_tokens
    if language not in TOKENISERS:
        raise unknown_name("the language of a corpus", language, TOKENISERS)
    return TOKENISERS[language]


@cache
def _english_tokeniser() -> Tokenizer:
    return spacy.blank("en").tokenizer
