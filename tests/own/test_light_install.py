"""A plain `pip install retable` installs no extra; whatever needs one names it in its error."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from retable.errors import EXTRAS
from retable.experiments.params_file import write_scale
from retable.own.words import words_of
from tests.programs import python

SOURCES = Path(__file__).parents[2]
HIDDEN = f"import sys\nfor module in {sorted(EXTRAS)}:\n    sys.modules[module] = None\n"
BARE = f'{HIDDEN}import runpy\nrunpy.run_module("retable", run_name="__main__")\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, draw = tmp_path_factory.mktemp("light"), random.Random(2)
    votes = [f"{' '.join(draw.choices('abcdefghij', k=9))} {word}\t{word}" for word in ("yes", "no") for _ in range(40)]
    hotels = [f"房间很{place}{label}\t{label}" for place in range(40) for label in "好差"]
    for name, lines in (("votes", votes), ("hotels", hotels)):
        (folder / f"{name}.tsv").write_text("\n".join(["text\tlabel", *lines]) + "\n", encoding="utf-8")
    return folder


def retable(folder: Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command without any extra."""
    variables = os.environ | {"PYTHONPATH": str(SOURCES / "src"), "COLUMNS": "120"}
    return python("-c", BARE, *arguments, cwd=cwd or folder, variables=variables, given="a yes\n")


def test_a_network_is_learnt_and_asked_without_any_extra(folder: Path) -> None:
    (folder / "bare").mkdir()
    (folder / "bare/sitecustomize.py").write_text(HIDDEN, encoding="utf-8")  # imported before torch and scikit-learn
    made = subprocess.run(
        [sys.executable, "-m", "retable", "fit", "votes.tsv", "--model", "textcnn", "--budget=5s", "--device=cpu"],
        cwd=folder, capture_output=True, text=True, encoding="utf-8",
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder / "bare"), str(SOURCES / "src")])},
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert 'gensim is not installed (pip install "retable[vectors]")' in made.stdout
    asked = retable(folder, "predict", "votes-model", "-")
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("label,probability\n")


def test_cells_are_run_without_dvc_and_mlflow(folder: Path) -> None:
    (checkout := folder / "checkout").mkdir()  # without runs, and at a scale of its own
    for name in ("src", "dvc.yaml"):
        (checkout / name).symlink_to(SOURCES / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("retable.experiments.params_file.PARAMS", checkout / "params.yaml")
        write_scale("cpu")
    named = retable(folder, "run", "fcsr-table-3", "--dry-run", cwd=checkout)
    assert named.returncode == 0, named.stderr
    assert "fcsr-table-3 fcsr " in named.stdout


@pytest.mark.parametrize(
    ("arguments", "needs"),
    [
        (("fit", "hotels.tsv"), ("jieba", "chinese")),
        (("fit", "votes.tsv", "--model", "doc2vec", "--to", "other"), ("gensim", "vectors")),
        (("serve", "votes-model"), ("uvicorn", "serve")),
        (("results",), ("dvc", "pipeline")),
    ],
    ids=["chinese", "vectors", "serve", "pipeline"],
)
def test_what_needs_an_extra_names_it_in_one_sentence(
    arguments: tuple[str, ...], needs: tuple[str, str], folder: Path
) -> None:
    found = retable(folder, *arguments)
    errors = [line for line in found.stderr.splitlines() if not line.startswith("fit ")]
    assert (found.returncode, len(errors)) == (1, 1), found.stderr
    assert f'needs {needs[0]}, which is not installed: pip install "retable[{needs[1]}]"' in errors[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't say it's 3.5 stars!", ["I", "do", "n't", "say", "it", "'s", "3.5", "stars", "!"]),
        ("CAN\u2019T well-known, 12,000", ["CA", "N\u2019T", "well", "-", "known", ",", "12,000"]),
        ("यह फ़िल्म अच्छी", ["यह", "फ़िल्म", "अच्छी"]),  # vowel signs are characters of their own
        ("nai\u0308ve snake_case", ["nai\u0308ve", "snake_case"]),
    ],
)
def test_words_of_languages_that_write_spaces(text: str, words: list[str]) -> None:
    assert words_of([text, ""], "other").to_pylist() == [words, []]
