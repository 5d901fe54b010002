"""Bad runs: folders of runs, imports, the bank's lines, trials, tables, figures, model folders, the MLflow store."""

import json
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from safetensors.numpy import load_file, save

from retable.commands import check, import_
from retable.errors import InputError
from retable.experiments import folds, truth
from retable.experiments.scale import model_preset
from retable.files import read_csv, read_json, sha256_of_file, write_csv, write_json
from retable.own.corpus import split_of_texts
from retable.own.fit import fit
from retable.own.folder import read_model
from retable.papers import result_tables, trials
from retable.results.figures import entry_before
from retable.results.tables import COSTS
from retable.runs.bank import add_to_bank, read_bank
from retable.runs.folder import scores_of_splits
from retable.runs.form import SCORED, read_training
from retable.runs.predictions import write_predictions
from retable.runs.provenance import hash_of_parameters, run_key
from retable.runs.record import read_run, read_runs
from retable.site import report
from retable.tables.lines import Line, write_lines
from retable.tables.published import read_published
from retable.text.splits import Facts
from retable.tracking import entries, sqlite_file
from retable.tracking.found import DIGEST, KEY, PARENT, PLACE
from retable.tracking.record import is_recorded
from retable.tracking.store import Store
from retable.training.network import untrained_classifier
from retable.training.run import load_classifier
from retable.vectors.store import NO_VECTORS
from tests.robustness.kinds import Damage, Group, Kind, edit, files, folder, json_file, put, replaced, twice, without
from tests.tracking.conftest import some_answers, write_run

NAN, INF = float("nan"), float("inf")
R = "runs/fcsr-table-3/a"
METRICS, COST, CURVE, ANSWERS = (
    f"{R}/{name}" for name in ("metrics.json", "cost.json", "curve.csv", "predictions.parquet")
)


@cache
def kept() -> Path:
    """Return valid objects that take long to make, made once."""
    place = Path(tempfile.mkdtemp())
    write_run(place / R)
    return place


def make_run(place: Path) -> None:
    shutil.copytree(kept(), place, dirs_exist_ok=True)


def read_folder(place: Path) -> None:
    """Read a run's folder as tables, reports and the record do, and its answers if they need them."""
    for run in read_runs(place / "runs"):
        run.answers()
    if not (place / METRICS).exists():
        raise InputError(f"{METRICS} is missing, hence there is no run")
    for entry in entries.cells(place / "runs"):
        entries.final_metrics(entry)
        entries.start_and_end(entry)


def renamed(**changes: Any) -> Damage:
    """Change metrics.json and give it the matching key."""

    def damage(place: Path) -> None:
        content = read_json(place / METRICS)
        for where, value in changes.items():
            inner = content
            *sections, last = where.split("__")
            for section in sections:
                inner = inner[section]
            inner[last] = value
        content["hashes"]["parameters"] = hash_of_parameters(content["parameters"])
        content["key"] = run_key(**content["hashes"])
        write_json(place / METRICS, content)

    return damage


def answers(change: Callable[[pa.Table], pa.Table]) -> Damage:
    """Change the table of answers but keep its metadata."""

    def damage(place: Path) -> None:
        table = pq.read_table(place / ANSWERS)
        made = change(table)
        if made.schema.metadata is None and table.schema.metadata:
            made = made.replace_schema_metadata(table.schema.metadata)
        pq.write_table(made, place / ANSWERS)

    return damage


def column(name: str, values: Any) -> Damage:
    def change(table: pa.Table) -> pa.Table:
        made = values(table.column(name).to_pylist()) if callable(values) else values
        return table.set_column(
            table.column_names.index(name), name, made if isinstance(made, pa.Array) else pa.array(made)
        )

    return answers(change)


def fixed(rows: list[list[float]], width: int) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(np.array(rows, np.float32).ravel()), width)


def first(value: Any) -> Callable[[list[Any]], list[Any]]:
    return lambda values: [value, *values[1:]]


def probabilities(value: float) -> Damage:
    return column("probabilities", lambda values: fixed([[value, 0.5], *values[1:]], 2))


def a(where: str, value: Any, words: str = "") -> Kind:
    last = where.rpartition("/")[2]
    return Kind(
        f"metrics.json: {where} = {value!r:.40}", edit(METRICS, where, value), words or last.replace(".", r"\.")
    )


def c(where: str, value: Any) -> Kind:
    return Kind(f"cost.json: {where} = {value!r}", edit(COST, where, value), where)


def of_curve(name: str, value: str, words: str) -> Kind:
    """Change a value in the first epoch of the curve."""

    def damage(place: Path) -> None:
        first_line, *others = read_csv(place / CURVE)
        write_csv(place / CURVE, [first_line | {name: value}, *others], list(first_line))

    return Kind(f"a curve whose {name} is {value}", damage, words)


def facts_with_half(place: Path) -> None:
    table = pq.read_table(place / ANSWERS)
    facts = table.schema.metadata[b"retable"].replace(b"made-up", rb"made\ud800up")
    pq.write_table(table.replace_schema_metadata({b"retable": facts}), place / ANSWERS)


def exchanged(place: Path) -> None:
    """Change the label of a right and of a wrong answer, which leaves the accuracy as it is."""
    labels, answers_there = (pq.read_table(place / ANSWERS).column(name).to_pylist() for name in ("label", "predicted"))
    right = [label == answer for label, answer in zip(labels, answers_there, strict=True)]
    for number in (right.index(True), right.index(False)):
        answers_there[number] = "positive" if answers_there[number] == "negative" else "negative"
    column("predicted", answers_there)(place)


