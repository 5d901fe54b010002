"""The joint corpora of the review domains: the domains' own texts, labels and splits."""

from collections import Counter

import pytest
from drawn import drawn_splits

from retable.corpora import FAMILIES, corpus
from retable.declaration import UNLABELLED
from retable.text.clean.cleaning import clean_examples
from retable.text.splits import SPLITS

DOMAINS = {
    "fdu-16": FAMILIES["fdu"],
    "fdu-4": ("fdu-books", "fdu-dvd", "fdu-electronic", "fdu-kitchen"),
}
TEXTS = {
    "fdu-16": {"train": 22_180, "dev": 3200, "test": 6400},
    "fdu-4": {"train": 5598, "dev": 800, "test": 1600},
}
of_each = pytest.mark.parametrize("name", DOMAINS)


def drawn(examples) -> dict[str, list]:
    """Return the splits as the stage `clean` makes them."""
    labelled = [example for example in examples if example.split != UNLABELLED]
    return drawn_splits(clean_examples(labelled, markup=False, drop_copies=False)[0])


@of_each
def test_it_is_made_of_its_domains_and_of_their_labelled_files(name):
    joint = corpus(name)
    assert joint.domains == DOMAINS[name]
    of_domains = {file: remote for part in joint.domains for file, remote in corpus(part).files.items()}
    assert len(of_domains) == 3 * len(joint.domains), "no two domains have a file of one name"
    assert joint.files == {file: remote for file, remote in of_domains.items() if not file.endswith(".unlabel")}
    assert joint.unlabelled == 0


@of_each
def test_it_has_the_facts_of_its_domains(name):
    joint = corpus(name)
    for domain in map(corpus, joint.domains):
        assert (joint.labels, joint.language, joint.tokenised) == (domain.labels, domain.language, domain.tokenised)
        assert (joint.html, joint.source, joint.paper, joint.licence) == (
            domain.html, domain.source, domain.paper, domain.licence,
        )  # fmt: skip
    assert {split: sum(counts) for split, counts in joint.texts.items()} == TEXTS[name]


@of_each
def test_every_domain_has_its_own_texts_labels_and_splits_in_it(name, read_corpus):
    joint = drawn(read_corpus(name))
    for part in DOMAINS[name]:
        domain = drawn(read_corpus(part))
        for split in SPLITS:
            assert [text for text in joint[split] if text.id.partition("/")[0] == part] == domain[split], (part, split)
    assert Counter(text.id.partition("/")[0] for text in joint["test"]) == dict.fromkeys(DOMAINS[name], 400)
