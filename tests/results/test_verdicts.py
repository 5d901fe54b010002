"""A user's predictions compared with the bank's rows, from a made-up bank on SST-2."""

import json

import pyarrow.parquet as pq
import pytest

from retable.commands import verdicts as command
from retable.errors import InputError
from retable.files import write_csv, write_json
from retable.papers import result_table
from retable.results.judging import Judge
from retable.results.resolving import Resolver
from retable.results.verdicts import banked_rows, verdicts
from retable.runs.bank import add_to_bank, read_bank
from retable.text.folds import Fold
from tests.results.records import answers, plan, run

PLAN = plan(fcsr={"folds": {"mr": 10}})
TABLE, TEXTS = "fcsr-table-3", 100


def banked(folder, row, rights, column="sst-2", folds=0):
    """Return runs of a row that answer the first texts correctly, one count per seed or per fold."""
    made = []
    for number, right in enumerate(rights, start=1):
        prefix = f"{column}/{number if folds else 'test'}"
        path = answers(folder / f"{row}-{column}-{number}.parquet", right, prefix=prefix)
        seed, fold = (1, Fold("test", folds, number)) if folds else (number, None)
        made.append(
            run(PLAN, TABLE, row, column, right=right / TEXTS, seed=seed, fold=fold, predictions=path, texts=TEXTS)
        )
    return made


@pytest.fixture
def runs(tmp_path):
    """Return three networks with several seeds and a linear model, on SST-2."""
    found = {"fcsr": (90, 92, 91), "cnn": (60, 61, 59), "bilstm": (80,), "nb-svm": (70,)}
    return {row: banked(tmp_path, row, rights) for row, rights in found.items()}


@pytest.fixture
def bank(runs, tmp_path, monkeypatch):
    folder = tmp_path / "bank"
    add_to_bank(folder, [each for of_row in runs.values() for each in of_row], "Ada")
    write_json(folder / "copies.json", {"sst-2": [["sst-2/test/3", "sst-2/test/4"]]})
    monkeypatch.setattr(command, "BANK", folder)
    monkeypatch.setattr(command, "bank_resolver", lambda bank: Resolver(PLAN, read_bank(bank), beyond=True))
    return folder


def file_of(path, of_row, **changes):
    """Write the answers of runs as a user would; `changes` are columns with the same value in every line."""
    lines = [
        {"id": line["id"], "label": line["predicted"], "run": number, **changes}
        for number, each in enumerate(of_row)
        for line in pq.read_table(each.predictions).to_pylist()
    ]
    write_csv(path, lines, ["id", "label", "run"])
    return path


def found_by(capsys, *words):
    command.main([*map(str, words), "--json"])
    return {each["row"]: each for each in json.loads(capsys.readouterr().out)}


def test_a_banked_rows_own_answers_are_compared_as_claims_compare_it(bank, runs, tmp_path, capsys):
    file = file_of(tmp_path / "mine.csv", runs["fcsr"])
    found = found_by(capsys, "sst-2", "--from", file)
    resolver, table = Resolver(PLAN, read_bank(bank), beyond=True), result_table(TABLE)
    shown = resolver.fill(table).runs
    copies = {"sst-2": {"sst-2/test/3": 0, "sst-2/test/4": 0}}
    head = (None, table.row("fcsr"), table.row("cnn"), "SST", None)
    cells = [[shown["fcsr", "sst-2"]], [shown["cnn", "sst-2"]]]
    line = Judge(copies, resolver.protocol).line(head, table, [table.column("sst-2")], cells)
    assert line.comparison is not None
    assert line.comparison.interval() == pytest.approx((found["cnn"]["low"] / 100, found["cnn"]["high"] / 100))
    assert found["cnn"]["difference"] == pytest.approx(31.0)
    assert found["cnn"]["detectable"] == pytest.approx(100 * line.comparison.detectable)
    assert (found["cnn"]["verdict"], found["cnn"]["holm"]) == ("ahead", "ahead")


@pytest.mark.parametrize(
    ("asked", "rows", "verdict"),
    [
        ([], {"fcsr", "cnn", "bilstm", "nb-svm", "avg-embedding"}, "undecided"),
        (["nb-svm", "fcsr"], {"nb-svm", "fcsr"}, "behind"),
    ],
)
def test_holm_counts_the_rows_that_were_chosen(bank, tmp_path, capsys, asked, rows, verdict):
    near = banked(tmp_path, "avg-embedding", (66, 65, 66))
    add_to_bank(bank, near, "Ada")
    file_of(tmp_path / "mine.csv", banked(tmp_path, "nb-svm", (66,)))
    beside = [f"--beside={TABLE}/{row}" for row in asked]
    command.main(["sst-2", "--from", str(tmp_path / "mine.csv"), "--seedless", "--json", *beside])
    found = {each["row"]: each for each in json.loads(capsys.readouterr().out)}
    assert set(found) == rows
    assert (found["nb-svm"]["verdict"], found["nb-svm"]["holm"]) == ("behind", verdict)


