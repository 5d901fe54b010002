"""Users' files are read unchanged, or refused with the file, the place and a remedy."""

import csv
import datetime
import decimal
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.commands import fit as fit_command
from retable.errors import InputError
from retable.own.fit import fit
from retable.own.reading import labelled_texts, left_out, table_rows, texts_alone

TEXTS = [('good, "very"\ngood', "1"), ("bad", "0")]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@pytest.mark.parametrize("form", ["csv", "bom.csv", "tsv", "jsonl", "parquet"])
def test_every_form_of_table_gives_the_same_texts_and_labels(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"texts.{form}"
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"text": [text for text, _ in TEXTS], "label": [1, 0]}), path)
    elif path.suffix == ".jsonl":
        write(path, "".join(json.dumps({"text": text, "label": int(label)}) + "\n" for text, label in TEXTS))
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        rows = "".join(f'"{text.replace(chr(34), chr(34) * 2)}"{mark}{label}\r\n' for text, label in TEXTS)
        write(path, ("\ufeff" if "bom" in form else "") + f"text{mark}label\r\n{rows}")
    found = labelled_texts(path)
    assert [(each.text, each.label) for each in found] == TEXTS
    assert len({each.id for each in found}) == len(TEXTS)
    assert list(texts_alone(path)) == [text for text, _ in TEXTS]


def test_a_folder_a_class_gives_its_files_and_the_folders_names(tmp_path: Path) -> None:
    for label, text in (("no", "bad"), ("yes", "good")):
        (tmp_path / label).mkdir()
        write(tmp_path / label / "1.txt", "\ufeff" + text)
    found = labelled_texts(tmp_path)
    assert [(each.id, each.text, each.label) for each in found] == [
        ("no/1.txt", "bad", "no"),
        ("yes/1.txt", "good", "yes"),
    ]


def test_every_txt_is_read_and_other_files_are_counted(tmp_path: Path) -> None:
    for name in (
        "no/1.TXT",
        "no/2.txt",
        "no/.DS_Store",
        "yes/1.txt",
        "yes/deep/2.txt",
        "yes/3.md",
        "readme.txt",
        ".git/x",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / name, name)
    assert [each.id for each in labelled_texts(tmp_path)] == ["no/1.TXT", "no/2.txt", "yes/1.txt"]
    assert left_out(tmp_path) == "Left out: 3 files that are not CLASS/NAME.txt, such as readme.txt."
    assert left_out(tmp_path / "no") == "Left out: 2 files that are not CLASS/NAME.txt, such as 1.TXT."
    assert left_out(tmp_path / "no/2.txt") == ""


@pytest.mark.parametrize("name", ["Comments, please.csv", "Why; how?.csv", "review, full.tsv"])
def test_an_only_column_may_have_separators_in_its_name(name: str, tmp_path: Path) -> None:
    column = Path(name).stem
    with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t" if name.endswith(".tsv") else ",").writerows([(column,), ("good",)])
    assert list(texts_alone(tmp_path / name, column)) == ["good"]


def test_lines_of_a_text_file_are_texts(tmp_path: Path) -> None:
    assert list(texts_alone(write(tmp_path / "texts.txt", "one\r\n\ntwo, 2\n"))) == ["one", "", "two, 2"]


