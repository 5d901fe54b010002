"""Declare what the project knows of a corpus before it has read a byte: facts that are declared here and checked
everywhere.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from retable.errors import InputError

UNLABELLED = "unlabelled"  # a split


class Example(NamedTuple):
    """One text as a file holds it.

    `id` is corpus/split/line with lines counted from 0 (corpus/line where there is one file): it says where the text
    stands and nothing of what it says. `split` is train, dev, test, or all where no split is published; unlabelled for
    a text without a label, whose `label` is "".
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
        digest: what it must be: "sha256:...", "md5:..." or "git-blob:..." (the SHA-1 that Git gives a file), the
            strongest that is known; "" where nobody published one: the counts of its texts decide then.
        bytes: its size; 0 where it is not known.
        urls: public addresses, tried in order; none for a file that is in git, or must be put into the mirror by hand.
        others: files of the same content (an archive packed again) of which a mirror folder may hold one instead.
    """

    path: str
    digest: str
    bytes: int = 0
    urls: tuple[str, ...] = ()
    others: tuple["RemoteFile", ...] = ()


@dataclass(frozen=True)
class Defect:
    """Something wrong in a corpus that we know of, counted on its raw text, and why it is as it is."""

    what: str
    count: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class Source:
    """Declare whatever is downloaded: a corpus, a treebank, or published word vectors.

    Attributes:
        name: its id.
        language: en or zh; "en, zh" for test sets of both.
        files: what stands in data/raw/<name>/.
        title: what it is, in a few words.
        source, paper, licence: where it was published first, by whom, under which terms.
        note: what a reader of a result must know of it.
        at_hand: whether this project could check it against its files; False where it can only be had from the
            public addresses, which nobody here could reach.
        obtain: what a user must do to get one that is not at hand.
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
        labels: names; their order gives the class index.
        texts: per published split ("all" where there is none) the number of texts of every label; one number where
            only their sum is known; None where nothing is.
        read: yields every example of data/raw/<corpus>/ in the order of its files.
        unlabelled: number of texts without a label, in a split of that name.
        encoding: of the text files.
        undecodable: what becomes of a byte that is not of that encoding: "strict" (an error), "replace" (U+FFFD).
        tokenised: tokens are separated by spaces already, so no tokeniser runs.
        raw_unlabelled: but not in the unlabelled texts, which need a tokeniser.
        html: the text holds tags and entities, which cleaning takes out.
        test_texts: size of the test split that we draw; None for a tenth.
        grouped: where we draw, texts that nearly repeat each other come into one split.
        pooled: word vectors may be trained on it; False where its texts stand in another corpus, held out or not.
        part_of: the corpus of which this is a part; a number measured on it is none of the whole's.
        same_texts_as: the corpus whose texts these are too, split or stripped in another way.
        domains: the corpora of which a joint corpus is made; the ids of its texts are "<domain>/<id>".
        ranked: it lists candidates for questions, pairs of texts; the second label says that one answers.
        defects: every known one; a test fails when the list is out of date.
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
    defects: tuple[Defect, ...] = ()

    @property
    def split(self) -> str:
        """ "published", or "own": test and dev are then drawn by us, and copies of a text are removed before."""
        return "own" if "all" in self.texts else "published"

    def examples(self, folder: Path) -> list[Example]:
        """Return the whole corpus at once; `counted` says what is checked."""
        return list(self.counted(folder))

    def counted(self, folder: Path) -> Iterator[Example]:
        """Read one text after the other; at the end, compare their numbers with the declared ones.

        Raises: InputError for a line that cannot be read, a label or a count that is not the declared one.
        """
        found: Counter[tuple[str, str]] = Counter()
        for example in self.read(self, folder):
            found[example.split, example.label] += 1
            yield example
        for split, label, count in self.declared_counts():
            there = found[split, label] if label else sum(found[split, each] for each in ("", *self.labels))
            if there != count:
                kind = f" labelled {label}" if label else ""
                raise InputError(
                    f"{folder} holds {there:,} texts{kind} in {split}, {self.name} has {count:,}; "
                    f"remove the folder and run `dvc repro download@{self.name}`."
                )

    def declared_counts(self) -> Iterator[tuple[str, str, int]]:
        """Split, label and count of texts; the label is "" where only the sum over labels is declared."""
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
    """Word vectors that somebody published, in one file."""


def in_mirror(folder: str, files: Mapping[str, tuple[int, str]]) -> dict[str, RemoteFile]:
    """Return files that a folder of the mirror, or of data/sample/, holds under their own names.

    Args:
        files: name -> size in bytes, 0 where it is not known, and digest; one without a prefix is a SHA-256.
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
        files: as of `in_mirror`, whose folder is `mirror`.
        there, mirrored: the names of files that are called otherwise in the repository, or in the mirror.
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
