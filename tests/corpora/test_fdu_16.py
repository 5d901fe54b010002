"""The joint corpus of the sixteen review domains: the domains' own texts, labels and splits."""

from collections import Counter

from drawn import drawn_splits

from retable.corpora import FAMILIES, corpus
from retable.declaration import UNLABELLED
from retable.text.clean.cleaning import clean_examples
from retable.text.splits import SPLITS

JOINT = corpus("fdu-16")


def drawn(examples) -> dict[str, list]:
    """Return the splits as the stage `clean` makes them."""
    labelled = [example for example in examples if example.split != UNLABELLED]
    return drawn_splits(clean_examples(labelled, markup=False, drop_copies=False)[0])


def test_it_is_made_of_the_sixteen_domains_and_of_their_labelled_files():
    assert JOINT.domains == FAMILIES["fdu"]
    of_domains = {file: remote for name in JOINT.domains for file, remote in corpus(name).files.items()}
    assert len(of_domains) == 48, "no two domains have a file of one name"
    assert JOINT.files == {file: remote for file, remote in of_domains.items() if not file.endswith(".unlabel")}
    assert JOINT.unlabelled == 0


def test_it_has_the_facts_of_its_domains():
    for name in JOINT.domains:
        domain = corpus(name)
        assert (JOINT.labels, JOINT.language, JOINT.tokenised) == (domain.labels, domain.language, domain.tokenised)
        assert (JOINT.html, JOINT.source, JOINT.paper, JOINT.licence) == (
            domain.html, domain.source, domain.paper, domain.licence,
        )  # fmt: skip
    assert {split: sum(counts) for split, counts in JOINT.texts.items()} == {"train": 22_180, "dev": 3200, "test": 6400}


def test_every_domain_has_its_own_texts_labels_and_splits_in_it(read_corpus):
    joint = drawn(read_corpus("fdu-16"))
    for name in JOINT.domains:
        domain = drawn(read_corpus(name))
        for split in SPLITS:
            assert [text for text in joint[split] if text.id.partition("/")[0] == name] == domain[split], (name, split)
    assert Counter(text.id.partition("/")[0] for text in joint["test"]) == dict.fromkeys(JOINT.domains, 400)
