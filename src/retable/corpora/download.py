"""Fetch one file: from a folder that has it, else from the first public address with the right bytes.

An interrupted transfer is resumed, which pooch does not support.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import requests

from retable.declaration import RemoteFile
from retable.errors import InputError
from retable.files import copy_file

TRIES = 4
FIRST_WAIT_S = 1.0  # doubled after every failure
TIMEOUT_S = (10.0, 60.0)  # to connect, between two blocks
BLOCK = 1 << 16
TEMPORARY = (408, 425, 429, 500, 502, 503, 504)
BEYOND_THE_END = 416
PAGE = "an HTML page, not the data (perhaps a login page or a proxy)"
HTML = (b"<!doctype html", b"<html")


class Unusable(Exception):
    """A folder or an address gave a different file; the message describes what it gave."""


class Unreachable(Unusable):
    """An address did not respond at all; the message is its host."""


def bring(
    file: RemoteFile,
    target: Path,
    folders: Sequence[Path],
    *,
    on_bytes: Callable[[int], None],
    obtain: str = "",
    first_wait_s: float = FIRST_WAIT_S,
) -> list[str]:
    """Fetch a file to `target`, complete and with the declared digest. A part (`<target>.part`) survives a kill.

    Args:
        folders: searched first, in order (the mirror, the checkout).
        on_bytes: called with the size of every received block; negative if a part had to be discarded.
        obtain: what else a user can do; reported if no source has the file.
        first_wait_s: before the second try of an address; doubled after every failure.
    Returns: a sentence for every source that had a different file and was skipped.
    Raises: InputError if no source has the file.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    problems: list[Unusable] = []
    for form in (file, *file.others):
        for folder in folders:
            try:
                if copy_from(folder / form.path, form, target):
                    on_bytes(target.stat().st_size)
                    return [str(problem) for problem in problems]
            except Unusable as problem:
                problems.append(problem)
    transfer = Transfer(file, target.with_name(f"{target.name}.part"), on_bytes, first_wait_s)
    for url in file.urls:
        try:
            transfer.bring(url)
        except Unusable as problem:
            problems.append(problem)
        else:
            transfer.part.replace(target)
            return [str(problem) for problem in problems]
    raise refusal(file, target.name, folders, problems, obtain)


def refusal(
    file: RemoteFile, name: str, folders: Sequence[Path], problems: Sequence[Unusable], obtain: str
) -> InputError:
    """Return the error: what was wrong everywhere, and what a user can do."""
    reasons = [str(problem) for problem in problems if not isinstance(problem, Unreachable)]
    hosts = [str(problem) for problem in problems if isinstance(problem, Unreachable)]
    if hosts:
        reasons.append(f"There is no connection to {' or '.join(hosts)}.")
    if not problems:
        reasons.append(f"It is not at {' or '.join(str(folder / file.path) for folder in folders)}.")
    return InputError(f"{name} is not available. {' '.join(reasons)} {advice(file)} {obtain}".rstrip())


SAMPLES = "sample-"  # prefix of the folders with the project's own texts, which are in git


def advice(file: RemoteFile) -> str:
    """Return what a user without network or mirror can do."""
    if file.path.startswith(SAMPLES):
        return f"It is in git: `git checkout data/sample/{file.path}` brings it back."
    if not file.urls:
        return f"Put the file into a folder as {file.path} and name the folder in RETABLE_MIRROR."
    return (
        "Run the same command again when the network is back (it goes on from where it stopped), or put the file "
        f"into a folder as {file.path} and name the folder in RETABLE_MIRROR."
    )


def copy_from(path: Path, file: RemoteFile, target: Path) -> bool:
    """Copy a file from a folder; return False if there is none.

    Raises: Unusable if it is a different file.
    """
    if not path.is_file():
        return False
    if problem := problem_of(path, file, str(path)):
        raise Unusable(problem)
    copy_file(path, target)
    return True


def is_whole(path: Path, file: RemoteFile) -> bool:
    """Return whether a file is already here and matches its declaration (or that of an allowed replacement)."""
    return path.is_file() and not all(problem_of(path, form, str(path)) for form in (file, *file.others))


def digest_of(path: Path, like: str) -> str:
    """Return the digest of a file, by the algorithm of another digest; "" if that is "".

    Args:
        like: "sha256:...", "md5:..." or "git-blob:...".
    """
    algorithm = like.partition(":")[0]
    if not algorithm:
        return ""
    with path.open("rb") as file:
        if algorithm != "git-blob":
            return f"{algorithm}:{hashlib.file_digest(file, algorithm).hexdigest()}"
        begun = hashlib.sha1(b"blob %d\0" % path.stat().st_size)
        return f"git-blob:{hashlib.file_digest(file, lambda: begun).hexdigest()}"


