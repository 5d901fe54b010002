"""Fit a model on texts and keep it in a folder; unusable input is refused before training."""

import json
import random
import re
from datetime import date
from pathlib import Path

import pytest

import retable
from retable.declaration import Example
from retable.errors import InputError
from retable.models import is_floor
from retable.own.candidates import check_model
from retable.own.card import corpus_lines
from retable.own.corpus import own_corpus
from retable.own.fit import Fitted, fit
from retable.own.language import language_of
from retable.own.model import load
from retable.own.reading import labelled_texts

WORDS = {"good": ["fine", "great", "lovely", "superb", "splendid"], "bad": ["poor", "awful", "dull", "dreary", "dire"]}
FILLERS = [
    "the", "film", "and", "its", "story", "was", "so", "very", "much", "that", "we", "said", "again", "of",
    "this", "actor", "with", "an", "old", "song"
]  # fmt: skip


def sentences(count: int) -> list[tuple[str, str]]:
    """Return texts that a linear model can separate, all different."""
    draw = random.Random(1)
    return [
        (" ".join([*draw.choices(FILLERS, k=8), draw.choice(WORDS[label]), *draw.choices(FILLERS, k=3)]), label)
        for _ in range(count // 2)
        for label in WORDS
    ]


def write(path: Path, rows: list[tuple[str, str]]) -> Path:
    path.write_text(
        "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows), encoding="utf-8"
    )
    return path


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("own") / "films.jsonl", sentences(200))


@pytest.fixture(scope="module")
def fitted(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Fitted:
    return fit(texts, model="tfidf-svm", to=tmp_path_factory.mktemp("models") / "model")


def test_a_linear_model_learns_words_and_its_card_says_how_well(fitted: Fitted) -> None:
    assert fitted.scores["accuracy"] == 1.0
    card = (fitted.folder / "README.md").read_text(encoding="utf-8")
    assert "tfidf-svm classifies 100.0 (83.9 to 100.0) % of 20 test texts correctly" in card  # Wilson's interval
    assert re.search(r"^numpy [\d.]+, .*torch [\d.]+", card, re.MULTILINE)
    assert [answer.label for answer in fitted.model.predict(["a superb film", "an awful film"])] == ["good", "bad"]


def test_texts_with_nothing_in_them_get_no_label(fitted: Fitted) -> None:
    answers = fitted.model.predict(["", "a superb film", " \u200b\n"])
    assert [answer.label for answer in answers] == [None, "good", None]
    assert fitted.model.predict([]) == []
    assert fitted.model.explain(" ") == []


@pytest.mark.parametrize(
    ("given", "sentence"), [("too loud", "a single text was given; give a list"), (["good", None], "text 1 is None")]
)
def test_what_is_no_list_of_texts_is_not_answered(given: object, sentence: str, fitted: Fitted) -> None:
    """A single text was answered letter by letter, and None with a traceback."""
    for ask in (fitted.model.predict, fitted.model.probabilities):
        with pytest.raises(InputError, match=sentence):
            ask(given)  # type: ignore[arg-type]


def test_the_word_that_decides_weighs_most(fitted: Fitted) -> None:
    weights = fitted.model.explain("the story was superb again")
    assert [each.word for each in weights] == ["the", "story", "was", "superb", "again"]
    assert max(weights, key=lambda each: each.weight).word == "superb"


def test_auto_tries_linear_models_first_and_stops_at_its_budget(texts: Path, tmp_path: Path) -> None:
    found = fit(texts, budget=0.001, to=tmp_path / "model")
    assert [each.model for each in found.tried] == ["tfidf-svm"]
    assert found.left_out == ["nb-svm", "fasttext", "textcnn", "fcsr", "bilstm"]
    assert found.against is None


def test_a_linear_search_ends_where_its_budget_does_and_says_so(texts: Path, tmp_path: Path) -> None:
    for budget, settings, said in ((0.001, 1, True), (60, 12, False)):
        found = fit(texts, model="tfidf-svm", budget=budget, to=tmp_path / str(budget))
        assert len(found.tried[0].trained.curve) == settings
        card = (tmp_path / str(budget) / "README.md").read_text(encoding="utf-8")
        assert ("stopped by the budget" in card) is said


def test_a_network_that_the_budget_ends_says_so(texts: Path, tmp_path: Path) -> None:
    found = fit(texts, model="textcnn", budget=0.001, vectors="none", device="cpu", to=tmp_path / "model")
    assert found.tried[0].trained.epochs["run"] == 1
    assert "stopped by the budget" in (tmp_path / "model/README.md").read_text(encoding="utf-8")


def test_networks_learn_from_texts_in_which_no_word_repeats(tmp_path: Path) -> None:
    """The linear models were lost: the training of word vectors refused a temporary file, in the middle of `fit`."""
    draw = random.Random(1)
    rows = [("".join(draw.choices("abcdefghijklm", k=9)), label) for _ in range(40) for label in WORDS]
    found = fit(write(tmp_path / "names.jsonl", rows), model="textcnn", budget=0.001, device="cpu")
    card = (found.folder / "README.md").read_text(encoding="utf-8")
    assert "Networks started from random word vectors: no word occurs twice in the training texts." in card


def test_the_best_of_both_kinds_meet_on_the_test_texts(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retable.own.candidates.TRIED", ("tfidf-svm", "fasttext", "textcnn"))
    found = fit(texts, budget=60, vectors="none", device="cpu", to=tmp_path / "model")
    assert [is_floor(each.model) for each in found.tried] == [True, True, False]
    assert found.against is not None
    assert {found.chosen.model, found.against.rival.model} == {"tfidf-svm", "textcnn"}  # the first of equals
    difference = found.scores["accuracy"] - found.against.accuracy
    assert found.against.comparison.value == pytest.approx(difference)


def test_the_package_offers_fit_and_load(fitted: Fitted) -> None:
    assert retable.fit is fit
    assert retable.load(fitted.folder).labels == ("bad", "good")
    with pytest.raises(AttributeError, match="fitt"):
        retable.fitt  # noqa: B018


def damaged(folder: Path) -> None:
    path = folder / "weights.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\0")


def without_weights(folder: Path) -> None:
    (folder / "weights.safetensors").unlink()


def newer(folder: Path) -> None:
    path = folder / "model.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"format": 3', '"format": 99'), encoding="utf-8")


def older(folder: Path) -> None:
    path = folder / "model.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"format": 3', '"format": 1'), encoding="utf-8")


def no_json(folder: Path) -> None:
    (folder / "model.json").write_text("{", encoding="utf-8")


def other_json(folder: Path) -> None:
    (folder / "model.json").write_text("[]", encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (damaged, "weights.safetensors is damaged"),
        (without_weights, "weights.safetensors is missing"),
        (newer, "has format 99, written by retable"),
        (older, "has format 1, of an older retable"),
        (no_json, "model.json is not valid JSON"),
        (other_json, "model.json contains \\[\\], not an object"),
    ],
)
def test_a_folder_that_is_not_as_it_was_written_is_refused(change, sentence: str, texts: Path, tmp_path: Path) -> None:
    folder = fit(texts, model="naive-bayes", to=tmp_path / "model").folder
    change(folder)
    with pytest.raises(InputError, match=sentence):
        load(folder)


