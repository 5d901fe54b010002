"""Read the files of corpora, line by line. A broken line stops the reader with its file and number; none is skipped.

Lines end at LF and nowhere else: `str.splitlines` also breaks at U+0085, which 681 reviews of imdb hold.
"""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from retable.corpora.declaration import Corpus, Example, Sentence
from retable.errors import InputError

SENTIMENT = {"0": "negative", "1": "positive"}
CONLLU_COLUMNS = 10


def read_labelled_lines(
    corpus: Corpus, folder: Path, *, splits: Mapping[str, str], separator: str, names: Mapping[str, str] | None = None
) -> Iterator[Example]:
    """Lines of label, separator, text.

    Args:
        splits: the file of every split.
        names: the label's name for what stands in the file; None where that is the name.
    """
    names = names or {label: label for label in corpus.labels}
    for split, file in splits.items():
        for number, line in enumerate(lines(folder / file, corpus.encoding)):
            code, found, text = line.partition(separator)
            if not found:
                broken(folder / file, number, f"there is no {separator!r} between label and text")
            if code not in names:
                broken(folder / file, number, f'the label is "{code}"; {corpus.name} has {", ".join(names)}')
            yield Example(identity(corpus, split, number), split, text, names[code])


def read_parallel_lines(
    corpus: Corpus, folder: Path, *, texts: str, labels: str, names: Mapping[str, str]
) -> Iterator[Example]:
    """Line i of one file is the text, line i of the other is path, split and label, separated by tabs."""
    described = lines(folder / labels, "utf-8")
    number = -1
    for number, text in enumerate(lines(folder / texts, corpus.encoding)):
        fields = next(described, "").split("\t")
        if len(fields) != 3 or fields[1] not in corpus.texts or fields[2] not in names:
            broken(folder / labels, number, f"it is not path, {' or '.join(corpus.texts)}, {' or '.join(names)}")
        yield Example(identity(corpus, fields[1], number), fields[1], text, names[fields[2]])
    if next(described, None) is not None:
        broken(folder / labels, number + 1, f"{folder / texts} ended one line before")


def read_csv_rows(corpus: Corpus, folder: Path, *, file: str, header: tuple[str, ...]) -> Iterator[Example]:
    """Rows of a CSV file without line breaks in its fields; `header` holds the columns `sentiment` and `text`."""
    rows = csv.reader(lines(folder / file, corpus.encoding), strict=True)
    try:
        for row in rows:
            number = rows.line_num - 1
            if number == 0 and tuple(row) != header:
                broken(folder / file, 0, f"the header is not {','.join(header)}")
            if len(row) != len(header):
                broken(folder / file, number, f"it has {len(row)} fields, not {len(header)}")
            if number > 0:
                text, label = row[header.index("text")], row[header.index("sentiment")]
                if label not in corpus.labels:
                    allowed = ", ".join(corpus.labels)
                    broken(folder / file, number, f'the label is "{label}"; {corpus.name} has {allowed}')
                yield Example(identity(corpus, "all", number), "all", text, label)
    except csv.Error as error:
        broken(folder / file, rows.line_num - 1, f"it is not CSV ({error})")


def read_conllu(path: Path) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file: column 2 is the word, 4 UPOS, 5 XPOS.

    Ranges (id 3-4) and empty nodes (id 8.1) are no syntactic words and are left out, as the format says.
    """
    sentence = Sentence([], [], [])
    number = -1
    for number, line in enumerate(lines(path, "utf-8")):
        if line and not line.startswith("#"):
            columns = line.split("\t")
            if len(columns) != CONLLU_COLUMNS:
                broken(path, number, f"it has {len(columns)} columns; CoNLL-U has {CONLLU_COLUMNS}")
            if "-" not in columns[0] and "." not in columns[0]:
                for column, value in zip(sentence, (columns[1], columns[3], columns[4]), strict=True):
                    column.append(value)
        elif not line and sentence.words:
            yield sentence
            sentence = Sentence([], [], [])
    if sentence.words:
        broken(path, number, "the file ends inside a sentence (an empty line must close it)")


def lines(path: Path, encoding: str) -> Iterator[str]:
    """The lines of a file without their LF, nor the CR before it."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise InputError(f"{path} is missing; `dvc repro download@{path.parent.name}` brings it.") from None
    with file:
        for number, line in enumerate(file):
            try:
                yield line.removesuffix(b"\n").removesuffix(b"\r").decode(encoding)
            except UnicodeDecodeError as error:
                broken(path, number, f"byte {error.start} is not {encoding}")


def identity(corpus: Corpus, split: str, number: int) -> str:
    """The id of a text: where it stands."""
    return f"{corpus.name}/{number}" if split == "all" else f"{corpus.name}/{split}/{number}"


def broken(path: Path, number: int, problem: str) -> NoReturn:
    """Stop at a line (counted from 0; editors count from 1)."""
    raise InputError(
        f"{path}, line {number + 1}: {problem}. Remove the file and run `dvc repro download@{path.parent.name}`."
    )
