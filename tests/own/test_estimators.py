"""scikit-learn's tools accept the classifier as one of their own."""

import os
import random
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

import retable
from retable.errors import InputError
from retable.own.estimators import Classifier

WORDS = {0: ["fine", "great", "lovely", "superb"], 7: ["poor", "awful", "dull", "dreary"]}


def texts_and_labels(count: int = 120) -> tuple[list[str], list[int]]:
    draw = random.Random(4)
    rows = [
        (" ".join([*draw.choices("abcdefghij", k=9), draw.choice(words)]), label)
        for _ in range(count // 2)
        for label, words in WORDS.items()
    ]
    return [text for text, _ in rows], [label for _, label in rows]


@pytest.fixture(scope="module")
def fitted() -> Classifier:
    return Classifier("naive-bayes").fit(*texts_and_labels())


def test_it_answers_with_the_labels_that_it_was_given(fitted: Classifier) -> None:
    assert retable.Classifier is Classifier
    assert fitted.classes_.tolist() == [0, 7]
    assert fitted.predict(["a b superb", "c d dreary"]).tolist() == [0, 7]
    rows = fitted.predict_proba(["a b superb", "c d dreary"])
    np.testing.assert_allclose(rows, fitted.model_.probabilities(["a b superb", "c d dreary"]))
    np.testing.assert_allclose(rows.sum(axis=1), 1)


def test_columns_are_those_of_the_sorted_numbers_not_of_their_names() -> None:
    texts, labels = texts_and_labels()
    fitted = Classifier("naive-bayes").fit(texts, [{0: 9, 7: 10}[label] for label in labels])  # "10" < "9"
    assert fitted.classes_.tolist() == [9, 10]
    assert fitted.predict(["a superb", "a dreary"]).tolist() == [9, 10]


def test_a_text_with_nothing_in_it_gets_the_shares_of_the_labels() -> None:
    texts, labels = texts_and_labels(60)
    more = [f"superb number {place}" for place in range(30)]
    fitted = Classifier("naive-bayes").fit(texts + more, [str(label) for label in labels] + ["0"] * 30)
    assert fitted.predict_proba([" "]).tolist() == [[60 / 90, 30 / 90]]


@pytest.mark.parametrize("model", ["textcnn", "tfidf-svm"])
def test_every_kind_of_model_learns_in_memory(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    texts, labels = texts_and_labels()
    found = Classifier(model, vectors="none", budget=20, device="cpu").fit(texts, labels)
    assert found.score(texts, labels) >= 0.9
    assert os.listdir() == []
    assert capsys.readouterr().err == ""


def test_the_tools_of_scikit_learn_take_it() -> None:
    texts, labels = texts_and_labels()
    asked = Pipeline(
        [("lower", FunctionTransformer(lambda each: [text.lower() for text in each])), ("own", Classifier())]
    )
    search = GridSearchCV(asked, {"own__model": ["naive-bayes", "tfidf-svm"]}, cv=2, error_score="raise")
    assert search.fit([text.upper() for text in texts], labels).best_score_ == 1.0
    assert clone(Classifier("lda", seed=3)).get_params()["seed"] == 3
    assert cross_val_score(Classifier("naive-bayes"), texts, labels, cv=3, error_score="raise").tolist() == [1, 1, 1]
    wrong = [labels[place] if place % 4 < 2 else 7 - labels[place] for place in range(len(labels))]
    assert cross_val_score(Classifier("naive-bayes"), texts, wrong, cv=3, error_score="raise").mean() < 0.8


# Checks of scikit-learn that pass the estimator tables of numbers, which are not texts.
OF_NUMBERS = {
    "check_fit_score_takes_y", "check_estimators_overwrite_params", "check_dont_overwrite_parameters",
    "check_estimators_fit_returns_self", "check_readonly_memmap_input", "check_estimators_unfitted",
    "check_n_features_in_after_fitting", "check_positive_only_tag_during_fit",
}  # fmt: skip
OF_ANY_KIND = {
    "check_estimator_cloneable", "check_estimator_tags_renamed", "check_valid_tag_types", "check_estimator_repr",
    "check_no_attributes_set_in_init", "check_do_not_raise_errors_in_init_or_set_params", "check_mixin_order",
}  # fmt: skip


def test_no_check_of_its_interface_is_left_out() -> None:
    asked = {"check_estimator_cloneable", *(each.__name__ for each in estimator_checks._yield_api_checks(Classifier()))}
    assert asked == OF_NUMBERS | OF_ANY_KIND


@pytest.mark.parametrize("check", sorted(OF_ANY_KIND))
def test_it_passes_the_checks_of_scikit_learn(check: str) -> None:
    getattr(estimator_checks, check)("Classifier", Classifier())


@pytest.mark.parametrize(
    ("texts", "labels", "sentence"),
    [
        ("one text", [1], "a single text was given"),
        ([1, 2], [1, 2], "text 0 is 1, which is not a text"),
        (["a"], [1, 2], "X has 1 text and y 2 labels"),
        (["a"], [[1]], "the labels have 2 dimensions"),
        (["a", "b"], ["x", None], "label 1 is None"),
        (["a", "b"], [1.0, float("nan")], "label 1 is nan"),
        (["a", "b"], ["x", "y"], "has 2 texts; allowed: 20 or more"),
    ],
)
def test_what_cannot_be_learnt_from_in_memory_is_refused(texts: object, labels: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Classifier().fit(texts, labels)  # type: ignore[arg-type]


def test_one_that_has_learnt_nothing_says_so() -> None:
    with pytest.raises(NotFittedError):
        Classifier().predict(["a"])
    with pytest.raises(InputError, match='did you mean "textcnn"'):
        Classifier("textcn").fit(*texts_and_labels())
