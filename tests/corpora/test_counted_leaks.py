"""Find the leaks in the real corpora that docs/readings.md counts, and compare them with our own rule.

There a text is the same "after lower-casing and dropping punctuation": spaces and marks still separate words.
Our exact copies (`leakage.digest`) also include texts that differ only in spaces, as from two tokenisers.
"""

import re
from collections import Counter, defaultdict

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from retable.corpora import FAMILIES, Example
from retable.text.leaks.clusters import near_duplicate_clusters, repeated
from retable.text.leaks.leakage import digest, fingerprints, normalised

DOMAINS = FAMILIES["fdu"]


@pytest.fixture
def texts(read_corpus):
    """Return a function that gives the raw texts of some splits of a corpus."""

    def of(name: str, *splits: str) -> list[str]:
        examples: list[Example] = read_corpus(name)
        return [example.text for example in examples if not splits or example.split in splits]

    return of


def shared(texts: list[str], known: list[str], form) -> int:
    forms = {form(text) for text in known}
    return sum(form(text) in forms for text in texts)


def test_540_of_6400_fdu_test_texts_stand_in_the_train_files_of_their_domain(texts):
    counts = {
        name: {form: shared(texts(name, "test"), texts(name, "train", "dev"), form) for form in (normalised, digest)}
        for name in DOMAINS
    }
    assert sum(len(texts(name, "test")) for name in DOMAINS) == 6400
    for form in (normalised, digest):  # the same by both rules: these files come from one tokeniser
        assert sum(count[form] for count in counts.values()) == 540
        assert (counts["fdu-magazine"][form], counts["fdu-video"][form]) == (169, 99)
    train = sum(shared(texts(name, "test"), texts(name, "train"), digest) for name in DOMAINS)
    assert train == 492, "the other 48 stand in the 200 texts of dev alone and stay clean"


def test_1327_of_1821_sst_2_test_sentences_stand_in_mr(texts):
    test, known = texts("sst-2", "test"), texts("mr")
    assert len(test) == 1821
    assert shared(test, known, normalised) == 1327
    assert shared(test, known, digest) == 1431  # 104 more differ only in spaces: "ca n't", "can't"
    forms, digests = ({form(other) for other in known} for form in (normalised, digest))
    cut = [text for text in test if normalised(text) not in forms and digest(text) in digests]
    assert sum(" n't" in text for text in cut) > 60


def test_237_sst_2_test_sentences_stand_among_the_unlabelled_texts_of_fdu_mr(texts):
    test, known = texts("sst-2", "test"), texts("fdu-mr", "unlabelled")
    assert shared(test, known, normalised) == 237
    assert shared(test, known, digest) == 259


def test_all_of_fdu_mr_stands_in_mr(texts):
    assert shared(texts("fdu-mr"), texts("mr"), digest) == 4000


@pytest.mark.slow
def test_all_of_fdu_imdb_stands_in_imdb_test_in_test_and_123_of_that_in_train(texts):
    train, test = (
        {digest(re.sub("<br />", " ", text)) for text in texts("imdb", split)} for split in ("train", "test")
    )
    assert sum(digest(text) in test for text in texts("fdu-imdb", "test")) == 400
    assert len(train & test) == 123


def chinese_only(text: str) -> str:
    return re.sub("[^\u4e00-\u9fff]", "", text)


def in_clusters(forms: list[str]) -> int:
    """Count the texts in clusters of equal forms and of 5-gram similarity >= 0.4, by comparing all pairs."""
    places: dict[str, list[int]] = defaultdict(list)
    first: dict[str, int] = {}
    pairs, grams = [], []
    for place, form in enumerate(forms):
        pairs.append((place, first.setdefault(form, place)))
        grams.append({form[i : i + 5] for i in range(len(form) - 4)})
        common = Counter(other for gram in grams[-1] for other in places[gram])
        pairs += [(place, other) for other, n in common.items()
                  if n >= 0.4 * (len(grams[-1]) + len(grams[other]) - n)]  # fmt: skip
        for gram in grams[-1]:
            places[gram].append(place)
    rows, columns = zip(*pairs, strict=True)
    links = csr_matrix((np.ones(len(pairs)), (rows, columns)), (len(forms), len(forms)))
    return repeated(connected_components(links, directed=False)[1].astype(np.int64))["texts"]


def test_849_of_3387_ced_posts_lie_in_clusters_if_only_chinese_characters_count(texts):
    posts = texts("ced")
    assert len(posts) == 3387
    assert in_clusters([chinese_only(post) for post in posts]) == 849


def test_838_lie_in_clusters_by_our_rule_where_links_names_and_numbers_count_too(texts):
    posts = texts("ced")
    assert in_clusters([normalised(post) for post in posts]) == 840  # without a minimum length
    assert repeated(near_duplicate_clusters(fingerprints(posts))) == {"texts": 838, "clusters": 242, "largest": 18}