def eleventh_fold(place: Path) -> None:
    corpus = {"name": "sst-2", "kind": "test", "folds": 10, "fold": 11}
    renamed(fold=11, parameters__corpus=corpus)(place)


def unknown_column(place: Path) -> None:
    whole = [line | {"mood": "good"} for line in read_csv(place / CURVE)]
    write_csv(place / CURVE, whole, list(whole[0]))


def cut_curve(place: Path, lines: int) -> None:
    """Keep the first lines of the curve."""
    whole = read_csv(place / CURVE)
    write_csv(place / CURVE, whole[:lines], list(whole[0]))


UNKNOWN = (  # names that metrics.json does not have, in each of its sections
    ("", NAN),
    ("", "m" * 900_000),
    ("", json.loads("[" * 900 + "]" * 900)),
    *((f"{section}/", 0.5) for section in ("test", "test_clean", "dev", "epochs", "hashes", "vectors", "parameters")),
)
MARKUP = "<script>alert(1)</script>"
CURVE_LINES = (
    ("epoch", "1.5", "epoch is '1.5'.*line 2"),
    ("epoch", "nan", "epoch is 'nan'.*line 2"),
    ("epoch", "0", "epoch is 0.*line 2"),
    ("dev_accuracy", "good", "dev_accuracy is 'good'.*line 2"),
    ("dev_accuracy", "nan", "dev_accuracy is nan.*line 2"),
    ("dev_accuracy", "80", "dev_accuracy is 80.*line 2"),
    ("train_accuracy", "", "train_accuracy is ''.*line 2"),
    ("train_loss", "inf", "train_loss is inf.*line 2"),
    ("dev_loss", "1e300", "dev_loss is 1e.300.*line 2"),
    ("seconds", "word", "seconds is 'word'.*line 2"),
    ("seconds", "1e300", "seconds is 1e.300.*line 2"),
    ("learning_rate", "-1", "learning_rate is -1.*line 2"),
)
FOLDER_KINDS = (
    *json_file(METRICS, kind="metrics.json")[1:],
    *json_file(COST, kind="cost.json"),
    Kind("cost.json with a key twice", twice("seconds", COST), "'seconds' occurs twice"),
    *files(CURVE, kind="curve.csv"),
    *files(ANSWERS, kind="predictions"),
    *(
        Kind(f"metrics.json without {name}", without(METRICS, name), name.replace("/", "|"))
        for name in (
            "key",
            "hashes",
            "parameters",
            "test",
            "seed",
            "table",
            "epochs",
            "vectors",
            "test/accuracy",
            "parameters/model",
            "parameters/corpus/name",
            "hashes/data",
            "hashes/recipe",
        )
    ),
    *(a("test/accuracy", value) for value in (NAN, INF, 1.5, -0.1, "0.8", True, None, [0.8])),
    a("test/macro_f1", NAN),
    a("test/loss", -1.0),
    a("test/texts", -5),
    a("test/texts", "many"),
    a("test/texts", 1.5),
    a("test", [0.8]),
    a("dev", "good"),
    a("test_clean", {"accuracy": 2.0}, "accuracy"),
    *(a("seed", value) for value in (-1, True, [1], "1", 2**32, 1.5)),
    a("fold", 1),
    a("fold", [1]),
    a("model", "bilstm", "model"),
    a("corpus", "mr", "corpus"),
    a("row", "bilstm", "model"),
    a("row", ["fcsr"]),
    a("row", "r" * 1_000_000, "row"),
    a("row", "a\x00b"),
    a("row", MARKUP),
    a("column", "covid-sentiment", "corpus"),
    a("column", None),
    a("table", "../.."),
    a("table", "lama-table-4", "paper|row"),
    a("table", 5),
    a("paper", "lama"),
    a("paper", "../mlartifacts"),
    a("key", "0" * 64),
    a("key", 5),
    a("key", "../../x"),
    a("hashes", []),
    a("hashes/parameters", "0" * 64),
    a("hashes/data", "0" * 64, "key"),
    a("hashes/data", 7),
    a("hashes/recipe", "loop 9.0", "key"),
    a("hashes/recipe", "loop"),
    a("parameters", []),
    a("parameters/model", []),
    a("parameters/model/alpha", 0.9, "key|parameters"),
    a("parameters/seed", 2, "seed"),
    a("epochs", []),
    a("epochs/run", "all"),
    a("epochs/chosen", -1),
    a("epochs/turned", "yes"),
    a("vectors", ["v"]),
    a("vectors/name", 5),
    a("vectors/tokens_covered", 7),
    a("vectors/words_covered", "most"),
    *(
        Kind(f"half of a character: {where}", replaced(METRICS, old, new), "half of a character")
        for where, old, new in (
            ("the device", '"device": "cpu"', r'"device": "\ud800"'),
            ("the commit", '"git_commit": "', r'"git_commit": "\uDFFF'),
            ("an unknown key", '"date"', r'"\ud83d": 1, "date"'),
            ("a note", '"date"', r'"note": ["\ud83d x"], "date"'),
            ("a model's option", '"alpha"', r'"a\ud800": 1, "alpha"'),
        )
    ),
    Kind("facts of answers with half of a character", facts_with_half, "half of a character"),
    a("threads", "two"),
    a("threads", -1),
    a("threads", True),
    a("device", ["cpu"]),
    a("device", "c" * 100_000),
    a("device", "a\nb"),
    a("date", "yesterday"),
    a("date", 20261120),
    a("git_commit", {"a": 1}),
    a("scale", 5),
    a("chosen", []),
    a("versions", ["3.11"]),
    a("versions/python", 3.11),
    *(a(f"{section}mood", value, "a name .*is 'mood'") for section, value in UNKNOWN),
    Kind("cost.json: mood = 'good'", edit(COST, "mood", "good"), "a name is 'mood'"),
    c("date", "yesterday"),
    c("threads", "two"),
    a("unverified", "yes"),
    *(a("date", day) for day in ("9999-99-99", "2026-02-30", "1900-01-01")),
    a("epochs/chosen", 99, "epochs.chosen is 99, but epochs.run is 6"),
    a("epochs/run", 5, "has 6 epochs, but metrics.json says 5"),
    a("epochs/run", None, "epochs.chosen is 4, but epochs.run is None"),
    a("vectors/name", "glove-6b", "vectors.name is 'glove-6b', but its parameters say 'pool-en"),
    *(
        Kind(f"a run of {name} = {value}", renamed(**{f"parameters__{name}": value}), words)
        for name, value, words in (
            ("corpus__fold", 5, "lacks parameters.corpus.kind"),
            ("corpus__kind", "test", "a name in parameters.corpus is 'kind'"),
            ("corpus", {"name": "sst-2", "kind": "all", "folds": 10, "fold": 5}, "kind is 'all'"),
            ("corpus", {"name": "sst-2", "kind": "test", "folds": 10, "fold": "5"}, "fold is '5'"),
            ("corpus", {"name": "sst-2", "kind": "test", "folds": 10, "fold": 5}, "fold is None, but its .* say 5"),
            ("training__schedule", "linear", "lacks parameters.training"),
            ("training__epochs", "six", "epochs is 'six'"),
            ("training__epochs", 5, "epochs.run is 6, but its parameters allow 5"),
            ("training__max_words", -1, "max_words is -1"),
            ("embedding__vectors", "none", "vectors.name is 'pool-en.*, but its parameters say 'none'"),
        )
    ),
    Kind("a run of fold 11 of 10", eleventh_fold, "fold is 11, but its parameters have 10"),
    *(c(name, value) for name in ("seconds", "parameters") for value in (NAN, -1, "many", True, [1])),
    c("peak_memory_mb", INF),
    c("words_per_second", None),
    *(c(name, 1e300) for name in ("seconds", "seconds_per_epoch", "words_per_second", "parameters", "peak_memory_mb")),
    Kind("cost.json without seconds", without(COST, "seconds"), "seconds"),
    Kind("a curve of other columns", put(CURVE, "epoch,loss\n1,0.5\n"), "lacks learning_rate"),
    *(of_curve(name, line, words) for name, line, words in CURVE_LINES),
    Kind("a curve without train_loss", replaced(CURVE, "train_loss", "loss"), "line 2 lacks train_loss"),
    Kind("a curve with another name for the seconds", replaced(CURVE, "seconds", "time"), "line 2 lacks seconds"),
    Kind("a curve with a column too many", replaced(CURVE, "dev_loss", "dev_loss,x"), "line 2"),
    Kind("a curve with an unknown column", unknown_column, "'mood' in.*line 2; allowed: epoch"),
    Kind("a curve with a field too few", put(CURVE, "epoch,dev_accuracy\n1\n"), "line 2"),
    Kind("a curve with a field too many", put(CURVE, "epoch,dev_accuracy\n1,0.5,7\n"), "line 2"),
    Kind("a curve whose last epoch is a word", replaced(CURVE, "\n6,", "\nx,"), "epoch is 'x'.*line 7"),
    Kind("a curve with a gap", replaced(CURVE, "\n6,", "\n7,"), "epoch is 7.*line 7; allowed: 6"),
    Kind("a curve with an epoch twice", replaced(CURVE, "\n6,", "\n5,"), "epoch is 5.*line 7; allowed: 6"),
    Kind("a curve that ends early", lambda place: cut_curve(place, 5), "has 5 epochs, but metrics.json says 6"),
    Kind("a curve that is only a header", lambda place: cut_curve(place, 0), "has 0 lines"),
    Kind("a curve of candidates for epochs", put(CURVE, "features,dev_accuracy\nx,0.5\n"), "has 0 epochs"),
    Kind("candidates with a number of their own", put(CURVE, "candidate,dev_accuracy\nx,0.5\n"), "features|candidate"),
    Kind("a candidate of infinite cost", put(CURVE, "features,cost,dev_accuracy\nx,inf,0.5\n"), "cost is inf"),
    Kind("a curve of 20,000 candidates", put(CURVE, "features,dev_accuracy\n" + "x,0.5\n" * 20_000), "20,000 lines"),
    Kind("a curve with NUL", put(CURVE, b"epoch,dev_accuracy\n1,0.\x005\n"), r"curve\.csv"),
    Kind("answers of other columns", answers(lambda table: table.drop_columns(["clean"])), "clean"),
    Kind(
        "answers without facts",
        lambda place: pq.write_table(pq.read_table(place / ANSWERS).replace_schema_metadata(None), place / ANSWERS),
        "facts",
    ),
    Kind("answers of ids that are numbers", column("id", lambda values: list(range(len(values)))), "id"),
    Kind("an answer's id of null", column("id", first(None)), "id"),
    Kind("an answer's id twice", column("id", first("text-1")), "text-1"),
    Kind("an answer's unknown label", column("label", first("neutral")), "gives accuracy 0.88"),
    Kind("an answer's label of null", column("label", first(None)), "label"),
    Kind("an answer that is not the most probable", column("predicted", lambda values: values[::-1]), "gives accuracy"),
    Kind("an unknown answer", column("predicted", first("neutral")), "gives accuracy 0.88"),
    Kind("an answer's clean of null", column("clean", first(None)), "clean"),
    Kind("probabilities of NaN", probabilities(NAN), "probabilities"),
    Kind("probabilities below 0", probabilities(-0.5), "probabilities"),
    Kind("probabilities above 1", probabilities(7.0), "probabilities"),
    Kind("probabilities that are words", column("probabilities", lambda values: ["x"] * len(values)), "probabilities"),
    Kind(
        "probabilities of three classes",
        column("probabilities", lambda values: fixed([[0.2, 0.3, 0.5]] * len(values), 3)),
        "probabilities",
    ),
    Kind("no answers", answers(lambda table: table.slice(0, 0)), "has 0 texts, but metrics.json says 400"),
    Kind(
        "an accuracy that is not that of the answers",
        edit(METRICS, "test/accuracy", 0.9912),
        "gives accuracy 0.88.* for test, but metrics.json says 0.991200",
    ),
    Kind("a right answer for a wrong one, and the other way", exchanged, "predicted is not the most probable"),
    Kind("answers to fewer texts", answers(lambda table: table.slice(0, 399)), "has 399 texts, but .* says 400"),
    Kind("scores of more texts", edit(METRICS, "test/texts", 4000), "has 400 texts, but metrics.json says 4,000"),
)


