"""Doc2vec, Le and Mikolov 2014."""

import math

import numpy as np
import pytest

from retable.errors import InputError
from retable.models import loader_of
from retable.models.doc2vec import cosines, inferred, logistic_weights, one_vector, train_doc2vec, trained_network
from retable.text.pairs import joined
from tests.models.declared import train_as_a_run
from tests.training.conftest import make_split

TEXTS = [
    "red apple red sweet",
    "red cherry apple",
    "cherry sweet apple",
    "blue sea wet",
    "sea sky blue sky",
    "wet blue",
]
SPLIT = make_split(TEXTS * 6, [0, 0, 0, 1, 1, 1] * 6, ("fruit", "water"))
DEV = make_split(["Apple cherry", "sky sea", "red sweet", "blue wet"], [0, 1, 0, 1], ("fruit", "water"))
OPTIONS = {"lowercase": True, "seed": 1, "size": 8, "epochs": 30, "window": 2}
LISTS = [text.split() for text in TEXTS * 6]


def looked_up_sigmoid(score):
    """Compute gensim's sigmoid: of the grid point below, of 1,000 from -6 to 6, with the integer 83 per unit."""
    place = int((score + 6) * 83)
    return 1 / (1 + math.exp(-(place / 500 - 1) * 6))


def slow_vector(network, text, epochs, *, around):
    """Return the vector of one new text, one step down the tree after the other.

    Args:
        around: words on each side that are read with the text's vector; 0 for PV-DBOW.
    """
    d = np.zeros(network.vector_size)
    known = [network.wv.key_to_index[word] for word in text if word in network.wv.key_to_index]
    for rate in np.linspace(0.025, 0.0001, epochs):
        for place, word in enumerate(known):
            beside = [*known[max(0, place - around) : place], *known[place + 1 : place + 1 + around]]
            read = [network.wv.vectors[other] for other in beside] if around else []
            step = np.zeros_like(d)
            mean = np.mean([d, *read], axis=0)
            codes, points = (network.wv.get_vecattr(network.wv.index_to_key[word], name) for name in ("code", "point"))
            for code, point in zip(codes, points, strict=True):
                chance = looked_up_sigmoid(mean @ network.syn1[point])
                step += rate * (1 - code - chance) * network.syn1[point]  # of log p(code) by the mean
            d = d + step
    return d


@pytest.mark.parametrize(("kind", "around"), [("dbow", 0), ("dm", 1)])
def test_a_new_texts_vector_matches_the_equations_step_by_step(kind, around):
    """A window of 1 is the one that gensim does not draw."""
    network = trained_network(kind, LISTS, 8, 1, 60, 1)
    for text in (["red", "sea", "apple", "unheard", "wet"], ["sky"]):
        found = one_vector(network, text, 20, 1)
        assert np.abs(found).max() > 0.01
        assert found == pytest.approx(
            slow_vector(network, text, 20, around=around), abs=1e-5 * float(np.abs(found).max())
        )


def test_a_texts_vector_is_zero_without_words_and_depends_on_no_other_text():
    networks = {kind: trained_network(kind, LISTS, 4, 3, 5, 1) for kind in ("dbow", "dm")}
    texts = [["red", "sea"], ["sky", "wet", "blue"], [], ["unheard"]]
    together = inferred(networks, texts, 5, 1)
    assert together.shape == (4, 8)
    assert not together[2:].any()
    assert np.array_equal(inferred(networks, texts[1:2], 5, 1)[0], together[1])
    assert np.array_equal(
        together[0], np.concatenate([one_vector(networks[kind], texts[0], 5, 1) for kind in networks])
    )


def test_a_new_text_changes_no_weight():
    network = trained_network("dm", LISTS, 4, 3, 5, 1)
    before = network.wv.vectors.copy(), network.syn1.copy()
    one_vector(network, ["red", "sea", "sky"], 5, 1)
    assert np.array_equal(network.wv.vectors, before[0])
    assert np.array_equal(network.syn1, before[1])


