"""The traps in the files: what ends a line, what a broken line does, which lines of a treebank are words."""

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
ROWS = partial(read_csv_rows, splits={"all": "rows.csv"}, layout=LAYOUT)


def write(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def test_ids_tell_the_line_and_nothing_of_the_text(tmp_path):
    write(tmp_path, train=b"0 bad film\n1 good film\n", test=b"1 fine film")
    examples = tiny(LINES).examples(tmp_path)
    assert [example.id for example in examples] == ["tiny/train/0", "tiny/train/1", "tiny/test/0"]
    assert [example.text for example in examples] == ["bad film", "good film", "fine film"]


def test_one_file_without_split_has_short_ids(tmp_path):
    write(tmp_path, rows=b"1 good\n0 bad\n")
    only = tiny(partial(LINES, splits={"all": "rows"}), texts={"all": (1, 1)})
    assert [example.id for example in only.examples(tmp_path)] == ["tiny/0", "tiny/1"]


@pytest.mark.parametrize("inside", ["\u0085", "\u2028", "\x0b", "\x0c", "\x1c", "\r"])
def test_only_lf_ends_a_line(tmp_path, inside):
    write(tmp_path, train=f"0 bad{inside}film\n1 good film\n".encode(), test=b"1 fine film")
    assert tiny(LINES).examples(tmp_path)[0].text == f"bad{inside}film"


def test_a_line_of_imdb_with_next_line_characters_stays_with_its_label(tmp_path):
    labels = b"a\ttrain\tpos\nb\ttrain\tneg\nc\ttest\tpos"
    write(tmp_path, labels=labels, texts="one\u0085two\nthree\nfour".encode())
    examples = tiny(PARALLEL).examples(tmp_path)
    assert [(example.id, example.text, example.label) for example in examples] == [
        ("tiny/train/0", "one\u0085two", "positive"),
        ("tiny/train/1", "three", "negative"),
        ("tiny/test/2", "four", "positive"),
    ]


@pytest.mark.parametrize(
    ("train", "problem"),
    [
        (b"0 bad film\n2 good film\n", 'train, line 2: the label is "2"; tiny has 0, 1'),
        (b"0 bad film\nfilm\n", "train, line 2: there is no ' ' between label and text"),
        (b"0 bad film\n\n1 good\n", "train, line 2: there is no ' '"),
        (b"0 bad film\n1 caf\xe9\n", "train, line 2: byte 5 is not utf-8"),
        (b"0 bad film\n0 bad film\n", "2 texts labelled negative in train, tiny has 1"),
    ],
)
def test_a_broken_line_stops_the_reader_with_file_and_line(tmp_path, train, problem):
    write(tmp_path, train=train, test=b"1 fine film")
    with pytest.raises(InputError, match=problem):
        tiny(LINES).examples(tmp_path)


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (b"a\ttrain\tpos\nb\ttrain\tneg", "labels, line 3: it is not path"),
        (b"a\ttrain\tpos\nb\ttrain\tneg\nc\ttest\tpos\nd\ttest\tpos", "labels, line 4: .*texts ended one line before"),
        (b"a\ttrain\tpos\nb\ttrain\tmaybe\nc\ttest\tpos", "labels, line 2: it is not path"),
        (b"a\ttrain\tpos\nb\tunsup\tneg\nc\ttest\tpos", "labels, line 2: it is not path"),
    ],
)
def test_labels_that_do_not_fit_the_texts_stop_the_reader(tmp_path, labels, problem):
    write(tmp_path, labels=labels, texts=b"one\ntwo\nthree")
    with pytest.raises(InputError, match=problem):
        tiny(PARALLEL).examples(tmp_path)


def test_csv_keeps_quoted_commas_and_quotes(tmp_path):
    write(tmp_path, **{"rows.csv": b',sentiment,text\r\n7,positive,"good, ""very"" good"\r\n3,negative,bad\r\n'})
    examples = tiny(ROWS, texts={"all": (1, 1)}).examples(tmp_path)
    assert [(example.id, example.text) for example in examples] == [("tiny/1", 'good, "very" good'), ("tiny/2", "bad")]


