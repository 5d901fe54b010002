"""The stages embed and quality on small pools: every method, what vectors.json says, what quality.json holds."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import retable.experiments.embedding
import retable.stages.embed
import retable.stages.quality
from retable.corpora.evaluation_sets import EvaluationSets, SetFile
from retable.files import read_json, write_json
from retable.text.splits import Facts, facts_metadata
from retable.vectors.store import read_vectors

GLOVE = {
    "source": "pools/planted", "method": "glove", "size": 8, "epochs": 100, "window": 5, "min_count": 2, "x_max": 100.0,
    "exponent": 0.75, "learning_rate": 0.05, "lowercase": True, "seed": 1,
}  # fmt: skip
WORD2VEC = {
    "source": "pools/planted", "method": "word2vec", "algorithm": "cbow", "size": 8, "epochs": 1, "window": 5,
    "min_count": 2, "negative": 5, "sample": 0.01, "lowercase": True, "seed": 1,
}  # fmt: skip
CHINESE = GLOVE | {"source": "pools/chinese", "epochs": 2, "unit": "characters"}
SETS = EvaluationSets(
    name="made", language="en, zh", files={}, source="", paper="", licence="", note="",
    sets={
        "sex.txt": SetFile("analogies", "en", 57), "near.txt": SetFile("similarity", "en", 3),
        "zh.txt": SetFile("similarity", "zh", 3),
    },
)  # fmt: skip


@pytest.fixture
def folders(tmp_path, monkeypatch, planted):
    """Two pools, two tagged corpora, test sets, and parameters."""
    params = {
        "vectors": {"glove": GLOVE, "word2vec": WORD2VEC, "chinese": CHINESE},
        "corpora": {"english": {}, "other": {}},
        "evaluation": "made",
    }
    for module in (retable.stages.embed, retable.stages.quality):
        monkeypatch.setattr(module, "read_params", params.get)
        monkeypatch.setattr(module, "VECTORS", tmp_path / "vectors")
    for module in (retable.experiments.embedding, retable.stages.quality):
        monkeypatch.setattr(module, "TAGGED", tmp_path / "tagged")
    for name in ("ROOT", "CHECKOUT"):
        monkeypatch.setattr(retable.experiments.embedding, name, tmp_path)
    monkeypatch.setattr(retable.stages.quality, "RAW", tmp_path / "raw")
    monkeypatch.setattr(retable.stages.quality, "QUALITY", tmp_path / "quality")
    monkeypatch.setattr(retable.stages.quality, "source", {"made": SETS, "other": None}.get)
    languages = {"english": "en", "other": "zh"}
    monkeypatch.setattr(retable.stages.quality, "corpus", lambda name: Facts(name, languages[name], ()))
    tagged(tmp_path / "tagged/english", "en", [["Man1", "man1", "unheard", "of"]])
    tagged(tmp_path / "tagged/other", "zh", [["电影", "好看"]])
    pool(tmp_path / "pools/planted", "en", 40_000, 0)
    shutil.copy(planted.texts, tmp_path / "pools/planted/texts.parquet")
    pool(tmp_path / "pools/chinese", "zh", 5, 9)
    write_lists(tmp_path / "pools/chinese/texts.parquet", [["电影", "好看"], ["好", "看", "电影"]])
    (tmp_path / "raw/made").mkdir(parents=True)
    questions = "".join(" ".join(question).title() + "\n" for question in planted.questions["sex"])
    (tmp_path / "raw/made/sex.txt").write_text(f": sex\n{questions}: other\na b c d\n")
    (tmp_path / "raw/made/near.txt").write_text("man1\tman2\t1\r\nman1\ttrade1\t9\r\nman1\tnone\t5\r\n")
    (tmp_path / "raw/made/zh.txt").write_text("电\t影\t9\n好\t看\t1\n电影\t看\t5\n")
    return tmp_path


def test_glove_through_both_stages(folders):
    retable.stages.embed.main("glove")
    vectors = read_vectors(folders / "vectors/glove")
    facts = {name: vectors.facts[name] for name in ("name", "method", "language", "unit", "lowercase", "dim")}
    assert facts == {
        "name": "glove", "method": "glove", "language": "en", "unit": "words", "lowercase": True, "dim": 8,
    }  # fmt: skip
    assert vectors.facts["parameters"] == {name: value for name, value in GLOVE.items() if name != "method"}
    retable.stages.quality.main("glove")
    quality = read_json(folders / "quality/glove/quality.json")
    sex = quality["analogies"].pop("sex")
    assert (sex["questions"], sex["asked"], sex["sections"]["other"]["asked"]) == (57, 56, 0)
    assert sex["accuracy"] > 0.9
    near = quality["similarity"]["near"]
    assert (near["pairs"], near["asked"], abs(near["rho"])) == (3, 2, pytest.approx(1)), "two pairs are in order or not"
    assert quality["coverage"] == {"english": {"words": 1 / 3, "tokens": 0.5}}, "no Chinese corpus"
    assert set(quality["neighbours"]) == {"he", "she", "his", "her"}, "the others hold digits"
    assert all(len(near) == 8 for near in quality["neighbours"].values())
    assert (quality["language"], quality["unit"], quality["candidates"], quality["evaluation"]) == (
        "en", "words", len(vectors.words), "made",
    )  # fmt: skip


def test_word2vec_of_words(folders):
    retable.stages.embed.main("word2vec")
    facts = read_vectors(folders / "vectors/word2vec").facts
    assert (facts["language"], facts["unit"], facts["method"]) == ("en", "words", "word2vec")


def test_vectors_of_characters_are_asked_for_characters_alone(folders):
    retable.stages.embed.main("chinese")
    retable.stages.quality.main("chinese")
    quality = read_json(folders / "quality/chinese/quality.json")
    assert (quality["language"], quality["unit"]) == ("zh", "characters")
    assert quality["analogies"] == {}
    assert quality["similarity"]["zh"] | {"rho": None} == {"pairs": 3, "asked": 2, "covered": 2 / 3, "rho": None}
    assert quality["coverage"] == {"other": {"words": 1.0, "tokens": 1.0}}


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
    facts = read_vectors(folders / "vectors/chinese").facts
    assert (facts["language"], facts["unit"]) == ("zh", "characters")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "pools/nowhere"}, "source in params.yaml is pools/nowhere, which is no pool; `dvc repro`"),
        ({"method": "glov"}, 'vectors.glove.method in params.yaml is "glov"; did you mean "glove"'),
        ({"method": "file", "source": "v.txt", "format": "glove", "language": "zh", "corpora": ["english"]},
         "vectors.glove.language in params.yaml is zh and english is en"),
    ],
)  # fmt: skip
def test_what_cannot_be_embedded(folders, monkeypatch, capsys, change, message):
    asked = change if "format" in change else GLOVE | change
    monkeypatch.setattr(retable.stages.embed, "read_params", lambda section: {"glove": asked})
    with pytest.raises(SystemExit):
        retable.stages.embed.main("glove")
    assert message in capsys.readouterr().err


def test_what_cannot_be_tested(folders, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        retable.stages.quality.main("glove")
    assert "vectors/glove/vectors.json is missing" in capsys.readouterr().err
    retable.stages.embed.main("chinese")
    monkeypatch.setattr(retable.stages.quality, "read_params", {"evaluation": "other"}.get)
    with pytest.raises(SystemExit):
        retable.stages.quality.main("chinese")
    assert "evaluation in params.yaml is other, which holds no test sets" in capsys.readouterr().err
    file = folders / "vectors/chinese/vectors.json"
    write_json(file, {name: value for name, value in read_json(file).items() if name != "language"})
    with pytest.raises(SystemExit):
        retable.stages.quality.main("chinese")
    assert "does not say its language, unit and case; `dvc repro embed@chinese`" in capsys.readouterr().err


def pool(folder, language, words, characters):
    folder.mkdir(parents=True)
    write_json(folder / "pool.json", {"language": language, "words": words, "characters": characters})


def tagged(folder, language, lists):
    folder.mkdir(parents=True)
    write_lists(folder / "train.parquet", lists, facts_metadata(Facts(folder.name, language, ())))


def write_lists(path, lists, metadata=None):
    schema = pa.schema([("tokens", pa.list_(pa.string()))], metadata=metadata)
    pq.write_table(pa.table({"tokens": lists}, schema=schema), path)
