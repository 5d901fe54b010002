"""Every declared fact of every corpus, against its files."""

import re
from collections import Counter

import pytest

from retable.corpora import CORPORA, TREEBANKS, corpus, source, treebank
from retable.corpora.defects import find_defects
from retable.errors import InputError
from retable.files import sha256_of_file
from retable.text.cleaning import clean_examples
from retable.text.splits import SPLITS
from retable.text.splitting import draw_splits

EVERYTHING = [*CORPORA, *TREEBANKS]


@pytest.mark.parametrize("name", EVERYTHING)
def test_every_fact_is_declared(name):
    facts = source(name)
    assert facts.name == name
    assert all((facts.language, facts.source, facts.paper, facts.licence, facts.note))
    for file in facts.files.values():
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert file.bytes > 0
        assert all(re.search("/[0-9a-f]{40}/", url) for url in file.urls), "a public address must be pinned to a commit"


@pytest.mark.parametrize("name", CORPORA)
def test_labels_and_counts_are_declared(name):
    facts = corpus(name)
    assert len(set(facts.labels)) == len(facts.labels) >= 2
    assert all(len(counts) == len(facts.labels) for counts in facts.texts.values())
    assert set(facts.texts) in ({"all"}, {"train", "test"}, {"train", "dev", "test"})
    assert facts.split == ("own" if "all" in facts.texts else "published")


@pytest.mark.parametrize("name", EVERYTHING)
def test_files_have_the_declared_size_and_digest(name, raw_folder):
    for file, facts in source(name).files.items():
        path = raw_folder(name) / file
        assert (path.stat().st_size, sha256_of_file(path)) == (facts.bytes, facts.sha256)


@pytest.mark.parametrize("name", CORPORA)
def test_known_defects_are_up_to_date(name, raw_folder):
    assert find_defects(corpus(name), raw_folder(name)) == {
        defect.what: defect.count for defect in corpus(name).defects
    }


@pytest.mark.parametrize("name", CORPORA)
def test_splits_are_disjoint_stratified_and_lose_no_text(name, raw_folder):
    facts = corpus(name)
    read = facts.examples(raw_folder(name))  # counts and labels are checked here
    assert len({example.id for example in read}) == len(read)
    kept, removed = clean_examples(read, markup=facts.html, drop_copies=facts.split == "own")
    splits = draw_splits(kept)
    ids = [example.id for split in SPLITS for example in splits[split]] + [text.id for text in removed]
    assert sorted(ids) == sorted(example.id for example in read)
    if facts.split == "published":
        assert not removed
    else:
        assert len({example.text for example in kept}) == len(kept), "copies go before we draw the splits"
    drawn = [split for split in ("test", "dev") if split not in facts.texts]
    for split in drawn:
        pool = Counter(example.label for part in ("train", split) for example in splits[part])
        if split == "test":
            pool += Counter(example.label for example in splits["dev"])
        held = Counter(example.label for example in splits[split])
        assert all(abs(held[label] - pool[label] / 10) <= 1 for label in facts.labels)


@pytest.mark.parametrize("name", TREEBANKS)
def test_treebanks_have_the_declared_sentences_and_words(name, raw_folder):
    facts = treebank(name)
    for split in SPLITS:
        sentences = list(facts.read(raw_folder(name) / f"{split}.conllu"))
        assert len(sentences) == facts.sentences[split]
        assert sum(len(sentence.words) for sentence in sentences) == facts.words[split]
        assert all(len(s.words) == len(s.upos) == len(s.xpos) for s in sentences)
        assert not {"_"} & {tag for sentence in sentences for tag in (*sentence.upos, *sentence.xpos)}


def test_sst_2_stands_as_the_literature_counts_it(raw_folder):
    counts = Counter(example.split for example in corpus("sst-2").examples(raw_folder("sst-2")))
    assert counts == {"train": 6920, "dev": 872, "test": 1821}


def test_seed_spread_is_a_standard_deviation_in_fractions():
    assert corpus("sst-2").seed_spread == pytest.approx(0.019 / (1.96 * 2**0.5))
    assert corpus("mr").seed_spread == pytest.approx(0.0039)  # measured here, docs/readings.md
    assert corpus("sample-en").seed_spread is None


def test_a_misspelt_corpus_gets_the_nearest_name():
    with pytest.raises(InputError, match='corpus is "sst2"; did you mean "sst-2"'):
        corpus("sst2")
    with pytest.raises(InputError, match='did you mean "ewt"'):
        source("ewtt")
