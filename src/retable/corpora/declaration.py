"""What the project knows of a corpus before it has read a byte: facts that are declared here and checked everywhere."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from retable.errors import InputError


class Example(NamedTuple):
    """One text as a file holds it.

    `id` is corpus/split/line with lines counted from 0 (corpus/line where there is one file): it says where the text
    stands and nothing of what it says. `split` is train, dev, test, or all where no split is published.
    """

    id: str
    split: str
    text: str
    label: str


class Sentence(NamedTuple):
    """One sentence of a treebank: its words, their universal and their own parts of speech, all of one length."""

    words: list[str]
    upos: list[str]
    xpos: list[str]


@dataclass(frozen=True)
class RemoteFile:
    """One file as it was published. Where it comes from does not matter: the digest decides.

    Attributes:
        path: where it lies in the mirror folder (or in data/sample/).
        sha256, bytes: what it must be.
        urls: public addresses, pinned to a commit, tried in order; none for a file that is in git.
    """

    path: str
    sha256: str
    bytes: int
    urls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Defect:
    """Something wrong in a corpus that we know of, counted on its raw text, and why it is as it is."""

    what: str
    count: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class Source:
    """What a corpus and a treebank have in common."""

    name: str
    language: str
    files: Mapping[str, RemoteFile]
    source: str
    paper: str
    licence: str
    note: str


@dataclass(frozen=True, kw_only=True)
class Corpus(Source):
    """Labelled texts.

    Attributes:
        labels: names; their order gives the class index.
        texts: per published split ("all" where there is none) the number of texts of every label.
        read: yields every example of data/raw/<corpus>/ in the order of its files.
        encoding: of the text files.
        tokenised: tokens are separated by spaces already, so no tokeniser runs.
        html: the text holds tags and entities, which cleaning takes out.
        defects: every known one; a test fails when the list is out of date.
        seed_spread: standard deviation of the test accuracy from seed to seed, a fraction; None where unknown.
    """

    labels: tuple[str, ...]
    texts: Mapping[str, tuple[int, ...]]
    read: Callable[["Corpus", Path], Iterator[Example]]
    encoding: str = "utf-8"
    tokenised: bool = False
    html: bool = False
    defects: tuple[Defect, ...] = ()
    seed_spread: float | None = None

    @property
    def split(self) -> str:
        """ "published", or "own": test and dev are then drawn by us, and copies of a text are removed before."""
        return "own" if "all" in self.texts else "published"

    def examples(self, folder: Path) -> list[Example]:
        """Read the whole corpus and compare it with its declared counts.

        Raises: InputError for a line that cannot be read, a label or a count that is not the declared one.
        """
        examples = list(self.read(self, folder))
        found = {(split, label): 0 for split in self.texts for label in self.labels}
        for example in examples:
            found[example.split, example.label] += 1
        for split, counts in self.texts.items():
            for label, count in zip(self.labels, counts, strict=True):
                if found[split, label] != count:
                    raise InputError(
                        f"{folder} holds {found[split, label]:,} texts labelled {label} in {split}, {self.name} has "
                        f"{count:,}; remove the folder and run `dvc repro download@{self.name}`."
                    )
        return examples


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


def github(repository: str, commit: str, path: str, *, mirror: str, sha256: str, size: int) -> RemoteFile:
    """A file of a public Git repository at one commit."""
    place = quote(path)
    urls = (
        f"https://raw.githubusercontent.com/{repository}/{commit}/{place}",
        f"https://github.com/{repository}/raw/{commit}/{place}",
    )
    return RemoteFile(mirror, sha256, size, urls)


def spread_of_two_runs(points: float) -> float:
    """The standard deviation, a fraction, behind "two runs differ by up to so many points" (95 %; docs/readings.md)."""
    return points / 100 / (1.96 * sqrt(2))