HEADER = "text,label\n"
BAD = {
    "missing.csv": (None, "missing.csv is missing"),
    "form.xlsx": ("", "folder with one folder per class; save it as CSV UTF-8."),
    "empty.csv": ("", "is empty; its first line must name the columns"),
    "header-alone.csv": (HEADER, "has no rows"),
    "column.csv": ("txt,label\na,b\n", 'column.csv: "text"; did you mean "txt"?'),
    "label-column.csv": ("text,labels\na,b\n", 'label-column.csv: "label"; did you mean "labels"?'),
    "twice.csv": ("text,text,label\na,b,c\n", 'has the column "text" 2 times'),
    "semicolons.csv": (
        "text;label\na, b;c\n",
        "semicolons.csv are separated by semicolons (line 1: text;label); allowed",
    ),
    "tabs.csv": (
        "text\tlabel\na\tc\n",
        "tabs.csv are separated by tabs (line 1: text\\tlabel); allowed: commas in .csv",
    ),
    "commas.tsv": ("text,label\na,c\n", "commas.tsv are separated by commas (line 1: text,label); allowed: commas in"),
    "fields.csv": (HEADER + "a,b,c\n", "line 2: it has 3 fields; the header has 2"),
    "quote.csv": (HEADER + '"a,b\n', "it is not CSV"),
    "open.csv": (
        HEADER + '\na,b\n"c,d\n' + "e,f\n" * 20,
        "open.csv, line 4: it is not CSV (unexpected end of data, read on to line 24); close the quote",
    ),
    "swallowed.tsv": (
        'text\tlabel\na\tb\n"c\td\n' + "e\tf\n" * 34 + 'g"\th\n',
        "line 3: a quote opens a field of 36 lines that look like rows; close the quote",
    ),
    "one-swallowed.tsv": (
        'text\tlabel\n"c\td\ng"\th\n',
        "line 2: a quote opens a field of 2 lines that look like rows",
    ),
    "label-first.tsv": ('label\ttext\nd\t"c\nh\tg"\n', "line 2: a quote opens a field of 2 lines"),
    "swallowed.csv": (
        'id,text,label\n1,"c,d\n' + "2,e,f\n" * 10 + '3,g",h\n',
        "line 2: a quote opens a field of 12 lines that look like rows",
    ),
    "no-label.csv": (HEADER + "a, \n", 'line 2: the label (column "label") is missing, as in 1 of 1 row; give'),
    "no-labels.csv": (
        HEADER + "a,b\nc,\n\nd,e\nf, \n",
        'line 3: the label (column "label") is missing, as in 2 of 4 rows; give each row a label, or leave those rows',
    ),
    "no-header.csv": (
        "a fine film,good\na dull film,bad\n",
        '"text". Known: a fine film, good. Its first line must name the columns: does it, or is it a text already?',
    ),
    "nul.csv": (HEADER + "a\0,b\n", "line 2: it contains a NUL character"),
    "latin.csv": (HEADER.encode() + b"caf\xe9,b\n", "it is not UTF-8"),
    "utf16.csv": ((HEADER + "a,b\n").encode("utf-16"), "utf16.csv: it is UTF-16; save it as UTF-8"),
    "utf16.jsonl": ("\ufeff{}".encode("utf-16-be"), "utf16.jsonl: it is UTF-16; save it as UTF-8"),
    "broken.jsonl": ('{"text": "a", "label"\n', "line 1: it is not JSON"),
    "list.jsonl": ('["a", "b"]\n', "line 1: it is list, not an object"),
    "twice.jsonl": (
        '{"text": "a", "text": "b", "label": "c"}\n',
        "line 1: it is not JSON (the key 'text' occurs twice)",
    ),
    "deep.jsonl": ("[" * 100_000 + "\n", "line 1: it is not JSON"),
    "number.jsonl": ('{"text": 5, "label": "a"}\n', "line 1: text is 5, which is not text"),
    "null.jsonl": ('{"text": null, "label": "a"}\n', "line 1: text is None, which is not text"),
    "null-label.jsonl": ('{"text": "a", "label": null}\n', 'line 1: the label (column "label") is missing'),
    "nan.jsonl": ('{"text": "a", "label": NaN}\n', 'line 1: the label (column "label") is missing'),
    "float.jsonl": ('{"text": "a", "label": 1.5}\n', "line 1: label is 1.5; a label is a name"),
    "list-label.jsonl": ('{"text": "a", "label": ["b"]}\n', "line 1: label is ['b']; a label is a name"),
    "uneven.jsonl": (
        '{"text": "a", "label": "b"}\n{"text": "a"}\n',
        'uneven.jsonl: "label". Known: text',
    ),
    "digits.jsonl": ('{"text": "a", "label": ' + "1" * 5000 + "}\n", "line 1: it is not JSON"),
    "half.jsonl": ('{"text": "a", "label": "b\\ud800"}\n', "line 1: '\\ud800' is half of a character"),
    "damaged.parquet": (b"PAR1 but no more", "it is not Parquet, or is damaged"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_one_sentence(name: str, tmp_path: Path) -> None:
    content, sentence = BAD[name]
    if content is not None:
        write(tmp_path / name, content)
    there = sorted(tmp_path.iterdir())
    with pytest.raises(InputError) as error:
        fit(tmp_path / name)
    assert sorted(tmp_path.iterdir()) == there  # no half-written file
    assert sentence in str(error.value)
    assert name in str(error.value)


@pytest.mark.parametrize("name", ["missing.csv", "texts.docx"])
def test_a_folder_is_offered_where_one_is_taken_alone(name: str, tmp_path: Path) -> None:
    (tmp_path / "texts.docx").touch()
    for read, is_offered in ((labelled_texts, True), (table_rows, False)):
        with pytest.raises(InputError) as refused:
            read(tmp_path / name)
        assert ("folder per class" in str(refused.value)) == is_offered


def test_a_parquet_file_whose_texts_are_not_utf8_is_refused(tmp_path: Path) -> None:
    texts = pa.array([b"good", b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"text": texts, "label": ["a", "b"]}), tmp_path / "latin.parquet")
    with pytest.raises(InputError, match=r"latin\.parquet, row 1 or soon after: it is not Parquet, or is damaged"):
        labelled_texts(tmp_path / "latin.parquet")


def test_a_line_of_a_megabyte_is_a_text(tmp_path: Path) -> None:
    long = "word " * 200_000
    found = labelled_texts(write(tmp_path / "long.csv", f"{HEADER}{long},b\nshort,c\n"))
    assert [len(each.text) for each in found] == [len(long), 5]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lines.csv", "one, two\nthree, four\nfive, six"),
        ("many.csv", "\n".join(f"item {place}" for place in range(30))),
        ("uneven.csv", "\n".join("a, b" if place % 2 else "a" for place in range(30))),
        ("lines.tsv", 'one "two"\n\nthree\n'),
        ("tabs.tsv", "one\ttwo\tthree\nfour"),
    ],
)
def test_a_quoted_text_may_have_lines_and_separators(name: str, text: str, tmp_path: Path) -> None:
    with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t" if name.endswith(".tsv") else ",").writerows(
            [("text", "label"), (text, "a"), ("short", "b")]
        )
    assert [each.text for each in labelled_texts(tmp_path / name)] == [text, "short"]


