"""R52 contains R8: what is prepared for one is known to the other."""

import pytest


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_texts_of_r8_are_those_of_r52_under_the_same_topics_in_the_same_order(read_corpus, split):
    small, large = (
        [(example.text, example.label) for example in read_corpus(name) if example.split == split]
        for name in ("r8", "r52")
    )
    topics = {label for _, label in small}
    assert [text for text in large if text[1] in topics] == small
    assert len(small) < len(large)