@pytest.mark.parametrize("unit", ["words", "characters"])
def test_it_learns_chooses_on_dev_repeats_and_survives_saving(unit, tmp_path):
    classifier, tried = train_doc2vec(SPLIT, DEV, unit=unit, **OPTIONS)
    answers = classifier.probabilities(DEV)
    assert answers.sum(axis=1) == pytest.approx(np.ones(4))
    assert (answers.argmax(axis=1) == DEV.classes).mean() == max(candidate.dev_accuracy for candidate in tried) >= 0.75
    classifier.save(tmp_path / "once")
    train_doc2vec(SPLIT, DEV, unit=unit, **OPTIONS)[0].save(tmp_path / "again")
    for file in ("weights.safetensors", "paragraphs.json"):
        assert (tmp_path / "once" / file).read_bytes() == (tmp_path / "again" / file).read_bytes()
    assert np.array_equal(loader_of("doc2vec")(tmp_path / "once").probabilities(DEV), answers)


def test_what_is_rebuilt_is_gensims_network_as_it_was_trained():
    classifier, _ = train_doc2vec(SPLIT, DEV, **OPTIONS)
    for kind in ("dbow", "dm"):
        own = trained_network(kind, LISTS, 8, 2, 30, 1)
        assert np.array_equal(one_vector(classifier.network(kind), LISTS[4], 9, 1), one_vector(own, LISTS[4], 9, 1))


def test_rare_words_are_left_out_and_costs_are_counted():
    train = make_split([*TEXTS, "once"], [0, 0, 0, 1, 1, 1, 0])
    classifier, _ = train_doc2vec(train, DEV, **OPTIONS, min_count=2)
    assert sorted(classifier.words) == ["apple", "blue", "cherry", "red", "sea", "sky", "sweet", "wet"]
    assert dict(zip(classifier.words, classifier.counts, strict=True))["apple"] == 3
    facts = classifier.cost_facts(3.0)
    assert facts["parameters"] == 3 * 8 * 8 + 2 * 16 + 2
    assert facts["flops_per_word"] == pytest.approx(2 * (30 * 8 * (4 * 3 + 3) + 2 * 16 / 3))


def test_three_classes_have_three_rows_and_two_are_mirrored():
    x = np.eye(6, dtype=np.float32)
    weights, bias = logistic_weights(x, np.array([0, 0, 1, 1, 2, 2]), 10.0, 1)
    assert (x @ weights.T + bias).argmax(axis=1).tolist() == [0, 0, 1, 1, 2, 2]
    weights, bias = logistic_weights(x, np.array([0, 0, 0, 1, 1, 1]), 10.0, 1)
    assert np.array_equal(weights[0], -weights[1])
    assert (x @ weights.T + bias).argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("option", "value"), [("costs", ()), ("size", 0), ("window", 0), ("epochs", 0), ("min_count", 0), ("min_count", 99)]
)
def test_options_out_of_range_are_refused(option, value):
    with pytest.raises(ValueError, match=f"^{option} is "):
        train_as_a_run("doc2vec", SPLIT, DEV, **{option: value})


def test_cosines_by_hand():
    """Two pairs, two networks of two numbers each; a text without words has no direction."""
    first, second = [[1.0, 0.0, 3.0, 4.0], [0.0, 0.0, 1.0, 1.0]], [[1.0, 1.0, 4.0, 3.0], [1.0, 0.0, -1.0, -1.0]]
    found = cosines(np.array([*first, *second]))
    assert found == pytest.approx(np.array([[1 / math.sqrt(2), 24 / 25], [0.0, -1.0]]))


def test_pairs_are_told_apart_by_how_alike_their_texts_are(tmp_path):
    kinds = [TEXTS[:3], TEXTS[3:]]
    alike = [joined(first, second) for kind in kinds for first in kind for second in kind if first != second]
    unlike = [joined(first, second) for kind, other in (kinds, kinds[::-1]) for first in kind for second in other]
    pairs = make_split((alike + unlike) * 3, ([1] * len(alike) + [0] * len(unlike)) * 3, ("unlike", "alike"))
    classifier, tried = train_doc2vec(pairs, pairs, compare=True, **OPTIONS)
    assert max(each.dev_accuracy for each in tried) > 0.9
    classifier.save(tmp_path)
    assert np.array_equal(loader_of("doc2vec")(tmp_path).probabilities(pairs), classifier.probabilities(pairs))
    with pytest.raises(InputError, match="is not a pair of texts"):
        train_doc2vec(SPLIT, DEV, compare=True, **OPTIONS)
