"""The tagger: learns a small treebank, repeats itself byte for byte, tags the given tokens."""

import hashlib
import subprocess
import sys

import pyarrow as pa
import pytest

from retable.corpora import Sentence
from retable.text.parts.english import load_tagger, parts_of_speech
from retable.text.parts.treebank_tagger import score_tagger, train_tagger

NOUNS, VERBS, DETERMINERS = ("dog", "cat", "bird", "man"), ("sees", "likes", "hears"), ("the", "a", "every")
SENTENCES = [
    Sentence([first, noun, verb, "The", other, "."], ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"],
             ["DT", "NN", "VBZ", "DT", "NN", "."])
    for first in DETERMINERS for noun in NOUNS for verb in VERBS for other in NOUNS
]  # fmt: skip
SETTINGS = {
    "steps": 20, "batch_words": 100, "learning_rate": 0.01, "dropout": 0.1, "lowercased": 0.3, "width": 16, "depth": 1,
    "seed": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def trained():
    calls = []
    tagger = train_tagger(SENTENCES[:100], SENTENCES[100:], on_step=lambda *step: calls.append(step), **SETTINGS)
    return tagger, calls


def test_it_learns(trained):
    tagger, calls = trained
    scores = score_tagger(tagger, SENTENCES[100:])
    assert scores["words"] == 6 * len(SENTENCES[100:])
    assert scores["upos"] > 0.95
    assert scores["xpos"] > 0.95
    assert score_tagger(tagger, SENTENCES[100:], lowercase=True)["upos"] > 0.9
    assert len(calls) == SETTINGS["steps"]
    assert calls[-1][0] < calls[0][0]  # loss


def test_the_accuracy_told_is_that_of_the_averaged_weights_that_are_kept():
    calls = []
    settings = SETTINGS | {"steps": 5, "learning_rate": 0.002}
    tagger = train_tagger(SENTENCES[:100], SENTENCES[100:], on_step=lambda *step: calls.append(step), **settings)
    assert 0.1 < calls[-1][1] < 0.95  # after so few steps the weights and their average still differ
    assert calls[-1][1] == score_tagger(tagger, SENTENCES[100:])["upos"]


def test_given_tokens_are_tagged_one_by_one(trained):
    tokens = pa.array([["the", "can't-split", "sees", "😀"], ["dog"]])
    parts = parts_of_speech(trained[0], tokens).to_pylist()
    assert [len(text) for text in parts] == [4, 1]
    assert parts[0][0] == "DET"
    assert all(part.isupper() for text in parts for part in text)


def test_a_saved_tagger_tags_alike(trained, tmp_path):
    tokens = pa.array([sentence.words for sentence in SENTENCES])
    before = parts_of_speech(trained[0], tokens)
    trained[0].to_disk(tmp_path / "model")
    assert parts_of_speech(load_tagger(tmp_path / "model"), tokens) == before


def test_two_trainings_give_equal_bytes(tmp_path):
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
from pathlib import Path
from test_treebank_tagger import SENTENCES, SETTINGS, train_tagger
train_tagger(SENTENCES[:100], SENTENCES[100:], **SETTINGS).to_disk(Path(sys.argv[1]))
"""
    for seed, name in (("1", "one"), ("2", "two")):
        subprocess.run([sys.executable, "-c", program, tmp_path / name], check=True, env={"PYTHONHASHSEED": seed})
    assert digests(tmp_path / "one") == digests(tmp_path / "two")


def digests(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
