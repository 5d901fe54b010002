"""Clusters of near-duplicates: by hand, against all pairs, and on many notices from one template."""

from itertools import combinations
from random import Random

import numpy as np

from retable.text.leaks.clusters import copied, near_duplicate_clusters, repeated, with_groups
from retable.text.leaks.leakage import NEAR, fingerprints, jaccard

FILM = "a fine film that i would see again"


def test_a_chain_of_copies_is_one_cluster():
    chain = ["abcdefghijklmnopqrstuvwx", "fghijklmnopqrstuvwx12345", "klmnopqrstuvwx1234567890"]
    prints = fingerprints([FILM, *chain, "nothing like any of these"])
    similarity = {pair: prints.similarity(*pair) for pair in combinations(range(1, 4), 2)}
    assert similarity[1, 2] >= NEAR <= similarity[2, 3]
    assert similarity[1, 3] < NEAR
    assert near_duplicate_clusters(prints).tolist() == [0, 1, 1, 1, 4]


def test_exact_copies_are_clustered_however_short_and_a_cluster_is_its_first_text():
    texts = ["Good!", FILM, "good", "bad", FILM.upper() + "...", "b a d"]
    assert near_duplicate_clusters(fingerprints(texts)).tolist() == [0, 1, 0, 3, 1, 3]


def test_nothing_and_a_single_text():
    assert near_duplicate_clusters(fingerprints([])).tolist() == []
    assert near_duplicate_clusters(fingerprints([FILM])).tolist() == [0]
    assert repeated(np.empty(0, dtype=np.int64)) == {"texts": 0, "clusters": 0, "largest": 0}


def test_texts_in_clusters_are_counted():
    assert repeated(np.array([0, 0, 2, 3, 3, 3, 6])) == {"texts": 5, "clusters": 2, "largest": 3}


def test_the_ids_of_texts_in_clusters_are_listed():
    clusters, ids = np.array([0, 1, 0, 3, 3, 3, 6]), [f"c/test/{place}" for place in range(7)]
    assert copied(clusters, ids) == [["c/test/0", "c/test/2"], ["c/test/3", "c/test/4", "c/test/5"]]


def test_texts_of_one_group_join_the_clusters_of_their_copies():
    clusters = np.array([0, 1, 0, 3, 4, 1, 6])  # 0 and 2 are copies, and so are 1 and 5
    groups = np.array([0, 1, 2, 2, 3, 4, 4])
    assert with_groups(clusters, groups).tolist() == [0, 1, 0, 0, 4, 1, 1]
    assert with_groups(clusters, np.arange(7)).tolist() == clusters.tolist()
    assert with_groups(np.arange(7), np.zeros(7, dtype=int)).tolist() == [0] * 7
    none = np.array([], dtype=int)
    assert with_groups(none, none).tolist() == []


def made_notices(count: int, templates: int, random: Random, change: float = 0.15) -> list[str]:
    words = ["".join(random.choices("abdegilmnoprstu", k=random.randint(3, 8))) for _ in range(3000)]
    forms = [random.choices(words, k=20) for _ in range(templates)]
    return [
        " ".join(random.choice(words) if random.random() < change else word for word in random.choice(forms))
        for _ in range(count)
    ]


def test_clusters_are_those_of_a_complete_comparison():
    texts = made_notices(250, 60, Random(2))
    prints = fingerprints(texts)
    expected = list(range(len(texts)))
    for left, right in combinations(range(len(texts)), 2):
        if prints.similarity(left, right) >= NEAR:
            low, high = sorted((expected[left], expected[right]))
            expected = [low if cluster == high else cluster for cluster in expected]
    assert 40 < len(set(expected)) < 120
    assert near_duplicate_clusters(prints).tolist() == expected


def test_thousands_of_notices_of_one_template_are_not_all_compared(monkeypatch):
    calls = []

    def counted(left, right):
        calls.append(1)
        return jaccard(left, right)

    monkeypatch.setattr("retable.text.leaks.leakage.jaccard", counted)
    clusters = near_duplicate_clusters(fingerprints(made_notices(2000, 1, Random(4), change=0.1)))
    assert (np.unique(clusters, return_counts=True)[1]).max() > 1990
    assert len(calls) < 10_000, "of 2 million pairs"
