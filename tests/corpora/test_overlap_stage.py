"""The stage overlap, on made-up texts under the names of real corpora."""

import csv

import numpy as np
import pytest

import retable.stages.overlap
from retable.corpora import Example, corpus
from retable.files import read_json, sha256_of_file
from retable.stages.clean import write_split

FILM = "a fine film that i would see again"
TEXTS = {
    "mr": {"train": [FILM, "nothing like any of these texts"], "dev": [], "test": ["something said nowhere else"]},
    "sst-2": {"train": [FILM.upper() + "!"], "dev": ["a fine film that i will see again"], "test": []},
    "fdu-mr": {"train": [], "dev": [], "test": [], "unlabelled": ["nothing like any of those texts", FILM]},
    "ced": {"train": ["北京地铁4号线28日下午开通试运营"], "dev": [], "test": []},
    "ced-grouped": {"train": [], "dev": [], "test": ["北京地铁4号线28日下午开通试运营"]},
}  # fmt: skip


@pytest.fixture
def clean(tmp_path, monkeypatch):
    for name, splits in TEXTS.items():
        (tmp_path / "clean" / name).mkdir(parents=True)
        for split, texts in splits.items():
            examples = [Example(f"{name}/{split}/{n}", split, text, "") for n, text in enumerate(texts)]
            path = tmp_path / "clean" / name / f"{split}.parquet"
            write_split(path, corpus(name), examples, np.ones(len(texts), dtype=np.bool_))
    monkeypatch.setattr("retable.stages.overlap.CLEAN", tmp_path / "clean")
    monkeypatch.setattr("retable.stages.overlap.OVERLAP", tmp_path / "overlap")
    monkeypatch.setattr("retable.stages.overlap.read_params", lambda section: {name: {} for name in TEXTS})
    return tmp_path


def test_copies_are_counted_per_corpus_and_per_split(clean):
    retable.stages.overlap.main()
    facts = read_json(clean / "overlap/overlap.json")
    assert facts["texts"]["fdu-mr"] == {"train": 0, "dev": 0, "test": 0, "unlabelled": 2}
    pairs = {(pair["corpus"], pair["other"]): (pair["exact"], pair["near"]) for pair in facts["pairs"]}
    assert pairs == {
        ("mr", "sst-2"): (1, 0),  # FILM occurs exactly in train, nearly in dev: counted once, as exact
        ("sst-2", "mr"): (1, 1),
        ("mr", "fdu-mr"): (1, 1),
        ("fdu-mr", "mr"): (1, 1),
        ("sst-2", "fdu-mr"): (1, 1),
        ("fdu-mr", "sst-2"): (1, 0),
    }
    with (clean / "overlap/pairs.csv").open(newline="") as file:
        lines = {tuple(line[name] for name in ("corpus", "split", "other", "other_split")): line
                 for line in csv.DictReader(file)}  # fmt: skip
    found = {key: (line["texts"], line["exact"], line["near"]) for key, line in lines.items()}
    assert found["mr", "train", "sst-2", "train"] == ("2", "1", "0")
    assert found["mr", "train", "sst-2", "dev"] == ("2", "0", "1")
    assert found["mr", "train", "fdu-mr", "unlabelled"] == ("2", "1", "1")


def test_corpora_of_the_same_texts_are_not_compared(clean):
    retable.stages.overlap.main()
    assert "ced" not in (clean / "overlap/pairs.csv").read_text()


def test_a_second_run_writes_the_same_bytes(clean):
    digests = []
    for _ in range(2):
        retable.stages.overlap.main()
        digests.append([sha256_of_file(path) for path in sorted((clean / "overlap").iterdir())])
    assert digests[0] == digests[1]


def test_a_corpus_that_is_not_cleaned_yet_is_named(clean, capsys):
    (clean / "clean/mr/dev.parquet").unlink()
    with pytest.raises(SystemExit):
        retable.stages.overlap.main()
    assert "clean/mr/dev.parquet is missing; `dvc repro clean@mr` makes it." in capsys.readouterr().err