# An import: only its own checks, in addition to those above


def make_import(place: Path) -> None:
    make_run(place)
    other = write_run(place / "other", seed=2)
    shutil.copy(place / ANSWERS, other / "predictions.parquet")  # the same test texts
    same = {name: read_json(place / METRICS)[name] for name in ("test", "test_clean")}
    write_json(other / "metrics.json", read_json(other / "metrics.json") | same)
    add_to_bank(place / "bank", [read_run(other)], "me")


def read_import(place: Path) -> None:
    truth.banked.cache_clear()
    with mock.patch.object(folds, "DIGESTS", place / "digests.json"):
        for found in import_.run_folders(place / "runs"):
            run = import_.check_run(found)
            if not truth.check_against_data(run, place / "bank"):
                raise InputError("nothing here verifies it")


def answered(*, labels: bool = False, ids: bool = False, clean: bool = False, fewer: bool = False) -> Damage:
    """Write other answers with scores that agree with metrics.json."""

    def damage(place: Path) -> None:
        values, split = some_answers(("negative", "positive"), 400, 1)
        if labels:
            split = replace(split, classes=values.argmax(axis=1))
        if ids:
            split = replace(split, ids=[f"mine-{number}" for number in range(400)])
        if clean:
            split = replace(split, clean=~split.clean)
        if fewer:
            split = replace(split, ids=split.ids[:300], classes=split.classes[:300], clean=split.clean[:300])
            values = values[:300]
        write_predictions(place / ANSWERS, split, values)
        content = read_json(place / METRICS)
        scores = scores_of_splits((values, split), (values, split))
        write_json(place / METRICS, content | {name: scores[name] for name in ("test", "test_clean")})

    return damage


