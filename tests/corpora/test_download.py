"""Downloads from a server on this machine that behaves as badly as real ones."""

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from retable.corpora.download import bring, digest_of, is_whole
from retable.declaration import RemoteFile
from retable.errors import InputError

DATA = bytes(range(256)) * 4000  # 1 MB
bring = partial(bring, first_wait_s=0.01)


@dataclass
class Server:
    """What the server does, and what it was asked."""

    url: str = ""
    body: bytes = DATA
    content_type: str = "application/octet-stream"
    statuses: list[int] = field(default_factory=list)  # given in order, then 200 or 206
    cut_after: list[int] = field(default_factory=list)  # bytes after which an answer breaks off, in order
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
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        behaviour.url = f"http://127.0.0.1:{running.server_port}/data.txt"
        yield behaviour
        running.shutdown()
        thread.join()


class Count:
    """Adds up what a progress display is told."""

    total = 0

    def __call__(self, count: int) -> None:
        self.total += count


def file_at(*urls: str, content: bytes = DATA) -> RemoteFile:
    return RemoteFile("corpus/data.txt", f"sha256:{hashlib.sha256(content).hexdigest()}", len(content), urls)


def test_a_file_arrives_whole_and_leaves_no_part(server, tmp_path):
    count = Count()
    assert bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=count) == []
    assert (tmp_path / "data.txt").read_bytes() == DATA
    assert [path.name for path in tmp_path.iterdir()] == ["data.txt"]
    assert count.total == len(DATA)


def test_a_cut_connection_is_resumed_where_it_stopped(server, tmp_path):
    server.cut_after = [300_000, 200_000]
    count = Count()
    bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=count)
    assert (tmp_path / "data.txt").read_bytes() == DATA
    assert server.asked[0] is None
    starts = [int(wanted.removeprefix("bytes=").rstrip("-")) for wanted in server.asked[1:]]
    assert 0 < starts[0] <= 300_000 < starts[1] <= 500_000
    assert count.total == len(DATA)


@pytest.mark.parametrize("ranges", [True, False])
def test_a_part_left_by_a_killed_run_is_continued_or_where_the_server_cannot_begun_again(server, tmp_path, ranges):
    server.ranges = ranges
    (tmp_path / "data.txt.part").write_bytes(DATA[:123_456])
    count = Count()
    bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=count)
    assert server.asked == ["bytes=123456-"]
    assert (tmp_path / "data.txt").read_bytes() == DATA
    assert count.total == len(DATA)


def test_a_whole_part_needs_no_request(server, tmp_path):
    (tmp_path / "data.txt.part").write_bytes(DATA)
    bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=Count())
    assert server.asked == []


def test_503_twice_then_fine(server, tmp_path):
    server.statuses = [503, 503]
    bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=Count())
    assert len(server.asked) == 3
    assert (tmp_path / "data.txt").read_bytes() == DATA


@pytest.mark.parametrize(
    ("trouble", "times", "problem"),
    [
        ({"statuses": [503] * 9}, 4, r"answers 503 Service Unavailable \(4 tries\)\."),
        ({"cut_after": [100] * 9}, 4, r"cuts the connection \(4 tries\)\."),
        ({"statuses": [404] * 9}, 1, "answers 404 Not Found"),
    ],
)
def test_trouble_without_end_is_one_sentence(server, tmp_path, trouble, times, problem):
    vars(server).update(trouble)
    with pytest.raises(InputError, match=problem):
        bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=Count())
    assert len(server.asked) == times


@pytest.mark.parametrize(
    ("body", "content_type", "problem"),
    [
        (b"<!DOCTYPE html><p>log in", "text/html; charset=utf-8", "is an HTML page, not the data"),
        (b"\n<HTML>log in", "text/plain", "is an HTML page, not the data"),
        (DATA[:-1], "text/plain", r"is cut off: 1,023,999 bytes, expected 1,024,000"),
        (DATA + b"x", "text/plain", r"is too long: 1,024,001 bytes, expected 1,024,000"),
        (DATA[:-1] + b"x", "text/plain", r"is another file: its sha256 is [0-9a-f]{64}, expected [0-9a-f]{64}"),
    ],
)
def test_something_else_in_place_of_the_data_is_named(server, tmp_path, body, content_type, problem):
    server.body, server.content_type = body, content_type
    count = Count()
    with pytest.raises(InputError, match=rf"^data.txt cannot be had. {server.url} {problem}.*RETABLE_MIRROR"):
        bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=count)
    assert not (tmp_path / "data.txt").exists()
    assert count.total == 0


