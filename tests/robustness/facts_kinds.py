"""Bad facts about data: JSON files of counts and shares that the stages write and tables and pages show."""

from pathlib import Path
from unittest import mock

from retable.commands.bank import copies_of_tests
from retable.experiments import embedding
from retable.files import read_json, write_json
from retable.project.paths import BANK
from retable.results import facts
from retable.results.tables import read_statistics
from retable.results.whole import read_copies
from retable.tables.statistics import read_corpora
from retable.tracking import checkout
from tests.robustness.kinds import Group, Kind, edit, json_file, put, without

NAN = float("nan")
DEEP: list[object] = []
for _ in range(500):
    DEEP = [DEEP]
STATS, CORPORA, COPIES, POOL = "clean/mr/stats.json", "bank/corpora.json", "bank/copies.json", "pool/pool.json"
OVERLAP, ACCURACY, AGREEMENT = "overlap.json", "accuracy.json", "zh/agreement.json"
OF_CLEAN, OF_VECTORS = "clean/mr/copies.json", "vectors/v/vectors.json"


def make(place: Path) -> None:
    for name in ("clean/mr", "bank", "pool", "zh", "vectors/v"):
        (place / name).mkdir(parents=True, exist_ok=True)
    statistics = read_json(BANK / "corpora.json")
    write_json(place / STATS, statistics["mr"])
    write_json(place / CORPORA, {name: statistics[name] for name in ("mr", "fdu-books")})  # one has unlabelled texts
    write_json(place / COPIES, {"mr": [["mr/1", "mr/2"], ["mr/3", "mr/4"]]})
    write_json(place / OF_CLEAN, [["mr/1", "mr/2"]])
    write_json(place / POOL, {"language": "en", "words": 9, "characters": 30, "excluded": {"mr": 1}, "near_copies": 0})
    pair = {"corpus": "mr", "other": "sst-2", "exact": 5, "near": 1}
    write_json(place / OVERLAP, {"texts": {"mr": {"train": 9}, "sst-2": {"train": 9}}, "pairs": [pair]})
    write_json(place / ACCURACY, {"treebank": "ewt", "test": {"upos": 0.9, "xpos": 0.8, "words": 100}})
    agreed = {"tokens": 5, "same_part": 0.9, "same_verdict": 0.95, "added": 3}
    of_corpus = {"texts": 2, "words": agreed, "characters": agreed, "characters_alone": agreed}
    write_json(place / AGREEMENT, {"table": {"entries": 5}, "dev": {"ced": of_corpus}})
    shape = {"words": 9, "dim": 3, "sha256": dict.fromkeys(("vectors.npy", "words.txt"), "0" * 64)}
    write_json(place / OF_VECTORS, {"name": "v", "method": "glove", "parameters": {"window": 5}, **shape})


def read(place: Path) -> None:
    """Read everything as tables, pages and `embed` do."""
    read_statistics(place / "clean")
    copies_of_tests(place / "clean")
    read_corpora(place / "bank")
    read_copies(place / "bank")
    embedding.pool_facts("v", str(place / "pool"))
    with mock.patch.multiple(facts, OVERLAP=place, TAGGER=place, PARTS_TABLES=place):
        for rows in (facts.overlaps, facts.tagger, facts.comparison_table):
            rows()


def read_for_record(place: Path) -> None:
    """Read what MLflow gets of the data."""
    with mock.patch.multiple(
        checkout, RUNS=place, FOCUS=place, CLEAN=place / "clean", VECTORS=place / "vectors", TAGGER=place
    ):
        checkout.all_entries()


def bad(name: str, where: str, *values: object) -> tuple[Kind, ...]:
    """Return a kind for each value of a JSON file; its message names the file and the last name of the path."""
    words = where.rpartition("/")[2]
    return tuple(Kind(f"{name}: {where} = {str(value)[:40]}", edit(name, where, value), words) for value in values)


KINDS = (
    *json_file(STATS, kind="stats.json")[1:],
    *json_file(CORPORA, kind="corpora.json")[1:-1],
    *json_file(COPIES, kind="copies.json of the bank")[1:-1],
    *json_file(POOL, kind="pool.json")[1:],
    *json_file(OVERLAP, kind="overlap.json")[1:],
    *json_file(ACCURACY, kind="accuracy.json")[1:],
    *json_file(AGREEMENT, kind="agreement.json")[1:],
    *bad(STATS, "instances", True, NAN, -1, 10**400, 1.5, None, [], DEEP),
    *bad(STATS, "corpus", "sst-2", ["mr"]),
    *bad(STATS, "published-average-words", float("inf"), "many", -0.1),
    *bad(STATS, "splits/train/texts", True, -1, "5"),
    *bad(STATS, "labels", ["a", "a"], ["a"], [1, 2], "ab"),
    *bad(STATS, "sha256/train", "abc", 5),
    *bad(STATS, "words", 5),
    Kind("stats.json without its test texts", without(STATS, "splits/test"), "splits.test"),
    Kind("stats.json without its leaks", without(STATS, "leakage/test-in-train"), "test-in-train"),
    Kind("stats.json of unlabelled texts alone", edit(STATS, "unlabelled", 5), "with-unlabelled"),
    *bad(CORPORA, "mr", None, [], {}),
    *bad(CORPORA, "fdu-books/unlabelled", NAN, True),
    *bad(COPIES, "mr", None, "mr/1", [["mr/1"]], [["mr/1", "mr/1"]], [["mr/1", 2]], [[]]),
    Kind("copies.json of a name that leads elsewhere", edit(COPIES, "a;b", []), "a name"),
    Kind("copies.json of clean an object", put(OF_CLEAN, "{}"), "copies.json"),
    Kind("copies.json of clean of numbers", put(OF_CLEAN, "[[1, 2]]"), "copies"),
    *bad(POOL, "words", 0, True, NAN, 10**400, "9", None, DEEP),
    *bad(POOL, "language", "fr", ["en"]),
    *bad(POOL, "excluded", [], {"mr": -1}, {"../mr": 1}),
    *bad(POOL, "word", 9),
    *bad(OVERLAP, "pairs", None, {}, [5], [{"corpus": "mr"}]),
    Kind("overlap.json of a pair of another corpus", edit(OVERLAP, "texts", {"sst-2": {"train": 9}}), "pairs of mr"),
    *bad(OVERLAP, "texts/mr", [9], {"train": NAN}),
    *bad(ACCURACY, "test", None, [], {}, 0.9),
    *bad(ACCURACY, "test/upos", 1.1, -0.1, NAN, True, None),
    *bad(ACCURACY, "tset", {}),
    *bad(AGREEMENT, "dev/ced/words/same_part", 2, NAN, True),
    *bad(AGREEMENT, "dev/ced", [], None),
)

RECORDED_KINDS = (
    *(kind for name in (STATS, OF_VECTORS, ACCURACY) for kind in json_file(name, kind=name)[1:]),
    *bad(STATS, "instances", True, NAN, 10**400),
    *bad(STATS, "corpus", "sst-2"),
    *bad(OF_VECTORS, "parameters", 5, [], DEEP),
    *bad(OF_VECTORS, "parameters/window", NAN, float("inf")),
    *bad(OF_VECTORS, "words", True, -1, 10**400, "9"),
    *bad(OF_VECTORS, "name", "<script>", None),
    *bad(ACCURACY, "test/upos", 1.1, NAN, True),
    *bad(ACCURACY, "parameters", 5),
)

GROUPS = {"facts of data": Group(make, read, KINDS), "facts for MLflow": Group(make, read_for_record, RECORDED_KINDS)}
