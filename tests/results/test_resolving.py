"""Check which runs fill a table: its own, those of other tables, by key; and why others are missing."""

from dataclasses import replace

import pytest

from retable.papers import paper
from retable.results import resolving
from retable.results.resolving import Resolver, changed_hashes, reasons
from retable.results.tables import read_cells, read_costs
from retable.runs import recipes
from retable.tables.results import Cells, result_lines
from retable.text.folds import Fold
from tests.results.records import PROTOCOL, answers, plan, rules, run

FCSR, TRANSFORMER_F, LAMA, FLOORS = (paper(name) for name in ("fcsr", "transformer-f", "lama", "floors"))
TABLE = FCSR.result_table("fcsr-table-3")
SECOND, THIRD = (TRANSFORMER_F.result_table(f"transformer-f-table-{number}") for number in (2, 3))
OF_LAMA, OF_FLOORS = LAMA.result_table("lama-table-4"), FLOORS.result_table("floors-table-1")


@pytest.fixture(autouse=True)
def no_other_scale(monkeypatch):
    monkeypatch.setattr(resolving, "planned_elsewhere", lambda table: {})


def shown(filled):
    return {key: [run.metrics["table"] for of_seed in seeds for run in of_seed] for key, seeds in filled.runs.items()}


def test_a_run_stands_under_every_column_that_shows_a_score_of_it_and_in_every_table_that_shares_it(tmp_path):
    cells = {SECOND.name: rules("transformer", "ced"), THIRD.name: rules("transformer-f-cor", "ced")}
    asked = plan(cells, transformer_f={"epochs": {"ced": 7}})  # all that the run has, of 20
    answered = answers(tmp_path / "a.parquet", 90)
    resolver = Resolver(asked, [run(asked, SECOND.name, "transformer", "ced", right=0.9, predictions=answered)])
    filled = resolver.fill(THIRD)
    keys = [("transformer", "ced"), ("transformer", "ced-f1")]
    assert shown(filled) == {key: [SECOND.name] for key in keys}
    assert filled.missing == {("transformer-f-cor", column): "not run yet" for _, column in keys}
    cells = read_cells(THIRD, filled, PROTOCOL | {"epochs": {"ced": 7}})
    values = {key: [(one.value, one.of_epochs) for one in found] for key, found in cells.runs.items()}
    assert values == {("transformer", "ced"): [(0.9, 20)], ("transformer", "ced-f1"): [(0.45, 20)]}
    (cost,) = read_costs(THIRD, filled)
    assert (cost["row"], cost["column"], cost["seconds"]) == ("transformer", "ced", 14.0)
    assert set(resolver.fill(SECOND).runs) == {key for key in keys if key[1] in [each.id for each in SECOND.columns]}


@pytest.mark.parametrize("hashes", [{"parameters": "p"}, {"data": "d"}, {"recipe": "loop 9.0"}])
def test_a_run_that_is_not_of_today_fills_nothing_and_says_why(hashes):
    asked = plan({TABLE.name: rules("fasttext", "sst-2")})
    (name,) = hashes
    for beyond in (False, True):
        filled = Resolver(asked, [run(asked, TABLE.name, "fasttext", "sst-2", **hashes)], beyond=beyond).fill(TABLE)
        told = f"refused: its {name} changed since then, so it must be run again"
        assert (filled.runs, filled.missing) == ({}, {("fasttext", "sst-2"): told})
        assert reasons(TABLE, filled)["fasttext", "sst-2"] == told


def test_of_a_recipe_the_majors_count():
    now = {"parameters": "p", "data": "d", "recipe": "c 1.0"}
    assert changed_hashes(now | {"recipe": "c 1.3"}, now) == []
    assert changed_hashes(now | {"recipe": "c 0.9", "data": "old"}, now) == ["data", "recipe"]


def test_a_run_of_a_minor_version_before_is_shown_and_marked(monkeypatch):
    asked = plan({TABLE.name: rules("fasttext", "sst-2")})
    before = run(asked, TABLE.name, "fasttext", "sst-2")
    monkeypatch.setitem(recipes.RECIPES, "loop", "1.1")
    filled = Resolver(asked, [before]).fill(TABLE)
    (shown,) = read_cells(TABLE, filled, PROTOCOL).runs["fasttext", "sst-2"]
    assert shown.earlier == "loop 1.0 (today 1.1)"
    line = next(line for line in result_lines(TABLE, [], Cells({("fasttext", "sst-2"): [shown]}, {})) if line.measured)
    assert "trained with loop 1.0 (today 1.1), equal within rounding" in line.note
    monkeypatch.setitem(recipes.RECIPES, "loop", "2.0")
    assert Resolver(asked, [before]).fill(TABLE).runs == {}


