"""Raw characters: those of the clean text, from the file to the rows of a network's alphabet, also in folds."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.errors import InputError
from retable.experiments import folds
from retable.experiments.digests import digest_of_raw, seal_texts
from retable.files import read_json
from retable.models.char_cnn import CharCNN
from retable.papers.paper import Column, Row
from retable.papers.parameters import row_parameters
from retable.runs.recipes import recipe_of
from retable.text.splits import SPLITS, Facts, clean_schema, tagged_schema
from retable.text.units import RAW, in_unit
from retable.text.vocabulary import encode, vocabulary_of
from retable.training.network import untrained_network
from retable.vectors.store import NO_VECTORS, write_vectors
from tests.results.records import PROTOCOL

FACTS = Facts("mr", "en", ("negative", "positive"))
TEXTS = ["It's  GOOD\n😀!", "no", "x y"]
EMBEDDING = {"vectors": "none", "unit": RAW, "lowercase": True, "tune": False, "min_count": 1, "size": 4, "spread": 0.1}
PARAMETERS = {"corpus": {"name": "mr"}, "embedding": EMBEDDING}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Return a corpus of three texts per split, cleaned and tagged, without vectors."""
    for split in SPLITS:
        columns = {
            "id": [f"{split}-{number}" for number in range(3)],
            "label": ["negative", "positive", "negative"],
            "clean": [True] * 3,
        }
        tokens = {"tokens": [text.split() for text in TEXTS]}
        for name, own, schema in (
            ("clean", {"text": TEXTS}, clean_schema(FACTS)), ("tagged", tokens, tagged_schema(FACTS, parts=False)),
        ):  # fmt: skip
            (tmp_path / name / "mr").mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.table(columns | own, schema=schema), tmp_path / name / "mr" / f"{split}.parquet")
    (tmp_path / "vectors/none").mkdir(parents=True)
    write_vectors(tmp_path / "vectors/none", "none", NO_VECTORS)
    monkeypatch.setattr(folds, "CLEAN", tmp_path / "clean")
    monkeypatch.setattr(folds, "TAGGED", tmp_path / "tagged")
    folds.folded_corpus.cache_clear()
    return tmp_path


def test_every_character_of_the_clean_text_is_read_with_case_and_white_space(data):
    train, dev, test = folds.splits_of_run(PARAMETERS)
    for split in (train, dev, test()):
        assert in_unit(split, RAW).tokens.to_pylist() == [list(text) for text in TEXTS]
    assert folds.splits_of_run({"corpus": {"name": "mr"}, "embedding": {"unit": "words"}})[0].texts is None


def test_folds_carry_the_texts_with_them(data):
    fold = {"corpus": {"name": "mr", "folds": 3, "fold": 1, "kind": "dev"}, "embedding": EMBEDDING}
    train, dev, _ = folds.splits_of_run(fold)
    for split in (train, dev):
        assert split.texts.to_pylist() == [TEXTS[int(text[-1])] for text in split.ids]
    assert sorted(train.ids + dev.ids) == [f"{split}-{number}" for split in ("dev", "train") for number in range(3)]


def test_clean_texts_that_are_not_those_of_the_tagged_split_are_refused(data):
    path = data / "clean/mr/dev.parquet"
    pq.write_table(pq.read_table(path).slice(1), path)
    with pytest.raises(InputError, match=r"dev\.parquet and its tagged split have different texts"):
        folds.splits_of_run(PARAMETERS)


def test_the_rows_are_one_hot_and_capitals_have_their_own_where_case_is_kept(data):
    train, *_ = folds.splits_of_run(PARAMETERS)
    for lowercase, rows in ((True, 69), (False, 69 + 26)):
        vocabulary = vocabulary_of(CharCNN.alphabet, lowercase=lowercase, unit=RAW)
        assert len(vocabulary.words) == 2 + rows
        encoded = encode(train, vocabulary)
        read = [vocabulary.words[row] for row in encoded.words[: encoded.offsets[1]]]
        wanted = [char.lower() if lowercase else char for char in TEXTS[0]]
        assert read == [char if char in vocabulary.words else "<unknown>" for char in wanted]
        assert read.count("<unknown>") == 3  # two spaces and the emoji
    model = {"name": "char-cnn", "frames": 150, "filters": 2, "hidden": 2}
    network, _ = untrained_network(train, NO_VECTORS, model=model, embedding=EMBEDDING, seed=1)
    table = network.embedding.fixed.numpy()
    assert (table[:2] == 0).all()
    assert (table[2:] == np.eye(69)).all()
    assert not any(name.startswith("embedding") for name, _ in network.named_parameters())


def test_a_presets_raw_characters_stay_whatever_the_columns_unit_and_no_other_run_knows_of_them():
    preset = {"model": {"name": "m"}, "embedding": {"unit": RAW}, "training": {"optimiser": "sgd", "schedule": "steps"}}
    column = Column("ced", "CED", "ced", unit="characters")
    found = row_parameters(preset, Row("m", "M", "m"), column, PROTOCOL, vectors="none", seed=1)
    assert found["embedding"]["unit"] == RAW
    assert recipe_of(found, "1.0")["raw-characters"] == "1.0"
    words = preset | {"embedding": {"unit": "words"}}
    found = row_parameters(words, Row("m", "M", "m"), column, PROTOCOL, vectors="none", seed=1)
    assert found["embedding"]["unit"] == "characters"
    assert "raw-characters" not in recipe_of(found, "1.0")


def test_the_data_of_a_run_are_the_raw_texts_too_where_it_reads_them(data):
    def digests():
        return [
            folds.data_of_run(
                {"corpus": {"name": "mr"}, "model": {"name": "fcsr"}, "embedding": {"unit": unit}},
                data / "tagged/mr",
                data / "vectors/none",
            )
            for unit in ("words", RAW)
        ]

    before = digests()
    assert before[0] != before[1]
    assert seal_texts(data / "tagged/mr", data / "clean/mr")["raw"] == digest_of_raw(data / "clean/mr")
    assert digests() == before  # stored with the data, they are the same
    assert read_json(data / "tagged/mr/digest.json").keys() == {"texts", "tokens", "raw"}
    path = data / "clean/mr/train.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(1, "text", pa.array([TEXTS[0].lower(), *TEXTS[1:]])), path)
    (data / "tagged/mr/digest.json").unlink()
    assert [one == other for one, other in zip(digests(), before, strict=True)] == [True, False]
