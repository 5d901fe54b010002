"""Test sets of word vectors: their readers, their declared sizes, the project's own sets."""

import runpy
from pathlib import Path

import pytest

from retable.corpora import source
from retable.corpora.evaluation_sets import EvaluationSets, Pair, SetFile, read_analogies, read_similarity
from retable.errors import InputError
from retable.stages.download import mirror

SAMPLE = Path(__file__).resolve().parents[2] / "data/sample"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_do_not_matter(tmp_path, end, last):
    lines = [": family", "man woman king queen", ": 首都", "中国 北京 法国 巴黎"]
    file = written(tmp_path / "q.txt", end.join(lines) + (end if last else ""))
    assert read_analogies(file) == {
        "family": [("man", "woman", "king", "queen")], "首都": [("中国", "北京", "法国", "巴黎")],
    }  # fmt: skip
    lines = ["# comment", "tiger\tcat\t7.35", "tiger\ttiger\t10.00"]
    file = written(tmp_path / "s.txt", end.join(lines) + (end if last else ""))
    assert read_similarity(file) == [Pair("tiger", "cat", 7.35), Pair("tiger", "tiger", 10.0)]


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (read_analogies, ": a\nb c d e\nb c d\n", r"q\.txt, line 3: 3 words where a question has four"),
        (read_analogies, ": a\n\nb c d e\n", r"q\.txt, line 2: 0 words"),
        (read_analogies, "b c d e\n: a\n", r"q\.txt, line 1: a question before the first section"),
        (read_similarity, "a\tb\t1\r\na\tb\r\n", r"q\.txt, line 2: 'a\\tb', where word, word and score belong"),
        (read_similarity, "a\tb\thigh\n", r"q\.txt, line 1: .*high"),
        (read_similarity, "a b 1\n", r"q\.txt, line 1: "),
        (read_similarity, "a\tb\t1\n\n", r"q\.txt, line 2: ''"),
    ],
)
def test_a_broken_line_is_told_with_file_and_line(tmp_path, read, content, message):
    with pytest.raises(InputError, match=message):
        read(written(tmp_path / "q.txt", content))


@pytest.mark.parametrize("read", [read_analogies, read_similarity])
def test_files_that_cannot_be_read(tmp_path, read):
    with pytest.raises(InputError, match=r"none\.txt is missing"):
        read(tmp_path / "none.txt")
    (tmp_path / "q.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"q\.txt is not UTF-8"):
        read(tmp_path / "q.txt")


def test_another_size_than_declared(tmp_path):
    sets = EvaluationSets(
        name="mine", language="en", files={}, source="", paper="", licence="", note="",
        sets={"q.txt": SetFile("analogies", "en", 2), "s.txt": SetFile("similarity", "zh", 1)},
    )  # fmt: skip
    written(tmp_path / "q.txt", ": a\nb c d e\n")
    written(tmp_path / "s.txt", "电影\t片子\t9\n")
    with pytest.raises(InputError, match=r"q\.txt holds 1 questions or pairs, mine has 2 there"):
        sets.analogies(tmp_path, "en")
    assert sets.analogies(tmp_path, "zh") == sets.similarities(tmp_path, "en") == {}
    assert sets.similarities(tmp_path, "zh") == {"s": [Pair("电影", "片子", 9.0)]}


@pytest.mark.parametrize("name", ["embedding-eval", "sample-embedding-eval"])
def test_every_declared_set_is_there_and_whole(tmp_path, name):
    sets = source(name)
    assert isinstance(sets, EvaluationSets)
    assert set(sets.sets) == set(sets.files)
    for file, facts in sets.files.items():
        found = [place / facts.path for place in [SAMPLE, *mirror()] if (place / facts.path).is_file()]
        if not found:
            pytest.skip(f"no mirror holds {facts.path}; name one in RETABLE_MIRROR")
        (tmp_path / file).symlink_to(found[0])
    for language in ("en", "zh"):
        assert sets.analogies(tmp_path, language), "sizes are checked while they are read"
        assert name == "embedding-eval" or sets.similarities(tmp_path, language)


def test_the_generator_writes_the_committed_sets(tmp_path):
    runpy.run_path(str(SAMPLE / "make_embedding_eval.py"))["make"](tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.txt"))
    assert len(made) == 4
    assert all((tmp_path / path).read_bytes() == (SAMPLE / path).read_bytes() for path in made)


def written(path, content):
    path.write_bytes(content.encode("utf-8"))
    return path
