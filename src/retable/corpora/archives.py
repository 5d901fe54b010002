"""Read CSV files inside the archives in which they were published, without unpacking them."""

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from retable.corpora.readers import Layout, csv_rows, decoded, present
from retable.declaration import Corpus, Example
from retable.errors import InputError


def read_tar_rows(corpus: Corpus, folder: Path, *, archive: str, layout: Layout) -> Iterator[Example]:
    """Yield rows of `<split>.csv`, in any folder of a .tar.gz, for every declared split, in the order of the archive.

    Raises: InputError, during reading, if the archive is damaged or lacks a split.
    """
    path = present(folder / archive)
    waiting = {f"{split}.csv": split for split in corpus.texts}
    try:
        with tarfile.open(path, mode="r|gz") as members:
            for member in members:
                split = waiting.pop(PurePosixPath(member.name).name, None)
                content = members.extractfile(member) if split else None
                if split and content:
                    inside = f"in {member.name}, "
                    source = decoded(content, corpus.encoding, path, inside=inside)
                    yield from csv_rows(corpus, source, split, layout, path, inside)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise damaged(path, str(error)) from None
    if waiting:
        raise damaged(path, f"it does not contain {' or '.join(waiting)}")


def read_zip_lines(path: Path, member: str, encoding: str) -> Iterator[str]:
    """Yield the lines of one file of a .zip.

    Raises: InputError, during reading, if the archive is damaged or lacks the file.
    """
    try:
        with zipfile.ZipFile(present(path)) as archive, archive.open(member) as content:
            yield from decoded(content, encoding, path, inside=f"in {member}, ")
    except KeyError:
        raise damaged(path, f"it does not contain {member}") from None
    except (zipfile.BadZipFile, EOFError, zlib.error, OSError, RuntimeError, NotImplementedError) as error:
        raise damaged(path, str(error)) from None  # zipfile raises RuntimeError if it is encrypted


def damaged(path: Path, problem: str) -> InputError:
    """Return the error for an archive that cannot be read."""
    return InputError(
        f"{path} cannot be used ({problem}). Remove the file and run `dvc repro download@{path.parent.name}`."
    )
