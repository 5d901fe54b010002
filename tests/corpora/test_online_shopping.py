"""Reviews of ten kinds of goods: a CSV file in a .zip, whose first column is not read."""

import zipfile
from dataclasses import replace

import pytest

from retable.corpora import corpus
from retable.corpora.online_shopping_10_cats import ARCHIVE, MEMBER
from retable.errors import InputError


def packed(folder, member, content):
    with zipfile.ZipFile(folder / ARCHIVE, "w") as archive:
        archive.writestr(member, content)
    return replace(corpus("online-shopping-10-cats"), texts={"all": (1, 1)})


def test_label_and_review_are_read_and_the_kind_is_not(tmp_path):
    facts = packed(tmp_path, MEMBER, 'cat,label,review\n书籍,1,"好, 很好"\n水果,0,坏了\n')
    assert [example[:] for example in facts.examples(tmp_path)] == [
        ("online-shopping-10-cats/1", "all", "好, 很好", "positive"),
        ("online-shopping-10-cats/2", "all", "坏了", "negative"),
    ]


@pytest.mark.parametrize(
    ("member", "content", "words"),
    [
        ("other.csv", "", f"it does not contain {MEMBER}"),
        (MEMBER, "cat,label,review\n书籍,2,x\n", f'line 2: in {MEMBER}, the label is "2"'),
        (MEMBER, "label,cat,review\n", "the header is not cat,label,review"),
    ],
)
def test_another_file_label_or_header_is_named(tmp_path, member, content, words):
    with pytest.raises(InputError, match=words):
        packed(tmp_path, member, content).examples(tmp_path)
