"""Traps in the files: what ends a line, how a broken line is handled, which treebank lines are words."""

from functools import partial
from pathlib import Path

import pytest

from retable.corpora.readers import (
    SENTIMENT,
    Layout,
    read_conllu,
    read_csv_rows,
    read_labelled_lines,
    read_parallel_lines,
    read_unlabelled_lines,
)
from retable.declaration import Corpus
from retable.errors import InputError


def tiny(read, **facts) -> Corpus:
    values = {
        "labels": ("negative", "positive"),
        "texts": {"train": (1, 1), "test": (0, 1)},
        "encoding": "utf-8",
    } | facts
    return Corpus(
        name="tiny", language="en", files={}, source="here", paper="none", licence="none", note="none", read=read,
        **values,
    )  # fmt: skip


LINES = partial(read_labelled_lines, splits={"train": "train", "test": "test"}, separator=" ", names=SENTIMENT)
PARALLEL = partial(read_parallel_lines, texts="texts", labels="labels", names={"neg": "negative", "pos": "positive"})
LAYOUT = Layout(columns=3, label=1, texts=(2,), header=("", "sentiment", "text"))
HEADER = b",sentiment,text\r\n"
ROWS = partial(read_csv_rows, splits={"all": "rows.csv"}, layout=LAYOUT)


