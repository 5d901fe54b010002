"""`retable add-corpus` turns texts into a corpus of the pipeline, changes no existing file, and reports overlaps."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.commands.add_corpus import check_name
from retable.corpora.own import declare, write
from retable.declaration import Example
from retable.errors import InputError
from retable.experiments.digests import read_lock
from retable.experiments.params_file import with_corpora
from retable.files import read_json, write_json
from retable.project.params import load_yaml
from tests.programs import python

ROOT = Path(__file__).parents[2]
WORDS = [f"word{number}" for number in range(200)]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "src")}
DRAW = random.Random(5)
ROWS = [(" ".join(DRAW.choices(WORDS, k=12)), label) for label in ("1", "5") for _ in range(60)]


def run(folder: Path, *lines: str) -> subprocess.CompletedProcess[str]:
    """Run lines of Python in a checkout."""
    return python("-c", "\n".join(["import retable", *lines]), cwd=folder, variables=ENVIRONMENT)


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Return a checkout with an added corpus, and the command's output; data/code is from before."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "src").symlink_to(ROOT / "src")
    for name in ("dvc.yaml", "docs/results"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    (folder / "data/clean/mr").mkdir(parents=True)
    pq.write_table(pa.table({"text": [ROWS[0][0], "another text"]}), folder / "data/clean/mr/train.parquet")
    lines = [json.dumps({"review": text, "stars": label}) for text, label in ROWS]
    (folder / "mine.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = run(
        folder,
        "from retable.commands import add_corpus, params",
        "params.main(['cpu'])",  # the checkout may be at another scale
        "import shutil; shutil.copy('params.yaml', 'before.yaml')",
        "from retable.stages import code; code.main()",
        "add_corpus.main(['mine.jsonl', '--name', 'mine', '--text', 'review', '--label', 'stars'])",
    )
    assert found.returncode == 0, found.stderr
    return folder, found


def test_it_stands_in_params_and_overlaps_are_told(added) -> None:
    folder, found = added
    before, after = load_yaml(folder / "before.yaml"), load_yaml(folder / "params.yaml")
    assert after.pop("corpora") == before.pop("corpora") | {"mine": {"parts": "none"}}
    assert after == before
    assert "Also in mr: 1 text; word vectors" in found.stdout
    again = run(folder, "from retable.commands import add_corpus", "add_corpus.main(['mine.jsonl', '--name', 'mine'])")
    assert (again.returncode, again.stderr.count("\n")) == (1, 1)
    assert "the corpus mine exists already" in again.stderr
    assert "data/own/mine and its line in params.yaml" in again.stderr


def test_the_stages_take_it_and_no_vectors_or_runs_change(added) -> None:
    folder, _ = added
    code = folder / "data/code"
    before = {path.name: json.loads(path.read_text()) for path in code.iterdir()}
    made = run(
        folder,
        "from retable.stages import clean, code, download, tag",
        "code.main(); download.main('mine'); clean.main('mine'); tag.main('mine')",
    )
    assert made.returncode == 0, made.stderr
    after = {path.name: json.loads(path.read_text()) for path in code.iterdir()}
    assert after.keys() - before.keys() == {"corpus.mine"}
    changed = {name for name, value in before.items() if after[name] != value}
    assert changed == {"floors-table-1"}  # it has one more column
    cells, old = after["floors-table-1"]["cells"], before["floors-table-1"]["cells"]
    assert {cell["corpus"] for name, cell in cells.items() if name not in old} == {"mine"}
    assert old.items() <= cells.items()
    lock = read_lock(folder / "data/digests.json")
    assert {kind for kind in lock if "mine" in lock[kind]} == {"tokens", "raw"}
    sizes = [
        pq.read_metadata(folder / f"data/tagged/mine/{split}.parquet").num_rows for split in ("train", "dev", "test")
    ]
    assert sizes == [97, 11, 12]


def test_who_lost_the_texts_hears_how_to_get_them_back(added, tmp_path: Path) -> None:
    folder, _ = added
    shutil.copytree(folder, tmp_path / "copy", symlinks=True, ignore=shutil.ignore_patterns("texts.jsonl", "raw"))
    found = run(tmp_path / "copy", "from retable.stages import download; download.main('mine')")
    assert found.returncode != 0
    assert "add it again" in found.stderr
    assert "is in git" not in found.stderr
    assert "Traceback" not in found.stderr


def test_a_declaration_gives_back_the_texts_that_were_written(tmp_path: Path) -> None:
    examples = [Example(f"x/{place}", split, f"text\n{place} 好", label) for place, (split, label) in enumerate(
        [("train", "b"), ("train", "a"), ("test", "b")])]  # fmt: skip
    folder = tmp_path / "mine"
    folder.mkdir()
    write(folder, examples, name="mine", language="en", html=False, origin="mine.csv")
    corpus = declare(folder / "corpus.json")
    assert corpus.texts == {"train": (1, 1), "test": (0, 1)}
    assert [each[1:] for each in corpus.examples(folder)] == [each[1:] for each in examples]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"labels": None}, "labels is None .*allowed: a list"),
        ({"labels": ["a", "a"]}, "needs two or more different labels"),
        ({"texts": {"train": [1], "test": [0, 1]}}, "needs two or more different labels, and a count for each"),
        ({"texts": {"dev": [1, 1]}}, "allowed: all, train, test"),
        ({"name": "../../etc"}, "allowed: a name of letters"),
        ({"name": "yours"}, "declares yours, but its folder is mine"),
        ({"language": "fr"}, "allowed: en, zh, other"),
        ({"html": "yes"}, "allowed: True, False"),
        ({"bytes": 0}, "bytes is 0"),
        ({"sha256": "x"}, "64 hexadecimal digits"),
    ],
)
def test_a_declaration_that_is_none_is_refused(change, sentence: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    texts = [Example("x/0", "train", "one", "a"), Example("x/1", "test", "two", "b")]
    write(folder, texts, name="mine", language="en", html=False, origin="mine.csv")
    write_json(folder / "corpus.json", read_json(folder / "corpus.json") | change)
    with pytest.raises(InputError, match=sentence):
        declare(folder / "corpus.json")


@pytest.mark.parametrize(
    "line",
    [
        b"\xff",
        b"",
        b"[]",
        b'["train", "x"]',
        b"5",
        b'["train", 5, "a"]',
        b'["dev", "x", "a"]',
        b'["train", "x", ["a"]]',
        b"[" * 9999,
    ],
)
def test_a_line_of_texts_that_is_none_is_named(line: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    texts = [Example("x/0", "train", "one", "a"), Example("x/1", "test", "two", "b")]
    write(folder, texts, name="mine", language="en", html=False, origin="mine.csv")
    with (folder / "texts.jsonl").open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(InputError, match=r"texts\.jsonl, line 3, is not"):
        list(declare(folder / "corpus.json").read(declare(folder / "corpus.json"), folder))


@pytest.mark.parametrize(
    ("label", "origin", "sentence"),
    [("a", "a<b>.csv", "from is 'a<b>.csv'"), ("a", "a\nb.csv", "from is"), ("a" * 10_001, "mine.csv", r"labels\[1\]")],
)
def test_a_declaration_that_no_command_could_read_is_not_written(label, origin, sentence: str, tmp_path: Path) -> None:
    """It was written, and from then on every command refused it."""
    texts = [Example("x/0", "train", "one", label), Example("x/1", "test", "two", "b")]
    with pytest.raises(InputError, match=f"{sentence}.* in the declaration of mine; allowed: .*rename the file"):
        write(tmp_path, texts, name="mine", language="en", html=False, origin=origin)
    assert not (tmp_path / "corpus.json").exists()


@pytest.mark.parametrize("name", ["123", "1e5", "0x1f", "null", "true", "2020-01-01", "a.b", "../a", "", "a b"])
def test_a_name_that_params_yaml_would_read_as_something_else_is_refused(name: str) -> None:
    with pytest.raises(
        InputError, match=r"--name is .*; allowed: letters, digits and hyphens, but nothing that YAML reads as a number"
    ):
        check_name(name)


def test_a_corpus_that_the_user_did_not_add_is_not_to_be_removed() -> None:
    with pytest.raises(InputError, match=r"the corpus mr exists already; choose another --name\.$"):
        check_name("mr")


def test_another_scale_keeps_the_corpora_of_the_user() -> None:
    text = "scale: cpu\n\ncorpora:  # parts\n  mr: {parts: context}\n\ntagger:\n  steps: 1\n"
    found = with_corpora(text, ["mine", "mr"])
    assert found == text.replace("context}\n", "context}\n  mine: {parts: none}\n")
    assert with_corpora(found, ["mine"]) == found
