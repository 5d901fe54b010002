"""Read published word vectors line by line: GloVe's text, word2vec's text and binary, gzipped or in a zip; and the
JSON of winkNLP's packages, as a whole.

Pitfalls of the published files, all seen here: glove.840B has words with spaces; words contain U+0085 and U+00A0, at
which `str.splitlines` and `str.split` would split; word2vec's own tools cut long words inside a UTF-8 character.
"""

import gzip
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from retable.errors import InputError, shortened, shown, unknown_name
from retable.files import parse_json
from retable.forms import ANY_TEXT, ListOf, Number, Section, check
from retable.vectors.store import WordVectors
from retable.wording import number_of

BYTES_IN_CHUNK = 1 << 20
MOST_NUMBERS = 100_000  # dimensions of a vector
LONGEST_LINE = 1 << 24  # bytes
MOST_BYTES = 1 << 30  # of winkNLP's JSON, which is cut off there
WINK = Section({"dimensions": Number(1, MOST_NUMBERS, whole=True), "words": ListOf(ANY_TEXT), "vectors": Section({})})
Row = tuple[bytes, np.ndarray | list[bytes] | list[float]]  # a word and its numbers, parsed or not
Reader = Callable[[IO[bytes], Path], Iterator[Row]]


def read_published(path: Path, form: str, *, member: str = "", wanted: Container[str] | None = None) -> WordVectors:
    """Read a file of word vectors.

    Args:
        path: the file; .gz, .zip and .tgz are unpacked while they are read.
        form: "glove", "word2vec-text", "word2vec-binary" or "wink".
        member: the file to read inside a zip or tar that holds several ("glove.6B.300d.txt").
        wanted: keep only these words; None keeps all.
    Returns: the vectors, the first of a repeated word; words that are not UTF-8 are left out. `facts` counts both.
    Raises: InputError, with the file and line, if the file is missing or damaged, or has none of the wanted words.
    """
    if form not in FORMS:
        raise unknown_name("format of word vectors", form, FORMS)
    words: dict[str, None] = {}
    numbers = bytearray()
    repeated = not_utf8 = dim = line = 0
    with _opened(path, member) as file:
        for line, (name, row) in enumerate(FORMS[form](file, path), 1):
            dim = len(row)
            try:
                word = name.decode("utf-8")
            except UnicodeDecodeError:
                not_utf8 += 1
                continue
            if word in words:
                repeated += 1
            elif wanted is None or word in wanted:
                if not word or "\n" in word:
                    raise InputError(f"{path}, vector {line}: the word is {shown(word)}; remove the line.")
                words[word] = None
                numbers += _finite(row, f"{path}, vector {line} ({word})").tobytes()
    if not line:
        raise InputError(f"{path} contains no word vectors.")
    if not words:
        raise InputError(f"{path} has no vector for any of the wanted words; is it in another language, or cased?")
    matrix = np.frombuffer(numbers, np.float32).reshape(len(words), dim)
    return WordVectors(list(words), matrix, {"read": line, "repeated": repeated, "not_utf8": not_utf8})


def _finite(row: np.ndarray | list[bytes] | list[float], where: str) -> np.ndarray:
    try:
        vector = np.array(row, dtype=np.float32)
    except ValueError as error:
        raise InputError(f"{where} is damaged: {error}. Get the file again.") from None
    if not np.isfinite(vector).all():
        raise InputError(f"{where} is damaged: it has a number that is infinite or NaN. Get the file again.")
    return vector


def _glove(file: IO[bytes], path: Path) -> Iterator[Row]:
    yield from _text_rows(file, path, dim=0, first_line=1)


def _word2vec_text(file: IO[bytes], path: Path) -> Iterator[Row]:
    count, dim = _header(file, path)
    found = 0
    for row in _text_rows(file, path, dim, first_line=2):
        found += 1
        yield row
    if found != count:
        raise InputError(
            f"{path} has {number_of(found, 'vectors')}, but its first line says {count}; get the file again."
        )


def _text_rows(file: IO[bytes], path: Path, dim: int, first_line: int) -> Iterator[Row]:
    """Yield rows from lines of a word and `dim` numbers (0: as many as in the first line), split from the right, as a
    word may contain spaces.
    """
    for line, text in enumerate(bounded_lines(file, path), first_line):
        text = text.rstrip(b"\r\n ")
        if not dim and re.fullmatch(rb"\d+ \d+", text):
            raise InputError(f"{path}, line {line} is {text!r}, the header of word2vec's text; use word2vec-text.")
        dim = dim or text.count(b" ")
        word, *numbers = text.rsplit(b" ", dim)
        if len(numbers) != dim or not dim:
            raise InputError(
                f"{path}, line {line}: {number_of(len(numbers), 'numbers')}; allowed: {dim or 'one or more'}."
            )
        yield word, numbers


