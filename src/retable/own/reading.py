"""Read a user's own files: texts with labels, or texts only.

A file is CSV (.csv), tab-separated (.tsv), JSON lines (.jsonl) or Parquet (.parquet), in UTF-8; a folder has one
folder per class, with one text per file (.txt, in any case). Texts without labels may also be the lines of a .txt file.
"""

import csv
import io
import json
import math
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from retable.declaration import Example
from retable.errors import InputError, shortened, shown, unknown_name
from retable.files import HALF, object_of
from retable.wording import number_of

TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
SPREADSHEETS = (".xlsx", ".xls", ".ods")
UTF16 = "it is UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)"
QUOTES = 'close the quote that opens a field, and write one within a text as "", in a quoted field'
LONGEST_FIELD = 100_000_000  # characters
# Line breaks in a quoted field that make it suspect: a text rarely has tabs, but lines with a comma each are common.
SUSPECT_BREAKS = {"\t": 1, ",": 10}
ROWS_AT_ONCE = 1_000  # rows of Parquet


class Row(NamedTuple):
    """A row of a table: its position, for ids and messages, and its fields by column."""

    place: str
    fields: Mapping[str, Any]


def with_name(path: Path) -> Path:
    """Return a path that ends in a name, which a model folder or corpus takes: "." and ".." are resolved."""
    return path.resolve() if path.name in ("", "..") else path


def labelled_texts(path: Path, *, text: str = "text", label: str = "label", split: str = "all") -> list[Example]:
    """Read texts and their labels; empty texts are kept, cleaning removes them.

    Args:
        path: a table, or a folder with one folder per class.
        text, label: columns of a table.
        split: what the examples are for: all, or test.
    Raises: InputError if the file is missing or malformed, or a row lacks a text or a label.
    """
    if path.is_dir():
        return list(texts_of_classes(path, split))
    examples = []
    unlabelled: list[str] = []  # places
    for row in table_rows(path, " or a folder with one folder per class"):
        for column in (text, label):
            check_column(path, column, row.fields, (text, label))
        if is_missing(row.fields[label]):
            unlabelled.append(row.place)
            continue
        value = row.fields[text]
        if not isinstance(value, str):
            broken(path, row.place, f"{text} is {value!r}, which is not text; write it in quotes, or leave the row out")
        examples.append(Example(f"{path.name}/{row.place}", split, value, label_of(path, row, label)))
    check_labelled(path, label, unlabelled, len(examples))
    if not examples:
        raise InputError(f"{path} has no rows; give it at least a few texts of each label.")
    return examples


def is_missing(label: Any) -> bool:
    """Return whether a row has no label: nothing, white space, or NaN."""
    if isinstance(label, str):
        return not label.strip()
    return label is None or (isinstance(label, float) and math.isnan(label))


def check_labelled(path: Path, column: str, unlabelled: Sequence[str], labelled: int) -> None:
    """Raises: InputError if rows have no label, with the first of their places."""
    if unlabelled:
        count, rows = len(unlabelled), len(unlabelled) + labelled
        raise InputError(
            f'{path}, {unlabelled[0]}: the label (column "{shortened(column)}") is missing, as in {count:,} of '
            f"{number_of(rows, 'rows')}; give each row a label, or leave those rows out."
        )


def label_of(path: Path, row: Row, column: str) -> str:
    """Return the name of a row's label: integers and booleans become names. Raises: InputError."""
    value = row.fields[column]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return str(int(value))  # a column of integers with one missing is read as floats
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, str):
        broken(path, row.place, f"{column} is {value!r}; a label is a name, a whole number, or true or false")
    return value.strip()


def texts_of_classes(folder: Path, split: str) -> Iterator[Example]:
    """Yield the texts of a folder with one folder per class. Raises: InputError."""
    classes = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    if not classes:
        raise InputError(f"{folder} contains no folder; give it one folder per class, with one text per file (.txt).")
    for of_class in classes:
        files = sorted(path for path in of_class.iterdir() if path.suffix.lower() == ".txt")
        if other := next((path for path in (of_class, *files) if HALF.search(path.name)), None):
            raise InputError(f"{folder} contains {shown(other.name)}, whose name is not UTF-8; rename it.")
        if not files:
            raise InputError(f"{of_class} contains no .txt file; put its texts there, or remove the folder.")
        for path in files:
            yield Example(f"{of_class.name}/{path.name}", split, whole_text(path), of_class.name)


