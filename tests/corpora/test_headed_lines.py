"""Lines of label and text below a header: the header is not a text, and an unexpected one is reported."""

from dataclasses import replace

import pytest

from retable.corpora import corpus
from retable.errors import InputError


@pytest.fixture
def small(tmp_path):
    """Return ChnSentiCorp with two training texts, one again "label text_a", and a function that writes them."""

    def write(train: str) -> list:
        for split, content in {"train": train, "dev": "label\ttext_a\n1\t好\n", "test": "label\ttext_a\n0\t坏"}.items():
            (tmp_path / f"{split}.tsv").write_text(content, encoding="utf-8")
        return replace(corpus("chnsenticorp"), texts={"train": (1, 1), "dev": (0, 1), "test": (1, 0)}).examples(
            tmp_path
        )

    return write


def test_the_first_line_of_every_file_is_no_text_and_keeps_its_number(small):
    found = small("label\ttext_a\n1\t房间很好\n0\tlabel\ttext_a\n")
    assert [(example.id, example.text, example.label) for example in found] == [
        ("chnsenticorp/train/1", "房间很好", "positive"),
        ("chnsenticorp/train/2", "label\ttext_a", "negative"),
        ("chnsenticorp/dev/1", "好", "positive"),
        ("chnsenticorp/test/1", "坏", "negative"),
    ]


def test_another_header_is_named_with_its_file(small):
    with pytest.raises(InputError, match=r"train.tsv, line 1: the header is not 'label\\ttext_a'"):
        small("1\t房间很好\n0\t坏\n")
