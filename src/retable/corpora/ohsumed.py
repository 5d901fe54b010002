"""Ohsumed: abstracts of medical articles from 1991 with exactly one of 23 disease categories.

C01 to C23 are the disease categories of MeSH (C04: neoplasms, C14: cardiovascular diseases, C23: pathological
conditions). The release has one file per abstract, in the folders training/C01 to test/C23 of data/ohsumed_single_23 of
https://github.com/yao8839836/text_gcn, commit 962223652e9bb164ac2d83cd09fc7b8845ce860b. No public address has them in
one file. The archive is of that folder, checked out with umask 002:

    tar --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime='2019-07-30 00:00:00Z' \\
        -cf - ohsumed_single_23 | gzip -9n > ohsumed_single_23.tar.gz

The name of a folder reveals the label, so an id contains only the number of the article.
"""

import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from retable.corpora.archives import damaged
from retable.corpora.readers import LONGEST_LINE, present
from retable.declaration import Corpus, Example, in_mirror

ARCHIVE = "ohsumed_single_23.tar.gz"
SPLITS = {"training": "train", "test": "test"}
TEXTS = (  # of C01 to C23: in train, in test
    (114, 102), (25, 50), (21, 29), (430, 600), (83, 140), (176, 178), (29, 34), (121, 129), (35, 28), (215, 342),
    (49, 76), (155, 187), (92, 103), (585, 590), (54, 79), (59, 70), (101, 132), (168, 155), (40, 46), (179, 231),
    (240, 313), (9, 10), (377, 419),
)  # fmt: skip


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield one abstract per file, in the order of the archive.

    Raises: InputError, during reading, if the archive is damaged or has a file in an unexpected place.
    """
    path = present(folder / ARCHIVE)
    try:
        with tarfile.open(path, mode="r|gz") as members:
            for member in members:
                if member.size > LONGEST_LINE:
                    raise damaged(path, f"{member.name} has {member.size:,} bytes")
                content = members.extractfile(member)
                if content:
                    yield abstract(corpus, path, PurePosixPath(member.name), content.read())
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise damaged(path, str(error)) from None


def abstract(corpus: Corpus, path: Path, place: PurePosixPath, content: bytes) -> Example:
    """Return the text in one file of the archive; `place` gives its split and its label."""
    split, label = SPLITS.get(place.parent.parent.name), place.parent.name
    if split is None or label not in corpus.labels:
        raise damaged(path, f"{place} is not in training/C01 to test/C23")
    try:
        text = content.decode(corpus.encoding)
    except UnicodeDecodeError as error:
        raise damaged(path, f"in {place}, byte {error.start} is not {corpus.encoding}") from None
    return Example(f"{corpus.name}/{split}/{place.name}", split, text, label)


CORPUS = Corpus(
    name="ohsumed",
    language="en",
    title="abstracts of medical articles, each in one of 23 disease categories",
    labels=tuple(f"C{number:02}" for number in range(1, 24)),
    texts={"train": tuple(train for train, _ in TEXTS), "test": tuple(test for _, test in TEXTS)},
    files=in_mirror(
        "ohsumed", {ARCHIVE: (3_402_299, "74465bee5f1f838ff4e67e486aed38068814b3bda54651f3cd490690cec9be4e")}
    ),
    read=read,
    encoding="ascii",
    source="http://disi.unitn.it/moschitti/corpora.htm",
    paper="Hersh et al., OHSUMED, SIGIR 1994; these texts: Yao, Mao and Luo, Graph Convolutional Networks for Text "
    "Classification, AAAI 2019",
    licence="non-commercial research, not for clinical use (from memory; not checked here)",
    note="original titles and abstracts of the 7,400 of 13,929 articles that have a single category; the archive must "
    "be in the mirror folder: no address has it; no dev split is published: ours is 10 % of the training texts",
)
