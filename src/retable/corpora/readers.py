"""Read the files of corpora, line by line. A broken line raises an error with its file and number; none is skipped.

Lines end only at LF: `str.splitlines` also splits at U+0085, which occurs in 681 reviews of imdb.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import IO, NoReturn

from retable.declaration import UNLABELLED, Corpus, Example, Sentence
from retable.errors import InputError
from retable.text.grades import is_score
from retable.text.pairs import joined

SENTIMENT = {"0": "negative", "1": "positive"}
CONLLU_COLUMNS = 10
LONGEST_LINE = 1 << 26  # bytes
LONGEST_FIELD = 1 << 24  # characters; the csv module's limit is 131,072, which whole articles exceed


@dataclass(frozen=True)
class Layout:
    """The columns of a CSV file.

    Attributes:
        columns: number of columns.
        label: the column of the label.
        texts: the columns of the text, joined by a space.
        names: maps the value in the file to the label's name; None if they are equal.
        header: the first line, if there is one.
        escapes: strings in the file and their meanings, replaced in this order.
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
    """Yield lines of label, separator, text, or the reverse.

    Args:
        splits: the file of every split.
        names: maps the value in the file to the label's name; None if they are equal.
        label_last: text, separator, label.
        header: the first line of every file, if there is one.
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
            name = label_read(code, names, corpus, folder / file, number)
            yield Example(identity(corpus, split, number), split, text, name)


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
    """Yield texts from two parallel files: line i of one is the text, of the other path, split and label (with tabs).

    Args:
        names: maps the value in the file to the label's name; None if they are equal.
        splits: maps the value in the file to the split's name; None if they are equal.
        change: applied to every text (e.g. to remove a header).
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
        broken(folder / labels, number + 1, f"{folder / texts} ended one line earlier")


def read_csv_rows(corpus: Corpus, folder: Path, *, splits: Mapping[str, str], layout: Layout) -> Iterator[Example]:
    """Yield rows of CSV files; `splits` names the file of every split."""
    for split, file in splits.items():
        yield from csv_rows(corpus, lines(folder / file, corpus.encoding), split, layout, folder / file)


def csv_rows(
    corpus: Corpus, source: Iterable[str], split: str, layout: Layout, path: Path, inside: str = ""
) -> Iterator[Example]:
    """Yield the examples in the lines of one CSV file.

    Args:
        path, inside: the origin of the lines, for messages: a file, and the member if it is an archive.
    """
    csv.field_size_limit(LONGEST_FIELD)
    names = layout.names or {label: label for label in corpus.labels}
    rows = csv.reader((f"{line}\n" for line in source), strict=True)  # a quoted field may contain line breaks
    try:
        for row in rows:
            number = rows.line_num - 1
            if number == 0 and layout.header and tuple(row) != layout.header:
                broken(path, 0, f"{inside}the header is not {','.join(layout.header)}")
            if len(row) != layout.columns:
                broken(path, number, f"{inside}it has {len(row)} fields, not {layout.columns}")
            if number > 0 or not layout.header:
                name = label_read(row[layout.label], names, corpus, path, number, inside)
                if any("\0" in field for field in row):
                    broken(path, number, f"{inside}it contains NUL")
                text = " ".join(row[column] for column in layout.texts)
                for escape, meaning in layout.escapes:
                    text = text.replace(escape, meaning)
                yield Example(identity(corpus, split, number), split, text, name)
    except csv.Error as error:
        broken(path, rows.line_num - 1, f"{inside}it is not CSV ({error})")


