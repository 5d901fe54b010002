"""The stage that fills data/raw/<corpus>/, from this test's own mirror."""

import hashlib
from dataclasses import replace

import pytest

from retable.corpora import download, source
from retable.declaration import RemoteFile
from retable.stages import download as stage


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return a folder with mirror/, and raw/ and scratch/ in place of the checkout's."""
    monkeypatch.setattr(stage, "RAW", tmp_path / "raw")
    monkeypatch.setattr(stage, "SCRATCH", tmp_path / "scratch")
    monkeypatch.setenv("RETABLE_MIRROR", str(tmp_path / "mirror"))
    (tmp_path / "mirror").mkdir()
    return tmp_path


def declare(monkeypatch, files):
    monkeypatch.setattr(stage, "source", lambda name: replace(source("ced"), name=name, files=files))


def test_thousands_of_small_files_are_hashed_once_each_and_not_again_when_they_are_there(place, monkeypatch, capsys):
    contents = {f"{number}.json": f"post {number}".encode() for number in range(1500)}
    files = {
        name: RemoteFile(f"posts/{name}", f"sha256:{hashlib.sha256(content).hexdigest()}", len(content))
        for name, content in contents.items()
    }
    (place / "mirror/posts").mkdir()
    for name, content in contents.items():
        (place / "mirror/posts" / name).write_bytes(content)
    declare(monkeypatch, files)
    hashed = []
    monkeypatch.setattr(download, "digest_of", lambda path, like: hashed.append(path) or like)
    stage.main("posts")
    assert len(hashed) == len(set(hashed)) == 1500
    assert {path.name: path.read_bytes() for path in (place / "raw/posts").iterdir()} == contents
    assert not (place / "scratch/downloads/posts").exists()
    assert "1,500 of 1,500 files" in capsys.readouterr().err
    hashed.clear()
    stage.main("posts")
    assert len(hashed) == 1500
    assert "0 MB" in capsys.readouterr().err


def test_an_unpinned_file_is_told_in_one_line(place, monkeypatch, capsys):
    (place / "mirror/news.zip").write_bytes(b"PK")
    declare(monkeypatch, {"news.zip": RemoteFile("news.zip", "")})
    stage.main("news")
    printed = capsys.readouterr().err
    assert printed.count("news.zip is unpinned: no digest was published; `clean` counts its texts.") == 1
    assert (place / "raw/news/news.zip").read_bytes() == b"PK"


def test_a_corpus_that_is_not_at_hand_says_how_to_get_it(place, monkeypatch, capsys):
    facts = source("yelp-full")
    files = {name: replace(file, urls=("http://127.0.0.1:9/x.tgz",)) for name, file in facts.files.items()}
    monkeypatch.setattr(stage, "source", lambda name: replace(facts, files=files))
    monkeypatch.setattr(download, "TRIES", 1)
    with pytest.raises(SystemExit):
        stage.main("yelp-full")
    [line] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert "There is no connection to 127.0.0.1:9." in line
    assert "put the file into a folder as zhang/yelp_review_full_csv.tgz" in line
    assert line.endswith(facts.obtain)
    assert "md5:f7ddfafed1033f68ec72b9267863af6c" in facts.obtain


def test_one_file_that_fails_stops_the_others(place, monkeypatch, capsys):
    files = {f"{number}.json": RemoteFile(f"{number}.json", "", 1, ("http://127.0.0.1:9/x",)) for number in range(200)}
    declare(monkeypatch, files)
    asked = []
    monkeypatch.setattr(stage, "bring", lambda file, *_, **__: asked.append(file) or download.bring(file, *_, **__))
    monkeypatch.setattr(download, "TRIES", 1)
    with pytest.raises(SystemExit):
        stage.main("posts")
    assert len(asked) < 100, "else 200 files without a network would be tried for an hour"
    assert capsys.readouterr().err.count("error: ") == 1
