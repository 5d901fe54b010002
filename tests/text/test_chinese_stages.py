"""The stages tag and parts-table on sample-zh: none, context and table; their imports, inputs and outputs."""

import re
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import retable.stages.clean
import retable.stages.download
import retable.stages.parts_table
import retable.stages.tag
from retable.files import read_json, sha256_of_file
from retable.text.splits import SPLITS, read_split
from retable.text.units import in_unit


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """Return data/clean with sample-zh and sample-en."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RETABLE_MIRROR", raising=False)
        patch.setattr("retable.stages.download.CHECKOUT", folder)
        patch.setattr("retable.stages.download.SCRATCH", folder / "scratch")
        for module in (retable.stages.download, retable.stages.clean):
            patch.setattr(module, "RAW", folder / "raw")
        patch.setattr("retable.stages.clean.CLEAN", folder / "clean")
        for name in ("sample-zh", "sample-en"):
            retable.stages.download.main(name)
            retable.stages.clean.main(name)
    return folder / "clean"


@pytest.fixture
def stages(clean, tmp_path, monkeypatch):
    """Return a function that runs tag on a corpus with parts from a source, in its own folders."""
    shutil.copytree(clean, tmp_path / "clean")
    monkeypatch.setattr("retable.stages.tag.CLEAN", tmp_path / "clean")
    monkeypatch.setattr("retable.stages.tag.TAGGED", tmp_path / "tagged")
    monkeypatch.setattr("retable.stages.tag.PARTS_TABLES", tmp_path / "table")
    monkeypatch.setattr("retable.experiments.lock.DIGESTS", tmp_path / "digests.json")
    monkeypatch.setattr("retable.stages.parts_table.CLEAN", tmp_path / "clean")
    monkeypatch.setattr("retable.stages.parts_table.PARTS_TABLES", tmp_path / "table")
    monkeypatch.setattr("retable.stages.parts_table.read_params", lambda section: {"corpora": ["sample-zh"]})

    def tag(name, source):
        monkeypatch.setattr("retable.stages.tag.read_params", lambda section: {name: {"parts": source}})
        retable.stages.tag.main(name)
        return tmp_path / "tagged" / name

    return tag


def characters(split):
    return in_unit(split, "characters").tokens.to_pylist()


def test_parts_change_no_word_and_the_table_no_character(stages):
    retable.stages.parts_table.main()
    splits = {source: read_split(stages("sample-zh", source), "dev") for source in ("none", "context", "table")}
    assert splits["none"].parts is None
    assert splits["none"].tokens == splits["context"].tokens
    assert characters(splits["table"]) == characters(splits["context"])
    assert not any(token.isspace() for split in splits.values() for text in split.tokens.to_pylist() for token in text)
    for source in ("context", "table"):
        lengths = [column.value_lengths().to_pylist() for column in (splits[source].tokens, splits[source].parts)]
        assert lengths[0] == lengths[1]
    flags = [in_unit(splits[source], "characters").parts.flatten().to_pylist() for source in ("context", "table")]
    assert 0.9 < sum(map(str.__eq__, *flags)) / len(flags[0]) < 1


def test_the_table_is_made_without_test_texts_and_equal_again(stages, tmp_path):
    digests = []
    for _ in range(2):
        retable.stages.parts_table.main()
        folder = tmp_path / "table/zh"
        digests.append([sha256_of_file(folder / name) for name in ("table.tsv", "agreement.json")])
        for name in ("sample-zh/test.parquet", "sample-en"):
            path = tmp_path / "clean" / name
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)
    assert digests[0] == digests[1]
    agreed = read_json(folder / "agreement.json")
    assert agreed["table"]["entries"] > 349_045
    assert agreed["table"]["entries"] == len((folder / "table.tsv").read_text(encoding="utf-8").splitlines())
    for kind in ("words", "characters"):
        assert 0.9 < agreed["dev"]["sample-zh"][kind]["same_part"] < 1
        assert agreed["dev"]["sample-zh"][kind]["added"] > 0


def test_dev_texts_add_nothing_to_the_file(stages, tmp_path):
    retable.stages.parts_table.main()
    before = sha256_of_file(tmp_path / "table/zh/table.tsv")
    stages("sample-zh", "table")
    assert sha256_of_file(tmp_path / "table/zh/table.tsv") == before
    dev = tmp_path / "clean/sample-zh/dev.parquet"
    (tmp_path / "clean/sample-zh/train.parquet").replace(dev)
    shutil.copy(dev, tmp_path / "clean/sample-zh/train.parquet")
    retable.stages.parts_table.main()
    assert sha256_of_file(tmp_path / "table/zh/table.tsv") == before


def test_a_scale_without_parts_of_speech_leaves_those_of_another_in_the_lock(stages, tmp_path, capsys):
    lock = tmp_path / "digests.json"
    for source in ("context", "none"):
        stages("sample-zh", source)
        found = read_json(lock)
        assert found["texts"]["sample-zh"] != found["tokens"]["sample-zh"], source
    assert "differ" not in capsys.readouterr().err


def test_unlabelled_texts_get_tokens_and_no_parts(stages, tmp_path):
    path = tmp_path / "clean/sample-zh/unlabelled.parquet"
    rows = pq.read_table(tmp_path / "clean/sample-zh/dev.parquet")
    unlabelled = rows.set_column(2, rows.schema.field("label"), pa.array([""] * len(rows)))
    pq.write_table(unlabelled.replace_schema_metadata(rows.schema.metadata), path)
    folder = stages("sample-zh", "context")
    assert sorted(file.stem for file in folder.iterdir()) == sorted(["digest", *SPLITS, "unlabelled"])
    tagged, dev = pq.read_table(folder / "unlabelled.parquet"), pq.read_table(folder / "dev.parquet")
    assert tagged.column_names == ["id", "tokens", "label", "clean"]
    assert tagged["tokens"] == dev["tokens"]
    assert set(tagged["label"].to_pylist()) == {""}


@pytest.mark.parametrize(
    ("name", "source", "sentence"),
    [
        ("sample-en", "table", r"corpora.sample-en.parts is table in params.yaml; allowed: .*Chinese only"),
        ("sample-zh", "yes", r"corpora.sample-zh.parts is yes in params.yaml; allowed: none, context"),
        ("sample-zh", "table", r"zh/table.tsv is missing; `dvc repro parts-table` makes it"),
    ],
)
def test_parts_that_cannot_be_had_are_one_sentence(stages, capsys, name, source, sentence):
    with pytest.raises(SystemExit) as left:
        stages(name, source)
    assert left.value.code == 1
    error = capsys.readouterr().err
    assert error.count("error: ") == 1
    assert re.search(sentence, error)


def test_a_corpus_that_comes_tokenised_waits_for_neither_spacy_nor_jieba(stages, tmp_path):
    program = """
import sys
from pathlib import Path
import retable.stages.tag
folder = Path(sys.argv[1])
retable.stages.tag.CLEAN, retable.stages.tag.TAGGED = folder / "clean", folder / "tagged"
retable.experiments.lock.DIGESTS = folder / "digests.json"
retable.stages.tag.read_params = lambda section: {"sample-en": {"parts": "none"}}
retable.stages.tag.main("sample-en")
print(sorted({"spacy", "jieba", "torch", "sklearn", "numba"} & set(sys.modules)))
"""
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
    assert read_split(tmp_path / "tagged/sample-en", "dev").tokens.to_pylist()[0][-1] == "."