def two_million(place: Path) -> None:
    """Repeat one answer: a small file that is large once it is read."""
    table = pq.read_table(place / ANSWERS).slice(0, 1)
    pq.write_table(pa.concat_tables([table] * 2_000).combine_chunks(), place / ANSWERS)
    table = pq.read_table(place / ANSWERS)
    pq.write_table(pa.concat_tables([table] * 1_000), place / ANSWERS, compression="zstd")
    edit(METRICS, "test/texts", 2_000_000)(place)


def known_data(place: Path) -> None:
    write_json(place / "digests.json", {"tokens": {"sst-2": "1" * 64}, "vectors": {"pool-en.word2vec-300": "2" * 64}})


def forged_data(place: Path) -> None:
    known_data(place)
    embedding = {"vectors": "pool-en.word2vec-300", "unit": "words"}
    renamed(hashes__data="0" * 64, parameters__embedding=embedding)(place)


def linked(name: str) -> Damage:
    def damage(place: Path) -> None:
        (place / name).rename(place / "secret")
        (place / name).symlink_to(place / "secret")

    return damage


def huge(name: str, gigabytes: int = 2) -> Damage:
    """Make a sparse file."""

    def damage(place: Path) -> None:
        with (place / name).open("r+b") as file:
            file.truncate(gigabytes << 30)

    return damage


