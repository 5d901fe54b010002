"""The tag stage: streams, keeps order and case, writes equal bytes, and refuses a text without a token."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.errors import InputError
from retable.text.parts.chinese import chinese_words_and_parts
from retable.text.parts.english import english_tokens
from retable.text.parts.tagging import tag_split
from retable.text.splits import Facts, clean_schema, read_facts, read_split
from retable.text.tokens import own_tokens

FACTS = Facts("tiny", "en", ("bad", "good"))


def write_clean(path, texts):
    columns = {
        "id": [str(number) for number in range(len(texts))],
        "text": texts,
        "label": ["good", "bad"] * (len(texts) // 2) + ["good"] * (len(texts) % 2),
        "clean": [True] * len(texts),
    }
    pq.write_table(pa.table(columns, schema=clean_schema(FACTS)), path)
    return path


def test_tokens_parts_and_the_rest_of_a_row(tmp_path):
    source = write_clean(tmp_path / "clean.parquet", ["It's GOOD", "Not so"])
    tags = pa.array([["X"] * 3, ["Y"] * 2])
    tag_split(source, tmp_path / "train.parquet", english_tokens, lambda tokens: tags, parts=True)
    split = read_split(tmp_path, "train")
    assert split.facts == FACTS
    assert split.ids == ["0", "1"]
    assert split.tokens.to_pylist() == [["It", "'s", "GOOD"], ["Not", "so"]]
    assert split.parts.to_pylist() == [["X", "X", "X"], ["Y", "Y"]]
    assert split.classes.tolist() == [1, 0]
    assert split.clean.tolist() == [True, True]


def test_tokens_and_parts_that_are_found_at_once(tmp_path):
    source = write_clean(tmp_path / "clean.parquet", ["我 喜欢", "好"])
    tag_split(source, tmp_path / "train.parquet", chinese_words_and_parts, parts=True)
    tag_split(source, tmp_path / "dev.parquet", chinese_words_and_parts, parts=False)
    split, without = read_split(tmp_path, "train"), read_split(tmp_path, "dev")
    assert split.tokens.to_pylist() == without.tokens.to_pylist() == [["我", "喜欢"], ["好"]]
    assert split.parts.to_pylist() == [["r", "v"], ["a"]]
    assert without.parts is None


def test_without_parts_there_is_no_column_of_them(tmp_path):
    tag_split(write_clean(tmp_path / "clean.parquet", ["a b"]), tmp_path / "dev.parquet", own_tokens, parts=False)
    assert pq.read_schema(tmp_path / "dev.parquet").names == ["id", "tokens", "label", "clean"]
    assert read_facts(tmp_path / "dev.parquet") == FACTS


@pytest.mark.parametrize(
    ("tokenise", "text", "parts"),
    [(english_tokens, "Text {} isn't long.", False), (chinese_words_and_parts, "这篇{}文章不长。", True)],
)
def test_several_processes_write_the_same_bytes(tmp_path, monkeypatch, tokenise, text, parts):
    monkeypatch.setattr("retable.text.splits.TEXTS_IN_BATCH", 7)
    source = write_clean(tmp_path / "clean.parquet", [text.format(number) for number in range(40)])
    done = []
    for name, processes in (("one", 1), ("again", 1), ("two", 2)):
        tag_split(source, tmp_path / name, tokenise, parts=parts, processes=processes, on_texts=done.append)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "again").read_bytes() == (tmp_path / "two").read_bytes()
    assert done == [7, 7, 7, 7, 7, 5] * 3


def test_a_text_without_a_token_is_named(tmp_path):
    source = write_clean(tmp_path / "clean.parquet", ["fine", " "])
    with pytest.raises(InputError, match="text 1 has no token"):
        tag_split(source, tmp_path / "train.parquet", own_tokens, parts=False)


PEAK_MEMORY = """
import re, sys
from pathlib import Path
from retable.text.parts.tagging import tag_split
from retable.text.parts.english import english_tokens
folder = Path(sys.argv[1])
for texts in ("4000", "40000"):
    tag_split(folder / texts, folder / "tagged", english_tokens, parts=False)
    print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process's memory is read from /proc")
def test_memory_does_not_grow_with_the_corpus(tmp_path):
    words = [f"word{number}" for number in range(2000)]
    for texts in (4_000, 40_000):
        write_clean(tmp_path / str(texts), [" ".join(words[n % 1980 : n % 1980 + 20]) for n in range(texts)])
    command = [sys.executable, "-c", PEAK_MEMORY, str(tmp_path)]
    few_kb, many_kb = map(int, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    assert many_kb < few_kb + 20_000
