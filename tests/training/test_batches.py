from dataclasses import replace

import numpy as np
import torch

from retable.text.vocabulary import Encoded
from retable.training.batches import BatchMaker, shuffled_batches, sorted_batches


def encoded(lengths):
    words = np.arange(2, 2 + sum(lengths), dtype=np.int32)
    return Encoded(words, np.concatenate([[0], np.cumsum(lengths)]), np.arange(len(lengths)) % 2)


def test_every_text_is_in_one_batch_and_little_is_padding():
    generator = np.random.default_rng(0)
    lengths = generator.integers(1, 60, size=5_037)
    batches = shuffled_batches(lengths, 50, generator)
    assert sorted(np.concatenate(batches)) == list(range(5_037))
    padded = sum(lengths[batch].max() * len(batch) for batch in batches)
    assert padded / lengths.sum() < 1.1


def test_epochs_differ_and_equal_seeds_do_not():
    lengths = np.random.default_rng(0).integers(1, 60, size=500)
    first, second = np.random.default_rng(1), np.random.default_rng(1)
    one, other = shuffled_batches(lengths, 20, first), shuffled_batches(lengths, 20, second)
    assert all((a == b).all() for a, b in zip(one, other, strict=True))
    again = shuffled_batches(lengths, 20, first)
    assert {tuple(sorted(batch)) for batch in one} != {tuple(sorted(batch)) for batch in again}


