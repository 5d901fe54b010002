"""Words to row numbers: the vocabulary of a run, and its texts as row numbers.

The vocabulary comes from the training split and from the given vectors (which come from training text only); a dev or
test text never adds a word or a part of speech. If the unit is the character, "word" means a character here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retable.errors import InputError
from retable.files import read_json
from retable.forms import COUNT, FLAG, Distinct, Misfit, OneOf, Section, check
from retable.text.grades import targets_of
from retable.text.pairs import questions_of, side_of_words
from retable.text.sentence_ends import sentence_of_words
from retable.text.splits import Split
from retable.text.trees import nodes_of_words
from retable.text.units import Unit, in_unit, offsets_from_zero

PADDING, UNKNOWN = 0, 1  # the first two rows of every vocabulary
FIRST_WORDS = ["<padding>", "<unknown>"]
NO_PART = "<unknown>"  # the part of speech of padding, and any that no training text has


@dataclass(frozen=True)
class Vocabulary:
    """Map row numbers to words, in the given unit.

    The first `tuned` rows (padding, unknown, then the words of the training split, most frequent first) are those that
    training may change; the others have a given vector and do not occur in training. `parts` names the parts of speech
    of the training split, the unknown one first, if the network reads them, else it is empty. `sentences`, `sides` and
    `nodes` say whether the network reads sentence boundaries, the side of each word in a pair of texts, and trees.
    """

    words: list[str]
    tuned: int
    lowercase: bool
    unit: Unit = "words"
    parts: list[str] = field(default_factory=list)
    sentences: bool = False
    sides: bool = False
    nodes: bool = False


class Words:
    """The form of a vocabulary's words: the first two, then different ones."""

    def misfits(self, value: Any, place: str) -> Iterator[Misfit]:
        """Yield the error in a list of words."""
        if not isinstance(value, list) or value[:2] != FIRST_WORDS:
            yield Misfit(place, value, f"a list of {', '.join(FIRST_WORDS)} and other words")
        else:
            yield from Distinct().misfits(value[2:], place)


FORM = Section(  # of vocabulary.json
    {"words": Words(), "tuned": COUNT, "lowercase": FLAG, "unit": OneOf(get_args(Unit))},
    {"parts": Distinct(0), "sentences": FLAG, "sides": FLAG, "nodes": FLAG},
    closed=True,
)


def read_vocabulary(path: Path, advice: str) -> Vocabulary:
    """Read the vocabulary that a network was saved with. Raises: InputError if it has another form."""
    facts = read_json(path, advice=advice)
    check(facts, FORM, str(path), advice)
    if facts["tuned"] > len(facts["words"]):
        raise InputError(f"tuned is {facts['tuned']} in {path}, which has {len(facts['words'])} words; {advice}.")
    return Vocabulary(**facts)


@dataclass(frozen=True)
class Encoded:
    """A split in row numbers: `words` int32 (word of all texts), text i is words[offsets[i] : offsets[i + 1]].

    `parts`, int32 like `words`, are indices into the vocabulary's parts of speech; None if the network reads none.
    `domains`, int64 (text,), are the domains of a joint corpus's texts; None for other corpora. `sentences`, int32 like
    `words`, number the sentences of each text from 0; `sides`, int32 like `words`, are those of a pair of texts
    (`retable.text.pairs`), and `nodes`, int32 like `words`, the kinds of the tokens of a tree (`retable.text.trees`);
    None if the network reads none. `questions`, int64 (text,), number those of a ranked corpus, and `targets`, float32
    (text, class), are the distributions over the grades of a graded one; None for other corpora.
    """

    words: np.ndarray
    offsets: np.ndarray
    classes: np.ndarray
    parts: np.ndarray | None = None
    domains: np.ndarray | None = None
    sentences: np.ndarray | None = None
    sides: np.ndarray | None = None
    questions: np.ndarray | None = None
    nodes: np.ndarray | None = None
    targets: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def goal(self) -> np.ndarray:
        """Return what the loss compares the logits with: the classes, or the distributions over the grades."""
        return self.classes if self.targets is None else self.targets

    @property
    def lengths(self) -> np.ndarray:
        """Return the number of words in each text, int64 (text,)."""
        return np.diff(self.offsets)


def count_words(tokens: pa.ListArray, *, lowercase: bool) -> dict[str, int]:
    """Return the number of occurrences of each word in a split."""
    counted = pc.value_counts(_flat_words(tokens, lowercase))
    return dict(zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True))


def part_names(split: Split) -> list[str]:
    """Return the unknown part of speech, then those of a split in alphabetical order.

    Raises: InputError if the split was tagged without parts.
    """
    return [NO_PART, *sorted(pc.unique(_flat_parts(split)).to_pylist())]


