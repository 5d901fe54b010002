"""Pools: a text that any corpus holds out for dev or test is in none, however it was tokenised."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import retable.stages.pool
from retable.corpora import corpus
from retable.errors import InputError
from retable.files import read_json
from retable.project.paths import CLEAN, POOLS
from retable.text.leaks.leakage import digest
from retable.text.splits import Facts, facts_metadata
from retable.vectors.pool import build_pool, pool_language, read_held_out
from retable.vectors.token_lists import TokenLists


def test_a_held_out_text_of_another_corpus_is_excluded(tmp_path):
    texts = {"mine": ["My own test."], "other": ["It isn't GOOD!", "Both hold it"], "third": ["BOTH hold it?"]}
    held_out = held_out_of(tmp_path, texts)
    sources = [
        tagged(tmp_path / "mine.parquet", [["a", "fine", "film"], ["it", "is", "n't", "good"], ["fine"]]),
        tagged(tmp_path / "more.parquet", [["both", "hold", "it", "!"], ["My", "own", "test"], ["fine"]]),
    ]
    done = []
    facts = build_pool(sources, held_out, tmp_path / "pool", on_texts=done.append)
    assert pq.read_table(tmp_path / "pool")["tokens"].to_pylist() == [["a", "fine", "film"], ["fine"], ["fine"]]
    assert facts == {
        "texts": 3, "words": 5, "characters": 1 + 4 + 4 + 4 + 4, "excluded": {"mine": 1, "other": 2, "third": 1},
        "near_copies": 0,
    }  # fmt: skip
    assert sum(done) == 6


def test_near_copies_of_dev_and_test_texts_are_left_out_and_counted(tmp_path):
    source = tagged(tmp_path / "u", [["free"], ["nearly", "held", "out"], ["Held", "out"], ["nearly", "too"]],
                    clean=[True, False, False, False])  # fmt: skip
    facts = build_pool([source], {"c": frozenset([digest("held out")])}, tmp_path / "pool")
    assert pq.read_table(tmp_path / "pool")["tokens"].to_pylist() == [["free"]]
    assert (facts["texts"], facts["excluded"], facts["near_copies"]) == (1, {"c": 1}, 2), "an exact copy counts once"


def test_a_pool_repeats_itself(tmp_path):
    source = tagged(tmp_path / "t.parquet", [[f"w{number}"] for number in range(3000)])
    for name in ("one", "two"):
        build_pool([source], {}, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_pool_of_held_out_texts_only(tmp_path):
    with pytest.raises(InputError, match="is an empty pool: all its texts are, or nearly repeat, held-out ones"):
        build_pool([tagged(tmp_path / "t", [["a"]])], {"c": frozenset([digest("A.")])}, tmp_path / "pool")


def test_a_pool_is_not_made_without_the_held_out_texts_of_a_corpus(tmp_path):
    with pytest.raises(InputError, match=r"heldout\.txt is missing"):
        read_held_out({"c": tmp_path / "heldout.txt"})


@pytest.mark.parametrize("content", [b"zzz\n", b"\xff\xfe\n", b"0" * 31 + b"\n", b"A" * 32 + b"\n"])
def test_held_out_texts_that_are_no_digests_are_refused(tmp_path, content):
    (tmp_path / "heldout.txt").write_bytes(digest("A.").encode() + b"\n" + content)
    with pytest.raises(InputError, match=r"heldout\.txt contains .* which is not a digest of a text"):
        read_held_out({"c": tmp_path / "heldout.txt"})


def test_characters_are_counted_as_they_are_read(tmp_path):
    source = tagged(tmp_path / "t", [["电影", "好看", "😀"], ["a"]])
    assert build_pool([source], {}, tmp_path / "pool")["characters"] == 6
    lists = TokenLists(tmp_path / "pool", lowercase=True, unit="characters")
    assert list(lists) == [["电", "影", "好", "看", "😀"], ["a"]]


def test_the_language_of_a_pool():
    assert pool_language("p", [corpus("mr"), corpus("imdb")]) == "en"
    with pytest.raises(InputError, match=r"pools\.p in params\.yaml has corpora in en and zh; make a pool for each"):
        pool_language("p", [corpus("mr"), replace(corpus("mr"), language="zh")])
    with pytest.raises(InputError, match=r"pools\.p in params\.yaml has no corpus"):
        pool_language("p", [])


def test_a_corpus_whose_texts_stand_in_another_is_in_no_pool():
    twin = replace(corpus("mr"), name="twin", pooled=False, note="all its texts are in mr")
    with pytest.raises(InputError, match=r"has twin, which no pool may contain \(all its texts are in mr\); remove it"):
        pool_language("p", [corpus("imdb"), twin])
    for name in ("fdu-mr", "fdu-16"):
        with pytest.raises(InputError, match=rf"has {name}, which no pool may contain \(.*\); remove it"):
            pool_language("p", [corpus(name), corpus("imdb")])


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """Run the stage on two small corpora: `first` has unlabelled texts, `second` none; `third` only holds texts out."""
    sizes = {"first": 3, "second": 0, "third": 0}
    monkeypatch.setattr("retable.stages.pool.CORPORA", dict.fromkeys(sizes, "made"))
    monkeypatch.setattr(
        "retable.stages.pool.corpus",
        lambda name: replace(corpus("mr"), name=name, unlabelled=sizes[name], note="of the test"),
    )
    params = {"pools": {"all": {"corpora": ["first", "second"], "unlabelled": True}}, "corpora": dict.fromkeys(sizes)}
    params["pools"]["labelled"] = params["pools"]["all"] | {"unlabelled": False}
    params["papers"] = {}  # none that cuts a corpus into folds
    monkeypatch.setattr("retable.stages.pool.read_params", params.get)
    for name in ("TAGGED", "CLEAN", "POOLS"):
        monkeypatch.setattr(f"retable.stages.pool.{name}", tmp_path / name)
    for name in sizes:
        (tmp_path / "CLEAN" / name).mkdir(parents=True)
        (tmp_path / "CLEAN" / name / "heldout.txt").write_text("")
        split(tmp_path / "TAGGED" / name / "train.parquet", [[name, "train"]])
    split(tmp_path / "TAGGED/first/unlabelled.parquet", [["free"], ["Held", "out"], ["near"], ["free"]],
          clean=[True, True, False, True])  # fmt: skip
    (tmp_path / "CLEAN/third/heldout.txt").write_text(digest("held-out!") + "\n")
    return tmp_path


def test_unlabelled_texts_join_a_pool_where_asked_but_no_held_out_one(stage):
    retable.stages.pool.main("all")
    texts = pq.read_table(stage / "POOLS/all/texts.parquet")["tokens"].to_pylist()
    assert texts == [["first", "train"], ["free"], ["free"], ["second", "train"]]
    facts = read_json(stage / "POOLS/all/pool.json")
    assert facts == {
        "name": "all", "language": "en", "corpora": ["first", "second"], "unlabelled": True,
        "texts": 4, "words": 6, "characters": 29, "excluded": {"first": 0, "second": 0, "third": 1},
        "near_copies": 1,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["labelled", "first"])
def test_a_pool_of_training_splits_has_no_unlabelled_text(stage, name):
    retable.stages.pool.main(name)
    texts = pq.read_table(stage / f"POOLS/{name}/texts.parquet")["tokens"].to_pylist()
    assert ["free"] not in texts
    assert ["first", "train"] in texts


@pytest.mark.parametrize(("pool", "left"), [("first", [["first", "train"]]), ("labelled", [["second", "train"]])])
def test_the_whole_of_a_pooled_part_holds_out_nothing_from_the_pool_of_that_part_alone(stage, monkeypatch, pool, left):
    declared = retable.stages.pool.corpus
    parts = {"first": "third"}
    monkeypatch.setattr("retable.stages.pool.corpus", lambda name: replace(declared(name), part_of=parts.get(name, "")))
    (stage / "CLEAN/third/heldout.txt").write_text(digest("first train") + "\n")
    retable.stages.pool.main(pool)
    assert pq.read_table(stage / f"POOLS/{pool}/texts.parquet")["tokens"].to_pylist() == left


def test_missing_unlabelled_texts_are_told(stage, capsys):
    (stage / "TAGGED/first/unlabelled.parquet").unlink()
    with pytest.raises(SystemExit):
        retable.stages.pool.main("all")
    assert "first/unlabelled.parquet is missing; `dvc repro` makes it." in capsys.readouterr().err


def real_pools():
    return sorted(path.parent for path in POOLS.glob("*/texts.parquet"))


@pytest.mark.skipif(not real_pools(), reason="no pool is made yet: `dvc repro pool`")
@pytest.mark.parametrize("pool", real_pools(), ids=lambda pool: pool.name)
def test_no_real_pool_holds_a_dev_or_test_text(pool):
    files = [CLEAN / corpus / f"{split}.parquet" for corpus in read_json(pool / "pool.json")["excluded"]
             for split in ("dev", "test")]  # fmt: skip
    held_out = [text for file in files for text in pq.read_table(file, columns=["text"])["text"].to_pylist()]
    digests = frozenset(map(digest, held_out))
    assert digests
    texts = pq.read_table(pool / "texts.parquet")["tokens"].to_pylist()
    assert not [text for text in texts if digest(" ".join(text)) in digests]


def held_out_of(folder: Path, texts):
    files = {name: folder / f"{name}.txt" for name in texts}
    for name, file in files.items():
        file.write_text("".join(f"{form}\n" for form in sorted(map(digest, texts[name]))))
    return read_held_out(files)


def tagged(path, lists, clean=None):
    tokens = pa.array(lists, pa.list_(pa.string()))
    pq.write_table(pa.table({"tokens": tokens, "clean": clean or [True] * len(lists)}), path)
    return path


def split(path, lists, clean=None):
    """Return a tagged split with only the columns that a pool reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = facts_metadata(Facts(path.parent.name, "en", ("a", "b")))
    schema = pa.schema([("tokens", pa.list_(pa.string())), ("clean", pa.bool_())], metadata=metadata)
    pq.write_table(pa.table({"tokens": lists, "clean": clean or [True] * len(lists)}, schema=schema), path)