def test_csv_without_header_joins_texts_and_undoes_escapes_in_order(tmp_path):
    layout = Layout(columns=3, label=0, texts=(1, 2), names=SENTIMENT, escapes=(("\\$", "$"), ("\\", " ")))
    write(tmp_path, **{"rows.csv": b'"1","up","to \\$5\\now"\n0,"",down\n'})
    read = partial(read_csv_rows, splits={"all": "rows.csv"}, layout=layout)
    examples = tiny(read, texts={"all": (1, 1)}).examples(tmp_path)
    assert [(example.id, example.text) for example in examples] == [("tiny/0", "up to $5 now"), ("tiny/1", " down")]


def test_the_label_may_come_last_behind_a_text_with_tabs(tmp_path):
    write(tmp_path, train=b"good\tfilm\t1\nbad\t0\n", test=b"x\t1")
    last = partial(LINES, separator="\t", label_last=True)
    assert [example.text for example in tiny(last).examples(tmp_path)] == ["good\tfilm", "bad", "x"]
    write(tmp_path, train=b"good film\n")
    with pytest.raises(InputError, match="line 1: there is no '\\\\t' between label and text"):
        tiny(last).examples(tmp_path)


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
        with pytest.raises(InputError, match=f"holds 2 texts in unlabelled, tiny has {declared}"):
            tiny(read, unlabelled=declared).examples(tmp_path)


def test_a_sum_is_checked_where_counts_by_label_are_not_known(tmp_path):
    write(tmp_path, train=b"0 bad\n0 bad film\n", test=b"1 fine")
    assert len(tiny(LINES, texts={"train": 2, "test": None}).examples(tmp_path)) == 3
    with pytest.raises(InputError, match="holds 2 texts in train, tiny has 3"):
        tiny(LINES, texts={"train": 3, "test": None}).examples(tmp_path)


def test_a_byte_that_cannot_be_decoded_is_replaced_only_where_that_is_declared(tmp_path):
    write(tmp_path, train=b"0 clich\xef\xbf d\xc3\xa9j\xc3\xa0\n1 good\n", test=b"1 fine")
    assert tiny(LINES, undecodable="replace").examples(tmp_path)[0].text == "clich\ufffd déjà"


def test_parallel_lines_can_have_other_names_of_splits_and_a_change(tmp_path):
    write(tmp_path, labels=b"a\tx-train\tpos\nb\tx-test\tneg", texts=b"Head: body\nHead: other")
    read = partial(PARALLEL, splits={"x-train": "train", "x-test": "test"}, change=lambda text: text.partition(": ")[2])
    examples = tiny(read, texts={"train": (0, 1), "test": (1, 0)}).examples(tmp_path)
    assert [tuple(example) for example in examples] == [
        ("tiny/train/0", "train", "body", "positive"),
        ("tiny/test/1", "test", "other", "negative"),
    ]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (b"id,sentiment,text\r\n", "line 1: the header is not ,sentiment,text"),
        (b",sentiment,text\r\n1,positive\r\n", "line 2: it has 2 fields, not 3"),
        (b",sentiment,text\r\n1,mixed,so so\r\n", 'line 2: the label is "mixed"; tiny has negative, positive'),
        (b',sentiment,text\r\n1,positive,"good" film\r\n', "line 2: it is not CSV"),
    ],
)
def test_a_broken_csv_row_stops_the_reader(tmp_path, rows, problem):
    write(tmp_path, **{"rows.csv": rows})
    with pytest.raises(InputError, match=problem):
        tiny(ROWS, texts={"all": (1, 1)}).examples(tmp_path)


def test_a_missing_file_says_what_brings_it(tmp_path):
    with pytest.raises(InputError, match=r"train is missing; `dvc repro download@"):
        tiny(LINES).examples(tmp_path)


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
