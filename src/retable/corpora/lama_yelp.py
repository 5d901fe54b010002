"""LAMA's samples of Yelp reviews, drawn anew by its rule: yelp-5, and yelp-long, the long reviews of yelp-5.

LAMA (section 4.1) drew 499,976 training and 4,000 test reviews at random from a release of 2.7 million which is no
longer public, and prints no seed. Here they are drawn, by a fixed seed, from the train and the test file of yelp-full:
so no test text of yelp-full is trained on. What this cannot match: which reviews they are, and the stars, which are
balanced in yelp-full and were not in LAMA's release. So the printed accuracies are no targets for it.

yelp-long keeps the reviews of that sample with more than 118 tokens of spaCy's tokeniser; how many there are is what
comes out (LAMA prints 175,844 and 1,378).
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from retable.corpora.zhang import CORPORA as RELEASES
from retable.declaration import Corpus, Example

SEED = 1
WHOLE = RELEASES["yelp-full"]
SIZES = {"train": 499_976, "test": 4_000}
LONG = 118  # tokens, the mean length that LAMA found


def drawn(split: str, size: int, of: int) -> set[int]:
    """Return the lines of a file that are in the sample: the first ones, in the order of a digest of seed and place."""

    def digest(number: int) -> bytes:
        return hashlib.sha256(f"{SEED}/yelp-5/{split}/{number}".encode()).digest()

    return set(sorted(range(of), key=digest)[:size])


def read(corpus: Corpus, folder: Path, *, sizes: dict[str, int], longer_than: int = 0) -> Iterator[Example]:
    """Yield the reviews of the sample, in the order of yelp-full's files; an id holds the line there.

    Args:
        sizes: texts drawn of every split.
        longer_than: leave out texts with so many tokens or fewer.
    """
    whole = {split: sum(counts) for split, counts in WHOLE.texts.items() if isinstance(counts, tuple)}
    sample = {split: drawn(split, size, of=whole[split]) for split, size in sizes.items()}
    for example in WHOLE.read(corpus, folder):
        if int(example.id.rpartition("/")[2]) in sample[example.split] and is_longer(example.text, longer_than):
            yield example


def is_longer(text: str, tokens: int) -> bool:
    """Return whether a text has more than so many tokens."""
    if len(text.split()) > tokens:  # the tokeniser only ever adds to these
        return True
    if len(text) <= tokens:
        return False
    from retable.text.parts.english import english_tokens  # slow to import: only where such texts are read

    return len(english_tokens([text])[0]) > tokens


YELP_5 = replace(
    WHOLE,
    name="yelp-5",
    title="reviews of Yelp, one to five stars, a sample as LAMA's",
    texts=dict(SIZES),
    read=partial(read, sizes=SIZES),
    part_of="yelp-full",
    paper="Zhang, Zhao and LeCun, NIPS 2015, sampled by the rule of LAMA",
    note="drawn anew from yelp-full, whose stars are balanced: the rule is LAMA's, the reviews and their stars are "
    "not; no dev split is published: 10 % of the training texts are ours",
)

CORPORA = {
    "yelp-5": YELP_5,
    "yelp-long": replace(
        YELP_5,
        name="yelp-long",
        title="reviews of Yelp of more than 118 tokens, one to five stars, a sample as LAMA's",
        texts={"train": None, "test": None},
        read=partial(read, sizes=SIZES, longer_than=LONG),
        part_of="yelp-5",
        note="the reviews of yelp-5 with more than 118 tokens; how many there are is not known beforehand; no dev "
        "split is published: 10 % of the training texts are ours",
    ),
}
