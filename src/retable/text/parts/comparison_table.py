"""The comparison table from a Chinese word or character to its part of speech.

Source     Shi, "Transformer-F", section 3.2; docs/readings.md, "Comparison table".
Departure  the paper compiled 8,105 entries by hand from a dictionary and the list of standard characters; ours come
           from jieba's dictionary and from training texts tagged in context.
Entries    a word of the training texts has its most frequent part there, which agrees with tagging in context on more
           words of the dev texts (98.2 %, against 97.6 % with the dictionary's part). Other words have the dictionary's
           part. A character that is not a word has the part of most of the words that contain it.
Update     a word that is not in the table is tagged in the context of its first occurrence, and added.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from retable.errors import InputError, shown
from retable.files import write_text
from retable.text.parts.chinese import Neighbours
from retable.text.units import offsets_from_zero

PART = re.compile("[A-Za-z]{1,5}")  # tags of jieba and Universal Dependencies
ANEW = "`dvc repro -f parts-table` makes it again"
CHINESE = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")
TagMissing = Callable[[Sequence[Neighbours]], Sequence[str]]
Counts = dict[str, Counter[str]]


@dataclass
class ComparisonTable:
    """Map words or characters to parts of speech. It grows only in memory; `make_table` makes its file."""

    parts: dict[str, str]
    added: dict[str, str] = field(default_factory=dict)

    def parts_of(self, tokens: pa.ListArray, tag_missing: TagMissing) -> pa.ListArray:
        """Return the parts of speech of tokens, one per token.

        Args:
            tokens: words of texts, list<string> (text,).
            tag_missing: maps words missing from the table, at their first occurrence, to their parts in context. It is
                asked once per word: the answer is an entry from then on, and is also kept in `added`.
        """
        flat, offsets = tokens.flatten(), offsets_from_zero(tokens)
        coded = flat.dictionary_encode()
        words = coded.dictionary.to_pylist()
        missing = [number for number, word in enumerate(words) if word not in self.parts]
        if missing:
            first = np.unique(coded.indices.to_numpy(), return_index=True)[1]  # first occurrence of each distinct word
            cases = neighbours(flat, offsets, first[missing])
            self.added.update(zip((case.word for case in cases), tag_missing(cases), strict=True))
            self.parts.update(self.added)
        parts = pa.array([self.parts[word] for word in words], pa.string()).take(coded.indices)
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), parts)


def neighbours(words: pa.StringArray, offsets: np.ndarray, places: np.ndarray) -> list[Neighbours]:
    """Return words of texts, each with its neighbours.

    Args:
        words: of all texts, concatenated.
        offsets: the start of each text, and the end of the last one, (text + 1,).
        places: positions of the words to return.
    """
    text = np.searchsorted(offsets, places, side="right") - 1
    before = pa.array(places - 1, mask=places == offsets[text])
    after = pa.array(places + 1, mask=places + 1 == offsets[text + 1])
    columns = [words.take(chosen).fill_null("").to_pylist() for chosen in (before, pa.array(places), after)]
    return [Neighbours(*case) for case in zip(*columns, strict=True)]


def make_table(dictionary: Mapping[str, str], counts: Counts) -> dict[str, str]:
    """Return the entries of a table.

    Args:
        dictionary: word -> its part of speech.
        counts: word -> part of speech -> its frequency in context in the training texts (`count_parts`).
    """
    parts = {**dictionary, **{word: _majority(found, dictionary.get(word)) for word, found in counts.items()}}
    of_characters: Counts = defaultdict(Counter)
    for word, found in counts.items():
        for character in set(word):
            if character not in parts:
                of_characters[character].update(found)
    return parts | {character: _majority(found, None) for character, found in of_characters.items()}


def count_parts(batches: Iterable[tuple[pa.ListArray, pa.ListArray]]) -> Counts:
    """Return word -> part of speech -> frequency, over texts tagged in context."""
    counts: Counts = defaultdict(Counter)
    for words, parts in batches:
        pairs = pa.table({"word": words.flatten(), "part": parts.flatten()})
        for row in pairs.group_by(["word", "part"]).aggregate([([], "count_all")]).to_pylist():
            counts[row["word"]][row["part"]] += row["count_all"]
    return dict(counts)


def table_size(table: ComparisonTable, dictionary: Mapping[str, str], counts: Counts) -> dict[str, int]:
    """Return the number of entries in a table, by kind and origin.

    Args:
        table: `make_table(dictionary, counts)` with later additions.
    """
    from_training = sum(word not in dictionary for word in counts)
    return {
        "entries": len(table.parts),
        "characters": sum(len(word) == 1 for word in table.parts),
        "chinese_characters": sum(len(word) == 1 and CHINESE.match(word) is not None for word in table.parts),
        "from_dictionary": len(dictionary),
        "from_training": from_training,
        "from_update": len(table.added),
        "characters_of_words": len(table.parts) - len(dictionary) - from_training - len(table.added),
        "changed_by_training": sum(dictionary.get(word, part) != part for word, part in table.parts.items()),
    }


def write_table(path: Path, parts: Mapping[str, str]) -> None:
    """Write lines of word, tab, part, sorted: equal tables give equal bytes."""
    write_text(path, "".join(f"{word}\t{parts[word]}\n" for word in sorted(parts)))


def read_table(path: Path) -> ComparisonTable:
    """Read what `write_table` wrote.

    Raises: InputError if the file is missing or a line is broken.
    """
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
    except FileNotFoundError:
        raise InputError(f"{path} is missing; `dvc repro parts-table` makes it.") from None
    except (UnicodeDecodeError, IsADirectoryError) as error:
        raise InputError(f"{path} cannot be read ({error}); {ANEW}.") from None
    if lines.pop() or not lines:
        raise InputError(f"{path}, line {len(lines) + 1}: it is cut off, or empty; {ANEW}.")
    parts: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        word, separator, part = line.partition("\t")
        if not (word and separator) or not PART.fullmatch(part):
            raise InputError(
                f"{path}, line {number}: it is not word, tab, part (1 to 5 letters), but {shown(line)}; {ANEW}."
            )
        if word in parts:
            raise InputError(f"{path}, line {number}: the word {shown(word)} occurs twice; {ANEW}.")
        parts[word] = part
    return ComparisonTable(parts)


def _majority(found: Counter[str], preferred: str | None) -> str:
    """Return the most frequent part; ties go to the preferred one, else the first by name."""
    return min(found, key=lambda part: (-found[part], part != preferred, part))
