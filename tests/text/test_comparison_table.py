"""The comparison table: made by majority, looked up as in a slow loop, expanded once per word, equal bytes."""

from collections import Counter
from random import Random

import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.text.parts.chinese import (
    Neighbours,
    chinese_words_and_parts,
    dictionary_parts,
    plain_words,
)
from retable.text.parts.comparison_table import (
    ComparisonTable,
    count_parts,
    make_table,
    read_table,
    table_size,
    write_table,
)
from retable.text.parts.content import CONTENT
from retable.text.parts.table_agreement import agreement, compare

LISTS = pa.list_(pa.string())
DICTIONARY = {"花": "v", "好": "d", "开": "v", "电影": "n"}
# 花 is a noun twice and a verb once; 好 is d as often as a; 开心 and 心花 are not in the dictionary.
TRAINING = [
    (pa.array([["花", "开心"], ["花", "好", "好"]], LISTS), pa.array([["n", "a"], ["n", "a", "d"]], LISTS)),
    (pa.array([["花", "开心", "心花", "心花", "心花"]], LISTS), pa.array([["v", "ad", "n", "n", "z"]], LISTS)),
]


def refuse(cases):
    raise AssertionError(cases)


def test_counts_of_words_in_context():
    assert count_parts(TRAINING) == {
        "花": Counter({"n": 2, "v": 1}),
        "开心": Counter({"a": 1, "ad": 1}),
        "好": Counter({"a": 1, "d": 1}),
        "心花": Counter({"n": 2, "z": 1}),
    }
    assert count_parts([]) == {}


def test_the_table_by_hand():
    assert make_table(DICTIONARY, count_parts(TRAINING)) == {
        "花": "n",  # the training texts, not the dictionary
        "好": "d",  # a as often: then the dictionary decides
        "开": "v",
        "电影": "n",
        "开心": "a",  # ad as often, and not in the dictionary: the first by name
        "心花": "n",
        "心": "n",  # not a word: in 开心 a and ad once each, in 心花 n twice and z once
    }


def test_entries_are_counted_by_where_they_come_from():
    counts = count_parts(TRAINING)
    table = ComparisonTable(make_table(DICTIONARY, counts))
    table.parts_of(pa.array([["龘", "😀", "好"]]), lambda cases: ["x"] * len(cases))
    assert table_size(table, DICTIONARY, counts) == {
        "entries": 9, "characters": 6, "chinese_characters": 5, "from_dictionary": 4, "from_training": 2,
        "from_update": 2, "characters_of_words": 1, "changed_by_training": 1,
    }  # fmt: skip


def slow_parts(parts, texts, tag):
    """Look up word after word, text after text: the table's current entry, or the tag in context if it is missing."""
    found = []
    for text in texts:
        found.append([])
        for place, word in enumerate(text):
            if word not in parts:
                before, after = text[place - 1] if place else "", text[place + 1] if place + 1 < len(text) else ""
                [parts[word]] = tag([Neighbours(before, word, after)])
            found[-1].append(parts[word])
    return found


def test_missing_words_are_those_of_a_slow_loop():
    draw = Random(2)
    texts = [[str(int(draw.expovariate(0.03))) for _ in range(draw.randrange(6))] for _ in range(300)]
    entries = {str(number): "known" for number in range(0, 60, 2)}
    expected_entries, table = dict(entries), ComparisonTable(dict(entries))

    def tag(cases):
        return ["/".join(case) for case in cases]

    expected = slow_parts(expected_entries, texts, tag)
    tokens = pa.array([["1"], *texts], LISTS)[1:]  # their offsets do not begin at 0
    found = [
        text for start in range(0, 300, 70) for text in table.parts_of(tokens[start : start + 70], tag).to_pylist()
    ]
    assert found == expected
    assert table.parts == expected_entries
    assert len(table.added) > 50
    assert table.parts_of(tokens, refuse).to_pylist() == expected, "all are known now"
    assert table.parts_of(tokens[:0], refuse).to_pylist() == []


def test_a_missing_word_is_tagged_once_where_it_first_stands_and_added():
    asked = []

    def tag(cases):
        asked.extend(cases)
        return [f"t{number}" for number in range(1, 1 + len(cases))]

    table = ComparisonTable({"我": "r", "好": "a"})
    tokens = pa.array([["无"], [], ["我", "们", "好"], ["好", "们", "们", "啊"], ["呢", "啊"]], LISTS)
    assert table.parts_of(tokens[1:], tag).to_pylist() == [[], ["r", "t1", "a"], ["a", "t1", "t1", "t2"], ["t3", "t2"]]
    assert asked == [Neighbours("我", "们", "好"), Neighbours("们", "啊", ""), Neighbours("", "呢", "啊")]
    assert table.parts_of(pa.array([["啊", "们"]]), refuse).to_pylist() == [["t2", "t1"]]
    assert table.added == {"们": "t1", "啊": "t2", "呢": "t3"}
    assert table.parts == {"我": "r", "好": "a", "们": "t1", "啊": "t2", "呢": "t3"}


def test_the_file_is_sorted_with_line_feeds_and_read_back(tmp_path):
    parts = {"好": "a", "一": "m", "AT&T": "nz", "😀": "x"}
    write_table(tmp_path / "table.tsv", parts)
    write_table(tmp_path / "again.tsv", dict(reversed(parts.items())))
    assert (tmp_path / "table.tsv").read_bytes() == "AT&T\tnz\n一\tm\n好\ta\n😀\tx\n".encode()
    assert (tmp_path / "again.tsv").read_bytes() == (tmp_path / "table.tsv").read_bytes()
    assert read_table(tmp_path / "table.tsv").parts == parts


@pytest.mark.parametrize("line", ["好", "好\t", "\ta", ""])
def test_a_broken_line_is_named(tmp_path, line):
    (tmp_path / "table.tsv").write_text(f"一\tm\n{line}\n", encoding="utf-8", newline="")
    with pytest.raises(InputError, match=r"table\.tsv, line 2: .*parts-table"):
        read_table(tmp_path / "table.tsv")


def test_a_missing_table_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match="is missing; `dvc repro parts-table` makes it"):
        read_table(tmp_path / "table.tsv")


def test_agreement_by_hand():
    found = pa.array([["n", "v"], ["uj", "eng", "m"]])
    expected = pa.array([["nr", "v"], ["p", "x", "uj"]])
    assert agreement(found, expected, CONTENT) == {"tokens": 5, "same_part": 1 / 5, "same_verdict": 4 / 5}


def test_comparison_with_tagging_in_context():
    texts = ["这部电影非常精彩，花了30元。", "我在图书馆看见一本杂志", "他花钱买了iPhone5s，那是阿黛尔的新专辑"]
    words, parts = chinese_words_and_parts(texts)
    agreed = compare(make_table(dictionary_parts(), count_parts([(words, parts)])), texts, CONTENT)
    assert agreed["texts"] == 3
    assert agreed["words"] == {"tokens": len(words.flatten()), "same_part": 1.0, "same_verdict": 1.0, "added": 0}
    assert agreed["characters"]["tokens"] == sum(map(len, texts))
    assert agreed["characters"]["added"] == len(set(plain_words(texts).flatten().to_pylist()) - known(words))
    assert agreed["characters_alone"]["same_part"] < agreed["characters"]["same_part"] <= 1


def known(words):
    return {*dictionary_parts(), *words.flatten().to_pylist()}
