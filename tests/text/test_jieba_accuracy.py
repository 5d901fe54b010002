"""jieba against a treebank: by hand, and every flag of jieba's dictionary stands for something."""

import pyarrow as pa
import pytest

from retable.corpora import Sentence, source
from retable.corpora.readers import read_conllu
from retable.text.parts.chinese import chinese_words_and_parts, dictionary_parts
from retable.text.parts.content import CONTENT
from retable.text.parts.jieba_accuracy import STANDS_FOR, accuracy, is_right


def test_accuracy_by_hand():
    gold = [Sentence(["加速", "度", "是", "的"], ["VERB", "PART", "AUX", "PART"], ["_"] * 4)]
    words, parts = pa.array([["加速度", "是", "的"]]), pa.array([["n", "v", "n"]])
    assert accuracy(gold, words, parts, CONTENT) == {
        "words": 4,
        "found_f1": 2 * 2 / (4 + 3),  # 是 and 的
        "right_part": 1 / 2,  # 是 may be AUX, 的 is no noun
        "same_verdict": 2 / 5,  # 加速 alone: 度 is a part, 是 an auxiliary, 的 a particle there
    }


def test_every_flag_stands_for_a_universal_part():
    for flag in {*dictionary_parts().values(), "eng"}:
        assert STANDS_FOR.get(flag) or STANDS_FOR.get(flag[0]), flag
    assert is_right("nrt", "PROPN")
    assert is_right("eng", "X")
    assert not is_right("eng", "INTJ")
    assert not is_right("mq", "PROPN")


def test_the_treebank_is_as_declared(tmp_path):
    from retable.stages.download import mirror

    paths = [folder / file.path for folder in mirror() for file in source("gsdsimp").files.values()]
    if not paths or not all(path.is_file() for path in paths):
        pytest.skip("no mirror holds gsdsimp; name one in RETABLE_MIRROR")
    sentences = [list(read_conllu(path)) for path in paths]
    assert [len(split) for split in sentences] == [500, 500]
    assert [sum(len(sentence.words) for sentence in split) for split in sentences] == [12_663, 12_012]
    words, parts = chinese_words_and_parts(["".join(sentence.words) for sentence in sentences[0][:100]])
    assert accuracy(sentences[0][:100], words, parts, CONTENT)["right_part"] > 0.7
