"""Chinese words and parts of speech: mixed text, nothing lost, no output, no shared state, equal in every process."""

import subprocess
import sys
from pathlib import Path

import pytest

from retable.text.parts.chinese import (
    Neighbours,
    chinese_words,
    chinese_words_and_parts,
    dictionary_parts,
    parts_in_context,
    plain_words,
)

MIXED = {
    "我用iPhone5s拍了3.14张照片，涨了50%！": (
        "我/r 用/p iPhone5s/eng 拍/v 了/ul 3.14/m 张/nr 照片/n ，/x 涨/v 了/ul 50/m %/x ！/x"
    ),
    "@小明 你好#话题#": "@/x 小明/nr 你好/l #/x 话题/n #/x",
    "看http://t.cn/zlpiViL 这个": "看/v http/eng :/x //x //x t/eng ./m cn/eng //x zlpiViL/eng 这个/r",
    "太好了😀👍🏽👨‍👩‍👧": "太好了/l 😀/x 👍/x 🏽/x 👨/x \u200d/x 👩/x \u200d/x 👧/x",
    "ＡＢＣ１２３，全角。": "Ａ/x Ｂ/x Ｃ/x １/x ２/x ３/x ，/x 全角/n 。/x",
    "這個產品真的很棒": "這個/r 產品/n 真的/d 很棒/a",
    "坏字\ufffd符": "坏/a 字/n \ufffd/x 符/v",
    "第5章 12:30\n2012年": "第/m 5/m 章/nr 12/m :/x 30/m 2012/m 年/m",
    "T恤和c++": "T恤/n 和/c c++/nz",
    "\u3000一 \r\n\u0085二\u2028 ": "一/m 二/m",
    "𠮷野家": "𠮷/x 野家/n",
    "x": "x/x",
    " \n\u3000": "",
    "": "",
}


def as_line(words, parts):
    return " ".join(f"{word}/{part}" for word, part in zip(words, parts, strict=True))


@pytest.mark.parametrize("text", MIXED)
def test_words_and_parts_of_mixed_text(text):
    words, parts = chinese_words_and_parts([text])
    assert as_line(words.to_pylist()[0], parts.to_pylist()[0]) == MIXED[text]
    assert "".join(words.to_pylist()[0]) == "".join(plain_words([text]).to_pylist()[0]) == "".join(text.split())


def test_plain_segmentation_cuts_differently_so_its_words_get_no_parts_of_others():
    # If this fails, jieba's two ways to cut agree, and the table needs no plain segmentation of its own.
    assert plain_words(["涨了50%"]).to_pylist() == [["涨", "了", "50%"]]
    assert chinese_words(["涨了50%"]).to_pylist() == [["涨", "了", "50", "%"]]


def part_in_context(words, place):
    """Return the part of speech of a one-word text."""
    before, after = words[place - 1] if place else "", words[place + 1] if place + 1 < len(words) else ""
    return parts_in_context([Neighbours(before, words[place], after)])[0]


def test_a_word_between_its_neighbours_has_the_part_that_it_has_in_the_text():
    words, parts = (
        column.to_pylist()[0] for column in chinese_words_and_parts(["阿黛尔在北京吐槽了那部电影，涨了50%。"])
    )
    assert [part_in_context(words, place) for place in range(len(words))] == parts


def test_a_word_that_tagging_cuts_in_pieces_has_the_part_of_the_longest_and_of_equals_the_last():
    assert part_in_context(["涨", "了", "50%"], 2) == "m"  # 50/m %/x
    assert part_in_context(["我用"], 0) == "p"  # 我/r 用/p


def test_words_that_stood_apart_are_not_read_as_one():
    assert part_in_context(["买", "iPhone", "5000", "台"], 2) == "m"  # iPhone5000 would be eng
    assert part_in_context(["x", "🙂"], 1) == "x"


def test_many_words_at_once_are_each_by_itself():
    words = chinese_words(["阿黛尔在北京吐槽了那部电影，涨了50%。"]).to_pylist()[0]
    cases = [Neighbours(*around) for around in zip(["", *words], words, [*words[1:], ""], strict=False)]
    assert parts_in_context(cases) == [parts_in_context([case])[0] for case in cases]
    assert parts_in_context([]) == []


def test_the_dictionary_is_whole():
    parts = dictionary_parts()
    assert len(parts) == 349_045
    assert (parts["电影"], parts["的"], parts["喜欢"]) == ("n", "uj", "v")


PROGRAM = """
import sys
from retable.text.parts.chinese import chinese_words_and_parts
words, parts = chinese_words_and_parts(open(sys.argv[1], encoding="utf-8").read().split("\\n"))
sys.stdout.buffer.write(repr((words.to_pylist(), parts.to_pylist())).encode())
"""


def test_two_processes_at_once_are_quiet_and_equal_and_leave_nothing_in_the_shared_tmp(tmp_path):
    text = Path(__file__).resolve().parents[2] / "data/sample/sample-zh/dev.txt"
    environment = {"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "default::UserWarning", "-c", PROGRAM, str(text)],
            env=environment | {"PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for seed in ("1", "2")
    ]
    (first, silence), (second, _) = (process.communicate(timeout=120) for process in started)
    assert silence == b""
    assert first == second != b""
    assert list(tmp_path.iterdir()) == []