def read_parallel_pairs(
    corpus: Corpus, folder: Path, *, parts: tuple[str, str, str], names: Mapping[str, str]
) -> Iterator[Example]:
    """Yield pairs from three parallel files: line i of each is the first text, the second text or the label.

    Args:
        parts: the file names after that of the split: "train.a.toks".
        names: maps the value in the file to the label's name.
    """
    for split in corpus.texts:
        paths = [folder / f"{split}.{part}" for part in parts]
        for number, fields in enumerate(zip_longest(*(lines(path, corpus.encoding) for path in paths))):
            if None in fields:
                broken(paths[fields.index(None)], number, "it ends before the files next to it")
            first, second, code = fields
            name = label_read(code, names, corpus, paths[2], number)
            yield Example(identity(corpus, split, number), split, joined(first, second), name)


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
    """Yield lines of `columns` tab-separated fields; `first`, `second` and `label` are the columns of texts and label.

    A byte-order mark at the beginning of a file is ignored. The label of a graded corpus is a number.
    """
    names = names or {name: name for name in corpus.labels}
    for split, file in splits.items():
        for number, line in enumerate(lines(folder / file, corpus.encoding)):
            fields = (line.removeprefix("\ufeff") if number == 0 else line).split("\t")
            if len(fields) != columns:
                broken(folder / file, number, f"it has {len(fields)} fields between tabs, not {columns}")
            if number == 0 and header:
                continue
            text = joined(fields[first], fields[second])
            name = label_read(fields[label], names, corpus, folder / file, number)
            yield Example(identity(corpus, split, number - header), split, text, name)


def read_conllu(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file: column 2 is the word, 4 UPOS, 5 XPOS.

    Ranges (id 3-4) and empty nodes (id 8.1) are not syntactic words and are left out, as the format specifies.
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
    """Return the rows of a CSV file next to this module."""
    with Path(__file__).with_name(name).open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def lines(path: Path, encoding: str, undecodable: str = "strict") -> Iterator[str]:
    """Yield the lines of a file without LF or CR LF."""
    with present(path).open("rb") as file:
        yield from decoded(file, encoding, path, undecodable=undecodable)


def decoded(
    source: IO[bytes], encoding: str, path: Path, *, undecodable: str = "strict", inside: str = ""
) -> Iterator[str]:
    """Yield lines as text; `path` and `inside` give their origin, for messages."""
    for number, line in enumerate(iter(lambda: source.readline(LONGEST_LINE + 1), b"")):
        if len(line) > LONGEST_LINE:
            broken(path, number, f"{inside}it has over {LONGEST_LINE:,} bytes")
        try:
            yield line.removesuffix(b"\n").removesuffix(b"\r").decode(encoding, undecodable)
        except UnicodeDecodeError as error:
            broken(path, number, f"{inside}byte {error.start} is not {encoding}")


def present(path: Path) -> Path:
    """Return the path itself.

    Raises: InputError if there is no such file.
    """
    if not path.is_file():
        raise InputError(f"{path} is missing; `dvc repro download@{path.parent.name}` downloads it.")
    return path


def label_read(found: str, names: Mapping[str, str], corpus: Corpus, path: Path, number: int, inside: str = "") -> str:
    """Return the label that a file means by a value; for a graded corpus the value, a number.

    Args:
        names: maps the value in the file to the label's name; a graded corpus needs none.
        path, number, inside: the place of the value, for messages.
    """
    if not (is_score(found, corpus.labels) if corpus.graded else found in names):
        allowed = f"numbers from {corpus.labels[0]} to {corpus.labels[-1]}" if corpus.graded else ", ".join(names)
        broken(path, number, f'{inside}the label is "{found}"; {corpus.name} has {allowed}')
    return found if corpus.graded else names[found]


def identity(corpus: Corpus, split: str, number: int) -> str:
    """Return the id of a text, made from its position."""
    return f"{corpus.name}/{number}" if split == "all" else f"{corpus.name}/{split}/{number}"


def broken(path: Path, number: int, problem: str) -> NoReturn:
    """Raise the error for a line (counted from 0; editors count from 1)."""
    raise InputError(
        f"{path}, line {number + 1}: {problem}. Remove the file and run `dvc repro download@{path.parent.name}`; if it "
        "comes back the same, its declaration is wrong."
    )