def test_batches_of_domains_hold_every_text_once_and_one_domain_each():
    draw = np.random.default_rng(0)
    lengths, domains = draw.integers(1, 60, size=1_037), draw.integers(0, 16, size=1_037)
    batches = shuffled_batches(lengths, 16, draw, domains)
    assert sorted(np.concatenate(batches)) == list(range(1_037))
    of_batches = [set(domains[batch]) for batch in batches]
    assert all(len(found) == 1 for found in of_batches)
    assert len(batches) == sum(-(-count // 16) for count in np.bincount(domains))
    assert [found.pop() for found in of_batches] != sorted(domains[batch[0]] for batch in batches), "in random order"


def test_small_domains_meet_other_neighbours_each_epoch():
    draw = np.random.default_rng(0)
    lengths, domains = draw.permutation(2 * 640), np.repeat([0, 1], 640)  # all different, so that batches are unique
    one, other = (
        {frozenset(batch.tolist()) for batch in shuffled_batches(lengths, 16, draw, domains)} for _ in range(2)
    )
    assert not one & other


def test_sorted_batches_hold_every_text_and_respect_the_limit():
    lengths = np.array([5, 1, 9, 30, 2, 2])
    batches = list(sorted_batches(lengths, 10))
    assert sorted(np.concatenate(batches)) == list(range(6))
    assert all(len(batch) == 1 or lengths[batch].max() * len(batch) <= 10 for batch in batches)


def test_a_batch_holds_the_words_of_its_texts_and_padding_behind():
    maker = BatchMaker(encoded([2, 4, 1]), torch.device("cpu"))
    words, mask, parts, classes, goal, domains, sentences, sides, nodes = maker(np.array([2, 0, 1]))
    assert parts is domains is sentences is sides is nodes is None
    assert words.tolist() == [[8, 0, 0, 0], [2, 3, 0, 0], [4, 5, 6, 7]]
    assert mask.tolist() == [[True] + [False] * 3, [True] * 2 + [False] * 2, [True] * 4]
    assert classes.tolist() == goal.tolist() == [0, 0, 1]


def test_the_goal_of_a_graded_text_is_its_distribution_over_the_grades():
    texts = replace(encoded([2, 4, 1]), targets=np.array([[0.4, 0.6], [0.9, 0.1], [0.0, 1.0]], dtype=np.float32))
    batch = BatchMaker(texts, torch.device("cpu"))(np.array([2, 0]))
    assert torch.equal(batch.goal, torch.tensor([[0.0, 1.0], [0.4, 0.6]]))


def test_parts_of_speech_are_padded_like_words_and_given_to_the_network():
    plain = encoded([2, 1])
    texts = Encoded(plain.words, plain.offsets, plain.classes, np.array([3, 1, 2]))
    batch = BatchMaker(texts, torch.device("cpu"), reads=("parts",))(np.array([1, 0]))
    assert batch.parts.tolist() == [[2, 0], [3, 1]]
    assert batch.parts.dtype == torch.int64
    assert batch.inputs == (batch.words, batch.mask, batch.parts)


def test_sentences_are_padded_and_stand_between_parts_and_domains():
    plain = encoded([2, 3])
    texts = Encoded(
        plain.words,
        plain.offsets,
        plain.classes,
        np.array([3, 1, 2, 1, 1]),
        np.array([1, 0]),
        np.array([0, 1, 0, 0, 1]),
    )
    batch = BatchMaker(texts, torch.device("cpu"), reads=("parts", "sentences", "domains"))(np.array([0, 1]))
    assert batch.sentences.tolist() == [[0, 1, 0], [0, 0, 1]]
    assert batch.inputs == (batch.words, batch.mask, batch.parts, batch.sentences, batch.domains)


def test_a_network_that_reads_no_parts_is_given_words_and_mask():
    plain = encoded([2, 1])
    texts = Encoded(plain.words, plain.offsets, plain.classes, np.array([3, 1, 2]))
    batch = BatchMaker(texts, torch.device("cpu"))(np.array([0]))
    assert batch.inputs == (batch.words, batch.mask)


def test_the_domains_of_its_texts_are_among_the_inputs_where_each_has_a_classifier():
    plain = encoded([2, 4, 1])
    joint = Encoded(plain.words, plain.offsets, plain.classes, None, np.array([1, 0, 1]))
    assert BatchMaker(joint, torch.device("cpu"))(np.array([2, 0])).domains is None
    batch = BatchMaker(joint, torch.device("cpu"), reads=("domains",))(np.array([2, 1]))
    assert batch.inputs[-1].tolist() == [1, 0]
    assert len(batch.inputs) == 3


def test_batches_that_are_made_together_are_those_that_are_made_alone(monkeypatch):
    generator = np.random.default_rng(0)
    lengths = generator.integers(1, 12, size=203)
    plain = encoded(lengths)
    texts = Encoded(
        plain.words, plain.offsets, plain.classes, generator.integers(0, 5, len(plain.words)), plain.classes
    )
    maker = BatchMaker(texts, torch.device("cpu"), reads=("parts", "domains"))
    many = [*shuffled_batches(lengths, 10, generator), np.zeros(0, dtype=np.int64)]  # a process without a text
    for places in (1, 100, 10**6):
        monkeypatch.setattr("retable.training.batches.PLACES_AHEAD", places)
        made = list(maker.batches(many))
        assert len(made) == 21
        for batch, numbers in zip(made, many[:-1], strict=True):
            for row, number in enumerate(numbers):
                start, length = plain.offsets[number], lengths[number]
                assert batch.words[row, :length].tolist() == plain.words[start : start + length].tolist()
                assert batch.parts[row, :length].tolist() == texts.parts[start : start + length].tolist()
                assert batch.mask[row].tolist() == [True] * length + [False] * (batch.words.shape[1] - length)
            assert not batch.words[~batch.mask].any()
            assert not batch.parts[~batch.mask].any()
            assert batch.words.shape[1] == lengths[numbers].max()
            assert batch.classes.tolist() == batch.domains.tolist() == plain.classes[numbers].tolist()


def test_no_batches_are_none():
    maker = BatchMaker(encoded([2, 4]), torch.device("cpu"))
    assert list(maker.batches([])) == maker.words_in([]) == []
    assert maker.words_in([np.array([1]), np.array([0, 1])]) == [4, 6]


def test_sides_are_padded_and_stand_before_the_domains():
    texts = Encoded(
        np.array([5, 2, 6, 7, 2, 8, 9], np.int32), np.array([0, 3, 7]), np.array([0, 1]),
        domains=np.array([1, 0]), sides=np.array([0, 1, 2, 0, 1, 2, 2], np.int32),
    )  # fmt: skip
    batch = BatchMaker(texts, torch.device("cpu"), reads=("sides", "domains"))(np.array([0, 1]))
    assert batch.sides.tolist() == [[0, 1, 2, 0], [0, 1, 2, 2]]
    assert batch.inputs == (batch.words, batch.mask, batch.sides, batch.domains)


def test_nodes_are_padded_and_stand_before_the_domains():
    texts = Encoded(
        np.array([5, 2, 6, 7, 8], np.int32), np.array([0, 1, 5]), np.array([0, 1]),
        domains=np.array([1, 0]), nodes=np.array([0, 1, 0, 0, 2], np.int32),
    )  # fmt: skip
    batch = BatchMaker(texts, torch.device("cpu"), reads=("nodes", "domains"))(np.array([0, 1]))
    assert batch.nodes.tolist() == [[0, 0, 0, 0], [1, 0, 0, 2]]
    assert batch.inputs == (batch.words, batch.mask, batch.nodes, batch.domains)
