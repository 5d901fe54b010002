"""English text: tokens by spaCy's rules, and parts of speech by the tagger that is trained here.

spaCy takes seconds to import, so it is imported when the first text needs it.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from retable.errors import InputError, shortened
from retable.text.parts.long_pieces import for_long_pieces
from retable.text.splits import PARTS, TOKENS

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokenizer import Tokenizer

PIPES = {"tok2vec", "tagger", "morphologizer"}  # of a tagger pipeline
STRINGS_REMEMBERED = 50_000  # those of some 10,000 texts; starting anew costs 4% of the time
LONG = 500  # characters without white space


def english_tokens(texts: Sequence[str]) -> pa.ListArray:
    """Return the tokens of spaCy's English tokeniser, without white space: "don't" is "do" and "n't"."""
    return _tokens(texts, "en")


def tokens_of_any_language(texts: Sequence[str]) -> pa.ListArray:
    """Return the tokens of spaCy's language-neutral rules: words between white space, without punctuation."""
    return _tokens(texts, "xx")


def _tokens(texts: Sequence[str], language: str) -> pa.ListArray:
    tokeniser = _tokeniser(language)
    tokens = [
        [
            word
            for word in map(str, (_long if has_long_piece(text) else _tokeniser)(language)(text))
            if not word.isspace()
        ]
        for text in texts
    ]
    # spaCy keeps every string it has seen, and its memory zones would disable its cache (2.3 times slower).
    if len(tokeniser.vocab.strings) > STRINGS_REMEMBERED:
        _tokeniser.cache_clear()
        _long.cache_clear()
    return pa.array(tokens, TOKENS.type)


def load_tagger(folder: Path) -> "Language":
    """Load a tagger that `tagger.to_disk(folder)` wrote (retable.text.parts.treebank_tagger trains it).

    Raises: InputError if it is missing or damaged.
    """
    import spacy
    from srsly.msgpack import UnpackException
    from thinc.api import ConfigValidationError

    anew = "`dvc repro -f tagger` makes it again"
    try:
        tagger = spacy.load(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UnpackException, ConfigValidationError) as error:
        raise InputError(f"the tagger in {folder} cannot be read ({shortened(str(error))}); {anew}.") from None
    if lacking := PIPES - set(tagger.pipe_names):
        raise InputError(f"the tagger in {folder} lacks {', '.join(sorted(lacking))}; {anew}.")
    return tagger


def parts_of_speech(tagger: "Language", tokens: pa.ListArray) -> pa.ListArray:
    """Return the universal parts of speech of tokens, one per token."""
    from spacy.tokens import Doc

    with tagger.memory_zone():  # spaCy forgets these words afterwards
        documents = tagger.pipe(Doc(tagger.vocab, words) for words in tokens.to_pylist())
        return pa.array([[token.pos_ for token in document] for document in documents], PARTS.type)


def has_long_piece(text: str) -> bool:
    """Return whether a text has a piece without white space that is long enough to slow down spaCy's own loop."""
    return len(text) > LONG and max(map(len, text.split()), default=0) > LONG


@cache
def _tokeniser(language: str) -> "Tokenizer":
    import spacy

    return spacy.blank(language).tokenizer


@cache
def _long(language: str) -> "Tokenizer":
    return for_long_pieces(_tokeniser(language))