def test_a_linear_row_serves_the_tables_of_all_papers_and_a_network_those_that_limit_it_alike():
    cells = {OF_FLOORS.name: rules(["tfidf-svm", "fasttext"], "mr")}
    for limits, rows in ((0, {"tfidf-svm", "fasttext"}), ({"mr": 3}, {"tfidf-svm"})):
        asked = plan(cells, fcsr={"epochs": limits})
        runs = [run(asked, OF_FLOORS.name, row, "mr") for row in ("tfidf-svm", "fasttext")]
        filled = Resolver(asked, runs).fill(TABLE)
        assert {row for row, _ in filled.runs} == rows
        why = "floors-table-1 has a run with training.epochs 15 (here 3)"
        told = {("fasttext", "polarity"): why} if limits else {}
        assert filled.limited == told
        assert reasons(TABLE, filled) == {key: f"not planned at any scale, {why}" for key, why in told.items()}


def test_a_cell_is_filled_when_all_its_planned_seeds_are_there_and_beyond_the_plan_by_those_that_are():
    asked = plan({TABLE.name: rules("fasttext", "sst-2")}, fcsr={"seeds": [1, 2]})
    runs = [run(asked, TABLE.name, "fasttext", "sst-2", seed=seed) for seed in (1, 2, 3)]
    key = ("fasttext", "sst-2")

    def seeds(given, **options):
        found = Resolver(asked, given, **options).fill(TABLE).runs.get(key, ())
        return [record.seed for of_seed in found for record in of_seed]

    assert seeds(runs[:1]) == []
    assert seeds(runs) == [1, 2]
    assert seeds(runs[1:], beyond=True) == [2, 3]
    other = plan({})
    assert seeds(runs[:1]) == []
    assert Resolver(other, runs[:1], beyond=True).fill(TABLE).runs.keys() == {key}  # another scale's cell
    assert Resolver(other, runs[:1]).fill(TABLE).runs == {}


def test_beyond_the_plan_a_run_of_fewer_epochs_is_shown_until_one_of_all_is_there():
    cells = {TABLE.name: rules("fasttext", "sst-2")}
    now, before = plan(cells), plan(cells, fcsr={"epochs": {"sst-2": 3}})
    cut, whole = (run(asked, TABLE.name, "fasttext", "sst-2", seed=seed) for asked, seed in ((before, 1), (now, 2)))
    key = ("fasttext", "sst-2")
    assert Resolver(now, [cut]).fill(TABLE).missing.keys() == {key}
    assert Resolver(now, [cut], beyond=True).fill(TABLE).shown(key) == [cut]
    assert Resolver(now, [cut, whole], beyond=True).fill(TABLE).shown(key) == [whole]


def test_of_two_shorter_runs_that_of_most_epochs_is_shown():
    cells = {TABLE.name: rules("fasttext", "sst-2")}
    shorter, longer = (
        run(plan(cells, fcsr={"epochs": {"sst-2": epochs}}), TABLE.name, "fasttext", "sst-2", seed=seed)
        for seed, epochs in ((1, 2), (2, 3))
    )
    filled = Resolver(plan(cells), [shorter, longer], beyond=True).fill(TABLE)
    assert filled.shown(("fasttext", "sst-2")) == [longer]


def test_of_folds_a_seed_is_shown_whole_or_not_at_all():
    asked = plan({SECOND.name: rules("fasttext", "mr")}, transformer_f={"folds": {"mr": 2}, "seeds": [1]})
    folds = [
        run(asked, SECOND.name, "fasttext", "mr", fold=Fold("test", 2, number), right=right)
        for number, right in ((1, 0.7), (2, 0.9))
    ]
    for beyond in (False, True):
        for given in (folds[:1], folds[1:]):
            filled = Resolver(asked, given, beyond=beyond).fill(SECOND)
            assert (filled.runs, filled.missing) == ({}, {("fasttext", "mr"): "not run yet"})
            assert filled.parts == {("fasttext", "mr"): given}
            assert Resolver(asked, given, beyond=beyond).current() == given
    assert not Resolver(asked, folds).fill(SECOND).parts
    filled = Resolver(asked, folds[::-1]).fill(SECOND)
    (pooled,) = read_cells(SECOND, filled, asked["papers"]["transformer-f"]).runs["fasttext", "mr"]
    assert (pooled.value, pooled.texts, pooled.values) == (pytest.approx(0.8), 200, (0.7, 0.9))
    assert filled.shown(("fasttext", "mr")) == folds
    assert [cost["seed"] for cost in read_costs(SECOND, filled)] == ["1-fold-1", "1-fold-2"]


def test_a_cell_with_some_of_its_folds_says_their_score_beside_the_printed_one():
    """The folds of the fuller seed, weighed by their texts: (70 + 0.9 * 50) / 150."""
    asked = plan({SECOND.name: rules("fasttext", "mr")}, transformer_f={"folds": {"mr": 3}, "seeds": [1, 2]})
    given = [
        run(asked, SECOND.name, "fasttext", "mr", seed=seed, fold=Fold("test", 3, number), right=right, texts=texts)
        for seed, number, right, texts in ((1, 2, 0.1, 10), (2, 1, 0.7, 100), (2, 3, 0.9, 50))
    ]
    cells = read_cells(SECOND, Resolver(asked, given).fill(SECOND), asked["papers"]["transformer-f"])
    (line,) = [each for each in result_lines(SECOND, [], cells) if (each.row, each.column) == ("fasttext", "mr")]
    assert (line.part, line.measured, line.verdict) == ("76.67 on 2 of 3 folds", "", "not-run")
    assert line.note == "76.67 on 2 of 3 folds, the rest is not run yet"


