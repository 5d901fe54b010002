"""Ohsumed: abstracts from the archive of its repository's folder."""

import io
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from retable.corpora import corpus
from retable.corpora.ohsumed import ARCHIVE
from retable.errors import InputError


def packed(folder: Path, **members: bytes) -> Path:
    """Write an archive of files, with `__` for a slash, inside the release's folder."""
    with tarfile.open(folder / ARCHIVE, "w:gz") as archive:
        top = tarfile.TarInfo("ohsumed_single_23")
        top.type = tarfile.DIRTYPE
        archive.addfile(top)
        for name, content in members.items():
            member = tarfile.TarInfo(f"{top.name}/{name.replace('__', '/')}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return folder


def test_folders_tell_split_and_label_and_an_id_tells_no_label(tmp_path):
    folder = packed(tmp_path, training__C01__0000004=b"Fever.\n It rose.\n", test__C23__0000009=b"Pain.")
    facts = corpus("ohsumed")
    texts = {"train": (1, *[0] * 22), "test": (*[0] * 22, 1)}
    found = replace(facts, texts=texts).examples(folder)
    assert found == [
        ("ohsumed/train/0000004", "train", "Fever.\n It rose.\n", "C01"),
        ("ohsumed/test/0000009", "test", "Pain.", "C23"),
    ]
    assert list(facts.read(facts, folder)) == found


@pytest.mark.parametrize(
    ("member", "content", "words"),
    [
        ("training__C24__1", b"x", "training/C24/1 is not in training/C01 to test/C23"),
        ("dev__C01__1", b"x", "dev/C01/1 is not in training/C01 to test/C23"),
        ("test__C02__7", b"caf\xe9", "in ohsumed_single_23/test/C02/7, byte 3 is not ascii"),
    ],
)
def test_a_file_in_another_place_or_encoding_is_named(tmp_path, member, content, words):
    facts = corpus("ohsumed")
    with pytest.raises(InputError, match=words):
        list(facts.read(facts, packed(tmp_path, **{member: content})))


def test_a_damaged_archive_is_named(tmp_path):
    (tmp_path / ARCHIVE).write_bytes(b"\x1f\x8b no archive")
    facts = corpus("ohsumed")
    with pytest.raises(InputError, match=rf"{ARCHIVE} cannot be used"):
        list(facts.read(facts, tmp_path))
