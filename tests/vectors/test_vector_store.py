"""Vectors in a folder: they are read as written; coverage counts words and tokens."""

import numpy as np
import pytest

from retable.errors import InputError
from retable.files import read_json, sha256_of_file
from retable.vectors.store import NO_VECTORS, Coverage, WordVectors, coverage, read_vectors, write_vectors

VECTORS = WordVectors(["the", "a\u0085b", "é"], np.arange(6, dtype=np.float32).reshape(3, 2), {"method": "by hand"})


def test_written_is_read(tmp_path):
    write_vectors(tmp_path, "mine", VECTORS)
    read = read_vectors(tmp_path)
    assert read.words == VECTORS.words
    assert read.matrix.dtype == np.float32
    np.testing.assert_array_equal(read.matrix, VECTORS.matrix)
    assert (read.facts["name"], read.facts["words"], read.facts["dim"]) == ("mine", 3, 2)
    assert read.facts["method"] == "by hand"
    assert read_json(tmp_path / "vectors.json")["sha256"] == {
        file: sha256_of_file(tmp_path / file) for file in ("vectors.npy", "words.txt")
    }


def test_no_vectors_are_vectors_too(tmp_path):
    write_vectors(tmp_path, "none", NO_VECTORS)
    read = read_vectors(tmp_path)
    assert read.words == []
    assert read.matrix.shape == (0, 0)


def test_files_that_do_not_belong_together(tmp_path):
    write_vectors(tmp_path, "mine", VECTORS)
    (tmp_path / "words.txt").write_text("the\n")
    with pytest.raises(InputError, match=r"words\.txt is not the file named in vectors.json"):
        read_vectors(tmp_path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"vectors\.json is missing"):
        read_vectors(tmp_path)


def test_coverage_by_hand():  # 2 of 4 words, 6 of 10 tokens
    counts = {"the": 5, "film": 1, "zzz": 1, "qqq": 3}
    assert coverage(counts, {"the", "film", "other"}) == Coverage(words=0.5, tokens=0.6)
    assert coverage({}, {"the"}) == Coverage(words=0.0, tokens=0.0)