def build_vocabulary(
    counts: dict[str, int],
    given: Sequence[str],
    *,
    min_count: int,
    lowercase: bool,
    unit: Unit = "words",
    parts: Sequence[str] = (),
    sentences: bool = False,
    sides: bool = False,
    nodes: bool = False,
) -> Vocabulary:
    """Return the vocabulary of a run.

    Args:
        counts: occurrences of every word of the training split.
        given: the words that have a vector.
        min_count: a word without a given vector that occurs less often is read as unknown, so that the vector of the
            unknown word is trained.
        lowercase: whether texts are lower-cased before they are looked up.
        unit: the unit of the counts, words or characters.
        parts: names of the parts of speech, if the network reads them.
        sentences: whether the network reads sentence boundaries.
        sides: whether it reads pairs of texts.
        nodes: whether it reads trees.
    """
    has_vector = set(given)
    trained = [word for word, count in counts.items() if count >= min_count or word in has_vector]
    trained.sort(key=lambda word: (-counts[word], word))
    in_training = set(trained)
    rest = [word for word in given if word not in in_training]
    words = [*FIRST_WORDS, *trained, *rest]
    return Vocabulary(words, 2 + len(trained), lowercase, unit, [*parts], sentences, sides, nodes)


def vocabulary_of(alphabet: str, *, lowercase: bool, unit: Unit) -> Vocabulary:
    """Return a vocabulary that is independent of training texts: the characters of an alphabet, lower case.

    Args:
        lowercase: whether texts are lower-cased; if not, the capital letters have rows of their own.
    """
    capitals = "" if lowercase else alphabet.upper()
    return Vocabulary([*FIRST_WORDS, *dict.fromkeys(alphabet + capitals)], 0, lowercase, unit)


def encode(split: Split, vocabulary: Vocabulary, *, max_words: int = 0) -> Encoded:
    """Replace the words of a split, in the vocabulary's unit, by their row numbers.

    Args:
        split: in words, as tagged.
        max_words: texts are cut after this many words; 0 keeps them whole.
    Raises: InputError if a text has no word; if parts of speech are read and the split was tagged without; if pairs are
        read and a text is not a pair, or would be cut; likewise for trees.
    """
    split = in_unit(split, vocabulary.unit)
    offsets = offsets_from_zero(split.tokens)
    empty = np.flatnonzero(np.diff(offsets) == 0)
    if len(empty):
        raise InputError(
            f"text {split.ids[empty[0]]} of {split.facts.corpus} has no word; run `dvc repro` from clean on."
        )
    flat = _flat_words(split.tokens, vocabulary.lowercase)
    rows = pc.index_in(flat, value_set=pa.array(vocabulary.words[2:], pa.string()))
    words = pc.fill_null(pc.add(rows, 2), UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int32)
    parts = _encode_parts(split, vocabulary.parts) if vocabulary.parts else None
    sentences = sentence_of_words(split.tokens) if vocabulary.sentences else None
    sides = side_of_words(split) if vocabulary.sides else None
    nodes = nodes_of_words(split) if vocabulary.nodes else None
    questions = questions_of(split.tokens) if split.facts.ranked else None
    if max_words:
        for whole, what in ((sides, "a pair of texts"), (nodes, "a tree")):
            if whole is not None:
                raise InputError(f"training.max_words is {max_words}; {what} is not cut: set it to 0.")
        position = np.arange(len(words)) - np.repeat(offsets[:-1], np.diff(offsets))
        kept = position < max_words
        words, parts, sentences = (None if each is None else each[kept] for each in (words, parts, sentences))
        offsets = np.concatenate([[0], np.cumsum(np.minimum(np.diff(offsets), max_words))])
    targets = None if split.scores is None else targets_of(split.scores, len(split.facts.labels))
    return Encoded(words, offsets, split.classes, parts, split.domains, sentences, sides, questions, nodes, targets)


def _encode_parts(split: Split, names: Sequence[str]) -> np.ndarray:
    """Return the index of every word's part of speech among the names, int32; 0 if it is not among them."""
    places = pc.index_in(_flat_parts(split), value_set=pa.array(names, pa.string()))
    return pc.fill_null(places, 0).to_numpy(zero_copy_only=False).astype(np.int32)


def _flat_parts(split: Split) -> pa.Array:
    if split.parts is None:
        corpus = split.facts.corpus
        raise InputError(
            f"the model reads parts of speech, but {corpus} was tagged without them; "
            f"set corpora.{corpus}.parts to context or table in params.yaml and run `dvc repro`."
        )
    return split.parts.flatten()


def _flat_words(tokens: pa.ListArray, lowercase: bool) -> pa.Array:
    flat = tokens.flatten()
    return pc.utf8_lower(flat) if lowercase else flat
