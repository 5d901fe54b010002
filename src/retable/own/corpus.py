"""Split a user's own texts: cleaned, without copies, near copies on one side, tokenised."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from retable.declaration import Example
from retable.errors import InputError
from retable.own.language import LANGUAGES, language_of
from retable.own.likeness import bounded
from retable.own.words import words_of
from retable.text.clean.cleaning import Removed, clean_examples
from retable.text.clean.splitting import DEV, TEST, TRAIN, digest_of, hold_out
from retable.text.leaks.clusters import near_duplicate_clusters, repeated
from retable.text.leaks.leakage import fingerprints, leaks
from retable.text.splits import SPLITS, TEXT, Facts, Split, check_every_label
from retable.wording import number_of

FEWEST_TEXTS = 20
FEWEST_OF_LABEL = 3  # one each for train, dev and test, unless they are near copies
RARE = f"label with fewer than {FEWEST_OF_LABEL} texts"


@dataclass(frozen=True)
class OwnCorpus:
    """The splits of a user's own texts and the findings of the preparation.

    `removed` counts the texts in no split by reason; `near_copies` counts those of the drawn splits in clusters of two
    or more; `leaked` counts the texts of a given test that (nearly) occur in train or dev. If `alike`, near copies were
    not looked for, only equal letters and digits.
    """

    train: Split
    dev: Split
    test: Split
    removed: dict[str, int]
    near_copies: int
    leaked: int
    given: bool  # the test split
    alike: bool = False

    @property
    def facts(self) -> Facts:
        """Return name, language and labels."""
        return self.train.facts


def own_corpus(
    examples: Sequence[Example],
    *,
    name: str,
    test: Sequence[Example] = (),
    language: str = "auto",
    markup: bool = False,
    drop_rare: bool = False,
    held: bool = True,
    on_texts: Callable[[int], None] = lambda texts: None,
) -> OwnCorpus:
    """Return the splits of a user's own texts: a tenth for test unless it is given, a tenth of the rest for dev.

    Of equal texts one is kept, or none if their labels differ; near copies stay together in one split. The draw
    depends on the clean texts alone, not on their file or order. A given test split stays unchanged, and its texts
    that (nearly) occur in train or dev are marked.

    Args:
        examples: the texts to train on, of the split "all".
        name: of the corpus.
        test: the texts of the split "test"; if empty, a test split is drawn.
        language: en, zh, other, or auto.
        markup: remove HTML tags and entities.
        drop_rare: leave out labels with fewer than three texts, which are refused otherwise.
        held: keep a test split; False leaves it empty.
        on_texts: called with the number of finished texts, after each.
    Raises: InputError if there are too few texts or labels, or test has a label that training lacks.
    """
    kept, removed = clean_examples(examples, markup=markup, drop_copies=True)
    asked, empty = clean_examples(test, markup=markup, drop_copies=False)
    if drop_rare:
        kept, rare = without_rare(kept)
        removed += rare
    check_labels(kept, removed, name)
    check_test(asked, {example.label for example in kept}, given=bool(test))
    # In an order of their own, so that that of the file decides neither draw nor language nor training.
    kept = sorted(kept, key=lambda example: digest_of(example.text))
    texts = [*kept, *asked]
    language = language_of([example.text for example in kept]) if language == "auto" else language
    if language not in LANGUAGES:
        raise InputError(f"the language is {language}; allowed: auto, {', '.join(LANGUAGES)}.")
    facts = Facts(name, language, tuple(sorted({example.label for example in kept})))
    prints, alike = bounded(fingerprints([example.text for example in texts], on_texts))
    clusters = near_duplicate_clusters(prints)
    try:
        drawn = [example._replace(id=example.text) for example in texts]  # ids name the file
        of = draw(drawn, clusters, (TEST, DEV) if held and not asked else (DEV,))
    except InputError:  # no cluster is small enough to hold out
        raise InputError(
            f"{name} has no texts to hold out: near copies stay in one split, and most of its {len(texts):,} texts are "
            "near copies of others; add texts that differ more."
        ) from None
    clean = leaks(prints, of, len(SPLITS)).any.sum(axis=1) == 0
    train, dev, asked_last = (
        split_of(facts, texts, np.flatnonzero(of == place), clean) for place in range(len(SPLITS))
    )
    check_every_label(train)
    counts = Counter(each.reason for each in removed + empty)
    leaked = int((~clean[of == TEST]).sum())
    near_copies = repeated(clusters[: len(kept)])["texts"]
    return OwnCorpus(
        train, dev, asked_last, dict(counts),
        near_copies=near_copies, leaked=leaked, given=bool(asked), alike=alike,
    )  # fmt: skip


def draw(examples: Sequence[Example], clusters: npt.NDArray[np.int64], splits: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the split of every text, int64 (text,): these are drawn one after another, and a given test is kept."""
    of = np.array([TEST if example.split == "test" else TRAIN for example in examples])
    for split in splits:
        rest = np.flatnonzero(of == TRAIN)
        of[rest[held_out([examples[place] for place in rest.tolist()], clusters[rest], SPLITS[split])]] = split
    return of