IMPORT_KINDS = (
    Kind("import of nothing", lambda place: shutil.rmtree(place / "runs"), "contains no run"),
    Kind("import of true labels that were changed", answered(labels=True), "the test texts differ"),
    Kind("import of other texts", answered(ids=True), "the test texts differ"),
    Kind("import of fewer texts", answered(fewer=True), "the test texts differ"),
    Kind("import of other clean texts", answered(clean=True), "the test texts differ|clean"),
    Kind(
        "import of an accuracy that is not that of the answers", edit(METRICS, "test/accuracy", 0.99), "gives accuracy"
    ),
    Kind("import of an F1 that is not that of the answers", edit(METRICS, "test/macro_f1", 0.99), "gives macro_f1"),
    Kind(
        "import of clean scores that are not those of the answers",
        edit(METRICS, "test_clean/accuracy", 0.99),
        "test_clean",
    ),
    Kind("import of an AUC of null", edit(METRICS, "test/macro_auc", None), "gives macro_auc 0.*says null"),
    Kind("import without an F1", without(METRICS, "test/macro_f1"), "gives macro_f1 0.*says null"),
    Kind("import of a loss that is not that of the answers", edit(METRICS, "test/loss", 0.001), "loss"),
    Kind("import of two million answers in a small file", two_million, "2,000,000 texts; allowed: 1,000,000"),
    Kind("import of an unknown row", renamed(row="fscr"), "fscr"),
    Kind("import of an unknown column", renamed(column="sst2"), "sst2"),
    Kind("import of an unknown table", renamed(table="fcsr-table-33"), "fcsr-table-33"),
    Kind("import of an unknown paper", renamed(paper="fscr"), "paper"),
    Kind("import of a row of markup", renamed(row=MARKUP), "row"),
    Kind("import of a device of markup", renamed(device=MARKUP), "device"),
    Kind("import of a date of markup", renamed(date=MARKUP), "date"),
    Kind("import of a version of markup", renamed(versions={"python": MARKUP}), "version"),
    Kind("import of a package of markup", renamed(versions={MARKUP: "1"}), "version"),
    Kind("import of forged data", forged_data, "data that differ"),
    Kind("import of parameters without a unit", known_data, "lack 'unit'"),
    Kind("import of a seed beyond all", renamed(seed=2**32, parameters__seed=2**32), "seed"),
    *(
        Kind(f"import of {name.rpartition('/')[2]} as a link", linked(name), "link")
        for name in (METRICS, COST, CURVE, ANSWERS)
    ),
    Kind("import of a folder that is a link", linked(R), "contains no run|link"),
    *(
        Kind(f"import of a {name.rpartition('/')[2]} of 2 GB", huge(name), "bytes")
        for name in (METRICS, COST, CURVE, ANSWERS)
    ),
    Kind(
        "import of parameters nested deeply", renamed(parameters__model__x=json.loads("[" * 500 + "]" * 500)), "nested"
    ),
    Kind("import of NUL in parameters", renamed(parameters__model__x="a\x00"), "parameters"),
    Kind("import of an over-long parameter", renamed(parameters__model__x="a" * 200_000), "parameters"),
    Kind("import of parameters without training", renamed(parameters__training=None), "parameters"),
)


# The bank


def make_bank(place: Path) -> None:
    make_run(place)
    add_to_bank(place / "bank", read_runs(place / "runs"), "me")
    trials_folder = place / "bank/trials"
    trials_folder.mkdir()
    trial = {"row": "fcsr", "corpus": "mr", "trial": 1, "dev": 0.7, "options": {}}
    (trials_folder / "bench-table-1.jsonl").write_text(json.dumps(trial) + "\n")


LINES = "bank/fcsr-table-3.jsonl"
TRIALS = "bank/trials/bench-table-1.jsonl"


def read_all_of_bank(place: Path) -> None:
    for run in read_bank(place / "bank"):
        run.answers()
    with mock.patch.object(trials, "BANK", place / "bank"), mock.patch.object(trials, "TRIALS", place / "none"):
        trials.trials_of("bench-table-1")


def of_line(where: str, value: Any, name: str = LINES) -> Damage:
    def damage(place: Path) -> None:
        content = json.loads((place / name).read_text())
        inner = content
        *sections, last = where.split("/")
        for section in sections:
            inner = inner[section]
        inner[last] = value
        (place / name).write_text(json.dumps(content) + "\n")

    return damage


def as_table(name: str) -> Damage:
    """Replace the table of the bank's file and lines."""

    def damage(place: Path) -> None:
        content = (place / LINES).read_text().replace('"table": "fcsr-table-3"', f'"table": "{name}"')
        (place / f"bank/{name}.jsonl").write_text(content)

    return damage


def line(where: str, value: Any, words: str = "line 1") -> Kind:
    return Kind(f"a bank's line with {where} = {value!r:.40}", of_line(where, value), words)


