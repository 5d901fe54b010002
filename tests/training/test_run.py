from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import torch

from retable.errors import InputError
from retable.files import read_json
from retable.layers.network import Network, Task
from retable.text.vocabulary import Vocabulary
from retable.training.network import build_network, choose_device, first_vectors
from retable.training.options import Progress
from retable.training.run import load_classifier, peak_memory, train_classifier
from retable.vectors.store import NO_VECTORS, WordVectors

VECTORS = WordVectors(["fine", "awful", "unseen"], np.arange(12, dtype=np.float32).reshape(3, 4), {"name": "made-up"})


def parameters(model, **embedding):
    network = {
        "vectors": "none", "unit": "words", "size": 8, "tune": True, "min_count": 1, "lowercase": True, "spread": 0.5,
    }  # fmt: skip
    training = {
        "optimiser": "adam", "learning_rate": 0.05, "schedule": "constant", "epochs": 10, "epochs_max": 40,
        "batch_size": 10, "weight_decay": 0.0, "patience": 3, "clip": 0.0, "heads": "shared", "max_words": 0,
    }  # fmt: skip
    linear = model["name"] in ("tfidf-svm", "nb-svm")
    return {
        "corpus": {"name": "made-up"}, "model": model,
        "embedding": ({"vectors": "none", "unit": "words", "lowercase": True} if linear else network) | embedding,
        "training": {} if linear else training, "seed": 1, "device": "cpu", "precision": "float32",
    }  # fmt: skip


MODELS = [
    {"name": "avg-embedding", "dropout": 0.1},
    {"name": "transformer-f", "layers": 1, "size": 8},
    {"name": "tfidf-svm", "features": ["words-1"], "costs": [1.0]},
]


def with_parts(split):
    """Opinions are adjectives, all other words nouns."""
    adjectives = ("fine", "great", "lovely", "awful", "poor", "dull")
    parts = [["ADJ" if word in adjectives else "DET" for word in words] for words in split.tokens.to_pylist()]
    return replace(split, parts=pa.array(parts, pa.list_(pa.string())))


@pytest.fixture
def opinions(opinions):
    return [with_parts(split) for split in opinions]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model["name"])
def test_a_trained_model_is_read_back_with_the_same_answers_and_its_cost_is_told(opinions, model, tmp_path):
    train, dev = opinions
    trained = train_classifier(parameters(model), train, dev, NO_VECTORS)
    answers = trained.classifier.probabilities(dev)
    assert (answers.argmax(axis=1) == dev.classes).mean() >= 0.8
    trained.classifier.save(tmp_path)
    again = load_classifier(parameters(model), tmp_path, dev.facts)
    assert np.array_equal(again.probabilities(dev), answers)
    assert set(trained.cost) == {
        "parameters", "parameters_tuned_words", "flops_per_word", "seconds_per_epoch", "words_per_second", "seconds",
        "peak_memory_mb", "device", "threads",
    }  # fmt: skip
    words = trained.cost["words_per_second"] * trained.cost["seconds_per_epoch"]
    assert words == pytest.approx(len(train.tokens.flatten()))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model["name"])
def test_characters_are_read_trained_on_counted_and_survive_saving(opinions, model, tmp_path):
    train, dev = opinions
    asked = parameters(model, unit="characters")
    trained = train_classifier(asked, train, dev, NO_VECTORS)
    characters = sum(len(word) for word in train.tokens.flatten().to_pylist())
    assert trained.cost["words_per_second"] * trained.cost["seconds_per_epoch"] == pytest.approx(characters)
    answers = trained.classifier.probabilities(dev)
    trained.classifier.save(tmp_path)
    assert np.array_equal(load_classifier(asked, tmp_path, dev.facts).probabilities(dev), answers)
    known = read_json(tmp_path / "vocabulary.json")
    assert all(len(word) == 1 for word in known.get("words", [])[2:])
    assert all(len(part) == 1 for ngram in known.get("ngrams", []) for part in ngram.split(" "))


def test_parts_of_speech_reach_the_network(opinions):
    train, dev = opinions
    trained = train_classifier(parameters(MODELS[1]), train, dev, NO_VECTORS)
    assert trained.classifier.vocabulary.parts == ["<unknown>", "ADJ", "DET"]
    other = replace(dev, parts=pa.array([["ADJ"] * len(words) for words in dev.tokens.to_pylist()]))
    assert not np.allclose(trained.classifier.probabilities(dev), trained.classifier.probabilities(other))


