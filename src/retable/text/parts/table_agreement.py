"""Measure how well looking up parts of speech agrees with tagging in context.

Three comparisons. The table alone: it gets the words that tagging in context found. The full replacement for tagging:
the texts go through plain segmentation and, since its words differ, single characters are compared, each with the part
of its word, which is what a character model reads. A list of characters, which the paper's table may have been: every
character is looked up by itself, regardless of its word.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from retable.text.parts.chinese import chinese_words_and_parts, parts_in_context, plain_words
from retable.text.parts.comparison_table import ComparisonTable
from retable.text.parts.content import is_content
from retable.text.units import characters_of


def agreement(found: pa.ListArray, expected: pa.ListArray, content: Sequence[str]) -> dict[str, float]:
    """Return how well two taggings of the same tokens agree.

    Args:
        found, expected: parts of speech, list<string> (text,).
        content: the parts of content words.
    Returns: their number, the share with the same part, and the share with the same content-word decision.
    """
    one, other = found.flatten(), expected.flatten()
    same_verdict = pc.equal(_verdicts(one, content), _verdicts(other, content))
    return {
        "tokens": len(one),
        "same_part": pc.mean(pc.equal(one, other)).as_py(),
        "same_verdict": pc.mean(same_verdict).as_py(),
    }


def compare(parts: Mapping[str, str], texts: Sequence[str], content: Sequence[str]) -> dict[str, Any]:
    """Look up texts that the table has not seen, and tag them in context.

    Args:
        parts: the table's entries.
        texts: development texts.
        content: the parts of content words.
    Returns: agreement of words, of characters and of characters looked up alone, each with the number of entries added
        to the table.
    """
    table, of_words, of_characters = (ComparisonTable(dict(parts)) for _ in range(3))
    words, in_context = chinese_words_and_parts(texts)
    plain = plain_words(texts)
    looked_up = table.parts_of(plain, parts_in_context)
    characters, by_character = characters_of(words, in_context)
    return {
        "texts": len(texts),
        "words": _compared(of_words, of_words.parts_of(words, parts_in_context), in_context, content),
        "characters": _compared(table, characters_of(plain, looked_up)[1], by_character, content),
        "characters_alone": _compared(
            of_characters, of_characters.parts_of(characters, parts_in_context), by_character, content
        ),
    }


def _compared(
    table: ComparisonTable, found: pa.ListArray, expected: pa.ListArray, content: Sequence[str]
) -> dict[str, float]:
    return agreement(found, expected, content) | {"added": len(table.added)}


def _verdicts(parts: pa.StringArray, content: Sequence[str]) -> pa.BooleanArray:
    coded = parts.dictionary_encode()
    return pa.array([is_content(part, content) for part in coded.dictionary.to_pylist()], pa.bool_()).take(
        coded.indices
    )
