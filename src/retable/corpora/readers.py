"""Read the files of corpora, line by line. A broken line stops the reader with its file and number; none is skipped.

Lines end at LF and nowhere else: `str.splitlines` also breaks at U+0085, which 681 reviews of imdb hold.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NoReturn

from retable.declaration import UNLABELLED, Corpus, Example, Sentence
from retable.errors import InputError
from retable.text.pairs import joined

SENTIMENT = {"0": "negative", "1": "positive"}
CONLLU_COLUMNS = 10
LONGEST_FIELD = 1 << 24  # characters; the csv module stops at 131,072, which whole articles exceed


@dataclass(frozen=True)
class Layout:
    """Say what a row of a CSV file holds.

    Attributes:
        columns: how many.
        label: the column of the label.
        texts: the columns of the text, joined by a space.
        names: the label's name for what stands in the file; None where that is the name.
        header: the first line, where there is one.
        escapes: what stands in the file, and what it means, replaced in this order.
    """

    columns: int
    label: int
    texts: tuple[int, ...]
    names: Mapping[str, str] | None = None
    header: tuple[str, ...] = ()
    escapes: tuple[tuple[str, str], ...] = ()


def read_labelled_lines(
    corpus: Corpus,
    folder: Path,
    *,
    splits: Mapping[str, str],
    separator: str,
    names: Mapping[str, str] | None = None,
    label_last: bool = False,
    header: str = "",
) -> Iterator[Example]:
    """Yield lines of label, separator, text; or the other way round.

    Args:
        splits: the file of every split.
        names: the label's name for what stands in the file; None where that is the name.
        label_last: text, separator, label.
        header: the first line of every file, where there is one.
    """
    names = names or {label: label for label in corpus.labels}
    for split, file in splits.items():
        for number, line in enumerate(lines(folder / file, corpus.encoding, corpus.undecodable)):
            if header and number == 0:
                if line != header:
                    broken(folder / file, 0, f"the header is not {header!r}")
                continue
            code, found, text = line.rpartition(separator) if label_last else line.partition(separator)
            if not found:
                broken(folder / file, number, f"there is no {separator!r} between label and text")
            if label_last:
                code, text = text, code
            if code not in names:
                broken(folder / file, number, f'the label is "{code}"; {corpus.name} has {", ".join(names)}')
            yield Example(identity(corpus, split, number), split, text, names[code])


def read_unlabelled_lines(corpus: Corpus, folder: Path, *, file: str) -> Iterator[Example]:
    """Yield lines that are texts without labels."""
    for number, text in enumerate(lines(folder / file, corpus.encoding, corpus.undecodable)):
        yield Example(identity(corpus, UNLABELLED, number), UNLABELLED, text, "")


def read_parallel_lines(
    corpus: Corpus,
    folder: Path,
    *,
    texts: str,
    labels: str,
    names: Mapping[str, str] | None = None,
    splits: Mapping[str, str] | None = None,
    change: Callable[[str], str] | None = None,
) -> Iterator[Example]:
    """Yield the texts of which line i of one file is the text, line i of the other path, split and label, separated by
    tabs.

    Args:
        names: the label's name for what stands in the file; None where that is the name.
        splits: the split's name for what stands in the file; None where that is the name.
        change: what is done to every text (a header taken off, say).
    """
    names = names or {label: label for label in corpus.labels}
    splits = splits or {split: split for split in corpus.texts}
    described = lines(folder / labels, "utf-8")
    number = -1
    for number, text in enumerate(lines(folder / texts, corpus.encoding, corpus.undecodable)):
        fields = next(described, "").split("\t")
        if len(fields) != 3 or fields[1] not in splits or fields[2] not in names:
            broken(folder / labels, number, f"it is not path, {' or '.join(splits)}, {' or '.join(names)}")
        split = splits[fields[1]]
        yield Example(identity(corpus, split, number), split, change(text) if change else text, names[fields[2]])
    if next(described, None) is not None:
        broken(folder / labels, number + 1, f"{folder / texts} ended one line before")


def read_csv_rows(corpus: Corpus, folder: Path, *, splits: Mapping[str, str], layout: Layout) -> Iterator[Example]:
    """Yield rows of CSV files; `splits` names the file of every split."""
    for split, file in splits.items():
        yield from csv_rows(corpus, lines(folder / file, corpus.encoding), split, layout, folder / file)


def csv_rows(
    corpus: Corpus, source: Iterable[str], split: str, layout: Layout, path: Path, inside: str = ""
) -> Iterator[Example]:
    """Yield the examples in the lines of one CSV file.

    Args:
        path, inside: where the lines come from, for messages: a file, and what of it where it is an archive.
    """
    csv.field_size_limit(LONGEST_FIELD)
    names = layout.names or {label: label for label in corpus.labels}
    rows = csv.reader((f"{line}\n" for line in source), strict=True)  # a quoted field may hold line breaks
    try:
        for row in rows:
            number = rows.line_num - 1
            if number == 0 and layout.header and tuple(row) != layout.header:
                broken(path, 0, f"{inside}the header is not {','.join(layout.header)}")
            if len(row) != layout.columns:
                broken(path, number, f"{inside}it has {len(row)} fields, not {layout.columns}")
            if number > 0 or not layout.header:
                if row[layout.label] not in names:
                    allowed = ", ".join(names)
                    broken(path, number, f'{inside}the label is "{row[layout.label]}"; {corpus.name} has {allowed}')
                if any("\0" in field for field in row):
                    broken(path, number, f"{inside}it holds NUL")
                text = " ".join(row[column] for column in layout.texts)
                for escape, meaning in layout.escapes:
                    text = text.replace(escape, meaning)
                yield Example(identity(corpus, split, number), split, text, names[row[layout.label]])
    except csv.Error as error:
        broken(path, rows.line_num - 1, f"{inside}it is not CSV ({error})")


def read_parallel_pairs(
    corpus: Corpus, folder: Path, *, parts: tuple[str, str, str], names: Mapping[str, str]
) -> Iterator[Example]:
    """Yield the pairs of which line i of three files is the first text, the second text and the label.

    Args:
        parts: the files' names behind that of the split: "train.a.toks".
        names: the label's name for what stands in the file.
    """
    for split in corpus.texts:
        paths = [folder / f"{split}.{part}" for part in parts]
        for number, fields in enumerate(zip_longest(*(lines(path, corpus.encoding) for path in paths))):
            if None in fields:
                broken(paths[fields.index(None)], number, "it ends before the files beside it")
            first, second, code = fields
            if code not in names:
                broken(paths[2], number, f'the label is "{code}"; {corpus.name} has {", ".join(names)}')
            yield Example(identity(corpus, split, number), split, joined(first, second), names[code])


def read_columns_of_pairs(
    corpus: Corpus,
    folder: Path,
    *,
    splits: Mapping[str, str],
    columns: int,
    first: int,
    second: int,
    label: int,
    names: Mapping[str, str] | None = None,
    header: bool = False,
) -> Iterator[Example]:
    """Yield lines of `columns` fields between tabs, of which `first`, `second` and `label` are texts and label.

    A byte-order mark at the beginning of a file is no part of it.
    """
    names = names or {name: name for name in corpus.labels}
    for split, file in splits.items():
        for number, line in enumerate(lines(folder / file, corpus.encoding)):
            fields = (line.removeprefix("\ufeff") if number == 0 else line).split("\t")
            if len(fields) != columns:
                broken(folder / file, number, f"it has {len(fields)} fields between tabs, not {columns}")
            if number == 0 and header:
                continue
            if fields[label] not in names:
                broken(folder / file, number, f'the label is "{fields[label]}"; {corpus.name} has {", ".join(names)}')
            text = joined(fields[first], fields[second])
            yield Example(identity(corpus, split, number - header), split, text, names[fields[label]])


def read_conllu(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file: column 2 is the word, 4 UPOS, 5 XPOS.

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


def table_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file that stands beside this module."""
    with Path(__file__).with_name(name).open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def lines(path: Path, encoding: str, undecodable: str = "strict") -> Iterator[str]:
    """Yield the lines of a file without their LF, nor the CR before it."""
    with present(path).open("rb") as file:
        yield from decoded(file, encoding, path, undecodable=undecodable)


def decoded(
    source: Iterable[bytes], encoding: str, path: Path, *, undecodable: str = "strict", inside: str = ""
) -> Iterator[str]:
    """Yield lines as text; `path` and `inside` say where they come from, for messages."""
    for number, line in enumerate(source):
        try:
            yield line.removesuffix(b"\n").removesuffix(b"\r").decode(encoding, undecodable)
        except UnicodeDecodeError as error:
            broken(path, number, f"{inside}byte {error.start} is not {encoding}")


def present(path: Path) -> Path:
    """Return the path itself.

    Raises: InputError if there is no file.
    """
    if not path.is_file():
        raise InputError(f"{path} is missing; `dvc repro download@{path.parent.name}` brings it.")
    return path


def identity(corpus: Corpus, split: str, number: int) -> str:
    """Return the id of a text: where it stands."""
    return f"{corpus.name}/{number}" if split == "all" else f"{corpus.name}/{split}/{number}"


def broken(path: Path, number: int, problem: str) -> NoReturn:
    """Stop at a line (counted from 0; editors count from 1)."""
    raise InputError(
        f"{path}, line {number + 1}: {problem}. Remove the file and run `dvc repro download@{path.parent.name}`."
    )
