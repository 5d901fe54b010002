"""Readers of published vectors: compared with gensim's writer and reader, and every error names file and line."""

import gzip
import json
import tarfile
import zipfile

import numpy as np
import pytest
from gensim.models import KeyedVectors

from retable.errors import InputError
from retable.vectors.published import read_published

WORDS = ["the", "naïve", "😀", "a\u00a0b", "x\u0085y", "-.5"]
MATRIX = np.random.default_rng(1).normal(size=(len(WORDS), 4)).astype(np.float32)


@pytest.fixture
def gensims():
    vectors = KeyedVectors(vector_size=4)
    vectors.add_vectors(WORDS, MATRIX)
    return vectors


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("form", ["word2vec-text", "word2vec-binary"])
def test_what_gensim_writes(tmp_path, gensims, form, packed):
    path = tmp_path / f"vectors{packed}"
    gensims.save_word2vec_format(str(path), binary=form == "word2vec-binary", sort_attr="nothing")
    read = read_published(path, form)
    oracle = KeyedVectors.load_word2vec_format(str(path), binary=form == "word2vec-binary")
    assert set(read.words) == set(oracle.index_to_key) == set(WORDS)
    assert read.matrix.dtype == np.float32
    for word, vector in zip(read.words, read.matrix, strict=True):
        np.testing.assert_array_equal(vector, oracle[word])
        np.testing.assert_array_equal(vector, gensims[word])


@pytest.mark.parametrize("end", [b"", b"\n"])  # gensim writes no line break after a vector, word2vec's own tool does
def test_binary_over_many_chunks(tmp_path, monkeypatch, end):
    monkeypatch.setattr("retable.vectors.published.BYTES_IN_CHUNK", 7)
    rows = b"".join(word.encode() + b" " + vector.tobytes() + end for word, vector in zip(WORDS, MATRIX, strict=True))
    read = read_published(written(tmp_path / "v.bin", b"6 4\n" + rows), "word2vec-binary")
    assert read.words == WORDS
    np.testing.assert_array_equal(read.matrix, MATRIX)


def test_glove_words_may_hold_spaces(tmp_path):  # as ". . ." and "at name@domain.com" do in glove.840B
    file = written(tmp_path / "g.txt", b", 1 2 3\n. . . 4 5 6\nat name@domain.com -7 8e-1 .9\n")
    read = read_published(file, "glove")
    assert read.words == [",", ". . .", "at name@domain.com"]
    np.testing.assert_array_equal(read.matrix, np.array([[1, 2, 3], [4, 5, 6], [-7, 0.8, 0.9]], np.float32))


def test_glove_in_a_zip_of_several(tmp_path):
    with zipfile.ZipFile(tmp_path / "glove.zip", "w") as archive:
        archive.writestr("small.txt", "the 1 2\n")
        archive.writestr("large.txt", "the 1 2 3\n")
    assert read_published(tmp_path / "glove.zip", "glove", member="large.txt").matrix.shape == (1, 3)
    with pytest.raises(InputError, match=r'unknown member of .*glove\.zip: "larg\.txt"; did you mean "large\.txt"'):
        read_published(tmp_path / "glove.zip", "glove", member="larg.txt")


def wink_package(folder, told):
    """Write a package as npm distributes it, with one JSON inside."""
    (folder / "vectors.json").write_text(json.dumps(told), encoding="utf-8")
    with tarfile.open(folder / "wink.tgz", "w:gz") as archive:
        archive.add(folder / "vectors.json", "package/vectors.json")
        archive.add(folder / "vectors.json", "package/package.json")
    return folder / "wink.tgz"