def bounded_lines(file: IO[bytes], path: Path) -> Iterator[bytes]:
    """Yield the lines of a file. Raises: InputError for one that does not end."""
    for number, text in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
        if len(text) > LONGEST_LINE:
            raise InputError(f"{path}: line {number} read has over {LONGEST_LINE:,} bytes; is it of another format?")
        yield text


def _word2vec_binary(file: IO[bytes], path: Path) -> Iterator[Row]:
    """Yield rows of a file of word, space, `dim` little-endian float32 and, from some tools, a line break."""
    count, dim = _header(file, path)
    size = 4 * dim
    buffer, start = b"", 0
    for number in range(1, count + 1):
        while (space := buffer.find(b" ", start)) < 0 or len(buffer) < space + 1 + size:
            chunk = file.read(BYTES_IN_CHUNK)
            if len(buffer) - start > LONGEST_LINE:
                raise InputError(f"{path}, vector {number}: its word does not end in {LONGEST_LINE:,} bytes.")
            if not chunk:
                raise InputError(f"{path} ends inside vector {number} of {count}; get the file again.")
            buffer, start = buffer[start:] + chunk, 0
        yield buffer[start:space].lstrip(b"\n"), np.frombuffer(buffer, "<f4", dim, space + 1)
        start = space + 1 + size


def _wink(file: IO[bytes], path: Path) -> Iterator[Row]:
    """Yield rows of an object {dimensions, words, vectors}; a word's numbers are followed by its norm and index."""
    try:
        content = parse_json(file.read(MOST_BYTES).decode("utf-8"))
        check(content, WINK, "the file", "get it again")
        dim, vectors = content["dimensions"], content["vectors"]
        for word in content["words"]:
            row = vectors[word][:dim]
            if len(row) != dim or not all(type(number) in (int, float) for number in row):
                raise InputError(f"the file has no {dim} numbers for {shown(word)}; get it again.")
            yield word.encode(), row
    except InputError as error:
        raise InputError(f"{path} is not the JSON of winkNLP's vectors: {error}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is not the JSON of winkNLP's vectors ({error!r}); get it again.") from None


def _header(file: IO[bytes], path: Path) -> tuple[int, int]:
    first = file.readline(100)
    try:
        count, dim = map(int, first.split())
    except ValueError:
        count = dim = 0
    if count < 1 or not 1 <= dim <= MOST_NUMBERS:
        raise InputError(f'{path}, line 1 is {first[:40]!r}; word2vec\'s first line is "words numbers".')
    return count, dim


FORMS: dict[str, Reader] = {
    "glove": _glove,
    "word2vec-text": _word2vec_text,
    "word2vec-binary": _word2vec_binary,
    "wink": _wink,
}


@contextmanager
def _opened(path: Path, member: str) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes, unpacked."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive, archive.open(_member(archive.namelist(), path, member)) as file:
                yield file
        elif path.suffix == ".tgz":
            with tarfile.open(path) as tar:
                found = tar.getmember(_member(tar.getnames(), path, member))
                content = tar.extractfile(found) if found.isfile() else None
                if content is None:
                    raise InputError(f"the member {found.name} of {path} is a folder or a link; name a file.")
                yield content
        elif path.suffix == ".gz":
            with gzip.open(path) as file:
                yield file  # type: ignore[misc]
        else:
            with path.open("rb") as file:
                yield file
    except FileNotFoundError:
        raise InputError(f"{path} is missing; docs/vectors.md says where to get it.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; docs/vectors.md says what to name.") from None
    except (EOFError, OSError, zipfile.BadZipFile, tarfile.TarError, zlib.error, NotImplementedError) as error:
        raise InputError(f"{path} is damaged ({shortened(' '.join(str(error).split()))}); get it again.") from None
    except RuntimeError as error:  # raised by zipfile
        if "encrypted" not in str(error):
            raise
        raise InputError(f"{path} is encrypted; unpack it with its password, and name the file in it.") from None


def _member(names: list[str], path: Path, member: str) -> str:
    if not member and len(names) == 1:
        return names[0]
    if member not in names:
        raise unknown_name(f"member of {path}", member, names)
    return member
