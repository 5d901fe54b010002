from torch import tensor

from retable.layers.pairs import two_texts


def test_both_texts_begin_at_the_left_in_their_order():
    words = tensor([[5, 6, 2, 7, 0, 0], [5, 2, 8, 9, 4, 3]])
    sides = tensor([[0, 0, 1, 2, 0, 0], [0, 1, 2, 2, 2, 2]])
    mask = words != 0
    first, second = two_texts(words, mask, sides)
    assert first.words.tolist() == [[5, 6], [5, 0]]
    assert second.words.tolist() == [[7, 0, 0, 0], [8, 9, 4, 3]]
    assert first.mask.tolist() == [[True, True], [True, False]]
    assert second.mask.tolist() == [[True, False, False, False], [True] * 4]


def test_padding_is_on_no_side():
    words, sides = tensor([[5, 2, 7, 0]]), tensor([[0, 1, 2, 0]])  # padding has the number of the first side
    first, second = two_texts(words, words != 0, sides)
    assert first.words.tolist() == [[5]]
    assert second.words.tolist() == [[7]]


def test_a_text_without_a_word_is_one_padding():
    words, sides = tensor([[5, 6, 0]]), tensor([[0, 0, 0]])
    _, second = two_texts(words, words != 0, sides)
    assert second.words.tolist() == [[0]]
    assert second.mask.tolist() == [[True]]