def test_a_login_page_does_not_cost_what_has_arrived(server, tmp_path):
    (tmp_path / "data.txt.part").write_bytes(DATA[:500])
    server.body, server.content_type, server.ranges = b"<html>log in", "text/html", False
    with pytest.raises(InputError, match="HTML page"):
        bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=Count())
    assert (tmp_path / "data.txt.part").read_bytes() == DATA[:500]


def test_the_second_address_is_tried_and_the_first_is_named(server, tmp_path):
    server.statuses = [404]
    (tmp_path / "data.txt.part").write_bytes(DATA[:500])
    count = Count()
    problems = bring(file_at(server.url, f"{server.url}?again"), tmp_path / "data.txt", [], on_bytes=count)
    assert problems == [f"{server.url} answers 404 Not Found."]
    assert count.total == len(DATA)


def test_a_part_that_cannot_be_right_is_thrown_away(server, tmp_path):
    for part in (DATA + b"more", b"x" * len(DATA)):
        (tmp_path / "data.txt.part").write_bytes(part)
        try:
            bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=Count())
        except InputError:
            bring(file_at(server.url), tmp_path / "data.txt", [], on_bytes=Count())
        assert (tmp_path / "data.txt").read_bytes() == DATA
        (tmp_path / "data.txt").unlink()


def test_no_server_is_one_sentence_that_says_what_to_do(tmp_path):
    with pytest.raises(InputError) as error:
        bring(
            file_at("http://127.0.0.1:9/data.txt"), tmp_path / "data.txt", [], on_bytes=Count(), obtain="Or ask them."
        )
    assert str(error.value) == (
        "data.txt cannot be had. There is no connection to 127.0.0.1:9. Run the same command again when the network is "
        "back (it goes on from where it stopped), or put the file into a folder as corpus/data.txt and name the folder "
        "in RETABLE_MIRROR. Or ask them."
    )


def test_a_mirror_comes_before_the_network(server, tmp_path):
    mirror = tmp_path / "mirror"
    (mirror / "corpus").mkdir(parents=True)
    (mirror / "corpus/data.txt").write_bytes(DATA)
    count = Count()
    assert bring(file_at(server.url), tmp_path / "data.txt", [tmp_path / "none", mirror], on_bytes=count) == []
    assert (server.asked, count.total) == ([], len(DATA))


