"""Folds: every text held out once, labels stratified, near copies together, `clean` recomputed for each fold."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.text.clean.splitting import stratified_folds
from retable.text.folds import Fold, FoldedCorpus, SplitsOfFold, cluster_folds, joined, part
from retable.text.leaks.leakage import digest
from retable.text.splits import Facts, Split, check_every_label, check_training

FACTS = Facts("made", "en", ("b", "a"))  # not declared in sorted order


def split(ids, texts=None, labels=None, clean=True, facts=FACTS):
    """Return a tagged split; without given texts all texts differ."""
    given = texts or [unlike(name) for name in ids]
    tokens = pa.array([text.split() for text in given], pa.list_(pa.string()))
    names = labels or ["ab"[place % 2] for place in range(len(ids))]
    classes = np.array([facts.labels.index(name) for name in names], dtype=np.int64)
    return Split(facts, list(ids), tokens, None, classes, np.full(len(ids), clean))


def unlike(name):
    """Return a text of eight words that no other name gives."""
    return " ".join(digest(f"{name} {word}")[:6] for word in range(8))


def named(name, count):
    return [f"made/{name}/{place}" for place in range(count)]


def three(train=60, dev=10, test=20):
    return [split(named("train", train)), split(named("dev", dev)), split(named("test", test))]


def ids(cut: SplitsOfFold):
    return [set(each.ids) for each in cut]


def test_every_training_text_is_dev_in_one_fold_and_the_test_split_stays():
    corpus = FoldedCorpus(three(), "dev", 3)
    folds = [ids(corpus.fold(number)) for number in (1, 2, 3)]
    given = {*named("train", 60), *named("dev", 10)}
    assert Counter(text for _, dev, _ in folds for text in dev) == dict.fromkeys(given, 1)
    for train, dev, test in folds:
        assert train == given - dev
        assert test == set(named("test", 20))


def test_every_text_is_tested_in_one_fold_and_a_tenth_of_the_rest_is_dev():
    corpus = FoldedCorpus(three(), "test", 9)
    folds = [ids(corpus.fold(number)) for number in range(1, 10)]
    given = {*named("train", 60), *named("dev", 10), *named("test", 20)}
    assert Counter(text for *_, test in folds for text in test) == dict.fromkeys(given, 1)
    for train, dev, test in folds:
        assert train | dev | test == given
        assert (len(train), len(dev), len(test)) == (72, 8, 10)


@pytest.mark.parametrize("kind", ["dev", "test"])
def test_every_fold_has_its_share_of_every_label(kind):
    labels = ["a"] * 31 + ["b"] * 62  # 31 is no multiple of 3
    texts = [split(named("train", 93), labels=labels), split(named("dev", 3)), split(named("test", 3))]
    corpus = FoldedCorpus(texts, kind, 3)
    held = [corpus.fold(number)._asdict()[kind] for number in (1, 2, 3)]
    counts = [Counter(each.classes.tolist()) for each in held]
    for label in (0, 1):
        assert max(count[label] for count in counts) - min(count[label] for count in counts) <= 1
    assert max(map(Counter.total, counts)) - min(map(Counter.total, counts)) <= 1


def test_the_order_of_the_texts_does_not_matter():
    there = FoldedCorpus(three(), "test", 5)
    backwards = [part(each, np.arange(len(each.ids))[::-1].copy()) for each in three()]
    back = FoldedCorpus(backwards, "test", 5)
    assert dict(zip(there.texts.ids, there.fold_of, strict=True)) == dict(
        zip(back.texts.ids, back.fold_of, strict=True)
    )
    assert [ids(there.fold(number)) for number in (1, 5)] == [ids(back.fold(number)) for number in (1, 5)]


def test_the_first_of_ten_test_folds_is_the_test_split_that_is_drawn_once():
    """Compare with `draw_splits`: fold 0 of a draw for "test" of all, then fold 0 of one for "dev" of the rest."""
    names = named("all", 200)
    labels = {name: "ab"[place % 3 == 0] for place, name in enumerate(names)}
    held = stratified_folds(names, [labels[name] for name in names], purpose="test") == 0
    rest = [name for name, out in zip(names, held, strict=True) if not out]
    for_dev = stratified_folds(rest, [labels[name] for name in rest], purpose="dev") == 0
    drawn = {
        "train": [name for name, out in zip(rest, for_dev, strict=True) if not out],
        "dev": [name for name, out in zip(rest, for_dev, strict=True) if out],
        "test": [name for name, out in zip(names, held, strict=True) if out],
    }
    splits = [split(texts, labels=[labels[name] for name in texts]) for texts in drawn.values()]
    assert ids(FoldedCorpus(splits, "test", 10).fold(1)) == [set(texts) for texts in drawn.values()]


def test_tokens_parts_and_labels_stay_with_their_texts():
    splits = [split(named(name, 8)) for name in ("train", "dev", "test")]
    tagged = [
        Split(each.facts, each.ids, each.tokens, pa.array([[name] for name in each.ids]), each.classes, each.clean)
        for each in splits
    ]
    whole = joined(tagged)
    given = {name: (whole.tokens[place].as_py(), whole.classes[place]) for place, name in enumerate(whole.ids)}
    for each in FoldedCorpus(tagged, "test", 4).fold(2):
        for place, name in enumerate(each.ids):
            assert (each.tokens[place].as_py(), each.classes[place]) == given[name]
            assert each.parts[place].as_py() == [name]


NEAR = "a long and quiet film about a farmer, a dog and the sea that neither of them has seen"


class TestCleanTexts:
    """By hand: dev/0 nearly repeats train/0, test/0 repeats train/1, test/1 repeats dev/1."""

    TRAIN = [NEAR, "one story that is told twice, here and there", *map(unlike, "abcd")]
    DEV = [NEAR + " before", "what nobody has ever asked a farmer", unlike("e")]
    TEST = ["One story that is told twice: here and there!", "what nobody has ever asked a farmer", unlike("f")]

    @pytest.fixture
    def splits(self):
        given = {"train": self.TRAIN, "dev": self.DEV, "test": self.TEST}
        return [split(named(name, len(texts)), texts) for name, texts in given.items()]

    @pytest.mark.parametrize("kind", ["dev", "test"])
    def test_it_is_clean_if_no_training_text_of_the_fold_repeats_it(self, splits, kind):
        copies = [("train/0", "dev/0"), ("train/1", "test/0"), ("dev/1", "test/1")]
        of = {f"made/{one}": f"made/{other}" for pair in copies for one, other in (pair, pair[::-1])}
        corpus, seen = FoldedCorpus(splits, kind, 3), set()
        for number in (1, 2, 3):
            train, dev, test = corpus.fold(number)
            assert train.clean.all()
            for each in (dev, test):
                expected = [of.get(name) not in train.ids for name in each.ids]
                assert each.clean.tolist() == expected
                seen |= set(expected)
        assert seen == {True, False}

    def test_what_the_file_says_of_its_own_splits_is_forgotten(self, splits):
        stale = [Split(s.facts, s.ids, s.tokens, s.parts, s.classes, ~s.clean) for s in splits]
        for one, other in zip(
            FoldedCorpus(stale, "dev", 2).fold(1), FoldedCorpus(splits, "dev", 2).fold(1), strict=True
        ):
            assert one.clean.tolist() == other.clean.tolist()

    def test_grouped_keeps_near_copies_in_one_fold(self, splits):
        corpus = FoldedCorpus(splits, "test", 3, grouped=True)
        of = dict(zip(corpus.texts.ids, corpus.fold_of.tolist(), strict=True))
        for one, other in (("train/0", "dev/0"), ("train/1", "test/0"), ("dev/1", "test/1")):
            assert of[f"made/{one}"] == of[f"made/{other}"]
        for number in (1, 2, 3):
            assert corpus.fold(number).test.clean.all()
        apart = FoldedCorpus(splits, "test", 3)
        assert not all(apart.fold(number).test.clean.all() for number in (1, 2, 3)), "the test can fail"

    def test_chinese_is_compared_without_the_spaces_between_its_words(self):
        facts, text = Facts("made", "zh", ("b", "a")), "这部电影讲述了一个农民和一条狗的故事而他们都没有见过大海"
        one, other = " ".join(text), " ".join(text[place : place + 2] for place in range(0, len(text), 2))
        splits = [
            split(named(name, 1), [words], ["a"], facts=facts)
            for name, words in (("train", one), ("dev", "完全不同的一句话"), ("test", other))
        ]
        assert not FoldedCorpus(splits, "dev", 2).fold(1 + (FoldedCorpus(splits, "dev", 2).fold_of[0] == 1)).test.clean


def test_a_fold_that_leaves_a_label_without_training_texts_is_refused_by_name():
    """Linear models made rows for the classes that they saw: an IndexError, or scores of other labels."""
    facts = Facts("made", "en", ("a", "b", "c"))
    train, dev, test = (
        split(named(name, 12), labels=["a", "c"] * 6, facts=facts) for name in ("train", "dev", "test")
    )  # fmt: skip
    with pytest.raises(InputError, match='made has no training text of the label "b"'):
        check_every_label(train)
    check_training(train, dev)  # a network has a row for every label
    dev.classes[0] = 1
    cuts = [FoldedCorpus([train, dev, test], "dev", 2).fold(number) for number in (1, 2)]
    without = next(cut for cut in cuts if 1 not in cut.train.classes)
    with pytest.raises(InputError, match='made has no training text of the label "b"'):
        check_every_label(without.train)


@pytest.mark.parametrize("folds", [2, 3, 5])
def test_clusters_come_whole_into_one_fold_whatever_the_order(folds):
    for seed in range(20):
        draw = np.random.default_rng(seed)
        count = int(draw.integers(20, 120))
        names, labels = named("all", count), ["ab"[place] for place in draw.integers(0, 2, count)]
        clusters = draw.integers(0, 13, count).tolist()
        found = cluster_folds(names, labels, clusters, purpose="test", folds=folds)
        of: dict[int, set[int]] = {}
        for fold, cluster in zip(found.tolist(), clusters, strict=True):
            of.setdefault(cluster, set()).add(fold)
        assert all(len(found_in) == 1 for found_in in of.values())
        assert set().union(*of.values()) == set(range(folds))
        mixed = draw.permutation(count).tolist()
        shuffled = ([given[place] for place in mixed] for given in (names, labels, clusters))
        again = cluster_folds(*shuffled, purpose="test", folds=folds)
        assert again.tolist() == [found[place] for place in mixed]


def test_single_texts_even_out_what_clusters_leave():
    labels = ["a", "b"] * 150
    clusters = [place // 14 if place < 70 else place for place in range(300)]  # five clusters of 14, 230 single texts
    found = cluster_folds(named("all", 300), labels, clusters, purpose="test", folds=10)
    for label in "ab":
        sizes = Counter(fold for fold, own in zip(found.tolist(), labels, strict=True) if own == label)
        assert [sizes[fold] for fold in range(10)] == [15] * 10


@pytest.mark.parametrize(("kind", "folds", "words"), [
    ("dev", 1, "made cannot be split into 1 folds; allowed: 2 to 70"), ("test", 91, "allowed: 2 to 90"),
    ("train", 3, 'unknown kind of folds: "train"'),
])  # fmt: skip
def test_folds_that_cannot_be_had_are_refused(kind, folds, words):
    with pytest.raises(InputError, match=words):
        FoldedCorpus(three(), kind, folds)


@pytest.mark.parametrize("number", [0, 4])
def test_a_fold_that_is_not_there_is_refused(number):
    with pytest.raises(InputError, match=f"made has no fold {number}; allowed: 1 to 3"):
        FoldedCorpus(three(), "dev", 3).fold(number)


def test_a_fold_says_what_it_is():
    fold = Fold("dev", 3, 2)
    assert (fold.name, fold.label) == ("fold-2-of-3", "dev 2 of 3")
    assert Fold.read(fold.label) == fold == Fold.of_parameters({"name": "r8", **fold.parameters})
    assert Fold.of_parameters({"name": "r8"}) is None
