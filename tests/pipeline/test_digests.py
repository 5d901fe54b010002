"""Digests of data: of what a run reads, whatever the bytes of its files."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.experiments.digests import digest_of_texts, lock_digests, read_lock
from retable.experiments.folds import data_of_run
from retable.text.splits import SPLITS, Facts, tagged_schema
from retable.vectors.store import NO_VECTORS, write_vectors

FACTS = Facts("mr", "en", ("no", "yes"))
ROWS = {
    "id": ["a", "b"], "tokens": [["a", "film"], ["good"]], "parts": [["DET", "NOUN"], ["ADJ"]], "label": ["no", "yes"],
    "clean": [True, True],
}  # fmt: skip


def write(folder, rows=ROWS, *, parts=True, **options):
    for split in SPLITS:
        (folder / "tagged/mr").mkdir(parents=True, exist_ok=True)
        schema = tagged_schema(FACTS, parts=parts)
        table = pa.table({name: rows[name] for name in schema.names}, schema=schema)
        pq.write_table(table, folder / f"tagged/mr/{split}.parquet", **options)


@pytest.fixture
def data(tmp_path):
    write(tmp_path)
    (tmp_path / "vectors/none").mkdir(parents=True)
    write_vectors(tmp_path / "vectors/none", "none", NO_VECTORS)
    return tmp_path


def data_of(folder, model):
    parameters = {"corpus": {"name": "mr"}, "model": {"name": model}, "embedding": {"unit": "words"}}
    return data_of_run(parameters, folder / "tagged/mr", folder / "vectors/none")


def test_another_form_of_the_file_is_the_same_data(data):
    before = digest_of_texts(data / "tagged/mr")
    write(data, compression="zstd", row_group_size=1, use_dictionary=False)
    assert digest_of_texts(data / "tagged/mr") == before


@pytest.mark.parametrize(
    "changed",
    [
        {"id": ["a", "c"]},
        {"label": ["yes", "yes"]},
        {"tokens": [["a", "film"], ["god"]]},
        {"tokens": [["a"], ["film"]], "parts": [["DET"], ["NOUN"]]},
    ],
)
def test_another_id_label_or_word_is_other_data_for_every_model(data, changed):
    before = [data_of(data, model) for model in ("fcsr", "tfidf-svm", "transformer-f")]
    write(data, ROWS | changed)
    now = [data_of(data, model) for model in ("fcsr", "tfidf-svm", "transformer-f")]
    assert all(one != other for one, other in zip(before, now, strict=True))


def test_another_part_of_speech_is_other_data_for_a_model_that_reads_them_alone(data):
    before = [data_of(data, model) for model in ("fcsr", "tfidf-svm", "transformer-f")]
    write(data, ROWS | {"parts": [["DET", "VERB"], ["ADJ"]]})
    now = [data_of(data, model) for model in ("fcsr", "tfidf-svm", "transformer-f")]
    assert [one == other for one, other in zip(before, now, strict=True)] == [True, True, False]


def test_a_corpus_without_parts_of_speech_leaves_those_of_another_scale_to_the_lock(data, monkeypatch):
    before = {model: data_of(data, model) for model in ("fcsr", "transformer-f")}
    lock, with_parts = data / "digests.json", digest_of_texts(data / "tagged/mr")
    monkeypatch.setattr("retable.experiments.folds.DIGESTS", lock)
    write(data, parts=False)
    lock_digests(lock, "tokens", {"mr": digest_of_texts(data / "tagged/mr")})
    with pytest.raises(FileNotFoundError, match="without parts of speech"):
        data_of(data, "transformer-f")
    lock_digests(lock, "texts", {"mr": with_parts})
    assert {model: data_of(data, model) for model in before} == before
    write(data, ROWS | {"tokens": [["a", "movie"], ["good"]]}, parts=False)
    assert data_of(data, "fcsr") != before["fcsr"]
    with pytest.raises(FileNotFoundError, match="without parts of speech"):
        data_of(data, "transformer-f")


def test_other_tokens_take_the_locked_parts_of_speech_with_them(tmp_path):
    lock = tmp_path / "digests.json"
    for kind, name, digit in (
        ("tokens", "mr", "a"),
        ("texts", "mr", "b"),
        ("texts", "sst-2", "c"),
        ("tokens", "mr", "a"),
    ):
        lock_digests(lock, kind, {name: digit * 64})
    assert read_lock(lock)["texts"] == {"mr": "b" * 64, "sst-2": "c" * 64}
    assert lock_digests(lock, "tokens", {"mr": "d" * 64}) == ["mr"]
    assert read_lock(lock)["texts"] == {"sst-2": "c" * 64}
