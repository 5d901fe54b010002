"""Frozen sentence vectors under a logistic regression and under nearest neighbours."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from retable.errors import InputError
from retable.files import read_json, write_json
from retable.models import loader_of, minilm
from retable.models.minilm import nearest, texts_of, train_minilm_knn, train_minilm_lr, vote_shares
from retable.models.sentence_encoder import Encoder
from retable.training.options import Progress
from retable.training.run import load_classifier, train_classifier
from retable.vectors.store import NO_VECTORS
from tests.models.declared import train_as_a_run
from tests.models.small_bert import needs_transformers, small_files
from tests.training.conftest import make_split

GOOD, BAD = ["a fine film", "great plot", "fine and great", "not dull"], ["a dull film", "awful plot", "dull and awful"]
TRAIN = make_split((GOOD + BAD) * 3, ([1] * 4 + [0] * 3) * 3)
DEV = make_split(["a great film", "awful film", "fine plot", "the dull plot", "not awful"], [1, 0, 1, 0, 1])


@pytest.fixture
def small(monkeypatch):
    """Use the small random BERT in place of the published one."""
    monkeypatch.setattr(minilm, "published_encoder", lambda max_pieces: Encoder(small_files(), max_pieces))


def test_texts_are_the_clean_ones_else_the_tokens_joined():
    split = make_split(["Do n't !"], [1])
    clean = replace(split, texts=pa.array(["Don't!"]))
    assert texts_of(clean, "raw-characters", lowercase=False) == ["Don't!"]
    assert texts_of(clean, "raw-characters", lowercase=True) == ["don't!"]
    assert texts_of(split, "raw-characters", lowercase=False) == ["Do n't !"]
    assert texts_of(clean, "words", lowercase=False) == ["Do n't !"]


def test_nearest_by_hand_and_of_equals_the_first(monkeypatch):
    monkeypatch.setattr(minilm, "CHUNK", 1)
    kept = np.array([[0.0, 1.0], [1.0, 0.0], [0.6, 0.8], [1.0, 0.0]])
    cosines, places = nearest(np.array([[1.0, 0.0], [0.0, -1.0]]), kept, 3)
    assert places[0].tolist() == [1, 3, 2]
    assert cosines[0].tolist() == [1.0, 1.0, 0.6]
    assert cosines[1].tolist() == [0.0, 0.0, -0.8]
    assert nearest(kept, kept, 9)[1].shape == (4, 4)


def test_nearest_matches_a_full_sort():
    generator = np.random.default_rng(2)
    x, kept = generator.normal(size=(7, 5)), generator.normal(size=(40, 5))
    cosines, places = nearest(x, kept, 6)
    for text, row, found in zip(x, cosines, places, strict=True):
        ranked = sorted(range(40), key=lambda place: -sum(text * kept[place]))[:6]
        assert found.tolist() == ranked
        assert row == pytest.approx([sum(text * kept[place]) for place in ranked])


def test_shares_of_votes_by_hand():
    """Votes 0.9 and 0.5 for class 2, 0.6 for class 0, none from the opposite side; a third of a vote for each."""
    shares = vote_shares(np.array([[0.9, 0.6, 0.5, -0.4]]), np.array([[2, 0, 2, 1]]), 3)
    assert shares[0] == pytest.approx([(1 / 3 + 0.6) / 3, (1 / 3) / 3, (1 / 3 + 1.4) / 3])
    assert vote_shares(np.array([[-0.1]]), np.array([[1]]), 2).tolist() == [[0.5, 0.5]]


def test_the_nearer_of_two_neighbours_wins():
    assert vote_shares(np.array([[0.9, 0.8]]), np.array([[1, 0]]), 2).argmax() == 1


@pytest.fixture
def vectors_of():
    """Return a function that gives a split's sentence vectors by the encoder alone."""
    encoder = Encoder(small_files(), 16)
    return lambda split: encoder.vectors(encoder.pieces([" ".join(words) for words in split.tokens.to_pylist()]))


def asked(model, **options):
    return {
        "corpus": {"name": "made-up"}, "model": {"name": model, "max_pieces": 16} | options, "training": {}, "seed": 1,
        "embedding": {"vectors": "none", "unit": "raw-characters", "lowercase": False},
        "device": "cpu", "precision": "float32",
    }  # fmt: skip


def with_texts(split):
    return replace(split, texts=pa.array([" ".join(words) for words in split.tokens.to_pylist()]))


@needs_transformers
def test_neighbours_vote_with_the_cosines_of_the_encoders_vectors(small, vectors_of):
    classifier, _ = train_minilm_knn(TRAIN, DEV, lowercase=False, seed=1, neighbours=(4,), max_pieces=16)
    kept = vectors_of(TRAIN).astype(float)
    for vector, answer in zip(vectors_of(DEV), classifier.probabilities(DEV), strict=True):
        cosines = kept @ vector
        votes = np.full(2, 0.5)
        for place in sorted(range(len(kept)), key=lambda place: -cosines[place])[:4]:
            votes[TRAIN.classes[place]] += max(cosines[place], 0)
        assert answer == pytest.approx(votes / votes.sum(), abs=1e-5)


