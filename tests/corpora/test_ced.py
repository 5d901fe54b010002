"""CED: one JSON file per post, labels from file names, ids that do not reveal them."""

import hashlib
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from retable.corpora import ced, corpus
from retable.errors import InputError
from retable.stages import code


def test_texts_come_in_the_order_of_their_ids_whatever_the_order_of_the_table(read_corpus, raw_folder):
    turned = replace(corpus("ced"), files=dict(reversed(corpus("ced").files.items())))
    assert turned.examples(raw_folder("ced")) == sorted(read_corpus("ced"))


def test_neither_id_nor_order_says_anything_of_the_label(read_corpus):
    examples = read_corpus("ced")
    names = {hashlib.sha256(name.encode()).hexdigest()[:12]: name for name in ced.LABELS}
    for example in examples:
        number = int(names[example.id.removeprefix("ced/")].partition("_")[0])
        assert (number <= 2600) == (example.label == "rumor"), "the leak that ids must not carry on"
    order = [example.label == "rumor" for example in examples]
    changes = sum(first != second for first, second in pairwise(order))
    expected = 2 * 1538 * 1849 / 3387  # in random order; sorted by name it would be 1
    assert abs(changes - expected) < 100
    half = sum(order[: len(order) // 2])
    assert abs(half - 1538 / 2) < 60


def test_the_grouped_corpus_has_the_same_texts_under_ids_of_its_own(read_corpus):
    single, grouped = read_corpus("ced"), read_corpus("ced-grouped")
    assert [example[2:] for example in single] == [example[2:] for example in grouped]
    assert grouped[0].id == single[0].id.replace("ced/", "ced-grouped/")
    assert (corpus("ced").grouped, corpus("ced-grouped").grouped) == (False, True)
    assert corpus("ced").test_texts == corpus("ced-grouped").test_texts == 341


def test_a_changed_table_changes_the_digest_of_the_corpus(tmp_path, monkeypatch):
    copy = Path(shutil.copytree(Path(ced.__file__).parent, tmp_path / "src/retable/corpora"))
    monkeypatch.setattr(code, "ROOT", tmp_path)
    before = {name: code.digest_of_corpus(name) for name in ("ced", "ced-grouped", "mr")}
    (copy / "ced.csv").write_bytes((copy / "ced.csv").read_bytes().replace(b"non-rumor", b"rumor", 1))
    assert [name for name in before if code.digest_of_corpus(name) != before[name]] == ["ced", "ced-grouped"]


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"message": "x"}', b'{"text": null}', b"\xff"])
def test_a_broken_post_stops_the_reader_with_its_file(tmp_path, content):
    (tmp_path / "7_a_b.json").write_bytes(content)
    one = replace(corpus("ced"), files={"7_a_b.json": corpus("mr").files["rt-polarity.all"]}, texts={"all": (0, 1)})
    with pytest.raises(InputError, match=r'7_a_b\.json, line 1: it is not a JSON object with "text"'):
        one.examples(tmp_path)
