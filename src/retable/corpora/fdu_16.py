"""FDU-MTL, all sixteen domains together: one joint corpus, on which one network learns all of them.

Every text keeps its id, label and split from its domain, so that a score on the texts of a domain is a score on that
domain's own test split. The unlabelled texts, used only by pools of word vectors, stay with the domains.
"""

from collections.abc import Iterator
from pathlib import Path

from retable.corpora import fdu
from retable.declaration import Corpus, Defect, Example

LABELLED = (".task.train", ".task.test")
DEFECTS = {
    "lines that are not UTF-8": 38,
    "texts that are empty": 1,
    "texts with C1 controls": 66,
    "texts with U+FFFD": 2,
    "texts with markup": 1,
    "copies in train": 1022,
    "copies in dev": 34,
    "copies in test": 103,
    "texts in train and dev": 254,
    "texts in train and test": 455,
    "texts in dev and test": 72,
}
REASONS = fdu.REASONS | {
    "lines that are not UTF-8": "fdu-mr is latin-1 (actually Windows-1252), fdu-dvd has a lost byte",
    "texts that are empty": "a training text of fdu-sports without words; it is dropped",
    "texts with markup": "a tag that the collector left in",
    "copies in train": "reviews that the shop listed under several products, 48 of them in two domains",
}


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the labelled texts of one domain after another; `folder` holds the files of all."""
    for name in corpus.domains:
        yield from fdu.read_labelled(fdu.CORPORA[name], folder)


CORPUS = Corpus(
    name="fdu-16",
    language="en",
    title="reviews of sixteen domains together, positive or negative",
    labels=("negative", "positive"),
    texts={"train": (11_013, 11_167), "dev": (1619, 1581), "test": (3169, 3231)},
    files={
        file: remote
        for domain in fdu.CORPORA.values()
        for file, remote in domain.files.items()
        if file.endswith(LABELLED)
    },
    read=read,
    tokenised=True,
    pooled=False,
    domains=tuple(fdu.CORPORA),
    source="https://nlp.fudan.edu.cn/data/",
    paper="Liu, Qiu and Huang, Adversarial Multi-task Learning for Text Classification, ACL 2017",
    licence="none stated; the Amazon reviews are for research use (Blitzer et al., ACL 2007)",
    note=f"the texts of the corpora fdu-..., in their splits (the last {fdu.DEV} lines of a train file are dev); pools "
    "take them from those corpora; a test text is clean if it occurs in no domain's training texts",
    defects=tuple(Defect(what, count, REASONS[what]) for what, count in DEFECTS.items()),
)