BANK_KINDS = (
    Kind(
        "a bank's line cut off", lambda place: (place / LINES).write_bytes((place / LINES).read_bytes()[:300]), "line 1"
    ),
    Kind("a bank's line of a list", put(LINES, "[]\n"), "line 1"),
    Kind("a bank's line of nothing", put(LINES, "\n"), "line 1"),
    Kind("a bank's line of a conflict", put(LINES, "<<<<<<< HEAD\n"), "line 1"),
    Kind("a bank's line with a key twice", twice("who", LINES), "line 1.*'who' occurs twice"),
    Kind("a bank's file of no table", as_table("fcsr-tabel-3"), 'did you mean "fcsr-table-3"'),
    Kind("a bank's file of no paper", as_table("fscr-table-3"), 'did you mean "fcsr-table-3"'),
    Kind("a bank's file with a quote in its name", as_table("fcsr-table-3'"), 'did you mean "fcsr-table-3"'),
    Kind("a bank that is not UTF-8", put(LINES, b"\xff\xfe\n"), r"fcsr-table-3\.jsonl"),
    Kind("a bank's line nested too deep", put(LINES, "[" * 100_000 + "\n"), "line 1"),
    Kind("a bank's file that is a folder", folder(LINES), r"fcsr-table-3\.jsonl"),
    Kind("a bank's line with half of a character", replaced(LINES, '"who": "', r'"who": "\ud800'), "line 1.*half of"),
    Kind("a trial with half of a character", replaced(TRIALS, '"fcsr"', r'"\ud800"'), "half of a character"),
    line("metrics/test/accuracy", NAN, "accuracy"),
    line("metrics/test/accuracy", 2.0, "accuracy"),
    line("metrics/table", "lama-table-4", "table|paper|row"),
    line("metrics/key", "0" * 64, "key"),
    line("metrics/hashes/data", "0" * 64, "key"),
    line("metrics/model", "bilstm", "model"),
    line("metrics/seed", -1, "seed"),
    line("metrics/epochs", None, "epochs"),
    line("mood", "good", "a name is 'mood'"),
    line("metrics/mood", "good", "a name is 'mood'"),
    line("cost/mood", "good", "a name in cost is 'mood'"),
    line("metrics", None),
    line("cost", []),
    line("cost/seconds", "many", "seconds"),
    line("curve", None),
    line("curve", ["a"]),
    line("curve", [NAN]),
    line("who", 5),
    line("who", None),
    line("predictions", "../../../etc/passwd"),
    line("predictions", 5),
    line("predictions", "nothing.parquet", "nothing.parquet"),
    Kind("a trial that is no JSON", put(TRIALS, "{\n"), "trial"),
    Kind("a trial with a key twice", twice("dev", TRIALS), "'dev' occurs twice"),
    Kind("a trial of a list", put(TRIALS, "[]\n"), "trial"),
    Kind("trials that are not UTF-8", put(TRIALS, b"\xff\n"), "trial"),
    Kind("a trial without its row", put(TRIALS, '{"corpus": "mr", "trial": 1}\n'), "row"),
    Kind("a trial of NaN", of_line("dev", NAN, TRIALS), "dev"),
    Kind("a trial above 1", of_line("dev", 70, TRIALS), "dev"),
    Kind("a trial whose number is a word", of_line("trial", "one", TRIALS), "trial"),
    Kind("a trial whose options are a list", of_line("options", [1], TRIALS), "options"),
)


# Tables, printed numbers, figures, the report


def make_tables(place: Path) -> None:
    make_run(place)
    line = Line(
        "fcsr", "sst-2", "accuracy", measured="80.1", low="78.0", high="82.0", runs="1", unit="%", verdict="lower"
    )
    write_lines(place / "tables/fcsr-table-3.csv", [line])
    cost = dict.fromkeys(COSTS, "") | {"row": "fcsr", "parameters": "250", "threads": "2"}
    write_csv(place / "tables/fcsr-table-3.cost.csv", [cost], COSTS)
    content = {"table": "table-3", "row": "fcsr", "column": "sst-2", "metric": "accuracy", "value": "86.0", "unit": "%"}
    columns = ("table", "row", "column", "metric", "value", "unit", "own", "note")
    write_csv(place / "fcsr.csv", [content | {"own": "yes", "note": ""}], columns)
    write_json(
        place / "figures/figures.json",
        [{"name": "f", "runs": ["k"], "title": "t", "caption": "c", "files": [], "note": ""}],
    )


def read_tables(place: Path) -> None:
    with mock.patch.multiple(check, TABLES=place / "tables", BANK=place / "bank"):  # the bank has kinds of its own
        (table,) = (each for each in result_tables() if each.name == "fcsr-table-3")
        list(check.checked_cells(table))
    read_published(place / "fcsr.csv", "table-3")
    entry_before(mock.Mock(), place / "figures", ())
    with mock.patch.multiple(report, FIGURES=place / "figures", TABLES=place / "tables"):
        list(report.figures())
        report.costs_of(table)


T, P, C = "tables/fcsr-table-3.csv", "fcsr.csv", "tables/fcsr-table-3.cost.csv"
TABLE_KINDS = (
    *files(T, kind="a table"),
    Kind("a table of other columns", put(T, "row,column\nfcsr,sst-2\n"), "fcsr-table-3"),
    Kind("a table with a field too many", replaced(T, "\nfcsr,", "\nfcsr,x,"), "line 2"),
    Kind("a table of words", replaced(T, "80.1", "good"), "line 2"),
    Kind("a table of NaN", replaced(T, "80.1", "nan"), "line 2"),
    Kind("a table with NUL", replaced(T, "80.1", "8\x000"), "fcsr-table-3"),
    Kind("a table with a verdict that is none", replaced(T, ",lower,", ",<b>,"), "line 2: the verdict is '<b>'"),
    Kind("a table of half an interval", replaced(T, ",78.0,", ",,"), "line 2: low is '' and high is '82.0'"),
    *files(C, kind="costs of a table")[1:],
    Kind("costs of other columns", put(C, "row,column\nfcsr,sst-2\n"), "cost.csv has no column threads"),
    *(
        Kind(f"costs of {number}", replaced(C, ",250,", f",{number},"), f"line 2: parameters is '{number}'")
        for number in ("many", "nan", "inf")
    ),
    *files(P, kind="printed numbers"),
    Kind("printed numbers of other columns", put(P, "table,row\ntable-3,fcsr\n"), "column"),
    Kind("a printed number that is none", replaced(P, "86.0", "high"), "line 2"),
    Kind("a printed number of NaN", replaced(P, "86.0", "nan"), "line 2"),
    Kind("printed numbers with a field too many", replaced(P, "86.0", "86.0,x"), "line 2|columns"),
    *json_file("figures/figures.json", kind="figures.json")[1:5],
    Kind("figures.json an object", put("figures/figures.json", "{}"), "figures.json"),
    Kind("figures.json of words", put("figures/figures.json", '["f"]'), "figures.json"),
    Kind(
        "figures.json with half of a character",
        replaced("figures/figures.json", '"title": "t"', r'"title": "\ud800"'),
        "figures.json.*half of a character",
    ),
)