def left_out(path: Path) -> str:
    """Return which files of a folder of classes are not read, as a sentence; "" if all are."""
    files = (file.relative_to(path) for file in path.rglob("*") if file.is_file()) if path.is_dir() else ()
    shown_files = (file for file in files if not any(part.startswith(".") for part in file.parts))
    others = sorted(str(file) for file in shown_files if file.suffix.lower() != ".txt" or len(file.parts) != 2)
    if not others:
        return ""
    return f"Left out: {number_of(len(others), 'files')} that are not CLASS/NAME.txt, such as {shortened(others[0])}."


def whole_text(path: Path) -> str:
    """Read a text file in UTF-8, with or without a byte-order mark. Raises: InputError."""
    if path.read_bytes().startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InputError(f"{path}: {UTF16}.")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8.") from None


def texts_alone(path: Path, text: str = "text") -> Iterator[str]:
    """Yield texts to classify, a few at a time to save memory: a table's column, or the lines of a .txt file.

    Raises: InputError like `labelled_texts`.
    """
    if path.suffix.lower() == ".txt":
        with opened(path) as file:
            yield from lines_of(file, path)
        return
    for row in table_rows(path, ", .txt with one text per line, or - for standard input"):
        check_column(path, text, row.fields, (text,))
        value = row.fields[text]
        if value is not None and not isinstance(value, str):
            broken(path, row.place, f"{text} is {value!r}, which is not text")
        yield value or ""


def lines_of(file: TextIO, path: Path) -> Iterator[str]:
    """Yield lines without their line ends. Raises: InputError if one is not UTF-8."""
    read = 0
    try:
        for line in file:
            read += 1
            yield line.rstrip("\r\n")
    except UnicodeDecodeError:
        broken(path, f"line {read + 1} or soon after", "it is not UTF-8; save the file as UTF-8")


def table_rows(path: Path, otherwise: str = "") -> Iterator[Row]:
    """Yield the rows of a table.

    Args:
        path: a table.
        otherwise: what the caller takes too, for the message about a wrong path.
    Raises: InputError if it is missing, malformed or damaged.
    """
    kind = path.suffix.lower()
    if not path.exists():
        raise InputError(f"{path} is missing; give a file ({', '.join(TABLES)}){otherwise}.")
    if kind == ".parquet":
        return parquet_rows(path)
    if kind in (".csv", ".tsv"):
        return csv_rows(path, "\t" if kind == ".tsv" else ",")
    if kind == ".jsonl":
        return json_rows(path)
    advice = "; save it as CSV UTF-8" if kind in SPREADSHEETS else ""
    raise InputError(f"{path} ends in {kind or 'nothing'}; allowed: {', '.join(TABLES)}{otherwise}{advice}.")


def csv_rows(path: Path, delimiter: str) -> Iterator[Row]:
    """Yield the rows of a CSV file with a header; quoted fields may contain line breaks."""
    csv.field_size_limit(LONGEST_FIELD)
    first = 1  # line of the row
    with opened(path) as file:
        rows = csv.reader(without_nul(file, path), delimiter=delimiter, strict=True)
        try:
            header = next(rows, [])
            check_header(path, header)
            first = rows.line_num + 1
            for fields in rows:
                if fields:  # not an empty line
                    check_fields(path, f"line {first}", fields, header, delimiter)
                    yield Row(f"line {first}", dict(zip(header, fields, strict=True)))
                first = rows.line_num + 1
        except csv.Error as error:
            to = f", read on to line {rows.line_num}" if rows.line_num > first else ""
            broken(path, f"line {first}", f"it is not CSV ({error}{to}); {QUOTES}")
        except UnicodeDecodeError:
            broken(path, f"line {rows.line_num + 1} or soon after", "it is not UTF-8; save the file as UTF-8")