def test_an_unknown_row_is_named(bank, runs, tmp_path, capsys):
    file_of(tmp_path / "mine.csv", runs["cnn"])
    with pytest.raises(SystemExit):
        command.main(["sst-2", "--from", str(tmp_path / "mine.csv"), "--beside", f"{TABLE}/nbsvm"])
    assert 'unknown row: "fcsr-table-3/nbsvm"; did you mean "fcsr-table-3/nb-svm"' in capsys.readouterr().err


def test_a_row_of_one_seed_gives_no_verdict_and_a_linear_one_does(bank, runs, tmp_path, capsys):
    found = found_by(capsys, "sst-2", "--from", file_of(tmp_path / "mine.csv", runs["fcsr"]))
    assert (found["bilstm"]["verdict"], found["bilstm"]["why"]) == ("none", "one run of bilstm")
    assert found["nb-svm"]["verdict"] == "ahead"


def test_one_run_of_theirs_gives_differences_and_says_what_a_verdict_needs(bank, runs, tmp_path, capsys):
    file = file_of(tmp_path / "mine.csv", runs["fcsr"][:1])
    command.main(["sst-2", "--from", str(file)])
    shown = capsys.readouterr().out
    assert "+20.0" in shown
    assert "none (one run of yours)" in shown
    assert "1 run given: a verdict needs 3 with different seeds" in shown
    found = found_by(capsys, "sst-2", "--from", file, "--seedless")
    assert found["nb-svm"]["verdict"] == "ahead"


def test_of_test_folds_every_fold_is_a_unit(tmp_path, capsys):
    folds = banked(tmp_path, "nb-svm", range(70, 80), "polarity", folds=10)
    rows = banked_rows("mr", Resolver(PLAN, folds, beyond=True))
    mine = {line["id"]: line["label"] for each in folds for line in pq.read_table(each.predictions).to_pylist()}
    (found,) = verdicts({"1": mine}, rows, Judge({}, lambda table: PLAN["papers"]["fcsr"]), seedless=False)
    assert "verdicts: 1 row in" in capsys.readouterr().err
    assert (found.yours, found.banked.folds, found.texts) == (1.0, 10, 1000)
    assert found.theirs == pytest.approx(0.745)
    assert found.comparison is not None
    assert found.comparison.parts[0].freedom == 9


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lines: lines[:-1], '1 of the 100 test texts of sst-2 have no answer, such as "sst-2/test/99"'),
        (lambda lines: [*lines, {"id": "sst-2/train/1", "label": "no"}], "are not test texts of sst-2"),
        (lambda lines: [*lines[:-1], lines[-1] | {"label": "ys"}], 'unknown label of run 1: "ys"; did you mean "yes"'),
        (lambda lines: [*lines, lines[0]], 'a run has two predictions for "sst-2/test/0"'),
        (lambda lines: [], "has no rows"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(bank, runs, tmp_path, capsys, change, sentence):
    answered = pq.read_table(runs["fcsr"][0].predictions).to_pylist()
    lines = change([{"id": line["id"], "label": line["predicted"]} for line in answered])
    write_csv(tmp_path / "mine.csv", lines, ["id", "label"])
    with pytest.raises(SystemExit):
        command.main(["sst-2", "--from", str(tmp_path / "mine.csv")])
    assert sentence in capsys.readouterr().err


def test_copies_of_one_run_are_not_several(bank, runs, tmp_path, capsys):
    answered = pq.read_table(runs["fcsr"][0].predictions).to_pylist()
    lines = [{"run": run, "id": line["id"], "label": line["predicted"]} for run in (1, 2, 3) for line in answered]
    write_csv(tmp_path / "mine.csv", lines, ["run", "id", "label"])
    with pytest.raises(SystemExit):
        command.main(["sst-2", "--from", str(tmp_path / "mine.csv")])
    assert "all 3 runs give the same answers" in capsys.readouterr().err
    for line in lines:
        if (line["run"], line["id"]) == (1, lines[0]["id"]):
            line["label"] = next(label for label in ("no", "yes") if label != line["label"])
    write_csv(tmp_path / "mine.csv", lines, ["run", "id", "label"])
    command.main(["sst-2", "--from", str(tmp_path / "mine.csv")])
    assert "runs 2 and 3 of" in capsys.readouterr().err


def test_a_misspelt_corpus_gets_the_nearest_and_one_without_runs_is_named():
    resolver = Resolver(PLAN, [], beyond=True)
    with pytest.raises(InputError, match='did you mean "sst-2"'):
        banked_rows("sst2", resolver)
    with pytest.raises(InputError, match="the bank has no run on sst-2"):
        banked_rows("sst-2", resolver)
