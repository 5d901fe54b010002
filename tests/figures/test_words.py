import numpy as np

from retable.figures.measured import AttendedText
from retable.figures.words import TopWord, shares_of, top_words

TEXTS = [
    AttendedText(("a", "good", "day"), np.array([0.25, 0.5, 0.25]), "5"),
    AttendedText(("good", "good"), np.array([0.75, 0.25]), "5"),
    AttendedText(("a", "bad"), np.array([0.25, 0.75]), "1"),
]


def test_a_share_is_the_weight_times_the_words_of_the_text():
    assert shares_of(TEXTS, "5") == {"a": [0.75], "good": [1.5, 1.5, 0.5], "day": [0.75]}


def test_the_words_with_the_largest_mean_share_of_a_class_by_hand():
    # good (1.5 + 1.5 + 0.5) / 3; day and a have 0.75 and one place each
    found = top_words(TEXTS, "5", 2, epochs=3, fewest=1)
    assert found == [TopWord("5", 1, "good", 3.5 / 3, 3, 3), TopWord("5", 2, "a", 0.75, 1, 3)]
    assert [top.word for top in top_words(TEXTS, "5", 9, epochs=3, fewest=2)] == ["good"]
    assert [top.word for top in top_words(TEXTS, "1", 9, epochs=3, fewest=1)] == ["bad", "a"]