# The MLflow store


def make_store(place: Path) -> None:
    make_run(place)
    database = sqlite3.connect(place / "mlflow.db")
    for name, columns in {
        "runs": "run_uuid, end_time, lifecycle_stage, experiment_id, artifact_uri, status",
        "experiments": "experiment_id, name, lifecycle_stage",
        "tags": "key, value, run_uuid",
        "metrics": "key, run_uuid",
        "params": "key, run_uuid",
        "latest_metrics": "key, run_uuid",
        "inputs": "a",
        "input_tags": "a",
        "datasets": "a",
        "experiment_tags": "a",
        "alembic_version": "version_num",
    }.items():
        database.execute(f"CREATE TABLE {name} ({columns})")
    database.execute("INSERT INTO experiments VALUES (1, 'fcsr', 'active')")
    (cell,) = entries.cells(place / "runs")
    for number, entry in enumerate((cell, *cell.runs)):
        database.execute(
            "INSERT INTO runs VALUES (?, 1, 'active', 1, 'mlflow-artifacts:/1', 'FINISHED')", [str(number)]
        )
        content = {PLACE: entry.place, KEY: entry.key, DIGEST: entry.digest, PARENT: "0"}
        for tag, value in content.items():
            database.execute("INSERT INTO tags VALUES (?, ?, ?)", [tag, value, str(number)])
    database.commit()
    database.close()


def read_store(place: Path) -> None:
    """Check that everything is recorded, as every `make tables` does; missing entries are no error."""
    with mock.patch.object(sqlite_file, "BUSY_S", 0.05):
        is_recorded(Store(f"sqlite:///{place}/mlflow.db", place / "art"), entries.cells(place / "runs"))


def without_table(name: str) -> Damage:
    def damage(place: Path) -> None:
        database = sqlite3.connect(place / "mlflow.db")
        database.execute(f"DROP TABLE {name}")
        database.commit()
        database.close()

    return damage


HELD: list[sqlite3.Connection] = []


