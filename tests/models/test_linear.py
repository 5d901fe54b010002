import resource

import numpy as np
import pytest
from scipy import sparse

from retable.models.linear import (
    features_in_unit,
    fitted_scale,
    load_linear,
    log_count_ratio,
    ngram_counter,
    train_nb_svm,
    train_tfidf_svm,
    weigh,
    write_weights,
)
from tests.models.declared import train_as_a_run
from tests.training.conftest import make_split

GOOD = ["a fine film", "fine and lovely", "not dull , lovely", "great fun", "lovely great film", "fine fun"]
BAD = ["a dull film", "dull and awful", "not fine , awful", "poor plot", "awful poor film", "dull plot"]
TRAIN = make_split(GOOD + BAD, [1] * 6 + [0] * 6)
DEV = make_split(["a lovely film", "an awful plot", "great and fine", "poor and Dull"], [1, 0, 1, 0])


def test_tfidf_weights_by_hand():
    counts = sparse.csr_matrix(np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 1.0]], np.float32))
    x = weigh(counts, "tfidf", np.array([2.0, 1.0, 3.0], np.float32)).toarray()
    first = np.array([(1 + np.log(2)) * 2, 1.0, 0.0])
    assert x[0] == pytest.approx(first / np.linalg.norm(first))
    assert x[1] == pytest.approx(np.array([0, 1, 3]) / np.sqrt(10))


def test_binary_weights_count_an_ngram_once():
    counts = sparse.csr_matrix(np.array([[2.0, 0.0, 5.0]], np.float32))
    assert weigh(counts, "binary", np.ones(3, np.float32)).toarray().tolist() == [[1, 0, 1]]


def test_log_count_ratio_by_hand():  # Wang and Manning eq. 2, smoothing 1
    x = sparse.csr_matrix(np.array([[1, 0], [1, 1], [0, 1]], np.float32))
    ratio = log_count_ratio(x, np.array([1, 1, 0]))
    p, q = np.array([3, 2]), np.array([1, 2])
    assert ratio == pytest.approx(np.log((p / 5) / (q / 3)), rel=1e-6)


def test_word_and_character_ngrams():
    words = ngram_counter("words-2", "words").fit(["do n't go"]).get_feature_names_out()
    assert sorted(words) == ["do", "do n't", "go", "n't", "n't go"]
    assert " go" in ngram_counter("characters-4", "words").fit(["go"]).get_feature_names_out()


def test_with_characters_as_the_unit_ngrams_cross_words_and_are_tried_once(tmp_path):
    assert features_in_unit(["words-1", "characters-4", "words-4", "words-2"], "characters") == [
        "characters-1", "characters-4", "characters-2",
    ]  # fmt: skip
    chinese = make_split(["真 的", "不 真", "真的 好", "不 好 的"] * 3, [1, 0, 1, 0] * 3)
    classifier, tried = train_tfidf_svm(
        chinese, chinese, lowercase=True, seed=1, unit="characters", features=("words-2", "words-2")
    )
    assert [candidate.features for candidate in tried] == ["characters-2"] * 4
    assert {"真", "真 的", "的 好"} <= set(classifier.ngrams)
    classifier.save(tmp_path)
    answers = classifier.probabilities(chinese)
    assert (answers.argmax(axis=1) == chinese.classes).all()
    assert np.array_equal(load_linear(tmp_path).probabilities(chinese), answers)
    assert classifier.cost_facts(3.0)["flops_per_word"] == 2 * 2 * 2


def test_scale_makes_the_dev_answers_most_likely():
    scores = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, -1.0]])
    classes = np.array([0, 1, 0, 1])  # three of four are right: softmax(2 * scale) = 3/4
    assert fitted_scale(scores, classes) == pytest.approx(np.log(3) / 2, abs=1e-3)


@pytest.mark.parametrize("trainer", [train_tfidf_svm, train_nb_svm])
def test_it_learns_chooses_on_dev_and_survives_saving(trainer, tmp_path):
    classifier, tried = trainer(TRAIN, DEV, lowercase=True, seed=1)
    probabilities = classifier.probabilities(DEV)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(4))
    accuracy = (probabilities.argmax(axis=1) == DEV.classes).mean()
    assert accuracy == max(candidate.dev_accuracy for candidate in tried) >= 0.75
    classifier.save(tmp_path)
    assert np.array_equal(load_linear(tmp_path).probabilities(DEV), probabilities)
    assert classifier.cost_facts(3.0)["parameters"] == classifier.weights.size + 2


@pytest.mark.parametrize("trainer", [train_tfidf_svm, train_nb_svm])
def test_three_classes(trainer):
    texts = ["red apple", "red cherry", "green pear", "green leaf", "blue sea", "blue sky"] * 3
    split = make_split(texts, [0, 0, 1, 1, 2, 2] * 3, ("red", "green", "blue"))
    classifier, _ = trainer(split, split, lowercase=True, seed=1, features=("words-1",))
    assert (classifier.probabilities(split).argmax(axis=1) == split.classes).all()
    assert classifier.weights.shape[0] == 3


def test_two_classes_have_mirrored_weights():
    for trainer in (train_tfidf_svm, train_nb_svm):
        classifier, _ = trainer(TRAIN, DEV, lowercase=True, seed=1)
        assert np.array_equal(classifier.weights[0], -classifier.weights[1])
        assert classifier.bias[0] == -classifier.bias[1]


def test_the_tfidf_row_agrees_with_scikit_learns_own_pipeline():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    own, _ = train_tfidf_svm(TRAIN, DEV, lowercase=True, seed=1, features=("words-1",), costs=(1.0,))
    theirs = make_pipeline(
        TfidfVectorizer(tokenizer=str.split, token_pattern=None, sublinear_tf=True),
        LinearSVC(C=1.0, dual=True, random_state=1),
    )
    theirs.fit(GOOD + BAD, TRAIN.classes)
    texts = ["a lovely film", "an awful plot", "great and fine", "poor and dull"]
    assert own.scale * own.weights[1].sum() != 0
    expected = theirs.decision_function(texts)
    logits = np.log(own.probabilities(DEV))
    assert (logits[:, 1] - logits[:, 0]) / (2 * own.scale) == pytest.approx(expected, abs=1e-3)


def test_nothing_to_choose_from_is_refused():
    with pytest.raises(ValueError, match=r"^features is \['words-9'\]"):
        train_as_a_run("tfidf-svm", TRAIN, DEV, features=("words-9",))
    with pytest.raises(ValueError, match=r"^costs is \[\]"):
        train_as_a_run("tfidf-svm", TRAIN, DEV, costs=())
    with pytest.raises(ValueError, match=r"^beta is 2"):
        train_as_a_run("nb-svm", TRAIN, DEV, beta=2)


def test_a_refused_write_of_weights_is_an_error_of_the_system_and_leaves_nothing(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"weights\.safetensors|large"):  # a command turns this into a sentence
            write_weights(tmp_path, {"weights": np.zeros(5000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())
