"""`retable fit` and `retable predict` work in an empty folder: texts in, a model folder, answers as CSV out."""

import csv
import io
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from retable.commands.fit import seconds_of
from retable.commands.predict import chunks
from retable.errors import InputError


def retable(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "retable", *arguments],
        cwd=folder, input=given, capture_output=True, text=True, encoding="utf-8",
        env=os.environ | {"PYTHONUTF8": "1", "COLUMNS": "120"},
    )  # fmt: skip


def test_texts_are_learnt_from_and_others_answered(tmp_path: Path) -> None:
    draw = random.Random(2)
    rows = [(" ".join(draw.choices("abcdefghij", k=9)) + f" {word}", word) for word in ("yes", "no") for _ in range(40)]
    with (tmp_path / "votes.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("said", "vote"), *rows])
    made = retable(tmp_path, "fit", "votes.csv", "--text", "said", "--label", "vote", "--model", "naive-bayes")
    assert made.returncode == 0, made.stderr
    assert "naive-bayes answers" in made.stdout
    assert "The model is in votes-model" in made.stdout
    asked = retable(tmp_path, "predict", "votes-model", "-", "--explain", given="a b yes\n\nc d no\n")
    assert asked.returncode == 0, asked.stderr
    answers = list(csv.DictReader(io.StringIO(asked.stdout)))
    assert [answer["label"] for answer in answers] == ["yes", "", "no"]
    assert '"yes"' in answers[0]["words"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["votes-model", "votes.csv"]
    wrong = retable(tmp_path, "predict", "votes-model", "votes.csv")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)
    assert 'a column of votes.csv is "text"' in wrong.stderr


@pytest.mark.parametrize(("budget", "seconds"), [("90s", 90), ("1.5m", 90), ("2h", 7200), ("30", 30)])
def test_a_budget_is_a_time(budget: str, seconds: float) -> None:
    assert seconds_of(budget) == seconds


@pytest.mark.parametrize("budget", ["0", "-1m", "10 minutes", "", "nan"])
def test_a_budget_that_is_no_time_is_refused(budget: str) -> None:
    with pytest.raises(InputError, match="allowed: a time such as"):
        seconds_of(budget)


def test_texts_come_in_lists_of_a_size() -> None:
    assert list(chunks("abcde", 2)) == [["a", "b"], ["c", "d"], ["e"]]