def check_fields(path: Path, place: str, fields: Sequence[str], header: Sequence[str], delimiter: str) -> None:
    """Raises: InputError if a row has too few or many fields, or one that looks like rows within an unclosed quote."""
    if len(fields) != len(header):
        check_separator(path, header)
        broken(path, place, f"it has {len(fields)} fields; the header has {len(header)}")
    for field in fields:
        if (breaks := field.count("\n")) >= SUSPECT_BREAKS[delimiter] and looks_like_rows(
            field, len(header) - 1, delimiter
        ):
            broken(
                path,
                place,
                f"a quote opens a field of {breaks + 1:,} lines that look like rows; {QUOTES}; if they are one text, "
                "save the file as .jsonl",
            )


def looks_like_rows(field: str, marks: int, delimiter: str) -> bool:
    """Return whether a field has `marks` delimiters a line break, and in each line between its first and last."""
    lines = field.split("\n")
    inner = all(line.count(delimiter) == marks for line in lines[1:-1])
    return inner and field.count(delimiter) == marks * (len(lines) - 1) > 0


def check_header(path: Path, header: Sequence[str]) -> None:
    """Raises: InputError if a table has no header, or a column name twice."""
    if not header:
        raise InputError(f"{path} is empty; its first line must name the columns.")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError(f'{path} has the column "{twice[0]}" {header.count(twice[0])} times; name each once.')


def check_column(path: Path, column: str, fields: Mapping[str, Any], wanted: Sequence[str]) -> None:
    """Raises: InputError if a row lacks a column; without any that is wanted, the file may have no header."""
    if column not in fields:
        header = list(fields)
        check_separator(path, header)
        unknown = unknown_name(f"column of {path}", column, header)
        if path.suffix.lower() in (".csv", ".tsv") and not any(name in fields for name in wanted):
            raise InputError(f"{unknown} Its first line must name the columns: does it, or is it a text already?")
        raise unknown


def check_separator(path: Path, header: Sequence[str]) -> None:
    """Raises: InputError if the name of the only column shows another separator than the file's."""
    for mark, name in ((";", "semicolons"), ("\t", "tabs"), (",", "commas")):
        if len(header) == 1 and mark in header[0]:
            raise InputError(
                f"the fields of {path} are separated by {name} (line 1: {shortened(header[0])}); allowed: commas in "
                ".csv, tabs in .tsv; save it with these, or rename it."
            )


def json_rows(path: Path) -> Iterator[Row]:
    """Yield the objects of a file of JSON lines."""
    with opened(path) as file:
        for number, line in enumerate(lines_of(file, path), start=1):
            if not line.strip():
                continue
            try:
                fields = json.loads(line, object_pairs_hook=object_of)
                json.dumps(fields, ensure_ascii=False).encode()  # half a surrogate pair cannot be encoded
            except UnicodeEncodeError as error:
                broken(
                    path,
                    f"line {number}",
                    f"{error.object[error.start]!r} is half of a character; write it whole, or leave it out",
                )
            except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
                broken(path, f"line {number}", f"it is not JSON ({error})")
            if not isinstance(fields, dict):
                broken(path, f"line {number}", f"it is {type(fields).__name__}, not an object with columns")
            yield Row(f"line {number}", fields)


def parquet_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a Parquet file."""
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            check_header(path, file.schema_arrow.names)
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE):
                for fields in batch.to_pylist():
                    number += 1
                    yield Row(f"row {number}", fields)
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        problem = f"it is not Parquet, or is damaged, or holds what Python cannot ({str(error).splitlines()[0]})"
        broken(path, f"row {number + 1} or soon after", problem)


def opened(path: Path) -> TextIO:
    """Open a text file in UTF-8, with or without a byte-order mark. Raises: InputError if it is missing or UTF-16."""
    try:
        file = path.open("rb")
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(f"{path} is missing, or is a folder; give a file.") from None
    if file.peek(2).startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        file.close()
        raise InputError(f"{path}: {UTF16}.")
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")


def without_nul(lines: Iterable[str], path: Path) -> Iterator[str]:
    """Yield the lines unchanged. Raises: InputError at a line with a NUL, which no text has."""
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            broken(path, f"line {number}", "it contains a NUL character; is the file UTF-16? Save it as UTF-8")
        yield line


def broken(path: Path, place: str, problem: str) -> NoReturn:
    """Raise the error for a row."""
    raise InputError(f"{path}, {place}: {problem}.")
