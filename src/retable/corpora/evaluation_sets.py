"""Test sets of word vectors: analogies (Athens is to Greece as Oslo to Norway) and pairs of words with a similarity.

Analogies   `: section` lines, then four words a line.
Similarity  word, word, score, separated by TABs; lines that start with # are comments.
Some files end their lines with CR LF, some their last line not at all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from retable.declaration import Source
from retable.errors import InputError

Question = tuple[str, str, str, str]
Sections = dict[str, list[Question]]


class Pair(NamedTuple):
    """Two words and how similar people found them; the unit is the set's own."""

    first: str
    second: str
    score: float


@dataclass(frozen=True)
class SetFile:
    """One file of a test set: what it holds, in which language, and how many questions or pairs."""

    kind: Literal["analogies", "similarity"]
    language: str
    size: int


@dataclass(frozen=True, kw_only=True)
class EvaluationSets(Source):
    """Test sets of word vectors; `sets` says what each of `files` is."""

    sets: Mapping[str, SetFile]

    def analogies(self, folder: Path, language: str) -> dict[str, Sections]:
        """Set -> section -> questions, of one language; a set is named like its file, without the ending.

        Raises: InputError for a missing file, a broken line, or another number of questions than declared.
        """
        found = {}
        for file, path in self._paths(folder, "analogies", language):
            sections = read_analogies(path)
            self._check_size(file, path, sum(map(len, sections.values())))
            found[path.stem] = sections
        return found

    def similarities(self, folder: Path, language: str) -> dict[str, list[Pair]]:
        """Set -> pairs, of one language.

        Raises: InputError for a missing file, a broken line, or another number of pairs than declared.
        """
        found = {}
        for file, path in self._paths(folder, "similarity", language):
            found[path.stem] = read_similarity(path)
            self._check_size(file, path, len(found[path.stem]))
        return found

    def _paths(self, folder: Path, kind: str, language: str) -> Iterator[tuple[str, Path]]:
        for file, facts in self.sets.items():
            if (facts.kind, facts.language) == (kind, language):
                yield file, folder / file

    def _check_size(self, file: str, path: Path, size: int) -> None:
        declared = self.sets[file].size
        if size != declared:
            raise InputError(
                f"{path} holds {size:,} questions or pairs, {self.name} has {declared:,} there; remove the folder and "
                f"run `dvc repro reference@{self.name}`."
            )


def read_analogies(path: Path) -> Sections:
    """Section -> questions.

    Raises: InputError, with the file and line, if a line is broken.
    """
    sections: Sections = {}
    section = None
    for number, line in _lines(path):
        words = line.split()
        if line.startswith(":"):
            section = sections.setdefault(line[1:].strip(), [])
        elif len(words) != 4:
            raise InputError(f"{path}, line {number}: {len(words)} words where a question has four.")
        elif section is None:
            raise InputError(f'{path}, line {number}: a question before the first section (a line like ": family").')
        else:
            section.append((words[0], words[1], words[2], words[3]))
    return sections


def read_similarity(path: Path) -> list[Pair]:
    """Pairs in the order of the file.

    Raises: InputError, with the file and line, if a line is broken.
    """
    pairs = []
    for number, line in _lines(path):
        if line.startswith("#"):
            continue
        try:
            first, second, score = line.split("\t")
            pairs.append(Pair(first, second, float(score)))
        except ValueError:
            raise InputError(f"{path}, line {number}: {line!r}, where word, word and score belong (TABs).") from None
    return pairs


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines without their ends; the file's last line break begins no line."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise InputError(f"{path} is missing; `dvc repro` brings it.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 ({error}); get it again.") from None
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        yield number, line.removesuffix("\r")
