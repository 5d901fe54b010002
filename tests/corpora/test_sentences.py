"""The rules that cut a text into sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retable.text.clean.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One here. Two there! Three? Yes...", ["One here.", "Two there!", "Three?", "Yes..."]),
        ('He said "Go." Then he left (at 5.30).', ['He said "Go."', "Then he left (at 5.30)."]),
        (
            "Mr. Smith of Acme Inc. met J. Doe in the U.S. Senate.",
            ["Mr. Smith of Acme Inc. met J. Doe in the U.S. Senate."],
        ),
        ("It cost $3.50 vs. $4. A lot", ["It cost $3.50 vs. $4.", "A lot"]),
        ("Well ... it goes on. And ends", ["Well ... it goes on.", "And ends"]),
        ("no capitals here . so every point counts . yes", ["no capitals here .", "so every point counts .", "yes"]),
        (
            "今天很好。明天呢？不知道！\u201c走吧。\u201d他说",
            ["今天很好。", "明天呢？", "不知道！", "\u201c走吧。\u201d", "他说"],
        ),
        ("first sentence\tsecond one\n\nthird\nstill third", ["first sentence", "second one", "third\nstill third"]),
        ("", []),
        ("  ", []),
        ("...", ["..."]),
    ],
)
def test_rules(text, sentences):
    assert split_sentences(text) == sentences


@given(st.text(alphabet="aB .!?\t\n。\u201d"))
def test_no_letter_is_lost_and_no_sentence_is_empty(text):
    found = split_sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() != "" for sentence in found)
