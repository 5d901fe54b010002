"""Long texts: four times the characters take about four times the time, and all tokens are spaCy's."""

import random
import time
import unicodedata

import pytest
import spacy

from retable.text.clean.cleaning import clean_text
from retable.text.clean.sentences import split_sentences
from retable.text.parts.chinese import chinese_words
from retable.text.parts.english import LONG, english_tokens, has_long_piece, tokens_of_any_language
from retable.text.parts.long_pieces import WINDOW, for_long_pieces

PIECES = {
    "marks": "...!?", "points": ".", "brackets": "(", "ampersands": "&", "quotes": '."', "emoji": "😀",
    "addresses": "http://a.b/", "clitics": "'s", "accents": "\u0301\u0323", "sentences": "Good. ", "entities": "&#1;",
    "tags": "<a ", "characters": "我爱", "letters": "a", "users": "a.b:c@",
}  # fmt: skip
WAYS = {
    "clean": lambda text: clean_text(text, markup=True),
    "sentences": split_sentences,
    "english": lambda text: english_tokens([text]),
    "any": lambda text: tokens_of_any_language([text]),
    "chinese": lambda text: chinese_words([text]),
}
ALPHABETS = (
    "()[]{}'\".,;:!?-*#$%&/\\<>=+~^|`_@…—“”’", "abcABC01.,'-", "'snt’S", "0123456789.,$€%kmgKG°FCc+-", ".", "..!?",
    "😀👍°·。，", "我爱a1.,:/@",
)  # fmt: skip


def seconds(way, text):
    start = time.process_time()
    way(text)
    return time.process_time() - start


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", PIECES)
def test_time_grows_with_the_length(way, kind):
    short, long = ("a" + (PIECES[kind] * 8_000)[:length] for length in (2_000, 8_000))
    WAYS[way](long)  # imports, tables
    for _ in range(5):  # in quadratic time it is 16 each time; the long one first, because spaCy caches pieces
        text = f"{random.random()}"
        if seconds(WAYS[way], long + text) < 9 * seconds(WAYS[way], short + text) + 0.005:
            return
    pytest.fail("four times the text took more than nine times as long, five times")


@pytest.mark.parametrize("language", ["en", "xx"])
def test_long_pieces_are_cut_as_spacy_cuts_them(language):
    usual = spacy.blank(language).tokenizer
    ours = for_long_pieces(spacy.blank(language).tokenizer)
    draw, special = random.Random(1), list(usual.rules)
    words = ["film", "http://a.b/c?d=1", "u:p@a.com", "U.S.", "well-known", "x@y.z", ":-)", "$10km", "9pm.", *special]
    for _ in range(1_500):
        marks = "".join(draw.choices(draw.choice(ALPHABETS), k=draw.choice([1, 2, 5, 20, WINDOW, 4 * WINDOW])))
        mixed = "".join(
            draw.choice([draw.choice(words), marks[: draw.randrange(6)]]) for _ in range(draw.randrange(1, 9))
        )
        text = draw.choice(["{}", "a {} b", " {}\n\n {}"]).format(draw.choice([marks, mixed]), mixed)
        assert [token.text for token in ours(text)] == [token.text for token in usual(text)], text


def test_a_long_piece_alone_takes_the_other_way():
    assert not has_long_piece("word " * LONG)
    assert has_long_piece("word " + "!" * (LONG + 1))
    assert english_tokens(["so " + "!" * (LONG + 1) + ":)"]).to_pylist()[0] == ["so", *"!" * (LONG + 1), ":)"]


def test_accents_in_hundreds_are_those_of_nfc():
    draw = random.Random(2)
    for _ in range(50):
        text = "e" + "".join(draw.choices("\u0301\u0323\u0344\u0f71\u0f73\u3099", k=300)) + "\u1100\u1161…"
        assert clean_text(text, markup=False) == unicodedata.normalize("NFC", text)


def test_a_number_too_long_for_a_character_stays():
    assert clean_text(f"&#65; &#{'9' * 5_000};", markup=True) == f"A &#{'9' * 5_000};"
