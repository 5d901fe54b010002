"""Check what cleaning changes, and above all what it leaves alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retable.corpora import Example, corpus
from retable.text.clean.cleaning import Removed, clean_examples, clean_text, remove_copies


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("good.<br /><br />But", "good. But"),
        ("an <i>old</i> film<p>new", "an old film new"),
        ("he said <grin> and <SPOILER>", "he said <grin> and <SPOILER>"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("it&#8217;s R&amp;B &#345;", "it\u2019s R&B \u0159"),
        ("Q&A; B&W, AT&T", "Q&A; B&W, AT&T"),
    ],
)
def test_markup_goes_where_a_corpus_is_declared_to_hold_it(raw, cleaned):
    assert clean_text(raw, markup=True) == cleaned


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("  two \t words\u00a0here\u3000and there \n", "two words here and there"),
        ("cafe\u0301", "caf\u00e9"),  # NFC
        ("wait\u0085 it\u0092s \u0096 over", "wait\u2026 it\u2019s \u2013 over"),  # Windows-1252 read as latin-1
        ("so\u00adft \u2066hidden\u2069 \x08\x10", "soft hidden"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),  # a joiner inside a Devanagari word stays
        ("<b>bold</b> &amp; Do n't -lrb- \U0001f600", "<b>bold</b> &amp; Do n't -lrb- \U0001f600"),
        (" \u0081\t", ""),
    ],
)
def test_characters_are_made_uniform_and_tokens_stay(raw, cleaned):
    assert clean_text(raw, markup=False) == cleaned


@given(st.text())
def test_cleaning_twice_changes_nothing_and_one_space_separates(text):
    once = clean_text(text, markup=False)
    assert clean_text(once, markup=False) == once
    assert once.split(" ") == (once.split() or [""])


def examples(*texts: tuple[str, str]) -> list[Example]:
    return [Example(f"x/{index}", "all", text, label) for index, (text, label) in enumerate(texts)]


def test_the_first_copy_is_kept_and_contradictions_go():
    first = ("a", "joy"), ("b", "sad"), ("a ", "joy"), ("c", "joy")
    read = examples(*first, ("b", "joy"), ("  ", "sad"), ("b", "sad"), ("a", "joy"))
    kept, removed = clean_examples(read, markup=False, drop_copies=True)
    assert [example.id for example in kept] == ["x/0", "x/3"]
    assert removed == [
        Removed("x/5", "empty", ""),
        Removed("x/2", "copy", "x/0"),
        Removed("x/7", "copy", "x/0"),
        Removed("x/1", "contradicting label", "x/1"),
        Removed("x/4", "contradicting label", "x/1"),
        Removed("x/6", "contradicting label", "x/1"),
    ]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["joy", "sad"]))))
def test_every_text_stays_once_or_is_removed(drawn):
    kept, removed = remove_copies(examples(*drawn))
    assert sorted([text.id for text in (*kept, *removed)]) == sorted(f"x/{place}" for place in range(len(drawn)))
    labels = {text: {label for other, label in drawn if other == text} for text, _ in drawn}
    assert [text.text for text in kept] == [text for text, found in labels.items() if len(found) == 1]


def test_a_published_split_keeps_its_copies():
    read = examples(("a", "joy"), ("a", "sad"), ("a", "joy"))
    assert clean_examples(read, markup=False, drop_copies=False) == (read, [])


def test_tokenised_corpora_keep_every_token(raw_folder):
    for name in ("sst-2", "r8"):
        for example in corpus(name).examples(raw_folder(name)):
            assert clean_text(example.text, markup=False).split() == example.text.split()
