"""Pools: a text that any corpus holds out for dev or test is in none, however it was tokenised."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.paths import CLEAN, POOLS
from retable.errors import InputError
from retable.files import read_json
from retable.text.leakage import digest
from retable.vectors.pool import build_pool, read_held_out


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
    assert facts == {"texts": 3, "words": 5, "excluded": {"mine": 1, "other": 2, "third": 1}}
    assert sum(done) == 6


def test_a_pool_repeats_itself(tmp_path):
    source = tagged(tmp_path / "t.parquet", [[f"w{number}"] for number in range(3000)])
    for name in ("one", "two"):
        build_pool([source], {}, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_pool_of_held_out_texts_only(tmp_path):
    with pytest.raises(InputError, match="every text of it is held out"):
        build_pool([tagged(tmp_path / "t", [["a"]])], {"c": frozenset([digest("A.")])}, tmp_path / "pool")


def test_a_pool_is_not_made_without_the_held_out_texts_of_a_corpus(tmp_path):
    with pytest.raises(InputError, match=r"heldout\.txt is missing"):
        read_held_out({"c": tmp_path / "heldout.txt"})


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
    files = {corpus: folder / f"{corpus}.txt" for corpus in texts}
    for corpus, file in files.items():
        file.write_text("".join(f"{form}\n" for form in sorted(map(digest, texts[corpus]))))
    return read_held_out(files)


def tagged(path, lists):
    pq.write_table(pa.table({"tokens": pa.array(lists, pa.list_(pa.string()))}), path)
    return path
