"""The folder of every model that the pipeline trains gives the same answers as the trained model."""

import random
from pathlib import Path

import numpy as np
import pytest

from probe.samples import VECTORS, write_samples
from probe.training import PRETRAINED, parameters_of
from retable.errors import InputError
from retable.models import MODELS, TRAINERS, is_seedless, minilm
from retable.models.sentence_encoder import Encoder
from retable.own.candidates import check_model
from retable.own.fit import fit
from retable.own.model import load
from retable.runs.predictions import read_predictions
from retable.text.splits import read_split
from retable.training.run import load_classifier, train_classifier
from retable.vectors.store import read_vectors
from tests.models.small_bert import needs_transformers, small_files

WORDS = ["a", "film", "and", "plot", "not", "the", ".", "it", "don't", "was", "3.5", "nice", "café", "story", "End"]


def of_texts_alone(model: str) -> bool:
    try:
        check_model(model)
    except InputError:
        return False
    return True


KNOWN = [pytest.param(name, marks=needs_transformers if name in PRETRAINED else ()) for name in (*MODELS, *TRAINERS)]
OWN = [each for each in KNOWN if of_texts_alone(each.values[0])]
OTHERS = [each for each in KNOWN if each not in OWN]  # read parts of speech, pairs or domains


def small_parameters(model: str, files: Path) -> dict[str, dict[str, object]]:
    """Return a model's preset, as small as in the probe; `files` contains a small BERT."""
    sections = parameters_of(model, {})
    if model in MODELS:
        sections["training"] |= {"epochs": 1, "batch_size": 20}
    if model == "bert-base":
        sections["model"] |= {"weights": str(files), "max_pieces": 12, "epochs": 1}
    return sections


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with texts of 1 to 40 words, cleaned and cut, and a small BERT."""
    folder, draw = tmp_path_factory.mktemp("every"), random.Random(3)
    lines = [
        f"{' '.join(draw.choices(WORDS, k=draw.choice((1, 3, 9, 40))))} {label}{number % 9}\t{label}"
        for number in range(20)
        for label in ("fine", "dull", "awful")
    ]
    (folder / "texts.tsv").write_text("\n".join(["text\tlabel", *lines]) + "\n", encoding="utf-8")
    write_samples(folder / "clean", folder / "tagged", folder / "vectors")
    return folder


@pytest.fixture(autouse=True)
def small(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every training a small one."""
    monkeypatch.setattr("retable.own.candidates.model_preset", lambda model: small_parameters(model, files))
    if needs_transformers.args == (False,):
        for name, content in small_files().items():
            (files / name).write_bytes(content)
        monkeypatch.setattr(minilm, "published_encoder", lambda max_pieces: Encoder(small_files(), max_pieces))


@pytest.mark.parametrize("model", OWN)
def test_a_model_folder_gives_the_answers_of_the_trained_model(model: str, files: Path, tmp_path: Path) -> None:
    fitted = fit(files / "texts.tsv", model=model, vectors="none", device="cpu", to=tmp_path / "model")
    _, ids, _, _, kept = read_predictions(tmp_path / "model/predictions.parquet")
    assert ids == fitted.corpus.test.ids
    assert np.ptp(kept, axis=0).max() > 1e-5  # the answers differ from text to text
    texts = fitted.corpus.test.texts.to_pylist()
    again = load(tmp_path / "model", device="cpu")
    np.testing.assert_allclose(again.probabilities(texts), kept, atol=1e-6)
    assert [each.label for each in again.predict(texts)] == [again.labels[place] for place in kept.argmax(axis=1)]
    np.testing.assert_allclose(again.probabilities(texts[:1]), kept[:1], atol=1e-5)  # alone


@pytest.mark.parametrize("model", OTHERS)
def test_what_reads_more_than_texts_is_read_back_with_its_answers(model: str, files: Path, tmp_path: Path) -> None:
    parameters = small_parameters(model, files)
    train, dev, test = (
        read_split(files / "tagged" / parameters["corpus"]["name"], split) for split in ("train", "dev", "test")
    )
    classifier = train_classifier(parameters, train, dev, read_vectors(files / "vectors" / VECTORS)).classifier
    answers = classifier.probabilities(test)
    assert np.ptp(answers, axis=0).max() > 1e-5
    classifier.save(tmp_path)
    assert np.array_equal(load_classifier(parameters, tmp_path, test.facts).probabilities(test), answers)


@pytest.mark.parametrize("model", [each for each in KNOWN if each.values[0] in TRAINERS])
def test_another_seed_changes_the_answers_of_just_those_that_draw_numbers(model: str, files: Path) -> None:
    parameters = small_parameters(model, files)
    train, dev, test = (
        read_split(files / "tagged" / parameters["corpus"]["name"], split) for split in ("train", "dev", "test")
    )
    vectors = read_vectors(files / "vectors" / VECTORS)
    one, other = (
        train_classifier(parameters | {"seed": seed}, train, dev, vectors).classifier.probabilities(test)
        for seed in (1, 2)
    )
    assert np.allclose(one, other, atol=1e-3) == is_seedless(model)
