"""Runs that are trained fused end as they do alone."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

import retable.training.fused as package
from retable.errors import InputError
from retable.models import MODELS
from retable.training.fused import group
from retable.training.fused.masks import Dropout
from retable.training.fused.ways import why_alone
from retable.training.network import reads_parts
from retable.training.parallel import texts_of
from tests.models.test_every_model import CASES, PARTS, Case
from tests.training.fused_runs import alone, assert_equal, differences, fused, network_of, random_texts

pytestmark = pytest.mark.usefixtures("doubles")
CNN = Case("textcnn", 0, {"filters": 4, "dropout": 0.5})
LSTM = Case("bilstm", 0, {"hidden": 10, "layers": 2, "dropout": 0.3})
PYRAMID = Case("dpcnn", 0, {"maps": 4, "blocks": 4, "dropout": 0.2})
TAGS = Case("transformer-f", 0, {"layers": 1, "size": 8})
FCSR = Case("fcsr", 0, {"gate": "sigmoid"})
TOGETHER = [case for case in CASES if why_alone({"name": case.model, **case.options}) is None]
SOME = pytest.mark.parametrize("case", [CNN, LSTM, PYRAMID, TAGS, FCSR], ids=str)
every_model = pytest.mark.parametrize("case", TOGETHER, ids=str)


def texts_for(case, generator, count, words=30, **options):
    parts = len(PARTS) if reads_parts(case.model) else 0
    return random_texts(generator, count, words, **{"parts": parts, **options})


def seeds(case, *numbers, texts=13, longest=9):
    """Runs of these seeds on one corpus; 13 texts are two batches of five and one of three."""
    generator = np.random.default_rng(5)
    train, held = (texts_for(case, generator, count, longest=longest) for count in (texts, 8))
    return [(partial(network_of, case, seed), train, held, seed) for seed in numbers]


def domains(case, sizes=(13, 17, 6)):
    """Runs on three corpora of these sizes, of other lengths and vocabularies; one has no fixed vector."""
    generator, forms = np.random.default_rng(6), [(30, 24, 9), (41, 41, 17), (25, 3, 4)]
    return [
        (
            partial(network_of, case, seed, words=words, tuned=tuned),
            texts_for(case, generator, texts, words, longest=longest),
            texts_for(case, generator, 7, words),
            seed,
        )
        for seed, ((words, tuned, longest), texts) in enumerate(zip(forms, sizes, strict=True))
    ]


def without_dropout(case):
    known = network_of(case, 1).__class__.__init__.__kwdefaults__ or {}
    none = {name: 0.0 for name in known if name.startswith("dropout")}
    return replace(case, options={**case.options, **none})


@every_model
def test_two_seeds_are_two_single_runs(case):
    """Dropout included: it is drawn as by each run alone."""
    assert_equal(seeds(case, 1, 2))


@SOME
def test_so_are_three_without_dropout(case):
    assert_equal(seeds(without_dropout(case), 1, 2, 3))


def test_dropout_in_another_order_would_be_seen(monkeypatch):
    asked, draw = seeds(CNN, 1, 2), Dropout.draw
    monkeypatch.setattr(Dropout, "draw", lambda self, *given: draw(self, *given).flip(0))
    with pytest.raises(AssertionError):
        assert_equal(asked)


@SOME
def test_one_run_in_a_stack_is_the_single_run(case):
    assert_equal(seeds(case, 4))


@SOME
def test_folds_of_other_sizes_keep_their_own_epochs(case):
    generator = np.random.default_rng(7)
    asked = [
        (partial(network_of, case, 1), texts_for(case, generator, texts), texts_for(case, generator, dev), 1)
        for texts, dev in ((13, 8), (12, 9), (16, 1))
    ]
    assert_equal(asked, schedule="linear", epochs_max=5)


@SOME
def test_domains_keep_their_own_vocabularies(case):
    assert_equal(domains(case))


def test_runs_with_other_parts_of_speech_have_weights_of_their_own_for_them():
    case, generator = TAGS, np.random.default_rng(8)
    asked = [
        (
            partial(network_of, case, seed, parts=parts),
            texts_for(case, generator, 13, parts=len(parts)),
            texts_for(case, generator, 8, parts=len(parts)),
            seed,
        )
        for seed, parts in enumerate([PARTS, ("<unknown>", "DET", "NOUN"), ("<unknown>", "DET", "ADP", "X", "NOUN")])
    ]
    assert_equal(asked)


@pytest.mark.parametrize("case", [CNN, LSTM], ids=str)
def test_a_joint_corpus_has_a_classifier_for_each_domain(case):
    generator = np.random.default_rng(9)
    train, held = (texts_for(case, generator, count, domains=3) for count in (13, 8))
    assert_equal([(partial(network_of, case, seed, domains=3), train, held, seed) for seed in (1, 2)])


def test_word_vectors_that_are_not_tuned_stay():
    generator = np.random.default_rng(10)
    train, held = (texts_for(CNN, generator, count) for count in (13, 8))
    asked = [(partial(network_of, CNN, seed, tuned=0), train, held, seed) for seed in (1, 2)]
    assert_equal(asked)


@pytest.mark.parametrize("case", [CNN, PYRAMID], ids=str)
def test_a_run_that_stops_early_leaves_and_changes_nothing_for_the_others(case):
    first, second, third = domains(case, sizes=(23, 31, 11))
    keeps_on = (*first[:2], first[1], first[3])  # its own training texts are its dev
    one_text = (*second[:2], texts_of(second[2], np.arange(1)), second[3])  # right or wrong
    asked = [third, one_text, keeps_on]
    histories, _ = fused(asked, epochs=6, patience=2)
    epochs = [len(history.epochs) for history in histories]
    assert epochs[2] == 6
    assert min(epochs) == 3
    assert_equal(asked, tolerance=1e-8, epochs=6, patience=2)


def test_every_run_ends_with_the_weights_of_its_own_best_epoch():
    asked = domains(CNN)
    options = {"epochs": 5, "learning_rate": 0.3}
    histories, _ = fused(asked, **options)
    assert len({history.chosen for history in histories}) > 1
    assert any(history.chosen < 5 for history in histories)
    assert_equal(asked, tolerance=1e-7, **options)


@SOME
@pytest.mark.parametrize("batch_size", [1, 100])
def test_batches_of_one_text_and_of_all(case, batch_size):
    assert_equal(seeds(case, 1, 2, texts=5), batch_size=batch_size)


@pytest.mark.parametrize(
    ("case", "options"),
    [
        (PYRAMID, {"optimiser": "sgd", "learning_rate": 0.1}),
        (PYRAMID, {"optimiser": "sgd", "learning_rate": 0.1, "momentum": 0.9, "weight_decay": 1e-2}),
        (PYRAMID, {"optimiser": "adagrad", "learning_rate": 0.05, "weight_decay": 1e-2}),
        (PYRAMID, {"optimiser": "adam", "weight_decay": 1e-2}),
        (PYRAMID, {"clip": 0.3}),
        (CNN, {"optimiser": "adam", "weight_decay": 1e-2, "clip": 0.3}),
        (CNN, {"schedule": "fcsr", "epochs_max": 9}),
        (CNN, {"schedule": "warmup"}),
        (CNN, {"schedule": "steps", "epochs_max": 4, "epochs": 4}),
    ],
    ids=str,
)
def test_every_optimiser_and_schedule(case, options):
    """A pyramid counts the steps of each weight by itself, the others those of all at once."""
    assert_equal(domains(case), **options)


def test_a_pyramid_whose_short_texts_reach_no_deep_block_leaves_it_as_it_is(monkeypatch):
    """Adam would move it on by what it kept, and weight decay would shrink it."""
    generator = np.random.default_rng(11)
    asked = [
        (partial(network_of, PYRAMID, seed), texts_for(PYRAMID, generator, 13, longest=longest), held, seed)
        for seed, longest, held in [(1, 2, texts_for(PYRAMID, generator, 8)), (2, 40, texts_for(PYRAMID, generator, 8))]
    ]
    assert_equal(asked, weight_decay=1e-2)
    monkeypatch.setattr(
        group, "shortest_texts", lambda network, *_, **__: dict.fromkeys(dict(network.named_parameters()), 1)
    )
    with pytest.raises(AssertionError):
        assert_equal(asked, weight_decay=1e-2)


def test_the_table_of_ways_says_of_every_model_where_it_goes():
    for case in CASES:
        row = [line for line in package.__doc__.splitlines() if case.model in re.split(r"[|,( ]+", line)]
        alone_by_table = any(line.startswith(("| alone", "| |")) for line in row)
        halts = case.options.get("halting") == "adaptive"
        if case.model == "universal-transformer":
            assert len(row) == 2
            assert (why_alone({"name": case.model, **case.options}) is not None) == halts
        else:
            assert len(row) == 1, case.model
            assert alone_by_table == (why_alone({"name": case.model}) is not None)
    assert {case.model for case in CASES} == set(MODELS)


@pytest.mark.parametrize("case", [case for case in CASES if case not in TOGETHER and case.model != "fasttext"], ids=str)
def test_what_is_trained_alone_is_refused_before_training(case):
    asked = seeds(case, 1, 2)
    with pytest.raises(InputError, match=r"cannot be trained fused|answers otherwise in a stack"):
        fused(asked, on_batch=lambda *told: pytest.fail("trained"))


def test_networks_of_another_form_are_refused():
    asked = seeds(CNN, 1, 2)
    wider = partial(network_of, Case("textcnn", 0, {"filters": 5}), 2)
    with pytest.raises(InputError, match=r"convolutions\.0\.weight has the shapes \(4, 6, 3\), \(5, 6, 3\)"):
        fused([asked[0], (wider, *asked[1][1:])])
    with pytest.raises(InputError, match="trained fused differ in embedding"):
        fused([asked[0], (partial(network_of, CNN, 2, tuned=0), *asked[1][1:])])


def test_a_loss_that_is_no_number_stops_with_advice():
    def broken():
        network = network_of(CNN, 1)
        network.output.bias.data.fill_(torch.inf)
        return network

    asked = seeds(CNN, 1, 2)
    with pytest.raises(InputError, match=r"lower training\.learning_rate|answers otherwise"):
        fused([asked[0], (broken, *asked[1][1:])])
    with pytest.raises(InputError, match=r"lower training\.learning_rate"):
        fused(seeds(CNN, 1, 2), optimiser="sgd", learning_rate=1e200)


def test_every_run_is_told_of_its_steps_and_epochs():
    asked, words, epochs = domains(CNN), [0, 0, 0], []

    def on_batch(run, epoch, count):
        words[run] += count

    histories, _ = fused(asked, on_batch=on_batch, on_epoch=lambda run, epoch: epochs.append((run, epoch.epoch)))
    assert words == [2 * len(train.words) for _, train, _, _ in asked]
    assert sorted(epochs) == [(run, epoch) for run in range(3) for epoch in (1, 2)]
    assert [len(history.epochs) for history in histories] == [2, 2, 2]


def test_bfloat16_trains_to_about_the_same():
    torch.set_default_dtype(torch.float32)
    asked = seeds(without_dropout(CNN), 1, 2)
    own, single = (way(asked, precision="bfloat16") for way in (fused, alone))
    for left, right in zip(own[0], single[0], strict=True):
        for mine, theirs in zip(left.epochs, right.epochs, strict=True):
            assert mine.train_loss == pytest.approx(theirs.train_loss, rel=0.05)


def test_float32_ends_within_rounding():
    torch.set_default_dtype(torch.float32)
    asked = seeds(CNN, 1, 2, 3)
    losses, curves, weights = differences(fused(asked), alone(asked), [each[1] for each in asked])
    assert losses < 1e-5
    assert curves < 1e-5
    assert weights < 1e-4