def held_out(examples: Sequence[Example], clusters: npt.NDArray[np.int64], purpose: str) -> npt.NDArray[np.bool_]:
    """Return which texts are held out, bool (text,): a tenth, and a text of each label that has none in this tenth.

    Such a text has no near copies, and is not the last of its label; a label without one stays in training.
    """
    held = hold_out(examples, purpose=purpose, clusters=clusters.tolist())
    labels = np.array([example.label for example in examples], dtype=object)
    alone = np.bincount(clusters)[clusters] == 1
    for label in sorted(set(labels) - set(labels[held])):
        if (labels == label).sum() > 1:
            held[np.flatnonzero((labels == label) & alone)[:1]] = True
    return held


def without_rare(examples: Sequence[Example]) -> tuple[list[Example], list[Removed]]:
    """Return the texts whose labels have enough of them, and the others."""
    counts = Counter(example.label for example in examples)
    kept = [example for example in examples if counts[example.label] >= FEWEST_OF_LABEL]
    rare = [example for example in examples if counts[example.label] < FEWEST_OF_LABEL]
    return kept, [Removed(example.id, RARE, "") for example in rare]


def check_labels(examples: Sequence[Example], removed: Sequence[Removed], name: str) -> None:
    """Raises: InputError if there are too few texts, labels, or texts of a label."""
    gone = sentence_of_removed(removed, len(examples))
    if len(examples) < FEWEST_TEXTS:
        raise InputError(f"{name} has {number_of(len(examples), 'texts')}{gone}; allowed: {FEWEST_TEXTS} or more.")
    counts = Counter(example.label for example in examples)
    if len(counts) < 2:
        raise InputError(f'{name} has only one label, "{next(iter(counts))}"{gone}; allowed: two or more.')
    label, fewest = min(counts.items(), key=lambda item: (item[1], item[0]))
    if fewest < FEWEST_OF_LABEL:
        many = f" It has {len(counts):,} labels: is this the column of labels?" if len(counts) > 100 else ""
        raise InputError(
            f'{name} has {fewest} {"text" if fewest == 1 else "texts"} of the label "{label}"{gone}; allowed: '
            f"{FEWEST_OF_LABEL} or more. Add some, merge "
            f"it with another label, or leave such labels out (`retable fit --drop-rare` does).{many}"
        )


def sentence_of_removed(removed: Sequence[Removed], kept: int) -> str:
    """Return how many texts are left out, and why, in brackets; "" if none."""
    counts = Counter(each.reason for each in removed)
    said = []
    if rare := counts[RARE]:
        said.append(f"{rare:,} of rare labels are left out")
    if repeated := counts["empty"] + counts["copy"]:
        said.append(f"{repeated:,} empty or repeated ones are left out")
    if against := counts["contradicting label"]:
        swapped = ": are the columns of texts and labels swapped?" if against > kept else ""
        said.append(f"{against:,} are left out because equal texts have different labels{swapped}")
    return f" ({'; '.join(said)})" if said else ""


def check_test(examples: Sequence[Example], known: set[str], *, given: bool) -> None:
    """Raises: InputError if a given test split is empty, or has a label that training lacks."""
    if given and not examples:
        raise InputError("the test file contains no text, or only empty ones.")
    for example in examples:
        if example.label not in known:
            raise InputError(
                f'test text {example.id} has the label "{example.label}", which no training text has; '
                f"known: {', '.join(sorted(known)[:20])}."
            )


def split_of(
    facts: Facts, examples: Sequence[Example], places: npt.NDArray[np.int64], clean: npt.NDArray[np.bool_]
) -> Split:
    """Return the examples at these positions as a tokenised split."""
    own = [examples[place] for place in places.tolist()]
    found = split_of_texts(facts, [example.text for example in own])
    index = {label: place for place, label in enumerate(facts.labels)}
    classes = np.array([index[example.label] for example in own], dtype=np.int64)
    return Split(facts, [example.id for example in own], found.tokens, None, classes, clean[places], found.texts)


def split_of_texts(facts: Facts, texts: Sequence[str]) -> Split:
    """Return clean texts as a tokenised split; their labels are unknown, so every class is 0."""
    tokens = words_of(texts, facts.language)
    ids = [str(number) for number in range(len(texts))]
    classes, clean = np.zeros(len(texts), np.int64), np.ones(len(texts), np.bool_)
    return Split(facts, ids, tokens, None, classes, clean, pa.array(texts, TEXT.type))
