"""FDU-MTL, several domains together: a joint corpus, on which one network learns all of them.

fdu-16 has all sixteen domains, fdu-4 the four with which Blitzer et al. began (books, DVDs, electronics, kitchen
goods): networks that a processor cannot train on sixteen are compared there. Every text keeps its id, label and split
from its domain, so that a score on the texts of a domain is a score on that domain's own test split. The unlabelled
texts, used only by pools of word vectors, stay with the domains.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from retable.corpora import fdu
from retable.declaration import Corpus, Defect, Example

LABELLED = (".task.train", ".task.test")
OF_ALL = {  # reasons on all sixteen domains that are not a domain's
    "lines that are not UTF-8": "fdu-mr is latin-1 (actually Windows-1252), fdu-dvd has a lost byte",
    "texts that are empty": "a training text of fdu-sports without words; it is dropped",
    "texts with markup": "a tag that the collector left in",
    "copies in train": "reviews that the shop listed under several products, 48 of them in two domains",
}
OF_FOUR = {"lines that are not UTF-8": "fdu-dvd has a lost byte"}


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the labelled texts of one domain after another; `folder` holds the files of all."""
    for name in corpus.domains:
        yield from fdu.read_labelled(fdu.CORPORA[name], folder)


def joint(
    name: str, title: str, domains: tuple[str, ...], defects: Mapping[str, int], reasons: Mapping[str, str]
) -> Corpus:
    """Return the corpus of some domains together; `reasons` are those of its defects that are not a domain's."""
    parts, why = [fdu.CORPORA[domain] for domain in domains], {**fdu.REASONS, **reasons}
    return Corpus(
        name=name,
        language="en",
        title=title,
        labels=("negative", "positive"),
        texts={
            split: tuple(map(sum, zip(*(part.texts[split] for part in parts), strict=True))) for split in fdu.SPLITS
        },
        files={file: remote for part in parts for file, remote in part.files.items() if file.endswith(LABELLED)},
        read=read,
        tokenised=True,
        pooled=False,
        domains=domains,
        source="https://nlp.fudan.edu.cn/data/",
        paper="Liu, Qiu and Huang, Adversarial Multi-task Learning for Text Classification, ACL 2017",
        licence="none stated; the Amazon reviews are for research use (Blitzer et al., ACL 2007)",
        note=f"the texts of the corpora fdu-..., in their splits (the last {fdu.DEV} lines of a train file are dev); "
        "pools take them from those corpora; a test text is clean if it is in none of these domains' training texts",
        defects=tuple(Defect(what, count, why[what]) for what, count in defects.items()),
    )


CORPORA = {
    corpus.name: corpus
    for corpus in (
        joint(
            "fdu-16",
            "reviews of sixteen domains together, positive or negative",
            tuple(fdu.CORPORA),
            {
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
            },
            OF_ALL,
        ),
        joint(
            "fdu-4",
            "reviews of books, DVDs, electronics and kitchen goods together, positive or negative",
            ("fdu-books", "fdu-dvd", "fdu-electronic", "fdu-kitchen"),
            {
                "lines that are not UTF-8": 1,
                "texts with U+FFFD": 1,
                "copies in train": 52,
                "copies in test": 3,
                "texts in train and dev": 17,
                "texts in train and test": 38,
                "texts in dev and test": 3,
            },
            OF_FOUR,
        ),
    )
}
