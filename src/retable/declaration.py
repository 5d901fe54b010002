"""Declare the facts about a corpus that are known before reading it; they are declared here and checked everywhere."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from retable.errors import InputError
from retable.wording import number_of

UNLABELLED = "unlabelled"  # a split


class Example(NamedTuple):
    """One text as stored in a file.

    `id` is corpus/split/line with lines counted from 0 (corpus/line if there is one file): it gives the position of the
    text and reveals nothing of its content. `split` is train, dev, test, or all if no split is published; unlabelled
    for a text without a label, whose `label` is "".
    """

    id: str
    split: str
    text: str
    label: str


class Sentence(NamedTuple):
    """One sentence of a treebank: its words, universal and treebank-specific parts of speech, of equal lengths."""

    words: list[str]
    upos: list[str]
    xpos: list[str]


@dataclass(frozen=True)
class RemoteFile:
    """One file as published. Its source does not matter: the digest decides.

    Attributes:
        path: its place in the mirror folder (or in data/sample/).
        digest: the required digest: "sha256:...", "md5:..." or "git-blob:..." (the SHA-1 that Git gives a file), the
            strongest that is known; "" if none is published: then the counts of its texts decide.
        bytes: its size; 0 if unknown.
        urls: public addresses, tried in order; none for a file that is in git, or must be put into the mirror by hand.
        others: files of the same content (e.g. a repacked archive), one of which a mirror folder may hold instead.
    """

    path: str
    digest: str
    bytes: int = 0
    urls: tuple[str, ...] = ()
    others: tuple["RemoteFile", ...] = ()


@dataclass(frozen=True)
class Defect:
    """A known defect of a corpus, counted on its raw text, with its reason."""

    what: str
    count: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class Source:
    """Any download: a corpus, a treebank, or published word vectors.

    Attributes:
        name: its id.
        language: en or zh; "en, zh" for test sets of both.
        files: the contents of data/raw/<name>/.
        title: a short description.
        source, paper, licence: where it was first published, by whom, under which terms.
        note: a caveat for readers of results.
        at_hand: whether this project could check it against its files; False if it is available only from public
            addresses, which could not be reached here.
        obtain: what a user must do to get one whose `at_hand` is False.
    """

    name: str
    language: str
    files: Mapping[str, RemoteFile]
    source: str
    paper: str
    licence: str
    note: str
    title: str = ""
    at_hand: bool = True
    obtain: str = ""


@dataclass(frozen=True, kw_only=True)
class Corpus(Source):
    """Labelled texts.

    Attributes:
        labels: label names; their order gives the class index.
        texts: per published split ("all" if there is none) the number of texts per label; one number if only their sum
            is known; None if nothing is.
        read: yields every example of data/raw/<corpus>/ in the order of its files.
        unlabelled: number of texts without a label, in a split of that name.
        encoding: of the text files.
        undecodable: handling of a byte that is invalid in that encoding: "strict" (an error), "replace" (U+FFFD).
        tokenised: tokens are already separated by spaces, so no tokeniser runs.
        raw_unlabelled: the unlabelled texts of a tokenised corpus are raw, and need a tokeniser.
        html: the text contains tags and entities, which cleaning removes.
        test_texts: size of the test split that we draw; None for a tenth.
        grouped: if we draw the splits, texts that nearly repeat each other stay in one split.
        pooled: word vectors may be trained on it; False if its texts are in another corpus, held out or not.
        part_of: the corpus of which this is a part; results on it are not results on the whole.
        same_texts_as: the corpus with the same texts, split or stripped differently.
        domains: the corpora that form a joint corpus; the ids of its texts are "<domain>/<id>".
        ranked: it lists candidates for questions, pairs of texts; the second label says that one answers.
        graded: its labels are consecutive whole numbers, the grades; a text has a number from the first to the last.
        defects: every known one; a test fails if the list is out of date.
    """

    labels: tuple[str, ...]
    texts: Mapping[str, tuple[int, ...] | int | None]
    read: Callable[["Corpus", Path], Iterator[Example]]
    unlabelled: int = 0
    encoding: str = "utf-8"
    undecodable: str = "strict"
    tokenised: bool = False
    raw_unlabelled: bool = False
    html: bool = False
    test_texts: int | None = None
    grouped: bool = False
    pooled: bool = True
    part_of: str = ""
    same_texts_as: str = ""
    domains: tuple[str, ...] = ()
    ranked: bool = False
    graded: bool = False
    defects: tuple[Defect, ...] = ()

    @property
    def split(self) -> str:
        """Return "published", or "own": then we draw test and dev, after removing copies of texts."""
        return "own" if "all" in self.texts else "published"

    def examples(self, folder: Path) -> list[Example]:
        """Return the whole corpus at once; `counted` says what is checked."""
        return list(self.counted(folder))

    def counted(self, folder: Path) -> Iterator[Example]:
        """Read one text after another; at the end, compare the counts with the declared ones.

        Raises: InputError for an unreadable line, an undeclared label, or a wrong count.
        """
        found: Counter[tuple[str, str]] = Counter()
        counts = [*self.texts.values(), self.unlabelled]
        most = 1_000 + 2 * sum(count for *_, count in self.declared_counts()) if None not in counts else math.inf
        for number, example in enumerate(self.read(self, folder), start=1):
            found[example.split, self.label_of(example)] += 1
            if number > most:  # an archive may unpack to far more than it should; the comparison below refuses it
                break
            yield example
        for split, label, count in self.declared_counts():
            there = found[split, label] if label else sum(found[split, each] for each in ("", *self.labels))
            if there != count:
                kind = f" labelled {label}" if label else ""
                raise InputError(
                    f"{folder} contains {number_of(there, 'texts')}{kind} in {split}, but {self.name} has {count:,}; "
                    f"remove the folder and run `dvc repro download@{self.name}`; if it comes back the same, the "
                    "declaration is wrong."
                )

    def label_of(self, example: Example) -> str:
        """Return the label that an example counts for: of two grades the nearer, or the higher."""
        is_number = example.label.replace(".", "", 1).isdecimal()
        return str(math.floor(float(example.label) + 0.5)) if self.graded and is_number else example.label

    def declared_counts(self) -> Iterator[tuple[str, str, int]]:
        """Yield split, label and count of texts; the label is "" if only the sum over labels is declared."""
        for split, counts in (*self.texts.items(), (UNLABELLED, self.unlabelled)):
            if isinstance(counts, int):
                yield split, "", counts
            elif counts is not None:
                yield from ((split, label, count) for label, count in zip(self.labels, counts, strict=True))


@dataclass(frozen=True, kw_only=True)
class Treebank(Source):
    """Sentences with parts of speech. Its files are train.conllu, dev.conllu and test.conllu.

    Attributes:
        sentences, words: per split, syntactic words only.
        read: yields the sentences of one file.
    """

    sentences: Mapping[str, int]
    words: Mapping[str, int]
    read: Callable[[Path], Iterable[Sentence]]


@dataclass(frozen=True, kw_only=True)
class PublishedVectors(Source):
    """Published word vectors, in one file."""


def in_mirror(folder: str, files: Mapping[str, tuple[int, str]]) -> dict[str, RemoteFile]:
    """Return files that a folder of the mirror, or of data/sample/, holds under their own names.

    Args:
        files: name -> size in bytes, 0 if unknown, and digest; one without a prefix is a SHA-256.
    """
    return {
        name: RemoteFile(f"{folder}/{name}", digest if ":" in digest else f"sha256:{digest}", size)
        for name, (size, digest) in files.items()
    }


def github(
    place: str,
    files: Mapping[str, tuple[int, str]],
    *,
    mirror: str,
    there: Mapping[str, str] | None = None,
    mirrored: Mapping[str, str] | None = None,
) -> dict[str, RemoteFile]:
    """Return files of a public Git repository at one commit.

    Args:
        place: "<owner>/<repository>/<commit>/<folder>".
        files: as in `in_mirror`, whose folder is `mirror`.
        there, mirrored: the names of files that have another name in the repository, or in the mirror.
    """
    owner, repository, commit, *folders = place.split("/")
    found = {}
    for name, file in in_mirror(mirror, files).items():
        path = quote("/".join([*folders, (there or {}).get(name, name)]))
        urls = (
            f"https://raw.githubusercontent.com/{owner}/{repository}/{commit}/{path}",
            f"https://github.com/{owner}/{repository}/raw/{commit}/{path}",
        )
        found[name] = replace(file, path=f"{mirror}/{(mirrored or {}).get(name, name)}", urls=urls)
    return found