def problem_of(path: Path, file: RemoteFile, place: str) -> str:
    """Return, in one sentence, that `place` gave a web page, a truncated file or a different one; "" if it is right."""
    size = path.stat().st_size
    with path.open("rb") as opened:
        start = opened.read(512)
    if is_page(start):
        return f"{place} is {PAGE}."
    if not size or (file.bytes and size != file.bytes):
        kind = "cut off" if size < (file.bytes or 1) else "too long"
        return f"{place} is {kind}: {size:,} bytes, expected {f'{file.bytes:,}' if file.bytes else 'more'}."
    if (digest := digest_of(path, file.digest)) != file.digest:
        algorithm, _, found = digest.partition(":")
        return f"{place} is a different file: its {algorithm} is {found}, expected {file.digest.partition(':')[2]}."
    return ""


def is_page(start: bytes) -> bool:
    """Return whether bytes look like the start of a web page."""
    return start.lstrip().lower().startswith(HTML)


class Transfer:
    """A transfer into a part file, which survives a broken connection and a kill."""

    def __init__(self, file: RemoteFile, part: Path, on_bytes: Callable[[int], None], first_wait_s: float) -> None:
        self.file, self.part, self.on_bytes, self.first_wait_s = file, part, on_bytes, first_wait_s

    def bring(self, url: str) -> None:
        """Complete the part. Raises: Unusable if an address does not provide the file."""
        self.part.touch()
        self.on_bytes(self.part.stat().st_size)
        try:
            self.receive_with_patience(url)
            if problem := problem_of(self.part, self.file, url):
                self.throw_away()
                raise Unusable(problem)
        except Unusable:
            self.on_bytes(-self.part.stat().st_size)  # the next address counts it again
            raise

    def receive_with_patience(self, url: str) -> None:
        """Try several times, with increasing waits in between."""
        problem: Unusable | None = None
        for attempt in range(TRIES):
            if attempt:
                time.sleep(self.first_wait_s * 2 ** (attempt - 1))
            try:
                return self.receive(url)
            except requests.RequestException as error:
                problem = failure(url, error)
        assert problem is not None, "TRIES is at least 1"
        raise problem

    def receive(self, url: str) -> None:
        """Try once: request the missing bytes and append them to the part."""
        have = self.part.stat().st_size
        if self.file.bytes and have > self.file.bytes:
            have = self.throw_away()
        if have and have == self.file.bytes:
            return
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT_S) as answer:
            if answer.status_code in TEMPORARY:
                answer.raise_for_status()
            if answer.status_code == BEYOND_THE_END:
                if not self.file.bytes and answer.headers.get("Content-Range") == f"bytes */{have}":
                    return  # the part is complete: only the server could know
                self.throw_away()
            if not answer.ok:
                raise Unusable(f"{url} returned {answer.status_code} {answer.reason}.")
            if "html" in answer.headers.get("Content-Type", ""):
                raise Unusable(f"{url} is {PAGE}.")
            if have and not continues(answer, have):
                self.throw_away()
            with self.part.open("ab") as file:
                self.append(answer, url, file)

    def append(self, answer: requests.Response, url: str, file: IO[bytes]) -> None:
        """Append the body to the part, unless it is a web page or exceeds the expected size."""
        for block in answer.iter_content(BLOCK):
            if file.tell() == 0 and is_page(block):
                raise Unusable(f"{url} is {PAGE}.")
            file.write(block)
            self.on_bytes(len(block))
            if self.file.bytes and file.tell() > self.file.bytes:
                break

    def throw_away(self) -> int:
        """Empty the part and return its new size."""
        self.on_bytes(-self.part.stat().st_size)
        self.part.write_bytes(b"")
        return 0


def continues(answer: requests.Response, have: int) -> bool:
    """Return whether a response starts at byte `have` (a server may send the whole file instead)."""
    return answer.status_code == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")


def failure(url: str, error: requests.RequestException) -> Unusable:
    """Return why an address did not provide the file, after the last try."""
    if isinstance(error, requests.HTTPError):
        return Unusable(f"{url} returned {error.response.status_code} {error.response.reason} ({TRIES} tries).")
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return Unusable(f"{url} closed the connection ({TRIES} tries).")
    return Unreachable(urlsplit(url).netloc)
