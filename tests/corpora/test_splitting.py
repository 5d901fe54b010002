"""Splits that we draw: balanced, and the same on every machine and at any time."""

import os
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from drawn import drawn_splits
from hypothesis import given
from hypothesis import strategies as st

from retable.corpora import Example
from retable.errors import InputError
from retable.text.clean.splitting import largest_remainders, stratified_clusters, stratified_folds


@given(st.lists(st.sampled_from("abc"), max_size=200), st.integers(2, 10))
def test_folds_differ_by_one_text_at_most_in_all_and_per_label(labels, folds):
    fold = stratified_folds([f"x/{index}" for index in range(len(labels))], labels, purpose="test", folds=folds)
    sizes = Counter(fold.tolist())
    assert max(sizes[k] for k in range(folds)) - min(sizes[k] for k in range(folds)) <= 1
    for label in "abc":
        sizes = Counter(int(k) for k, own in zip(fold, labels, strict=True) if own == label)
        assert max(sizes[k] for k in range(folds)) - min(sizes[k] for k in range(folds)) <= 1


def test_the_draw_is_this_one_whatever_the_machine():  # computed once; a change would make every banked result stale
    fold = stratified_folds([f"x/{index}" for index in range(12)], ["a", "b"] * 6, purpose="test", folds=3)
    assert fold.tolist() == [1, 1, 2, 0, 2, 0, 1, 1, 0, 2, 0, 2]


def test_the_order_of_the_texts_does_not_matter():
    ids, labels = [f"x/{index}" for index in range(50)], ["a", "b"] * 25
    there = dict(zip(ids, stratified_folds(ids, labels, purpose="dev"), strict=True))
    back = dict(zip(ids[::-1], stratified_folds(ids[::-1], labels[::-1], purpose="dev"), strict=True))
    assert there == back


def test_purpose_and_seed_give_other_draws():
    ids, labels = [f"x/{index}" for index in range(100)], ["a"] * 100
    draws = [
        stratified_folds(ids, labels, purpose=purpose, seed=seed).tolist()
        for purpose, seed in (("test", 1), ("dev", 1), ("test", 2))
    ]
    assert draws[0] != draws[1] != draws[2] != draws[0]


def test_pythons_hash_seed_does_not_matter():
    code = (
        "from retable.text.clean.splitting import stratified_folds as f;"
        "print(f([str(i) for i in range(40)], list('abcd') * 10, purpose='test').tolist())"
    )
    results = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": "src"},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(results) == 1


def examples(split: str, count: int) -> list[Example]:
    return [Example(f"x/{split}/{index}", split, f"text {index}", "ab"[index % 2]) for index in range(count)]


def test_published_splits_stay_and_missing_ones_are_a_tenth():
    three = examples("train", 20) + examples("dev", 4) + examples("test", 6)
    assert {split: len(texts) for split, texts in drawn_splits(three).items()} == {"train": 20, "dev": 4, "test": 6}
    two = drawn_splits(examples("train", 100) + examples("test", 30))
    assert {split: len(texts) for split, texts in two.items()} == {"train": 90, "dev": 10, "test": 30}
    assert all(example.split == "train" for example in two["dev"])
    own = drawn_splits(examples("all", 200))
    assert {split: len(texts) for split, texts in own.items()} == {"train": 162, "dev": 18, "test": 20}
    assert [text.id for text in own["test"]] == sorted((text.id for text in own["test"]), key=lambda i: int(i[6:]))


def test_shares_by_largest_remainder():
    assert largest_remainders({"a": 1849, "b": 1538}, 341) == {"a": 186, "b": 155}  # 186.2 and 154.8
    assert largest_remainders({"b": 1, "a": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    assert largest_remainders({}, 3) == {}


def test_a_test_split_of_a_given_size_is_exact_and_stratified():
    splits = drawn_splits(examples("all", 200), test_texts=33)
    assert {split: len(texts) for split, texts in splits.items()} == {"train": 150, "dev": 17, "test": 33}
    assert Counter(example.label for example in splits["test"]) == {"a": 17, "b": 16}
    again = drawn_splits(examples("all", 200)[::-1], test_texts=33)
    assert {text.id for text in again["test"]} == {text.id for text in splits["test"]}


def test_the_draw_of_a_given_size_is_this_one():  # computed once; a change would make every banked result of ced stale
    splits = drawn_splits(examples("all", 20), test_texts=4)
    assert [text.id for text in splits["test"]] == ["x/all/0", "x/all/10", "x/all/11", "x/all/19"]


def test_a_published_test_split_is_not_drawn_again():
    given = examples("train", 40) + examples("test", 6)
    assert len(drawn_splits(given, test_texts=3)["test"]) == 6


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 60)), min_size=20, max_size=200), st.integers(1, 15))
def test_clusters_come_whole_into_one_split(labelled, texts):
    read = [Example(f"x/{index}", "all", "", label) for index, (label, _) in enumerate(labelled)]
    of = {example.id: cluster for example, (_, cluster) in zip(read, labelled, strict=True)}
    try:
        splits = drawn_splits(read, test_texts=texts, clusters=np.array(list(of.values())))
    except InputError:
        return  # every cluster was too large: see the test below
    found = [{of[example.id] for example in split} for split in splits.values()]
    assert sum(len(split) for split in splits.values()) == len(read)
    assert sum(map(len, found)) == len(set().union(*found))
    assert len(splits["test"]) <= texts


def test_single_texts_fill_up_what_clusters_leave():
    labels = ["a", "b"] * 150
    clusters = [index // 14 if index < 140 else index for index in range(300)]  # ten clusters of 14, 160 single texts
    ids = [f"x/{index}" for index in range(300)]
    drawn = [
        stratified_clusters(ids, labels, clusters, purpose="test", texts=60, seed=seed).nonzero()[0].tolist()
        for seed in range(8)
    ]
    for texts in drawn:
        assert Counter(labels[text] for text in texts) == {"a": 30, "b": 30}
        assert all(count == 14 for cluster, count in Counter(clusters[text] for text in texts).items() if cluster < 10)
    assert sum(clusters[text] < 10 for texts in drawn for text in texts) > 100, "clusters are drawn too"


def test_a_cluster_that_never_fits_stays():
    drawn = stratified_clusters(["x/0", "x/1", "x/2"], ["a"] * 3, [0, 0, 0], purpose="test", texts=2)
    assert not drawn.any()


@pytest.mark.parametrize(("single", "split"), [(0, "test"), (3, "dev")])
def test_grouped_splits_of_a_corpus_that_is_one_cluster_are_refused(single, split):
    read = examples("all", 40 + single)
    clusters = np.maximum(0, np.arange(len(read)) - 39)  # the first 40, and single texts
    expected = f"x has no {split} split: no cluster of near duplicates fits into 4 of its 40 texts (clusters: 1); "
    advice = "remove near duplicates, or declare it without `grouped`."
    with pytest.raises(InputError, match=re.escape(expected + advice)):
        drawn_splits(read, clusters=clusters)
