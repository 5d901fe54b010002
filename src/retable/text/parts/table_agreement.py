"""Measure how well looking up parts of speech agrees with tagging in context, and the cost of each.

Three comparisons. The table alone: it gets the words that tagging in context found. The full replacement for tagging:
the texts go through plain segmentation and, since its words differ, single characters are compared, each with the part
of its word, which is what a character model reads. A list of characters, which the paper's table may have been: every
character is looked up by itself, regardless of its word.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from retable.text.parts.chinese import chinese_words_and_parts, parts_in_context, plain_words
from retable.text.parts.comparison_table import ComparisonTable
from retable.text.parts.content import is_content
from retable.text.units import characters_of

Value = TypeVar("Value")


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


def compare(
    parts: Mapping[str, str], texts: Sequence[str], content: Sequence[str]
) -> tuple[dict[str, Any], dict[str, int]]:
    """Look up texts that the table has not seen, and tag them in context.

    Args:
        parts: the table's entries.
        texts: development texts.
        content: the parts of content words.
    Returns: agreement of words, of characters and of characters looked up alone, each with the number of entries added
        to the table; and characters (without white space) per second of processor time.
    """
    table, of_words, of_characters = (ComparisonTable(dict(parts)) for _ in range(3))
    (words, in_context), context_s = _timed(lambda: chinese_words_and_parts(texts))
    plain, plain_s = _timed(lambda: plain_words(texts))
    looked_up, first_s = _timed(lambda: table.parts_of(plain, parts_in_context))
    _, lookup_s = _timed(lambda: table.parts_of(plain, parts_in_context))
    characters, by_character = characters_of(words, in_context)
    agreed = {
        "texts": len(texts),
        "words": _compared(of_words, of_words.parts_of(words, parts_in_context), in_context, content),
        "characters": _compared(table, characters_of(plain, looked_up)[1], by_character, content),
        "characters_alone": _compared(
            of_characters, of_characters.parts_of(characters, parts_in_context), by_character, content
        ),
    }
    seconds = {
        "tagging_in_context": context_s,
        "plain_segmentation": plain_s,
        "lookup": lookup_s,
        "lookup_and_new_words": first_s,
        "segmentation_lookup_and_new_words": plain_s + first_s,
        "segmentation_and_lookup": plain_s + lookup_s,
    }
    return agreed, {what: round(len(characters.flatten()) / spent) for what, spent in seconds.items()}


def _compared(
    table: ComparisonTable, found: pa.ListArray, expected: pa.ListArray, content: Sequence[str]
) -> dict[str, float]:
    return agreement(found, expected, content) | {"added": len(table.added)}


def _timed(work: Callable[[], Value]) -> tuple[Value, float]:
    """Return a function's result and the processor time that it took, in seconds."""
    start = time.process_time()
    return work(), time.process_time() - start


def _verdicts(parts: pa.StringArray, content: Sequence[str]) -> pa.BooleanArray:
    coded = parts.dictionary_encode()
    return pa.array([is_content(part, content) for part in coded.dictionary.to_pylist()], pa.bool_()).take(
        coded.indices
    )
