"""The stage embed on small pools: every method, the contents of vectors.json, coverage of training splits."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import retable.experiments.embedding
import retable.stages.embed
from retable.files import write_json
from retable.results import facts
from retable.text.splits import Facts, facts_metadata
from retable.vectors.store import read_vectors
from tests.vectors import conftest
from tests.vectors.conftest import written

GLOVE = {"source": "pools/planted", "method": "glove"} | conftest.GLOVE
WORD2VEC = {"source": "pools/planted", "method": "word2vec"} | conftest.WORD2VEC | {"epochs": 1}
CHINESE = GLOVE | {"source": "pools/chinese", "epochs": 2, "unit": "characters"}


@pytest.fixture
def folders(tmp_path, monkeypatch, planted):
    """Return two pools, two tagged corpora, and parameters."""
    params = {
        "vectors": {"glove": GLOVE, "word2vec": WORD2VEC, "chinese": CHINESE}, "corpora": {"english": {}, "other": {}},
    }  # fmt: skip
    languages = {"english": "en", "other": "zh"}
    for module in (retable.stages.embed, facts):
        monkeypatch.setattr(module, "read_params", params.get)
        monkeypatch.setattr(module, "VECTORS", tmp_path / "vectors")
    for module in (retable.experiments.embedding, facts):
        monkeypatch.setattr(module, "TAGGED", tmp_path / "tagged")
    for name in ("ROOT", "CHECKOUT"):
        monkeypatch.setattr(retable.experiments.embedding, name, tmp_path)
    monkeypatch.setattr(facts, "corpus", lambda name: Facts(name, languages[name], ()))
    tagged(tmp_path / "tagged/english", "en", [["Man1", "man1", "unheard", "of"]])
    tagged(tmp_path / "tagged/other", "zh", [["电影", "好看"]])
    pool(tmp_path / "pools/planted", "en", 40_000, 200_000)
    shutil.copy(planted.texts, tmp_path / "pools/planted/texts.parquet")
    pool(tmp_path / "pools/chinese", "zh", 5, 9)
    written(tmp_path / "pools/chinese/texts.parquet", [["电影", "好看"], ["好", "看", "电影"]])
    return tmp_path


def test_glove_and_the_coverage_of_training_splits(folders):
    retable.stages.embed.main("glove")
    retable.stages.embed.main("chinese")
    vectors = read_vectors(folders / "vectors/glove")
    known = {name: vectors.facts[name] for name in ("name", "method", "language", "unit", "lowercase", "dim")}
    assert known == {
        "name": "glove", "method": "glove", "language": "en", "unit": "words", "lowercase": True, "dim": 8,
    }  # fmt: skip
    assert vectors.facts["parameters"] == {name: value for name, value in GLOVE.items() if name != "method"}
    chinese = read_vectors(folders / "vectors/chinese").facts
    assert (chinese["language"], chinese["unit"]) == ("zh", "characters")
    assert facts.coverage() == [
        {"corpus": "english", "glove": "50.0% (33.3%)"}, {"corpus": "other", "chinese": "100.0% (100.0%)"},
    ]  # fmt: skip


def test_word2vec_of_words(folders):
    retable.stages.embed.main("word2vec")
    made = read_vectors(folders / "vectors/word2vec").facts
    assert (made["language"], made["unit"], made["method"]) == ("en", "words", "word2vec")


def test_published_vectors_tell_language_and_case(folders, monkeypatch):
    (folders / "v.txt").write_text("man1 1 2\nMan1 3 4\nof 5 6\nelse 7 8\n")
    asked = {"source": "v.txt", "method": "file", "format": "glove"}
    params = {
        "cased": asked | {"corpora": ["english"]},
        "chinese": asked | {"language": "zh", "unit": "characters"},
    }
    monkeypatch.setattr(retable.stages.embed, "read_params", lambda section: params)
    monkeypatch.setattr(retable.experiments.embedding, "SPLITS", ("train",))
    retable.stages.embed.main("cased")
    vectors = read_vectors(folders / "vectors/cased")
    assert vectors.words == ["man1", "Man1", "of"]
    assert (vectors.facts["language"], vectors.facts["lowercase"]) == ("en", False)
    retable.stages.embed.main("chinese")
    made = read_vectors(folders / "vectors/chinese").facts
    assert (made["language"], made["unit"]) == ("zh", "characters")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "pools/nowhere"}, "source in params.yaml is pools/nowhere, which is not a pool; `dvc repro`"),
        ({"method": "glov"}, 'unknown vectors.glove.method in params.yaml: "glov"; did you mean "glove"'),
        ({"method": "file", "source": "v.txt", "format": "glove", "language": "zh", "corpora": ["english"]},
         "vectors.glove.language in params.yaml is zh, but english is en"),
    ],
)  # fmt: skip
def test_what_cannot_be_embedded(folders, monkeypatch, capsys, change, message):
    asked = change if "format" in change else GLOVE | change
    monkeypatch.setattr(retable.stages.embed, "read_params", lambda section: {"glove": asked})
    with pytest.raises(SystemExit):
        retable.stages.embed.main("glove")
    assert message in capsys.readouterr().err


def pool(folder, language, words, characters):
    folder.mkdir(parents=True)
    write_json(folder / "pool.json", {"language": language, "words": words, "characters": characters})


def tagged(folder, language, lists):
    folder.mkdir(parents=True)
    schema = pa.schema([("tokens", pa.list_(pa.string()))], metadata=facts_metadata(Facts(folder.name, language, ())))
    pq.write_table(pa.table({"tokens": lists}, schema=schema), folder / "train.parquet")
