"""The probabilities of a linear model stay below 1 where dev is answered without an error."""

import random
from pathlib import Path

import numpy as np
import pytest

from retable.models.linear import fitted_scale
from retable.own.calibration import smoothed_scale
from retable.own.fit import fit


@pytest.mark.parametrize("texts", [1, 20, 1000])
def test_a_scale_without_errors_has_half_an_error_by_hand(texts: int) -> None:
    scores, classes = np.tile([[-1.0, 1.0]], (texts, 1)), np.ones(texts, np.int64)
    error = 0.5 / (texts + 1)
    assert smoothed_scale(scores, classes) == pytest.approx(np.log((1 - error) / error) / 2, rel=1e-3)
    assert fitted_scale(scores, classes) > 7  # e^2: as certain as floats are


def test_the_half_error_goes_to_the_most_probable_other_label() -> None:
    """Spread over many labels it pulled the scale down where the far ones are never answered."""
    near, far = np.tile([[0.0, 1.0]], (20, 1)), np.full((20, 30), -50.0)
    classes = np.ones(20, np.int64)
    assert smoothed_scale(np.hstack([near, far]), classes) == pytest.approx(smoothed_scale(near, classes), rel=1e-3)


def test_many_dev_texts_with_errors_keep_their_scale() -> None:
    draw = np.random.default_rng(1)
    classes = draw.integers(0, 2, 5000)
    scores = draw.normal(size=(5000, 2)) + np.eye(2)[classes]
    assert smoothed_scale(scores, classes) == pytest.approx(fitted_scale(scores, classes), rel=1e-3)


@pytest.mark.parametrize("model", ["tfidf-svm", "nb-svm", "naive-bayes"])
def test_no_text_gets_a_probability_of_one(model: str, tmp_path: Path) -> None:
    """Every text got exactly 1.0, a sentence of unknown words among them."""
    draw = random.Random(2)
    rows = [f"{' '.join(draw.choices('abcdefghij', k=9))} {word},{word}" for word in ("yes", "no") for _ in range(60)]
    (tmp_path / "votes.csv").write_text("\n".join(["text,label", *rows]) + "\n", encoding="utf-8")
    found = fit(tmp_path / "votes.csv", model=model).model
    answers = found.predict(["b a d c f e h g yes", "c d a b e f j i no", "d e f g h"])
    assert [answer.label for answer in answers][:2] == ["yes", "no"]
    assert all(0.5 <= answer.probability < 0.9999 for answer in answers)
