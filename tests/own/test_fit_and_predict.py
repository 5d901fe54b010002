"""`retable fit` and `retable predict` work in an empty folder: texts in, a model folder, answers as CSV out."""

import csv
import io
import os
import random
import re
import shlex
import subprocess
import sys
import tracemalloc
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from retable.commands import fit as fit_command
from retable.commands import predict as predict_command
from retable.commands.predict import chunks
from retable.errors import InputError
from retable.own.budget import seconds_of, sentence_of_budget
from retable.own.fit import fit
from tests.programs import python


def retable(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return python("-m", "retable", *arguments, cwd=folder, variables=os.environ | {"COLUMNS": "120"}, given=given)


def test_texts_are_learnt_from_and_others_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def predicted(*arguments: str, given: str = "") -> tuple[int, str, str]:
        """Run the command here: a process of its own takes five seconds to import torch."""
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        code = 0
        try:
            predict_command.main(["votes-model", *arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        return code, *capsys.readouterr()

    draw = random.Random(2)
    rows = [(" ".join(draw.choices("abcdefghij", k=9)) + f" {word}", word) for word in ("yes", "no") for _ in range(40)]
    with (tmp_path / "votes.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("said", "vote"), *rows])
    made = retable(tmp_path, "fit", "votes.csv", "--text", "said", "--label", "vote", "--model", "naive-bayes")
    assert made.returncode == 0, made.stderr
    assert "naive-bayes classifies" in made.stdout
    assert "Budget of the training: 10 minutes." in made.stdout
    assert "The model is in votes-model; `retable predict votes-model TEXTS --text said` classifies" in made.stdout
    (best,) = re.findall(r"^ naive-bayes +([\d.]+) \(", made.stdout, re.MULTILINE)
    assert made.stderr.endswith(f" s best dev {best}%\n")
    assert "Replaced" not in made.stdout
    monkeypatch.chdir(tmp_path)
    fit_command.main(["votes.csv", "--text", "said", "--label", "vote", "--model", "naive-bayes"])
    assert "Replaced: the model of" in capsys.readouterr().out
    asked = retable(tmp_path, "predict", "votes-model", "-", "--explain", given="a b yes\n\nc d no\n")
    assert asked.returncode == 0, asked.stderr
    answers = list(csv.DictReader(io.StringIO(asked.stdout)))
    assert [answer["label"] for answer in answers] == ["yes", "", "no"]
    assert '"yes"' in answers[0]["words"]
    _, out, err = predicted("-", "--explain", given=f"a yes\n{'a ' * 200}yes\n")
    answers = list(csv.DictReader(io.StringIO(out)))
    assert ["yes" in answer["words"] for answer in answers] == [True, False]
    assert [answer["label"] for answer in answers] == ["yes", "yes"]
    assert err == "Not explained: 1 text of more than 200 words; their words are empty.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["votes-model", "votes.csv"]
    code, out, err = predicted("votes.csv")
    assert (code, err.count("\n")) == (1, 1)
    assert 'unknown column of votes.csv: "text"' in err
    assert out == ""  # no header
    (tmp_path / "votes.json").write_text('["a b yes"]', encoding="utf-8")
    code, out, err = predicted("votes.json")
    assert (code, out) == (1, "")
    assert "ends in .json; allowed: .csv, .tsv, .jsonl, .parquet, .txt with one text per line, or -" in err
    assert predicted("-")[1] == "label,probability\n"


def test_who_has_read_enough_closes_the_pipe_and_hears_nothing(tmp_path: Path) -> None:
    rows = "".join(f"a b c number {place} {word}\t{word}\n" for place in range(20) for word in ("yes", "no"))
    (tmp_path / "votes.tsv").write_text("text\tlabel\n" + rows, encoding="utf-8")
    fit(tmp_path / "votes.tsv", model="naive-bayes")
    (tmp_path / "many.txt").write_text("a b yes\n" * 20_000, encoding="utf-8")  # a pipe holds a third of the answers
    with subprocess.Popen(
        [sys.executable, "-m", "retable", "predict", "votes-model", "many.txt"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    ) as child:  # fmt: skip
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == "label,probability\n"
        child.stdout.close()
        assert child.stderr.read() == ""
    assert child.returncode == 141


@pytest.mark.parametrize("model", ["naive-bayes", "textcnn"])
def test_memory_does_not_grow_with_the_number_of_texts(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails if all texts are read at once, or if texts, answers or probabilities are kept (0.1 MB at least)."""
    monkeypatch.chdir(tmp_path)
    fit(votes(tmp_path / "votes.csv"), model=model, vectors="none", budget=1)
    peaks = []
    for count in (2_000, 8_000):
        lines = (f"{'a b c d ' * (place % 5)}yes {place}\n" for place in range(count))
        (tmp_path / "texts.txt").write_text("".join(lines), encoding="utf-8")
        with (tmp_path / "answers.csv").open("w") as answers, redirect_stdout(answers):
            tracemalloc.start()
            predict_command.main(["votes-model", "texts.txt"])
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert (tmp_path / "answers.csv").read_text().count("\n") == count + 1
    assert peaks[1] - peaks[0] < 80_000, peaks  # bytes of Python and NumPy; it is 20,000


KERNELS = """
import sys
import psutil
from retable.commands import predict
predict.main(["votes-model", "votes.csv"])
import torch
memory = psutil.Process().memory_info
layer = torch.nn.Conv1d(300, 100, 3)
with torch.inference_mode():
    layer(torch.zeros(8, 300, 160))
    before = memory().rss
    for words in range(10, 160):
        layer(torch.zeros(8, 300, words))
print(memory().rss - before, file=sys.stderr)
"""


def test_predict_makes_onednn_keep_few_kernels(tmp_path: Path) -> None:
    """It kept a kernel for every shape of a batch: 90 MB after 150 shapes."""
    fit(votes(tmp_path / "votes.csv"), model="naive-bayes")
    found = subprocess.run(
        [sys.executable, "-c", KERNELS], cwd=tmp_path, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )  # fmt: skip
    assert int(found.stderr) < 15e6


@pytest.mark.parametrize(
    ("budget", "seconds"), [("90s", 90), ("1.5m", 90), ("2h", 7200), ("30", 30), (90, 90), (0.5, 0.5)]
)
def test_a_budget_is_a_time(budget: float | str, seconds: float) -> None:
    assert seconds_of(budget) == seconds


@pytest.mark.parametrize("budget", ["0", "-1m", "10 minutes", "", "nan", 0, -1, float("nan"), float("inf"), None])
def test_a_budget_that_is_no_time_is_refused(budget: float | str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="allowed: a time such as"):
        seconds_of(budget)
    with pytest.raises(InputError, match="the budget is"):
        fit(votes(tmp_path / "votes.csv"), budget=budget)


@pytest.mark.parametrize(
    ("budget", "said"),
    [("10", "10 seconds"), ("1s", "1 second"), ("0.5", "0.5 seconds"), ("10m", "10 minutes"), ("90s", "1.5 minutes"),
     ("1h", "1 hour"), (100, "100 seconds"), ("1.25h", "75 minutes"), (3700, "3,700 seconds")],
)  # fmt: skip
def test_a_budget_is_shown_as_it_was_understood(budget: float | str, said: str) -> None:
    """`--budget 10` is ten seconds, and nothing said so."""
    assert sentence_of_budget(seconds_of(budget)) == f"Budget of the training: {said}."


@pytest.mark.parametrize("words", [["--budget=-5m"], ["--budget", "-5m"]])
def test_a_budget_below_zero_gets_a_sentence(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fit_command.main(["votes.csv", *words])
    assert capsys.readouterr().err == (
        "error: the budget is '-5m'; allowed: a time such as 90s, 10m or 2h, or seconds.\n"
    )


def test_texts_come_in_lists_of_a_size() -> None:
    assert list(chunks("abcde", 2)) == [["a", "b"], ["c", "d"], ["e"]]


def votes(path: Path) -> Path:
    """Write eighty texts with a word that tells their label."""
    draw = random.Random(2)
    rows = [(" ".join(draw.choices("abcdefghij", k=9)) + f" {word}", word) for word in ("yes", "no") for _ in range(40)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    return path


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("a b.csv", "'a b-model'"),
        ("a:b.csv", "a:b-model"),
        ("-dash.csv", "./-dash-model"),
        ("#$(x).CSV", "'#$(x)-model'"),
    ],
)
def test_a_file_may_have_any_name_and_the_advice_can_be_pasted(
    name: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    votes(tmp_path / name)
    fit_command.main(["--model", "naive-bayes", "--", name])
    assert f"`retable predict {folder} TEXTS`" in capsys.readouterr().out
    (written,) = shlex.split(folder)
    predict_command.main([written, f"./{name}"])
    assert capsys.readouterr().out.startswith("label,probability\nyes,")


@pytest.mark.parametrize("inside", [".", "yes/.."])
def test_a_folder_of_classes_may_be_the_current_one(
    inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a traceback: "." has no name, which the model folder takes."""
    for place in range(20):
        for label in ("yes", "no"):
            path = tmp_path / "votes" / label / f"{place}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{label} number {place}", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "votes")
    fit_command.main([inside, "--model", "naive-bayes", "--budget", "1m"])
    assert f"The model is in {tmp_path}/votes-model" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"votes", "votes-model"}


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        (
            "a:b.csv",
            ["a:b.csv", "--record"],
            'under the name of its texts, "a:b"; allowed there: a name without : and /',
        ),
        ("-dash.csv", ["-dash.csv"], "-dash.csv begins with a dash, as options do; write ./-dash.csv"),
        ("a\nb.csv", ["a\nb.csv", "--text", "said"], r'unknown column of a\nb.csv: "said". Known: label, text.'),
    ],
)
def test_what_a_name_does_not_allow_is_one_line_before_any_training(
    name: str, words: list[str], sentence: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    votes(tmp_path / name)
    with pytest.raises(SystemExit):
        fit_command.main([*words, "--model", "naive-bayes"])
    printed = capsys.readouterr()
    assert sentence in printed.err.splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == [name]
