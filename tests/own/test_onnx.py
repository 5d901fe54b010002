"""A network exported to ONNX gives the answers of its model folder; unsupported ones are refused without leftovers."""

import json
import random
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from probe.training import parameters_of
from retable.commands import onnx as command
from retable.errors import InputError
from retable.models import network_class
from retable.own.fit import fit
from retable.own.model import Model, load
from retable.own.onnx import write_onnx

needs_onnx = pytest.mark.skipif(find_spec("onnxruntime") is None, reason="pip install -e '.[onnx]'")
TEXTS = ["a fine film", "Don't !", "a dull story and a dull film, again and again and once more", "a dull film " * 90]


def fitted(model: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("retable.own.candidates.model_preset", lambda name: parameters_of(name, {}))
    draw = random.Random(3)
    lines = [f"{' '.join(draw.choices('abcdefghij', k=9))} {word}\t{word}" for word in ("yes", "no") for _ in range(30)]
    (folder / "texts.tsv").write_text("\n".join(["text\tlabel", *lines]) + "\n", encoding="utf-8")
    return fit(folder / "texts.tsv", model=model, vectors="none", device="cpu", budget=0.01).folder


def rows_of(folder: Path, model: Model, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return words and mask, as docs/your-own-texts.md describes."""
    vocabulary = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
    row = {word: place for place, word in enumerate(vocabulary["words"])}
    units = list if network_class(model.stored.parameters["model"]["name"]).alphabet else model.words
    cut = [[row.get(unit.lower(), 1) for unit in units(text.strip())] for text in texts]
    words = np.zeros((len(cut), max(map(len, cut))), np.int64)
    for place, each in enumerate(cut):
        words[place, : len(each)] = each
    return words, words != 0


@needs_onnx
@pytest.mark.parametrize("model", ["avg-embedding", "bilstm", "textcnn", "transformer", "char-cnn", "word-cnn"])
def test_onnx_answers_as_the_model_folder(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    folder = fitted(model, tmp_path, monkeypatch)
    command.main([str(folder)])
    session = onnxruntime.InferenceSession(tmp_path / "texts-model.onnx", providers=["CPUExecutionProvider"])
    kept = load(folder, device="cpu")
    words, mask = rows_of(folder, kept, TEXTS)
    asked = {each.name for each in session.get_inputs()}
    given = {name: value for name, value in (("words", words), ("mask", mask)) if name in asked}
    found = session.run(["probabilities"], given)[0]
    np.testing.assert_allclose(found, kept.probabilities(TEXTS), atol=1e-5)
    assert np.ptp(found, axis=0).max() > 1e-4
    assert json.loads(session.get_modelmeta().custom_metadata_map["labels"]) == list(kept.labels)


@needs_onnx
@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("fasttext", "its probabilities differed from torch's by 0.[0-9]+"),
        ("vampire", "embedding_bag with padding_idx"),
    ],
)
def test_what_onnx_cannot_say_is_refused(
    model: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fitted(model, tmp_path, monkeypatch)
    with pytest.raises(InputError, match=f"{model} cannot be written as ONNX.*{sentence}"):
        write_onnx(load(folder, device="cpu"), tmp_path / "model.onnx")
    assert not list(tmp_path.glob("*.onnx*"))


def test_a_linear_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fitted("naive-bayes", tmp_path, monkeypatch)
    with pytest.raises(InputError, match="naive-bayes cannot be written as ONNX: it is not a network"):
        write_onnx(load(folder), tmp_path / "model.onnx")