def lock(place: Path) -> None:
    """Hold an exclusive lock until the test's process ends."""
    database = sqlite3.connect(place / "mlflow.db", isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    HELD.append(database)


STORE_KINDS = (
    *files("mlflow.db", kind="mlflow.db")[1:2],
    *files("mlflow.db", kind="mlflow.db")[3:],
    Kind("mlflow.db locked", lock, "locked"),
    *(Kind(f"mlflow.db without its table {name}", without_table(name), name) for name in sorted(sqlite_file.TABLES)),
)


# Model folders of users' own texts


@cache
def model() -> Path:
    """Return a model folder, made once."""
    place = Path(tempfile.mkdtemp())
    chance = random.Random(1)
    words = [f"w{number}" for number in range(200)]
    lines = [f"{'good' if n % 2 else 'bad'} {' '.join(chance.choices(words, k=12))},{n % 2}\n" for n in range(60)]
    (place / "texts.csv").write_text("text,label\n" + "".join(lines))
    fit(place / "texts.csv", model="nb-svm", to=place / "model", vectors="none")
    return place / "model"


def make_model(place: Path) -> None:
    shutil.copytree(model(), place / "model")


def resealed(name: str, content: bytes) -> Damage:
    """Change a file of a model folder and its digest."""

    def damage(place: Path) -> None:
        (place / "model" / name).write_bytes(content)
        facts = read_json(place / "model/model.json")
        facts["sha256"][name] = sha256_of_file(place / "model" / name)
        write_json(place / "model/model.json", facts)

    return damage


def vocabulary(**changes: Any) -> Damage:
    return lambda place: resealed(
        "vocabulary.json", json.dumps(read_json(place / "model/vocabulary.json") | changes).encode()
    )(place)


def weights(**changes: np.ndarray) -> Damage:
    return lambda place: resealed(
        "weights.safetensors", save(load_file(place / "model/weights.safetensors") | changes)
    )(place)


M = "model/model.json"
MODEL_KINDS = (
    *json_file(M, kind="model.json"),
    *files("model/weights.safetensors", kind="a model's weights", words="weights"),
    *files("model/vocabulary.json", kind="a model's vocabulary", words="vocabulary"),
    *(
        Kind(f"model.json without {name}", without(M, name), name)
        for name in ("labels", "language", "parameters", "sha256", "markup")
    ),
    Kind("model.json of a newer format", edit(M, "format", 99), "format"),
    Kind("model.json of format true", edit(M, "format", True), "format"),
    Kind("model.json with a label", edit(M, "labels", "yes"), "labels"),
    Kind("model.json with digests that are a list", edit(M, "sha256", []), "sha256"),
    Kind("model.json that names a file elsewhere", edit(M, "sha256", {"../../etc/passwd": "0"}), "passwd|name"),
    Kind("model.json of an unknown model", edit(M, "parameters/model/name", "nobody"), "nobody"),
    Kind("model.json of another model", edit(M, "parameters/model/name", "textcnn"), "model"),
    Kind("model.json without a section", without(M, "parameters/embedding"), "parameters|embedding"),
    Kind("a model's weights that are none", resealed("weights.safetensors", b"\xff" * 64), "weights"),
    Kind("a model's vocabulary that is a list", resealed("vocabulary.json", b"[]"), "vocabulary"),
    Kind("a model's vocabulary of other options", resealed("vocabulary.json", b'{"a": 1}'), "vocabulary"),
    *(
        Kind(f"a model's vocabulary with {name} = {value!r}", vocabulary(**{name: value}), name)
        for name, value in (
            ("scale", NAN),
            ("scale", True),
            ("scale", -1),
            ("lowercase", 1),
            ("unit", "letters"),
            ("features", "x"),
            ("weighting", None),
            ("ngrams", "ab"),
            ("ngrams", []),
            ("ngrams", ["a", "a"]),
            ("ngrams", [1]),
            ("idf", 1),
        )
    ),
    Kind("a model's vocabulary of fewer n-grams", vocabulary(ngrams=["a"]), "shapes"),
    Kind("model.json with a label more", edit(M, "labels", ["0", "1", "2"]), "classes"),
    Kind("model.json with a label twice", edit(M, "labels", ["0", "0"]), "labels"),
    Kind("a model's weights with NaN", weights(bias=np.full(2, NAN)), "bias has a number"),
    Kind("a model's weights of another shape", weights(factors=np.ones(1)), "shapes"),
    Kind("a model's weights with one too many", weights(more=np.ones(1)), "shapes"),
    Kind(
        "a model's weights of other names",
        resealed("weights.safetensors", b"\x02\x00\x00\x00\x00\x00\x00\x00{}"),
        "weights",
    ),
)


# The focus run between training and scoring; a saved network


def make_focus(place: Path) -> None:
    make_run(place)
    record = read_json(place / METRICS)
    write_json(place / "training.json", {name: value for name, value in record.items() if name not in SCORED})


FOCUS_KINDS = (
    *json_file("training.json", kind="training.json")[1:],
    *(Kind(f"training.json without {name}", without("training.json", name), name) for name in ("parameters", "epochs")),
    Kind("training.json with a score", edit("training.json", "test", {"accuracy": 1.0}), "test"),
    Kind("training.json of another option", edit("training.json", "parameters/model/alpha", 0.99), "changed"),
    Kind("training.json of another seed", edit("training.json", "seed", 7), "seed"),
    Kind("training.json of true threads", edit("training.json", "threads", True), "threads"),
)


@cache
def network() -> Path:
    """Return a saved network, made once, and parameters.json."""
    place = Path(tempfile.mkdtemp())
    asked: dict[str, Any] = {name: model_preset("avg-embedding")[name] for name in ("model", "embedding", "training")}
    asked["embedding"] |= {"size": 4, "unit": "words", "vectors": "none", "min_count": 1}
    texts = split_of_texts(SAVED_FACTS, ["a good day", "a bad day"])
    cpu = torch.device("cpu")
    made = untrained_classifier(texts, NO_VECTORS, **asked, seed=1, device=cpu, precision="float32")
    made.save(place)
    write_json(place / "parameters.json", asked | {"device": "cpu", "precision": "float32"})
    return place


SAVED_FACTS = Facts("mine", "en", ("bad", "good"))
OF_NETWORK = (
    ("words", ["<padding>"]), ("words", "ab"), ("words", ["<padding>", "<unknown>", "a", "a"]),
    ("words", ["<padding>", "<unknown>", 5]), ("tuned", 10**30), ("tuned", True), ("tuned", NAN), ("unit", "letters"),
    ("unit", "characters"), ("lowercase", "yes"), ("parts", None), ("sides", 1), ("word", []),
)  # fmt: skip
NETWORK_KINDS = (
    *json_file("vocabulary.json", kind="a network's vocabulary", words="vocabulary"),
    *(
        Kind(f"vocabulary.json: {name} = {value}", edit("vocabulary.json", name, value), name)
        for name, value in OF_NETWORK
    ),
    *(
        Kind(f"a network's {place} = {value}", edit("parameters.json", place, value), place.rpartition("/")[2])
        for place, value in (("training/max_words", 10**30), ("training/max_words", -1), ("training/heads", "many"))
    ),
    Kind(
        "a network's weights with infinity",
        lambda place: (place / "weights.safetensors").write_bytes(
            save({name: array + INF for name, array in load_file(place / "weights.safetensors").items()})
        ),
        "infinite",
    ),
)


def read_network(place: Path) -> None:
    load_classifier(read_json(place / "parameters.json"), place, SAVED_FACTS)


GROUPS = {
    "focus": Group(make_focus, lambda place: read_training(place / "training.json"), FOCUS_KINDS),
    "network": Group(lambda place: shutil.copytree(network(), place, dirs_exist_ok=True), read_network, NETWORK_KINDS),
    "run": Group(make_run, read_folder, FOLDER_KINDS),
    "import": Group(make_import, read_import, IMPORT_KINDS),
    "bank": Group(make_bank, read_all_of_bank, BANK_KINDS),
    "tables": Group(make_tables, read_tables, TABLE_KINDS),
    "store": Group(make_store, read_store, STORE_KINDS),
    "model folder": Group(make_model, lambda place: read_model(place / "model"), MODEL_KINDS),
}