@needs_transformers
def test_one_neighbour_answers_with_the_class_of_the_same_text(small):
    classifier, _ = train_minilm_knn(TRAIN, DEV, lowercase=False, seed=1, neighbours=(1,), max_pieces=16)
    answers = classifier.probabilities(TRAIN)
    assert (answers.argmax(axis=1) == TRAIN.classes).all()
    assert answers.max(axis=1) == pytest.approx(np.full(21, 0.75), abs=1e-5)


@needs_transformers
def test_the_regression_is_scikit_learns_on_the_encoders_vectors(small, vectors_of):
    from sklearn.linear_model import LogisticRegression

    classifier, _ = train_minilm_lr(TRAIN, DEV, lowercase=False, seed=1, costs=(3.0,), max_pieces=16)
    theirs = LogisticRegression(C=3.0).fit(vectors_of(TRAIN), TRAIN.classes).decision_function(vectors_of(DEV))
    logits = np.log(classifier.probabilities(DEV))
    assert (logits[:, 1] - logits[:, 0]) / (2 * classifier.scorer.scale) == pytest.approx(theirs, abs=1e-2)


@needs_transformers
def test_c_and_k_are_the_first_of_the_best_on_dev(small):
    lr, tried = train_minilm_lr(TRAIN, DEV, lowercase=False, seed=1, costs=(1e-6, 30.0, 100.0, 300.0), max_pieces=16)
    values = [candidate.dev_accuracy for candidate in tried]
    assert min(values) < max(values)
    best = tried[values.index(max(values))]
    alone, _ = train_minilm_lr(TRAIN, DEV, lowercase=False, seed=1, costs=(best.cost,), max_pieces=16)
    assert np.array_equal(lr.scorer.weights, alone.scorer.weights)
    shown = []
    knn, tried = train_minilm_knn(
        TRAIN, DEV, lowercase=False, seed=1, neighbours=(99, 3, 1, 98), max_pieces=16,
        on_candidate=lambda candidate, more: shown.append(candidate),
    )  # fmt: skip
    values = [candidate.dev_accuracy for candidate in tried]
    assert min(values) < max(values)
    assert knn.neighbours == (99, 3, 1, 98)[values.index(max(values))]
    assert shown == tried
    assert [candidate.settings for candidate in tried][1] == {"features": "neighbours-3"}
    assert (knn.probabilities(DEV).argmax(axis=1) == DEV.classes).mean() == max(values)


@needs_transformers
@pytest.mark.parametrize(("model", "scored"), [("minilm-lr", 2 * 8), ("minilm-knn", 21 * 8)])
def test_a_run_reads_raw_texts_tells_its_cost_and_survives_saving_without_the_encoder(small, model, scored, tmp_path):
    train, dev = with_texts(TRAIN), with_texts(DEV)
    options = {"costs": [1.0, 10.0]} if model == "minilm-lr" else {"neighbours": [1, 3]}
    trained = train_classifier(asked(model, **options), train, dev, NO_VECTORS)
    assert len(trained.curve) == 2
    answers = trained.classifier.probabilities(dev)
    assert answers.sum(axis=1) == pytest.approx(np.ones(5))
    assert trained.classifier.probabilities(dev).tobytes() == answers.tobytes()
    trained.classifier.save(tmp_path)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 5000
    assert loader_of(model).__module__ == "retable.models.minilm"
    again = load_classifier(asked(model, **options), tmp_path, dev.facts)
    assert again.probabilities(dev).tobytes() == answers.tobytes()
    encoder = Encoder(small_files(), 16)
    pieces = np.array([len(each) for each in encoder.pieces(train.texts.to_pylist())])
    characters = sum(map(len, train.texts.to_pylist())) / 21
    assert trained.cost["flops_per_word"] == pytest.approx((encoder.flops(pieces).mean() + 2 * scored) / characters)
    assert trained.cost["parameters"] == scored + (2 if model == "minilm-lr" else 0)


@needs_transformers
@pytest.mark.parametrize(
    ("model", "options"), [("minilm-lr", {"costs": [1.0, 9.0]}), ("minilm-knn", {"neighbours": [3, 1]})]
)
def test_no_setting_is_tried_after_the_time_is_over(small, model, options):
    trained = train_classifier(
        asked(model, **options), with_texts(TRAIN), DEV, NO_VECTORS, Progress(enough=lambda: True)
    )
    assert [line["features"] for line in trained.curve] == [trained.chosen["features"]]


@needs_transformers
def test_a_model_of_other_weights_is_refused(small, tmp_path):
    classifier, _ = train_minilm_lr(TRAIN, DEV, lowercase=False, seed=1, costs=(1.0,), max_pieces=16)
    classifier.save(tmp_path)
    write_json(tmp_path / "sentences.json", read_json(tmp_path / "sentences.json") | {"encoder": "other"})
    with pytest.raises(InputError, match="was trained on vectors of a different encoder; train it again"):
        loader_of("minilm-lr")(tmp_path)


def test_nothing_to_choose_from_is_refused_before_the_encoder_is_looked_for(monkeypatch):
    monkeypatch.setattr(minilm, "published_encoder", None)
    with pytest.raises(ValueError, match=r"^costs is \[0\.0\]"):
        train_as_a_run("minilm-lr", TRAIN, DEV, costs=(0.0,))
    for wrong in ((), (3, 0)):
        with pytest.raises(ValueError, match=r"^neighbours is .*; allowed: one or more whole numbers >= 1$"):
            train_as_a_run("minilm-knn", TRAIN, DEV, neighbours=wrong)
