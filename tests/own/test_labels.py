"""Labels are shown with their numbers of texts, and those that may be mistakes are named."""

from pathlib import Path

import pytest

from retable.commands import fit as fit_command
from retable.own.labels import folded, sentence_of_labels, warning_of_labels


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({"Pos": 100, "neg": 1300, "pos": 200}, "Labels: neg (1,300), pos (200), Pos (100)."),
        ({"b": 5, "a": 5}, "Labels: a (5), b (5)."),
        (
            {f"topic {place:02}": 50 - place for place in range(12)},
            "The 10 most frequent of 12 labels: topic 00 (50), topic 01 (49), topic 02 (48), topic 03 (47), topic 04 "
            "(46), topic 05 (45), topic 06 (44), topic 07 (43), topic 08 (42), topic 09 (41); the rarest has 39.",
        ),
        ({"two\nlines": 2, "a": 1}, "Labels: two\\nlines (2), a (1)."),
    ],
)
def test_labels_are_shown_with_their_counts(counts: dict[str, int], sentence: str) -> None:
    assert sentence_of_labels(counts) == sentence


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (("neg", "pos"), ""),
        (("1", "2", "10", "0.5", "-1"), ""),
        (("Pos", "neg", "pos"), "Warning: some labels differ only in how they are written: Pos, pos (if they mean "),
        (("1", "1.0", "2"), "written: 1, 1.0 (if they mean the same, write them alike)."),
        (("NaN", "a", "b"), "Warning: some labels look like missing values: NaN (if they are, leave out their rows)."),
        (("None", "a", "A"), "written: A, a (if they mean the same, write them alike); some look like missing values"),
        (tuple(each for letter in "abc" for each in (letter, letter.upper())), "written: A, a, B, b, C, ... (if"),
    ],
)
def test_labels_that_may_be_mistakes_are_named_in_one_sentence(labels: tuple[str, ...], sentence: str) -> None:
    assert sentence in warning_of_labels(labels)
    assert bool(sentence) is bool(warning_of_labels(labels))


@pytest.mark.parametrize("label", ["NA", "N/A", "NaN", "nan", "None", "null"])
def test_a_missing_value_is_known_in_every_spelling(label: str) -> None:
    assert f"missing values: {label} " in warning_of_labels(["a", label])


@pytest.mark.parametrize(
    ("label", "same"),
    [("Very  good", "very good"), ("01", "1"), ("+1.00", "1"), ("0", "0.0"), ("0.50", "0.5"), ("-1", "-1.0")],
)
def test_a_label_is_the_same_in_other_letters_or_digits(label: str, same: str) -> None:
    assert folded(label) == folded(same)


def test_the_labels_are_shown_before_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A label written in two ways was seen only in the model card, after the training."""
    rows = [f"text {place} {label},{label}" for label in ("good", "Good", "bad") for place in range(20)]
    (tmp_path / "votes.csv").write_text("\n".join(["text,label", *rows]) + "\n", encoding="utf-8")
    monkeypatch.setattr("retable.own.fit.candidates", lambda *_, **__: pytest.exit("training"))
    with pytest.raises(pytest.exit.Exception):
        fit_command.main([str(tmp_path / "votes.csv")])
    said = capsys.readouterr().out
    assert "Labels: Good (20), bad (20), good (20)." in said
    assert "Warning: some labels differ only in how they are written: Good, good (" in said