def test_only_a_model_folder_is_written_over(texts: Path, tmp_path: Path) -> None:
    said = [fit(texts, model="naive-bayes", to=tmp_path / "model").replaced for _ in range(2)]
    assert said == ["", f"the model of {date.today()}, naive-bayes, of films.jsonl"]
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd/model.json").write_text("{}", encoding="utf-8")
    assert fit(texts, model="naive-bayes", to=tmp_path / "odd").replaced == f"a damaged model of {date.today()}"
    (tmp_path / "model/thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"model contains thesis\.txt, which is not of its model"):
        fit(texts, model="naive-bayes", to=tmp_path / "model")
    assert (tmp_path / "model/thesis.txt").exists()
    (tmp_path / "model/model.json").write_text('{"sha256": 5}', encoding="utf-8")
    with pytest.raises(InputError, match="which is not of its model"):
        fit(texts, model="naive-bayes", to=tmp_path / "model")
    (tmp_path / "thesis").mkdir()
    with pytest.raises(InputError, match="thesis exists and is not a model folder"):
        fit(texts, model="naive-bayes", to=tmp_path / "thesis")
    with pytest.raises(InputError, match=r"films-model cannot be created: .*films\.jsonl is not a writable folder"):
        fit(texts, model="naive-bayes", to=texts / "films-model")
    with pytest.raises(InputError, match="nowhere is not a model folder"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize(("letter", "most"), [("m", 236), ("文", 78)])  # a name has 255 bytes, half-written 19 more
def test_a_name_too_long_for_a_half_written_model_is_refused_before_any_training(
    letter: str, most: int, texts: Path, tmp_path: Path
) -> None:
    for _ in range(2):
        assert fit(texts, model="naive-bayes", to=tmp_path / (letter * most)).folder.is_dir()
    for length in (most + 1, 300):
        with pytest.raises(InputError, match=r"which is too long; allowed: a name of 236 bytes; choose another"):
            fit(texts, model="no model, so the name comes first", to=tmp_path / (letter * length))


@pytest.mark.parametrize("seed", [-1, 2**32, True, 1.5])
def test_a_seed_that_is_none_is_refused_before_any_training(seed, texts: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"the seed is {seed}; allowed: a whole number from 0 to 4294967295"):
        fit(texts, model="naive-bayes", seed=seed, to=tmp_path / "model")


def examples(rows: list[tuple[str, str]], split: str = "all") -> list[Example]:
    return [Example(f"films/{number}", split, text, label) for number, (text, label) in enumerate(rows)]


FEW = sentences(18)
REFUSED = {
    "few": (FEW, [], "has 18 texts; allowed: 20 or more"),
    "copies": (FEW + FEW, [], r"has 18 texts \(18 empty or repeated ones are left out\)"),
    "one label": ([(text, "good") for text, _ in sentences(40)], [], 'has only one label, "good"'),
    "one text": ([*sentences(40), ("odd", "rare")], [], '1 text of the label "rare".*`retable fit --drop-rare` does'),
    "all empty": ([(" \n", label) for label in ("a", "b") * 20], [], "has 0 texts"),
    "unseen": (
        sentences(40),
        [("new", "other")],
        'test text films/0 has the label "other", which no training text has',
    ),
    "empty test": (sentences(40), [("", "good")], "the test file contains no text, or only empty ones"),
    "all alike": (
        [
            (f"the same long sentence about one film that was seen {number} times", "ab"[number % 2])
            for number in range(40)
        ],
        [],
        "has no texts to hold out",
    ),
    "contradictions": (
        [("same", "good"), ("same", "bad")] * 20,
        [],
        r"has 0 texts \(40 are left out because equal texts have different labels: are the columns of texts and "
        r"labels swapped\?\)",
    ),
    "numbers": ([(text, str(number)) for number, (text, _) in enumerate(sentences(200))], [], "is this the column of"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_learnt_from_is_refused(case: str) -> None:
    rows, test, sentence = REFUSED[case]
    with pytest.raises(InputError, match=sentence):
        own_corpus(examples(rows), name="films", test=examples(test, "test"))


@pytest.mark.parametrize("change", ["name", "form", "order"])
def test_the_same_texts_split_alike_whatever_their_file(change: str, texts: Path, tmp_path: Path) -> None:
    """The id of a text names its file, and the draw hashed it: another name gave another test split and score."""
    rows = sentences(200)[:: -1 if change == "order" else 1]
    other = tmp_path / ("other.tsv" if change == "form" else "other.jsonl")
    if change == "form":
        other.write_text("text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in rows), encoding="utf-8")
    else:
        write(other, rows)
    one, two = (own_corpus(labelled_texts(path), name="films") for path in (texts, other))
    assert one.test.ids != two.test.ids
    for split in ("train", "dev", "test"):
        assert getattr(one, split).texts.to_pylist() == getattr(two, split).texts.to_pylist()
        assert getattr(one, split).classes.tolist() == getattr(two, split).classes.tolist()


@pytest.mark.parametrize("rare", [3, 4])
def test_each_label_is_in_every_split(rare: int) -> None:
    """A tenth in proportion has no text of a label with four of three hundred."""
    rows = [(text, "good") for text, _ in sentences(296)] + [(f"{'dull ' * place}film", "bad") for place in range(rare)]
    corpus = own_corpus(examples(rows), name="films")
    for split in (corpus.train, corpus.dev, corpus.test):
        assert set(split.classes.tolist()) == {0, 1}
    assert len(corpus.test.ids) in (30, 31)


def test_a_label_without_test_texts_is_named_and_not_counted(texts: Path, tmp_path: Path) -> None:
    """It counted as an F1 of 0, without a sentence."""
    test = write(tmp_path / "test.jsonl", [("a superb film", "good"), ("a splendid film", "good")])
    found = fit(texts, test=test, model="tfidf-svm", to=tmp_path / "model")
    assert (found.scores["accuracy"], found.scores["macro_f1"]) == (1.0, 1.0)
    card = (tmp_path / "model/README.md").read_text(encoding="utf-8")
    assert "No test text has the label bad: nothing is known about it; macro F1 is of the others." in card
    assert "| bad | - | - | - | 0 |" in card
    assert "| good | 100.0 | 100.0 | 100.0 | 2 |" in card


def test_rare_labels_are_left_out_where_asked() -> None:
    corpus = own_corpus(examples([*sentences(40), ("odd", "rare")]), name="films", drop_rare=True)
    assert corpus.facts.labels == ("bad", "good")
    assert corpus.removed == {"label with fewer than 3 texts": 1}


def test_near_copies_come_into_one_split_and_leaks_of_a_given_test_are_told() -> None:
    rows = sentences(200)
    long = "this is a long sentence about a film that nobody who has seen it will ever forget in all their life"
    copies = [(f"{long} {end}", "good") for end in ("indeed", "truly", "really", "certainly")]
    corpus = own_corpus(examples(rows + copies), name="films")
    held = [set(split.texts.to_pylist()) for split in (corpus.train, corpus.dev, corpus.test)]
    assert sum(any(text in split for text, _ in copies) for split in held) == 1
    assert corpus.near_copies >= len(copies)
    assert corpus.test.clean.all()
    given = own_corpus(examples(rows), name="films", test=examples([rows[0], ("quite new", "bad")], "test"))
    assert len(given.test.ids) == 2
    assert given.leaked == 1  # of train or dev
    assert given.leaked == int((~given.test.clean).sum())


def test_texts_of_few_words_are_not_all_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand texts of 41 words did not come to their training in five minutes."""
    draw = random.Random(1)
    words = [f"w{letter}{place}" for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz")]
    rows = [(" ".join(draw.choices(words, k=11)), "ab"[place % 2]) for place in range(2_400)]
    copy = rows[0][0].upper()
    for most, alike in ((1e9, False), (1_000, True)):
        monkeypatch.setattr("retable.own.likeness.MOST_COMPARED", most)
        corpus = own_corpus(examples([*rows, (copy, "a")]), name="films")
        assert corpus.alike is alike
        assert ("Near copies were not looked for" in "".join(corpus_lines(corpus))) is alike
        held = [set(split.texts.to_pylist()) for split in (corpus.train, corpus.dev, corpus.test)]
        assert sum(bool({copy, rows[0][0]} & split) for split in held) == 1  # the same letters


def test_copies_in_a_given_test_are_told_and_the_score_is_also_given_without_them(texts: Path, tmp_path: Path) -> None:
    """Copies of dev texts were not counted, and copies were said to stay in one split."""
    corpus = own_corpus(examples(sentences(200)), name="films")
    seen = [split.texts.to_pylist() for split in (corpus.train, corpus.dev)]
    own = dict(sentences(200))
    rows = [(text, own[text]) for split in seen for text in split[:3]]
    asked = write(tmp_path / "test.jsonl", [*rows, ("quite new and superb", "good"), ("superb and new", "bad")])
    found = fit(texts, test=asked, model="tfidf-svm", to=tmp_path / "model")
    assert found.corpus.leaked == 6
    assert (found.scores["accuracy"], found.scores["clean_accuracy"]) == (7 / 8, 1 / 2)
    card = (tmp_path / "model/README.md").read_text(encoding="utf-8")
    assert "6 test texts (nearly) occur in train or dev: the score does not hold for new texts." in card
    assert "Of the 2 test texts that (nearly) occur in neither train nor dev, it classifies 50.0 (" in card
    assert ("texts of train and dev are near copies" in card) is (found.corpus.near_copies > 0)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the cat and the dog that was in the house", "en"),
        ("房间很干净,服务也好 wifi", "zh"),
        ("der Hund und die Katze sind im Haus", "other"),
        ("この映画はとても面白い", "other"),
        ("1234 !!", "other"),
    ],
)
def test_the_language_is_told_by_its_letters_and_words(text: str, language: str) -> None:
    assert language_of([text]) == language


@pytest.mark.parametrize("long", ["der Hund und die Katze " * 40_000, "房间很干净" * 100_000])
def test_one_long_text_does_not_decide_the_language_of_all(long: str) -> None:
    """All texts were joined: a book among thousands of short texts outweighed them."""
    assert language_of([long, *["the cat and the dog that was in the house"] * 500]) == "en"


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("transformer-f", "reads parts of speech"),
        ("bimpm", "reads pairs of texts"),
        ("textcn", 'did you mean "textcnn"'),
    ],
)
def test_a_model_that_needs_more_than_texts_is_refused(model: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        check_model(model)


def test_a_folder_without_vectors_is_refused_before_any_training(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("retable.own.fit.candidates", lambda *_, **__: pytest.fail("it trains"))
    (tmp_path / "votes.tsv").write_text("text\tlabel\n" + "good\tyes\nbad\tno\n" * 20, encoding="utf-8")
    with pytest.raises(InputError, match=r"nowhere.*allowed: auto, none, or a folder"):
        fit(tmp_path / "votes.tsv", vectors=str(tmp_path / "nowhere"))