def write(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


ESCAPED = Layout(columns=3, label=0, texts=(1, 2), names=SENTIMENT, escapes=(("\\$", "$"), ("\\", " ")))
OTHER_NAMES = partial(
    PARALLEL, splits={"x-train": "train", "x-test": "test"}, change=lambda text: text.partition(": ")[2]
)


@pytest.mark.parametrize(
    ("read", "files", "texts", "expected"),
    [
        (  # ids encode the line and nothing about the text
            LINES, {"train": b"0 bad film\n1 good film\n", "test": b"1 fine film"}, {"train": (1, 1), "test": (0, 1)},
            {"train/0": "bad film", "train/1": "good film", "test/0": "fine film"},
        ),
        (  # one file without split has short ids
            partial(LINES, splits={"all": "rows"}), {"rows": b"1 good\n0 bad\n"}, {"all": (1, 1)},
            {"0": "good", "1": "bad"},
        ),
        (  # the label may come last, after a text with tabs
            partial(LINES, separator="\t", label_last=True), {"train": b"good\tfilm\t1\nbad\t0\n", "test": b"x\t1"},
            {"train": (1, 1), "test": (0, 1)}, {"train/0": "good\tfilm", "train/1": "bad", "test/0": "x"},
        ),
        (  # imdb has next-line characters in its texts
            PARALLEL, {"labels": b"a\ttrain\tpos\nb\ttrain\tneg\nc\ttest\tpos", "texts": b"1\xc2\x852\n3\n4"},
            {"train": (1, 1), "test": (0, 1)}, {"train/0": "1\u00852", "train/1": "3", "test/2": "4"},
        ),
        (
            OTHER_NAMES, {"labels": b"a\tx-train\tpos\nb\tx-test\tneg", "texts": b"Head: body\nHead: other"},
            {"train": (0, 1), "test": (1, 0)}, {"train/0": "body", "test/1": "other"},
        ),
        (  # CSV keeps quoted commas and quotes
            ROWS, {"rows.csv": b',sentiment,text\r\n7,positive,"good, ""very"" good"\r\n3,negative,bad\r\n'},
            {"all": (1, 1)}, {"1": 'good, "very" good', "2": "bad"},
        ),
        (  # a quoted field may contain line breaks; the id is that of its last line
            ROWS, {"rows.csv": b',sentiment,text\r\n7,positive,"hello\nworld"\r\n3,negative,bad\r\n'},
            {"all": (1, 1)}, {"2": "hello\nworld", "3": "bad"},
        ),
        (  # without a header; texts are joined, escapes undone in order
            partial(ROWS, layout=ESCAPED), {"rows.csv": b'"1","up","to \\$5\\now"\n0,"",down\n'},
            {"all": (1, 1)}, {"0": "up to $5 now", "1": " down"},
        ),
    ],
)  # fmt: skip
def test_ids_and_texts(tmp_path, read, files, texts, expected):
    examples = tiny(read, texts=texts).examples(write(tmp_path, **files))
    assert {example.id.removeprefix("tiny/"): example.text for example in examples} == expected
    assert {example.split for example in examples} == set(texts)


@pytest.mark.parametrize("inside", ["\u0085", "\u2028", "\x0b", "\x0c", "\x1c", "\r"])
def test_only_lf_ends_a_line(tmp_path, inside):
    write(tmp_path, train=f"0 bad{inside}film\n1 good film\n".encode(), test=b"1 fine film")
    assert tiny(LINES).examples(tmp_path)[0].text == f"bad{inside}film"


@pytest.mark.parametrize(
    ("read", "files", "problem"),
    [
        (LINES, {"train": b"0 bad film\n2 good film\n"}, 'train, line 2: the label is "2"; tiny has 0, 1'),
        (LINES, {"train": b"0 bad film\nfilm\n"}, "train, line 2: there is no ' ' between label and text"),
        (LINES, {"train": b"0 bad film\n\n1 good\n"}, "train, line 2: there is no ' '"),
        (LINES, {"train": b"0 bad film\n1 caf\xe9\n"}, "train, line 2: byte 5 is not utf-8"),
        (LINES, {"train": b"0 bad\n0 bad\n", "test": b"1 fine"}, "2 texts labelled negative in train, but tiny has 1"),
        (
            partial(LINES, separator="\t", label_last=True),
            {"train": b"good film\n"},
            r"no '\\t' between label and text",
        ),
        (LINES, {}, r"train is missing; `dvc repro download@"),
        (PARALLEL, {"labels": b"a\ttrain\tpos\nb\ttrain\tneg"}, "labels, line 3: it is not path"),
        (PARALLEL, {"labels": b"a\ttrain\tpos\n" * 4}, "labels, line 4: .*texts ended one line earlier"),
        (PARALLEL, {"labels": b"a\ttrain\tpos\nb\ttrain\tmaybe\n"}, "labels, line 2: it is not path"),
        (PARALLEL, {"labels": b"a\ttrain\tpos\nb\tunsup\tneg\n"}, "labels, line 2: it is not path"),
        (ROWS, {"rows.csv": b"id,sentiment,text\r\n"}, "line 1: the header is not ,sentiment,text"),
        (ROWS, {"rows.csv": HEADER + b"1,positive\r\n"}, "line 2: it has 2 fields, not 3"),
        (ROWS, {"rows.csv": HEADER + b"1,mixed,so\r\n"}, 'line 2: the label is "mixed"; tiny has negative, positive'),
        (ROWS, {"rows.csv": HEADER + b'1,positive,"good" film\r\n'}, "line 2: it is not CSV"),
    ],
)
def test_a_broken_line_stops_the_reader_with_file_and_line(tmp_path, read, files, problem):
    write(tmp_path, **{"texts": b"one\ntwo\nthree"} | files)
    with pytest.raises(InputError, match=problem):
        tiny(read).examples(tmp_path)


def test_unlabelled_texts_have_a_split_of_their_own_and_are_counted(tmp_path):
    def read(corpus, folder):
        yield from LINES(corpus, folder)
        yield from read_unlabelled_lines(corpus, folder, file="more")

    write(tmp_path, train=b"0 bad\n1 good\n", test=b"1 fine", more=b"who knows\n0 maybe\n")
    examples = tiny(read, unlabelled=2).examples(tmp_path)
    assert [tuple(example) for example in examples[3:]] == [
        ("tiny/unlabelled/0", "unlabelled", "who knows", ""),
        ("tiny/unlabelled/1", "unlabelled", "0 maybe", ""),
    ]
    for declared in (0, 3):
        with pytest.raises(InputError, match=f"contains 2 texts in unlabelled, but tiny has {declared}"):
            tiny(read, unlabelled=declared).examples(tmp_path)


def test_a_sum_is_checked_where_counts_by_label_are_not_known(tmp_path):
    write(tmp_path, train=b"0 bad\n0 bad film\n", test=b"1 fine")
    assert len(tiny(LINES, texts={"train": 2, "test": None}).examples(tmp_path)) == 3
    with pytest.raises(InputError, match="contains 2 texts in train, but tiny has 3"):
        tiny(LINES, texts={"train": 3, "test": None}).examples(tmp_path)


def test_a_byte_that_cannot_be_decoded_is_replaced_only_where_that_is_declared(tmp_path):
    write(tmp_path, train=b"0 clich\xef\xbf d\xc3\xa9j\xc3\xa0\n1 good\n", test=b"1 fine")
    assert tiny(LINES, undecodable="replace").examples(tmp_path)[0].text == "clich\ufffd déjà"


def row(number: str, word: str) -> str:
    return f"{number}\t{word}\t_\tX\tY\t_\t_\t_\t_\t_\n"


def test_ranges_and_empty_nodes_are_no_words(tmp_path):
    rows = row("1-2", "don't") + row("1", "do") + row("2", "n't") + row("2.1", "gap") + row("3", "go")
    (tmp_path / "x.conllu").write_text(f"# text = don't go\n{rows}\n# next\n{row('1', 'Stop')}\n", encoding="utf-8")
    first, second = read_conllu(tmp_path / "x.conllu")
    assert first.words == ["do", "n't", "go"]
    assert (first.upos, first.xpos) == (["X"] * 3, ["Y"] * 3)
    assert second.words == ["Stop"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [("1\tword\tX\n\n", "line 1: it has 3 columns"), (row("1", "cut"), "line 1: the file ends inside a sentence")],
)
def test_a_broken_treebank_stops_the_reader(tmp_path, content, problem):
    (tmp_path / "x.conllu").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        list(read_conllu(tmp_path / "x.conllu"))
