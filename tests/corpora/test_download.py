"""Downloads from a local server that behaves as badly as real ones."""

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from retable.corpora.download import advice, bring, digest_of, is_whole
from retable.declaration import RemoteFile
from retable.errors import InputError

DATA = bytes(range(256)) * 4000  # 1 MB
DIGESTS = {
    "sha256": f"sha256:{hashlib.sha256(DATA).hexdigest()}",
    "md5": f"md5:{hashlib.md5(DATA).hexdigest()}",
    "git-blob": f"git-blob:{hashlib.sha1(b'blob %d' % len(DATA) + bytes(1) + DATA).hexdigest()}",
    "unpinned": "",
}


@dataclass
class Server:
    """Control the server's behaviour and record its requests."""

    url: str = ""
    body: bytes = DATA
    content_type: str = "application/octet-stream"
    statuses: list[int] = field(default_factory=list)  # returned in order, then 200 or 206
    cut_after: list[int] = field(default_factory=list)  # bytes after which responses break off, in order
    ranges: bool = True
    asked: list[str | None] = field(default_factory=list)  # the Range header of every request


@pytest.fixture
def server() -> Iterator[Server]:
    behaviour = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers["Range"]
            behaviour.asked.append(wanted)
            status = behaviour.statuses.pop(0) if behaviour.statuses else 200
            start = 0
            if status == 200 and wanted and behaviour.ranges:
                start, status = int(wanted.removeprefix("bytes=").rstrip("-")), 206
                if start >= len(behaviour.body):
                    status = 416
            body = behaviour.body[start:] if status in (200, 206) else b"sorry"
            self.send_response(status)
            self.send_header("Content-Type", behaviour.content_type)
            self.send_header("Content-Length", str(len(body)))
            if status == 416:
                self.send_header("Content-Range", f"bytes */{len(behaviour.body)}")
            if status == 206:
                self.send_header("Content-Range", f"bytes {start}-{len(behaviour.body) - 1}/{len(behaviour.body)}")
            self.end_headers()
            self.wfile.write(body[: behaviour.cut_after.pop(0)] if behaviour.cut_after else body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        behaviour.url = f"http://127.0.0.1:{running.server_port}/data.txt"
        yield behaviour
        running.shutdown()
        thread.join()


class Brought:
    """Hold the target folder of a download, and what the progress display received."""

    def __init__(self, folder: Path) -> None:
        self.target, self.part, self.mirror, self.told = folder / "data.txt", folder / "data.txt.part", folder, 0

    def __call__(self, *urls: str, digest: str = DIGESTS["sha256"], size: int = len(DATA), **options) -> list[str]:
        """Download the file from these addresses and check it."""
        self.told = 0
        file = RemoteFile("corpus/data.txt", digest, size, urls, others=options.pop("others", ()))
        problems = bring(file, self.target, [self.mirror], on_bytes=self.count, first_wait_s=0.01, **options)
        assert self.target.read_bytes() == DATA
        assert self.told == len(DATA)
        assert not self.part.exists()
        assert is_whole(self.target, file)
        return problems

    def count(self, count: int) -> None:
        self.told += count

    def in_mirror(self, content: bytes, name: str = "data.txt") -> None:
        (self.mirror / "corpus").mkdir(exist_ok=True)
        (self.mirror / "corpus" / name).write_bytes(content)


@pytest.fixture
def brought(tmp_path) -> Brought:
    return Brought(tmp_path)


@pytest.mark.parametrize(
    ("trouble", "part", "asked"),
    [
        ({}, None, [None]),
        ({"statuses": [503, 503]}, None, [None, None, None]),
        ({}, DATA[:123_456], ["bytes=123456-"]),  # left by a killed run
        ({"ranges": False}, DATA[:123_456], ["bytes=123456-"]),  # started again
        ({}, DATA, []),
        ({}, DATA + b"more", [None]),  # cannot be right
    ],
)
def test_a_file_arrives_whole(server, brought, trouble, part, asked):
    vars(server).update(trouble)
    if part is not None:
        brought.part.write_bytes(part)
    assert brought(server.url) == []
    assert server.asked == asked


@pytest.mark.parametrize("kind", DIGESTS)
@pytest.mark.parametrize("size", [len(DATA), 0])
def test_a_cut_connection_is_resumed_where_it_stopped_whatever_is_known_of_the_file(server, brought, kind, size):
    server.cut_after = [300_000, 200_000]
    assert brought(server.url, digest=DIGESTS[kind], size=size) == []
    starts = [int(wanted.removeprefix("bytes=").rstrip("-")) for wanted in server.asked[1:]]
    assert 0 < starts[0] <= 300_000 < starts[1] <= 500_000


def test_a_whole_part_of_unknown_size_is_taken_when_the_server_has_no_more(server, brought):
    brought.part.write_bytes(DATA)
    brought(server.url, digest=DIGESTS["md5"], size=0)
    assert server.asked == [f"bytes={len(DATA)}-"]


def test_a_part_of_another_file_is_thrown_away_and_the_next_try_brings_the_right_one(server, brought):
    brought.part.write_bytes(b"x" * len(DATA))
    with pytest.raises(InputError, match="a different file"):
        brought(server.url)
    assert brought(server.url) == []


@pytest.mark.parametrize(
    ("trouble", "times", "problem"),
    [
        ({"statuses": [503] * 9}, 4, r"returned 503 Service Unavailable \(4 tries\)\."),
        ({"cut_after": [100] * 9}, 4, r"closed the connection \(4 tries\)\."),
        ({"statuses": [404] * 9}, 1, "returned 404 Not Found"),
        ({"body": b"<!DOCTYPE html><p>log in", "content_type": "text/html; charset=utf-8"}, 1, "is an HTML page, not"),
        ({"body": b"\n<HTML>log in"}, 1, "is an HTML page, not the data"),
        ({"body": DATA[:-1]}, 1, r"is cut off: 1,023,999 bytes, expected 1,024,000"),
        ({"body": DATA + b"x"}, 1, r"is too long: 1,024,001 bytes, expected 1,024,000"),
        ({"body": DATA[:-1] + b"x"}, 1, r"is a different file: its sha256 is [0-9a-f]{64}, expected [0-9a-f]{64}"),
    ],
)
def test_trouble_without_end_is_one_sentence(server, brought, trouble, times, problem):
    vars(server).update(trouble)
    with pytest.raises(InputError, match=rf"^data.txt is not available. {server.url} {problem}.*RETABLE_MIRROR"):
        brought(server.url)
    assert len(server.asked) == times
    assert not brought.target.exists()
    assert brought.told == 0


@pytest.mark.parametrize("kind", ["sha256", "md5", "git-blob"])
def test_every_kind_of_digest_refuses_another_file_of_the_same_size(server, brought, kind):
    server.body = DATA[:-1] + b"x"
    refused = f"is a different file: its {kind} is [0-9a-f]{{32,64}}, expected [0-9a-f]{{32,64}}"
    with pytest.raises(InputError, match=refused):
        brought(server.url, digest=DIGESTS[kind], size=0)
    brought.target.write_bytes(server.body)
    assert not is_whole(brought.target, RemoteFile("corpus/data.txt", DIGESTS[kind]))


@pytest.mark.parametrize(
    ("body", "problem"),
    [(b"", "is cut off: 0 bytes, expected more"), (b"<html>log in", "is an HTML page, not the data")],
)
def test_an_unpinned_file_is_no_page_and_not_empty(server, brought, body, problem):
    server.body = body
    with pytest.raises(InputError, match=problem):
        brought(server.url, digest="", size=0)
    brought.target.write_bytes(body)
    assert not is_whole(brought.target, RemoteFile("corpus/data.txt", ""))


def test_a_git_blob_is_what_git_calls_it(tmp_path):  # `printf 'hello\n' | git hash-object --stdin`
    (tmp_path / "hello").write_bytes(b"hello\n")
    assert digest_of(tmp_path / "hello", "git-blob:?") == "git-blob:ce013625030ba8dba906f756967f9e9ca394464a"
    assert digest_of(tmp_path / "hello", "md5:?") == "md5:b1946ac92492d2347c6235b4d2611184"
    assert digest_of(tmp_path / "hello", "") == ""


def test_a_login_page_does_not_cost_what_has_arrived(server, brought):
    brought.part.write_bytes(DATA[:500])
    server.body, server.content_type, server.ranges = b"<html>log in", "text/html", False
    with pytest.raises(InputError, match="HTML page"):
        brought(server.url)
    assert brought.part.read_bytes() == DATA[:500]


def test_the_second_address_is_tried_and_the_first_is_named(server, brought):
    server.statuses = [404]
    brought.part.write_bytes(DATA[:500])
    assert brought(server.url, f"{server.url}?again") == [f"{server.url} returned 404 Not Found."]


def test_no_server_is_one_sentence_that_says_what_to_do(brought):
    with pytest.raises(InputError) as error:
        brought("http://127.0.0.1:9/data.txt", obtain="Or ask them.")
    assert str(error.value) == (
        "data.txt is not available. There is no connection to 127.0.0.1:9. Run the same command again when the network "
        "is back (it goes on from where it stopped), or put the file into a folder as corpus/data.txt and name the "
        "folder in RETABLE_MIRROR. Or ask them."
    )


def test_a_mirror_comes_before_the_network_and_a_wrong_file_in_it_is_named_and_passed_over(server, brought):
    brought.in_mirror(DATA)
    assert brought(server.url) == server.asked == []
    brought.in_mirror(DATA[::-1])
    [problem] = brought(server.url)
    assert "corpus/data.txt is a different file: its sha256 is" in problem
    with pytest.raises(InputError, match=r"corpus/data\.txt is a different file"):
        brought()


def test_a_missing_file_of_the_projects_own_is_in_git_and_a_users_is_to_be_put_into_a_mirror(brought):
    with pytest.raises(
        InputError, match=r"data.txt is not available. It is not at .*Put the file into a folder as corpus/"
    ):
        brought()
    assert "`git checkout data/sample/sample-en/train.txt`" in advice(RemoteFile("sample-en/train.txt", DIGESTS["md5"]))


def test_another_form_of_a_file_may_stand_in_a_folder_in_its_place(server, brought):
    form = RemoteFile("corpus/data.tar.gz", DIGESTS["md5"])
    brought.in_mirror(DATA, "data.tar.gz")
    other = f"md5:{'0' * 32}"
    assert brought(server.url, digest=other, others=(form,)) == server.asked == []
    brought.in_mirror(DATA[::-1], "data.tar.gz")  # under the wrong name: not the content of that form
    [problem] = brought(server.url, others=(form,))
    assert "data.tar.gz is a different file: its md5 is" in problem