def test_numbers_true_and_false_are_names_of_labels(tmp_path: Path) -> None:
    lines = [{"text": "a", "label": label} for label in (3, 4.0, True, " five ")]
    path = write(tmp_path / "labels.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert [each.label for each in labelled_texts(path)] == ["3", "4", "true", "five"]


@pytest.mark.parametrize(("folders", "sentence"), [((), "contains no folder"), (("a",), "contains no .txt file")])
def test_a_folder_without_texts_is_refused(folders: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    for folder in folders:
        (tmp_path / folder).mkdir()
    with pytest.raises(InputError, match=sentence):
        labelled_texts(tmp_path)


@pytest.mark.parametrize("name", [b"a\xff/1.txt", b"a/1\xff.txt"])
def test_a_class_or_file_whose_name_is_not_utf8_is_refused(name: bytes, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(name)
    path.parent.mkdir()
    path.write_text("good")
    with pytest.raises(InputError, match=r"contains '\w*1?\\udcff(\.txt)?', whose name is not UTF-8; rename it"):
        labelled_texts(tmp_path)


def test_a_utf16_text_of_a_class_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    write(tmp_path / "a/1.txt", "good".encode("utf-16"))
    with pytest.raises(InputError, match=r"1\.txt: it is UTF-16; save it as UTF-8"):
        labelled_texts(tmp_path)


def test_a_header_is_asked_for_only_where_no_wanted_column_is(tmp_path: Path) -> None:
    write(tmp_path / "texts.csv", "said,label\na,b\n")
    for read, is_asked in ((labelled_texts, False), (texts_alone, True)):
        with pytest.raises(InputError, match="unknown column") as refused:
            list(read(tmp_path / "texts.csv"))
        assert ("first line must name" in str(refused.value)) is is_asked


@pytest.mark.parametrize("option", ["--to", "--test", "texts"])
def test_a_path_that_is_not_utf8_is_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    path, said = os.fsdecode(b"caf\xe9.csv"), "the path 'caf\\udce9.csv' is not UTF-8; rename the file or folder"
    with pytest.raises(SystemExit):
        fit_command.main([path] if option == "texts" else ["texts.csv", option, path])
    assert capsys.readouterr().err.splitlines()[-1].endswith(f"{option}: {said}")


@pytest.mark.parametrize("name", ["te\nxt", 'te"xt', " text ", "文本", "t" * 5000, "1", ""], ids=lambda name: name[:6])
def test_a_column_may_have_any_name_and_a_message_has_it_on_one_short_line(name: str, tmp_path: Path) -> None:
    rows = [(name, f"{name}'s"), ("good", "a"), ("bad", "b")]
    with (tmp_path / "odd.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    pq.write_table(pa.Table.from_arrays([["good", "bad"], ["a", "b"]], names=rows[0]), tmp_path / "odd.parquet")
    for path in (tmp_path / "odd.csv", tmp_path / "odd.parquet"):
        found = labelled_texts(path, text=name, label=f"{name}'s")
        assert [(each.text, each.label) for each in found] == rows[1:]
        with pytest.raises(InputError, match="unknown column of") as error:
            labelled_texts(path)
        assert str(error.value).isprintable()
        assert len(str(error.value)) < 600


DAY = datetime.datetime(2026, 11, 26)
LABELS = {  # two labels in Parquet -> their names, or what the message says
    "true and false": (pa.array([True, False]), ["true", "false"]),
    "whole numbers": (pa.array([1, 0], pa.uint8()), ["1", "0"]),
    "whole floats": (pa.array([1.0, 0.0]), ["1", "0"]),
    "categories": (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
    "large strings": (pa.array(["a", "b"], pa.large_string()), ["a", "b"]),
    "fractions": (pa.array([1.5, 0.5]), "row 1: label is 1.5; a label is a name"),
    "decimals": (pa.array([decimal.Decimal("1.50")] * 2), "row 1: label is Decimal('1.50'); a label is a name"),
    "dates": (pa.array([DAY.date()] * 2), "row 1: label is datetime.date(2026, 11, 26); a label is a name"),
    "times": (pa.array([DAY] * 2), "row 1: label is datetime.datetime(2026, 11, 26, 0, 0); a label is a name"),
    "a time after the year 9999": (pa.array([2**62] * 2, pa.timestamp("us")), "holds what Python cannot (date value"),
    "lists": (pa.array([["a"], ["b"]]), "row 1: label is ['a']; a label is a name"),
    "bytes": (pa.array([b"a", b"b"]), "row 1: label is b'a'; a label is a name"),
    "nothing": (pa.nulls(2), 'row 1: the label (column "label") is missing, as in 2 of 2 rows'),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_type_are_names_or_refused(kind: str, tmp_path: Path) -> None:
    labels, expected = LABELS[kind]
    pq.write_table(pa.Table.from_arrays([["good", "bad"], labels], names=["text", "label"]), tmp_path / "odd.parquet")
    if isinstance(expected, list):
        assert [each.label for each in labelled_texts(tmp_path / "odd.parquet")] == expected
        return
    with pytest.raises(InputError) as error:
        labelled_texts(tmp_path / "odd.parquet")
    assert f"{tmp_path}/odd.parquet, row 1" in str(error.value)
    assert expected in str(error.value)


def test_a_parquet_file_with_a_column_twice_is_refused(tmp_path: Path) -> None:
    """The last of the two was read, without a word."""
    columns = [["good", "bad"], ["bad", "good"], ["a", "b"]]
    pq.write_table(pa.Table.from_arrays(columns, names=["text", "text", "label"]), tmp_path / "twice.parquet")
    with pytest.raises(InputError, match=r'twice\.parquet has the column "text" 2 times; name each once'):
        labelled_texts(tmp_path / "twice.parquet")