def test_a_corpus_tagged_without_parts_is_refused_before_training(opinions):
    train, dev = (replace(split, parts=None) for split in opinions)
    with pytest.raises(InputError, match=r"set corpora\.made-up\.parts to context or table"):
        train_classifier(parameters(MODELS[1]), train, dev, NO_VECTORS)
    train_classifier(parameters(MODELS[0]), train, dev, NO_VECTORS)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (MODELS[0] | {"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        (MODELS[2] | {"costs": [0.0]}, "costs is [0.0]; allowed: one or more numbers above 0"),
    ],
)
def test_an_option_outside_its_declared_range_is_refused_before_training(opinions, model, sentence, monkeypatch):
    monkeypatch.setattr("retable.models.linear.choose", None)  # no candidate is tried
    monkeypatch.setattr("retable.training.network.fit", None)
    with pytest.raises(ValueError) as error:
        train_classifier(parameters(model), *opinions, NO_VECTORS)
    assert str(error.value) == sentence


def test_vectors_of_another_unit_are_refused(opinions):
    train, dev = opinions
    asked = parameters(MODELS[0], vectors="made-up", unit="characters")
    with pytest.raises(InputError, match=r"unit is characters, but the vectors made-up are of words"):
        train_classifier(asked, train, dev, replace(VECTORS, facts={"name": "made-up", "unit": "words"}))


def test_given_vectors_stay_where_they_are_not_tuned(opinions):
    train, dev = opinions
    trained = train_classifier(parameters(MODELS[0], vectors="made-up", tune=False), train, dev, VECTORS)
    network = trained.classifier.network
    row = trained.classifier.vocabulary.words.index("awful")
    assert network.embedding.fixed[row].tolist() == [4, 5, 6, 7]
    assert trained.cost["parameters_tuned_words"] == 0


def test_first_vectors_are_the_given_ones_and_the_rest_is_random():
    rows = first_vectors(Vocabulary(["<padding>", "<unknown>", "plot", "awful"], 4, True), VECTORS, size=9, spread=0.1)
    assert rows.shape == (4, 4)
    assert rows[3].tolist() == [4, 5, 6, 7]
    assert rows[2].abs().max() < 1


def test_a_gpu_that_is_not_there_is_refused():
    import torch

    if torch.cuda.is_available():
        assert choose_device("auto").type == "cuda"
    else:
        with pytest.raises(InputError, match="torch sees no GPU"):
            choose_device("cuda")


def test_float32_is_not_rounded_and_the_callers_choice_comes_back(opinions, monkeypatch):
    train, dev = opinions
    seen = []

    def note(line):
        seen.append(torch.backends.cudnn.allow_tf32)

    monkeypatch.setattr("torch.backends.cudnn.allow_tf32", True)
    classifier = train_classifier(parameters(MODELS[0]), train, dev, NO_VECTORS, Progress(on_line=note)).classifier
    assert seen
    assert not any(seen)
    assert torch.backends.cudnn.allow_tf32
    classifier.network.register_forward_pre_hook(lambda *_: note(None))
    classifier.probabilities(dev)
    assert not any(seen)
    assert torch.backends.cudnn.allow_tf32


def test_memory_of_a_gpu_has_a_name_of_its_own(monkeypatch):
    monkeypatch.setattr("torch.cuda.max_memory_allocated", lambda device: 3e6)
    assert peak_memory(torch.device("cuda")) == {"peak_gpu_memory_mb": 3.0}
    assert peak_memory(torch.device("cpu")).keys() == {"peak_memory_mb"}


def test_a_model_that_does_not_count_its_operations_is_refused_before_it_is_trained(monkeypatch):
    monkeypatch.setattr("retable.models.avg_embedding.AvgEmbedding.flops_per_word", Network.flops_per_word)
    model = {"name": "avg-embedding", "dropout": 0.1}
    with pytest.raises(InputError, match=r"\(avg-embedding\) does not define the cost of a word"):
        build_network(model, Task(("no", "yes")), torch.zeros(4, 3), tuned=0)
    monkeypatch.setattr("retable.models.avg_embedding.AvgEmbedding.flops_per_word", lambda self, words: self.nothing)
    for domains in ((), ("books", "films")):
        with pytest.raises(AttributeError, match="nothing"):
            build_network(model, Task(("no", "yes"), domains), torch.zeros(4, 3), tuned=0)
