"""The claims about costs: what is counted decides exactly, times only where they compare."""

from dataclasses import replace

import pytest

from retable.errors import InputError
from retable.experiments.scale import model_preset, scale_preset
from retable.papers import result_table
from retable.papers.parameters import row_parameters
from retable.project.paths import BANK
from retable.results import cost_claims as of_costs
from retable.results.cost_claims import CostLine, cost_claims, cost_claims_markdown
from retable.results.resolving import Filled
from retable.results.tables import epochs_of
from tests.results.records import PROTOCOL, plan, run, with_metrics

TABLE = "fcsr-figure-7"
HEADER = "paper,place,sentence,table,first,second,measure\n"


def line(measure, *ours):
    return CostLine("fcsr", "figure 7", "fastest", "FCSR", "CNN", "Apparel", measure, ours)


@pytest.mark.parametrize(
    ("measure", "ours", "verdict"),
    [
        ("parameters", (99.0, 100.0), "as claimed"),
        ("parameters", (100.0, 100.0), "alike"),
        ("flops_per_word", (101.0, 100.0), "the other way"),
        ("seconds_per_epoch", (92.0, 100.0), "alike"),
        ("seconds_per_epoch", (109.0, 100.0), "alike"),
        ("seconds_per_epoch", (90.0, 100.0), "as claimed"),
        ("seconds_per_epoch", (111.0, 100.0), "the other way"),
    ],
)
def test_a_difference_decides_but_times_within_a_tenth_are_alike(measure, ours, verdict):
    assert line(measure, *ours).verdict == verdict


def runs(row, *, seconds=None, threads=1, device="a machine", words=0, **metrics):
    cost = {"parameters": 1000.0, "parameters_tuned_words": words, "flops_per_word": 5.0}
    cost |= {} if seconds is None else {"seconds": 3 * seconds, "seconds_per_epoch": seconds}
    made = with_metrics(run(plan(), TABLE, row, "fdu-apparel"), device=device, threads=threads, **metrics)
    return [[replace(made, cost=cost)]]


@pytest.mark.parametrize(
    ("measure", "first", "second", "ours", "why"),
    [
        ("seconds_per_epoch", {"seconds": 6.0}, {"seconds": 2.0}, (6.0, 2.0), ""),
        ("seconds_per_epoch", {"seconds": 6.0}, {}, None, "not timed: CNN"),
        ("seconds_per_epoch", {"seconds": 6.0}, {"seconds": 2.0, "threads": 2}, None, "not timed: FCSR"),
        ("seconds_per_epoch", {"seconds": 6.0, "device": "b"}, {"seconds": 2.0}, None, "not timed: CNN"),
        ("parameters", {"words": 400}, {"words": 100}, (600.0, 900.0), ""),
        ("flops_per_word", {}, {"device": "b", "threads": 2}, (5.0, 5.0), ""),
    ],
)
def test_times_compare_on_one_machine_with_equal_threads(tmp_path, monkeypatch, measure, first, second, ours, why):
    (tmp_path / "claims.csv").write_text(f"{HEADER}fcsr,figure 7,fastest,{TABLE},fcsr,cnn,{measure}\n")
    monkeypatch.setattr(of_costs, "CLAIMED", tmp_path / "claims.csv")
    filled = Filled({("fcsr", "fdu-apparel"): runs("fcsr", **first), ("cnn", "fdu-apparel"): runs("cnn", **second)})
    (found,) = cost_claims(lambda table: filled)
    assert (found.ours, found.why, found.on) == (ours, why, "Apparel")


def test_costs_of_unverified_runs_decide_nothing(tmp_path, monkeypatch):
    (tmp_path / "claims.csv").write_text(f"{HEADER}fcsr,figure 7,fastest,{TABLE},fcsr,cnn,parameters\n")
    monkeypatch.setattr(of_costs, "CLAIMED", tmp_path / "claims.csv")
    filled = Filled({("fcsr", "fdu-apparel"): runs("fcsr", unverified=True), ("cnn", "fdu-apparel"): runs("cnn")})
    assert [each.why for each in cost_claims(lambda table: filled)] == ["no run of FCSR"]


def test_a_claim_without_runs_says_so(tmp_path, monkeypatch):
    (tmp_path / "claims.csv").write_text(f"{HEADER}fcsr,figure 7,fastest,{TABLE},fcsr,cnn s-lstm,flops_per_word\n")
    monkeypatch.setattr(of_costs, "CLAIMED", tmp_path / "claims.csv")
    found = cost_claims(lambda table: Filled({("cnn", "fdu-apparel"): runs("cnn")}))
    assert [(each.verdict, each.why) for each in found] == [
        ("none", "no run of FCSR"), ("none", "no run of FCSR and SLSTM"),
    ]  # fmt: skip
    assert "none (no run of FCSR)" in cost_claims_markdown(found)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("fcsr,figure 7,fastest,fcsr-figure-7,fcsr,cnn,metres", "line 2: measure is 'metres'; allowed: seconds_per"),
        ("fcsr,figure 7,fastest,fcsr-figure-7,fcsr,cmm,parameters", 'line 2: unknown row of fcsr-figure-7: "cmm"'),
        ("fcsr,figure 7,fastest,fcsr-figure-77,fcsr,cnn,parameters", '"fcsr-figure-77"'),
    ],
)
def test_a_claim_on_something_unknown_is_refused_with_its_line(tmp_path, monkeypatch, cells, message):
    (tmp_path / "claims.csv").write_text(f"{HEADER}{cells}\n")
    monkeypatch.setattr(of_costs, "CLAIMED", tmp_path / "claims.csv")
    with pytest.raises(InputError) as refused:
        cost_claims(lambda table: Filled())
    assert message in str(refused.value)


def test_figure_7_has_the_papers_systems_with_its_batch():
    rows = result_table(TABLE).rows
    assert [row.id for row in rows] == [
        "cnn", "lstm", "stacked-lstm", "bilstm", "stacked-bilstm", "transformer", "s-lstm", "fcsr",
    ]  # fmt: skip
    for row in rows:
        column = result_table(TABLE).column("fdu-apparel")
        found = row_parameters(model_preset(row.model), row, column, PROTOCOL, vectors="none", seed=1)["training"]
        assert (found["batch_size"], found["epochs"]) == (20, 3)


def test_a_row_of_three_epochs_to_be_timed_is_not_whole_after_them():
    table, whole = result_table(TABLE), result_table("fcsr-table-4")
    protocol = scale_preset("measure")["papers"]["fcsr"]
    assert epochs_of(table.row("cnn"), table.columns[0], protocol) == 20, "of its preset"
    assert epochs_of(whole.row("cnn"), whole.columns[0], protocol | {"epochs": 3}) == 20, "a scale's limit is no end"


def test_every_claim_of_the_file_is_read_from_the_bank():
    from retable.results.whole import bank_resolver

    found = cost_claims(bank_resolver(BANK).fill)
    assert {each.paper for each in found} == {"fcsr", "cspan", "lama"}
    assert sum(each.ours is not None for each in found) >= 5