def test_a_wrong_file_in_the_mirror_is_named_and_passed_over(server, tmp_path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/data.txt").write_bytes(DATA[::-1])
    problems = bring(file_at(server.url), tmp_path / "data.txt", [tmp_path], on_bytes=Count())
    assert "corpus/data.txt is another file: its sha256 is" in problems[0]
    with pytest.raises(InputError, match=r"corpus/data\.txt is another file"):
        bring(file_at(), tmp_path / "other.txt", [tmp_path], on_bytes=Count())


def test_a_file_of_the_checkout_that_is_missing_can_be_checked_out(tmp_path):
    with pytest.raises(
        InputError, match=r"data.txt cannot be had. It is not at .*`git checkout data/sample/corpus/data"
    ):
        bring(file_at(), tmp_path / "data.txt", [tmp_path], on_bytes=Count())


def digests(content: bytes) -> dict[str, str]:
    return {
        "sha256": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "md5": f"md5:{hashlib.md5(content).hexdigest()}",
        "git-blob": f"git-blob:{hashlib.sha1(b'blob %d' % len(content) + bytes(1) + content).hexdigest()}",
        "unpinned": "",
    }


def test_a_git_blob_is_what_git_calls_it(tmp_path):  # `printf 'hello\n' | git hash-object --stdin`
    (tmp_path / "hello").write_bytes(b"hello\n")
    assert digest_of(tmp_path / "hello", "git-blob:?") == "git-blob:ce013625030ba8dba906f756967f9e9ca394464a"
    assert digest_of(tmp_path / "hello", "md5:?") == "md5:b1946ac92492d2347c6235b4d2611184"
    assert digest_of(tmp_path / "hello", "") == ""


@pytest.mark.parametrize("kind", ["sha256", "md5", "git-blob", "unpinned"])
@pytest.mark.parametrize("size", [len(DATA), 0])
def test_every_kind_of_digest_with_and_without_a_known_size(server, tmp_path, kind, size):
    file = RemoteFile("corpus/data.txt", digests(DATA)[kind], size, (server.url,))
    count = Count()
    server.cut_after = [300_000]
    assert bring(file, tmp_path / "data.txt", [], on_bytes=count) == []
    assert (tmp_path / "data.txt").read_bytes() == DATA
    assert is_whole(tmp_path / "data.txt", file)
    assert len(server.asked) == 2
    assert count.total == len(DATA)


@pytest.mark.parametrize("kind", ["sha256", "md5", "git-blob"])
def test_every_kind_of_digest_refuses_another_file_of_the_same_size(server, tmp_path, kind):
    server.body = DATA[:-1] + b"x"
    file = RemoteFile("corpus/data.txt", digests(DATA)[kind], 0, (server.url,))
    with pytest.raises(
        InputError, match=f"is another file: its {kind} is [0-9a-f]{{32,64}}, expected [0-9a-f]{{32,64}}"
    ):
        bring(file, tmp_path / "data.txt", [], on_bytes=Count())
    (tmp_path / "data.txt").write_bytes(server.body)
    assert not is_whole(tmp_path / "data.txt", file)


def test_a_whole_part_of_unknown_size_is_taken_when_the_server_has_no_more(server, tmp_path):
    (tmp_path / "data.txt.part").write_bytes(DATA)
    file = RemoteFile("corpus/data.txt", digests(DATA)["md5"], 0, (server.url,))
    bring(file, tmp_path / "data.txt", [], on_bytes=Count())
    assert server.asked == [f"bytes={len(DATA)}-"]
    assert (tmp_path / "data.txt").read_bytes() == DATA


@pytest.mark.parametrize(
    ("body", "problem"),
    [(b"", "is cut off: 0 bytes, expected more"), (b"<html>log in", "is an HTML page, not the data")],
)
def test_an_unpinned_file_is_no_page_and_not_empty(server, tmp_path, body, problem):
    server.body = body
    with pytest.raises(InputError, match=problem):
        bring(RemoteFile("corpus/data.txt", "", 0, (server.url,)), tmp_path / "data.txt", [], on_bytes=Count())
    (tmp_path / "data.txt").write_bytes(b"")
    assert not is_whole(tmp_path / "data.txt", RemoteFile("corpus/data.txt", "", 0))


def test_another_form_of_a_file_may_stand_in_a_folder_in_its_place(server, tmp_path):
    form = RemoteFile("corpus/data.tar.gz", digests(DATA[::-1])["md5"])
    file = RemoteFile("corpus/data.tgz", digests(DATA)["md5"], len(DATA), (server.url,), others=(form,))
    mirror = tmp_path / "mirror"
    (mirror / "corpus").mkdir(parents=True)
    (mirror / "corpus/data.tar.gz").write_bytes(DATA[::-1])
    count = Count()
    assert bring(file, tmp_path / "data.tgz", [mirror], on_bytes=count) == []
    assert (server.asked, count.total) == ([], len(DATA))
    assert is_whole(tmp_path / "data.tgz", file)
    (mirror / "corpus/data.tar.gz").write_bytes(DATA)  # under the wrong name: not what that form is
    problems = bring(file, tmp_path / "other.tgz", [mirror], on_bytes=Count())
    assert "data.tar.gz is another file: its md5 is" in problems[0]