def test_winks_package_has_norm_and_place_behind_the_numbers(tmp_path):
    told = {"dimensions": 2, "words": ["the", "naïve"], "vectors": {"naïve": [3, 4.5, 5.4, 1], "the": [-1, 0.25, 1, 0]}}
    read = read_published(wink_package(tmp_path, told), "wink", member="package/vectors.json")
    assert read.words == ["the", "naïve"]
    np.testing.assert_array_equal(read.matrix, np.array([[-1, 0.25], [3, 4.5]], np.float32))
    with pytest.raises(InputError, match=r"unknown member of .*wink\.tgz: "):
        read_published(tmp_path / "wink.tgz", "wink", member="package/vectors.jsn")
    with pytest.raises(InputError, match="is not the JSON of winkNLP's vectors"):
        read_published(wink_package(tmp_path, {"words": ["the"]}), "wink", member="package/vectors.json")


def test_only_wanted_words_are_kept(tmp_path):
    read = read_published(written(tmp_path / "g.txt", b"a 1 2\nb 3 4\nc 5 6\n"), "glove", wanted={"c", "a", "z"})
    assert read.words == ["a", "c"]
    np.testing.assert_array_equal(read.matrix, [[1, 2], [5, 6]])
    assert read.facts["read"] == 3
    with pytest.raises(InputError, match="no vector for any of the wanted words"):
        read_published(tmp_path / "g.txt", "glove", wanted={"z"})


def test_repeated_words_and_broken_utf_8_are_counted(tmp_path):
    read = read_published(written(tmp_path / "g.txt", b"a 1 2\na 3 4\ncaf\xc3 5 6\n"), "glove")
    assert read.words == ["a"]
    np.testing.assert_array_equal(read.matrix, [[1, 2]])
    assert read.facts == {"read": 3, "repeated": 1, "not_utf8": 1}


@pytest.mark.parametrize(
    ("form", "content", "message"),
    [
        ("glove", b"a 1 2\nb 3\n", r"v, line 2: 1 number; allowed: 2"),
        ("glove", b"a 1 2\nb 3 4x\n", r"v, vector 2 \(b\) is damaged: .*4x"),
        ("glove", b"a 1 2\nb 3 nan\n", r"vector 2 \(b\) is damaged: .*infinite or NaN"),
        ("glove", b"a 1 2\n\n", r"v, line 2: 0 numbers; allowed: 2"),
        ("glove", b"a\n", r"v, line 1: 0 numbers"),
        ("glove", b"", r"v contains no word vectors"),
        ("glove", b"<html>\n", r"v, line 1: 0 numbers"),
        ("word2vec-text", b"a 1 2\n", r"v, line 1 is b'a 1 2"),
        ("word2vec-text", b"2 2\na 1 2\nb 3\n", r"v, line 3: 1 number; allowed: 2"),
        ("word2vec-text", b"3 2\na 1 2\n", r"has 1 vector, but its first line says 3"),
        ("word2vec-binary", b"2 2\na 12345678", r"ends inside vector 2 of 2"),
        ("word2vec-binary", b"2 2\na 1234", r"ends inside vector 1 of 2"),
        ("word2vec-binary", b"<html>", r"v, line 1 is b'<html>"),
    ],
)
def test_damage_is_told_with_file_and_line(tmp_path, form, content, message):
    with pytest.raises(InputError, match=message):
        read_published(written(tmp_path / "v", content), form)


def test_a_truncated_gzip_file(tmp_path):
    whole = gzip.compress(b"".join(b"word%d %d 1\n" % (number, number) for number in range(10_000)))
    with pytest.raises(InputError, match=r"v\.gz is damaged"):
        read_published(written(tmp_path / "v.gz", whole[: len(whole) // 2]), "glove")


@pytest.mark.parametrize("name", ["v.gz", "v.zip"])
def test_a_web_page_in_place_of_an_archive(tmp_path, name):
    with pytest.raises(InputError, match="is damaged"):
        read_published(written(tmp_path / name, b"<html>not found</html>"), "glove")


def test_a_missing_file_and_an_unknown_format(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.txt is missing; docs/vectors\.md"):
        read_published(tmp_path / "nowhere.txt", "glove")
    with pytest.raises(InputError, match='unknown format of word vectors: "glov"; did you mean "glove"'):
        read_published(tmp_path / "nowhere.txt", "glov")


def written(path, content):
    path.write_bytes(content)
    return path