def test_one_of_several_dev_folds_is_no_score():
    asked = plan({OF_LAMA.name: rules("fasttext", "r8")}, lama={"folds": {"r8": 2}})
    given = [run(asked, OF_LAMA.name, "fasttext", "r8", fold=Fold("dev", 2, 1))]
    assert not read_cells(OF_LAMA, Resolver(asked, given).fill(OF_LAMA), asked["papers"]["lama"]).parts
    assert Resolver(asked, given).current() == []


@pytest.mark.parametrize(("folds", "rows"), [({"mr": 2}, {"tfidf-svm"}), ({}, set()), ({"mr": 3}, set())])
def test_folds_serve_a_table_that_cuts_the_corpus_alike(folds, rows):
    asked = plan({TABLE.name: rules("tfidf-svm", "polarity")}, fcsr={"folds": {"mr": 2}}, floors={"folds": folds})
    runs = [run(asked, TABLE.name, "tfidf-svm", "polarity", fold=Fold("test", 2, number)) for number in (1, 2)]
    assert {row for row, _ in Resolver(asked, runs).fill(OF_FLOORS).runs} == rows


def test_of_dev_folds_the_best_on_dev_is_shown():
    asked = plan({OF_LAMA.name: rules("fasttext", "r8")}, lama={"folds": {"r8": 2}})
    runs = [
        run(asked, OF_LAMA.name, "fasttext", "r8", fold=Fold("dev", 2, number), dev=dev)
        for number, dev in ((1, 0.7), (2, 0.9))
    ]
    assert Resolver(asked, runs).fill(OF_LAMA).shown(("fasttext", "r8")) == runs[1:]


def test_of_two_runs_with_one_key_the_first_is_shown():
    asked = plan({TABLE.name: rules("fasttext", "sst-2")})
    runs = [run(asked, TABLE.name, "fasttext", "sst-2", right=right) for right in (0.8, 0.7)]
    assert Resolver(asked, runs, beyond=True).fill(TABLE).shown(("fasttext", "sst-2")) == runs[:1]


def test_the_current_runs_are_those_of_their_own_tables_cells():
    asked = plan({TABLE.name: rules("fasttext", "sst-2")})
    runs = [run(asked, TABLE.name, "fasttext", "sst-2", **hashes) for hashes in ({}, {"data": "d"})]
    assert Resolver(asked, runs).current() == runs[:1]


def test_a_cell_that_never_ran_names_the_smallest_scale_that_plans_it(monkeypatch):
    monkeypatch.undo()
    scales = {
        "cpu": plan({TABLE.name: rules("fasttext", "sst-2")}),
        "full": plan(
            {TABLE.name: rules(["fasttext", "transformer"], "sst-2"), THIRD.name: rules("transformer", "ced")}
        ),
        "paper": plan({OF_FLOORS.name: rules("tfidf-svm", "mr")}),
    }
    monkeypatch.setattr(resolving, "resolver_of_scale", lambda scale: Resolver(scales[scale]))
    assert resolving.planned_elsewhere(TABLE) == {
        ("fasttext", "sst-2"): "not run yet: planned at scale cpu",
        ("transformer", "sst-2"): "not run yet: planned at scale full",
        ("tfidf-svm", "polarity"): "not run yet: planned at scale paper",  # another table's run
    }
    assert resolving.planned_elsewhere(THIRD) == dict.fromkeys(
        [("transformer", "ced"), ("transformer", "ced-f1")], "not run yet: planned at scale full"
    )


def test_memory_of_a_gpu_is_not_shown_in_the_column_of_a_processs_memory():
    table = paper("cspan").result_table("cspan-table-4")
    asked = plan({table.name: rules(["cspan-l1-q1", "cspan-l1-q8"], "ag-news-5k")})
    on_cpu, on_gpu = (run(asked, table.name, row, "ag-news-5k") for row in ("cspan-l1-q1", "cspan-l1-q8"))
    on_gpu = replace(on_gpu, cost={"peak_gpu_memory_mb": 9.0})
    cells = read_cells(table, Resolver(asked, [on_cpu, on_gpu]).fill(table), PROTOCOL)
    memory = "ag-news-5k-memory"
    assert [result.value for result in cells.runs["cspan-l1-q1", memory]] == [812.5]
    assert ("cspan-l1-q8", memory) not in cells.runs
    assert "on a GPU" in cells.missing["cspan-l1-q8", memory]
    assert cells.runs["cspan-l1-q8", "ag-news-5k"]
