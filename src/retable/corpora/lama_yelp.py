"""LAMA's samples of Yelp reviews, redrawn by its rule: yelp-5, and yelp-long, the long reviews of yelp-5.

LAMA (section 4.1) drew 499,976 training and 4,000 test reviews at random from a release of 2.7 million that is no
longer public, and gives no seed. Here they are drawn, with a fixed seed, from the train and the test file of yelp-full,
so no test text of yelp-full is trained on. What cannot match: the individual reviews, and the stars, which are balanced
in yelp-full and were not in LAMA's release. So the printed accuracies are no targets for it.

yelp-long keeps the reviews of that sample with more than 118 tokens by spaCy's tokeniser; their number follows from
this rule (LAMA prints 175,844 and 1,378).
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from retable.corpora.zhang import CORPORA as RELEASES
from retable.declaration import Corpus, Example
from retable.text.clean.splitting import digest_of

SEED = 1
WHOLE = RELEASES["yelp-full"]
SIZES = {"train": 499_976, "test": 4_000}
LONG = 118  # tokens, the mean length in LAMA


def drawn(split: str, size: int, of: int) -> set[int]:
    """Return the sampled lines of a file: the first ones, in the order of a digest of seed and line."""
    return set(sorted(range(of), key=lambda number: digest_of(f"{SEED}/yelp-5/{split}/{number}"))[:size])


def read(corpus: Corpus, folder: Path, *, sizes: dict[str, int], longer_than: int = 0) -> Iterator[Example]:
    """Yield the reviews of the sample, in the order of yelp-full's files; an id contains the line there.

    Args:
        sizes: number of texts drawn per split.
        longer_than: leave out texts with this many tokens or fewer.
    """
    whole = {split: sum(counts) for split, counts in WHOLE.texts.items() if isinstance(counts, tuple)}
    sample = {split: drawn(split, size, of=whole[split]) for split, size in sizes.items()}
    for example in WHOLE.read(corpus, folder):
        if int(example.id.rpartition("/")[2]) in sample[example.split] and is_longer(example.text, longer_than):
            yield example


def is_longer(text: str, tokens: int) -> bool:
    """Return whether a text has more than this number of tokens."""
    if len(text.split()) > tokens:  # tokenising never yields fewer
        return True
    if len(text) <= tokens:
        return False
    from retable.text.parts.english import english_tokens  # slow to import: only if such texts are read

    return len(english_tokens([text])[0]) > tokens


YELP_5 = replace(
    WHOLE,
    name="yelp-5",
    title="Yelp reviews, one to five stars, sampled as in LAMA",
    texts=dict(SIZES),
    read=partial(read, sizes=SIZES),
    part_of="yelp-full",
    paper="Zhang, Zhao and LeCun, NIPS 2015, sampled by the rule of LAMA",
    note="sampled again from yelp-full, whose stars are balanced: the rule is LAMA's, the reviews and their stars are "
    "not; no dev split is published: ours is 10 % of the training texts",
)

CORPORA = {
    "yelp-5": YELP_5,
    "yelp-long": replace(
        YELP_5,
        name="yelp-long",
        title="Yelp reviews of more than 118 tokens, one to five stars, sampled as in LAMA",
        texts={"train": None, "test": None},
        read=partial(read, sizes=SIZES, longer_than=LONG),
        part_of="yelp-5",
        note="the reviews of yelp-5 with more than 118 tokens; their number is not known in advance; no dev "
        "split is published: ours is 10 % of the training texts",
    ),
}
