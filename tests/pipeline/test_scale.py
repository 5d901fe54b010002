"""A scale is base.yaml changed by its own file; the cells of a table follow from rules."""

import json
import subprocess

import pytest

from retable.errors import InputError
from retable.experiments import params_file
from retable.experiments.cells import cells_of, check_tables
from retable.experiments.run_checks import check_cells
from retable.experiments.scale import merged, scale_preset, scales
from retable.papers import PAPERS, paper, result_tables
from retable.papers.paper import Column, ResultTable, Row
from retable.project.params import load_yaml
from retable.project.paths import ROOT

BASE = {"corpora": {"x": {"k": 1, "l": [1, 2]}, "y": {"k": 2}}, "papers": {"p": {"epochs": 0}}, "evaluation": "text"}
TABLE = ResultTable(
    "t-table-1", "A table", None, "accuracy", "%",
    rows=(
        Row("svm", "SVM", "tfidf-svm"), Row("cnn", "CNN", "textcnn"), Row("old", "Old", reason="not built"),
        Row("lstm", "LSTM", "lstm"),
    ),
    columns=(
        Column("r8", "R8", "r8"), Column("polarity", "MR", "mr"), Column("f1", "F1", "r8", runs_of="r8"),
        Column("mean", "Mean", mean_of=("r8", "polarity")), Column("sst-2", "SST-2", "sst-2"),
        Column("ced", "CED", "ced"),
    ),
)  # fmt: skip
SCALE = {"scale": "tiny", "corpora": {"mr": {}, "ced": {}, "r8": {}}, "vectors": {"en-300": {}, "zh-300": {}}}
RULES = {"vectors": "en-300", "columns": "at hand", "rows": "all"}


def with_rules(rules, scale=SCALE):
    return scale | {"cells": {TABLE.name: rules}}


def refusal(call, *arguments):
    with pytest.raises(InputError) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def of_files(folder, **scales):
    """Write base.yaml and scales, and return the last."""
    for name, values in {"base": BASE, **scales}.items():
        (folder / f"{name}.yaml").write_text(json.dumps(values))
    return scale_preset(list(scales)[-1], folder)


@pytest.mark.parametrize(
    ("old", "own", "result"),
    [
        ({"x": 1, "y": 2}, {"y": 3}, {"x": 1, "y": 3}),
        ({"x": {"k": 1, "l": 2}}, {"x": {"l": 3}}, {"x": {"k": 1, "l": 3}}),
        ({"x": [1, 2]}, {"x": [3]}, {"x": [3]}),  # a list replaces a list
        ({"x": 0}, {"x": {"k": 1}}, {"x": {"k": 1}}),
        ({"x": {"k": 1}}, {"x": 0}, {"x": 0}),
        ({"x": {}, "y": {}, "z": {}}, ["z", "x"], {"z": {}, "x": {}}),  # and selects options, in its order
        ({"x": {}, "y": {}}, ["b"], {"b": {"k": 1}}),
        ({"x": {}, "y": {"k": 1}}, {"only": ["y"], "y": {"l": 2}}, {"y": {"k": 1, "l": 2}}),
        ({"x": {}}, {"b": {"l": 2}}, {"x": {}, "b": {"k": 1, "l": 2}}),  # an entry begins as in base.yaml
        ({"x": {"k": 1, "l": 2}}, {"y": {"like": "x", "l": 3}}, {"x": {"k": 1, "l": 2}, "y": {"k": 1, "l": 3}}),
        ({"x": {"k": 1}}, {"x": {"k": 2}, "y": {"like": "x"}}, {"x": {"k": 2}, "y": {"k": 2}}),
    ],
)
def test_what_a_file_says_changes_what_the_scale_has(old, own, result):
    found = merged(old, own, {"b": {"k": 1}}, "x.yaml")
    assert found == result
    assert list(found) == list(result)


def test_a_scale_changes_the_one_that_it_is_like(tmp_path):
    small = of_files(
        tmp_path,
        large={"corpora": ["y"], "papers": {"p": {"epochs": 5}}},
        small={"like": "large", "corpora": {"y": {"k": 9}}},
    )
    assert small == {"scale": "small", "corpora": {"y": {"k": 9}}, "papers": {"p": {"epochs": 5}}, "evaluation": "text"}


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"corpora": ["z"]}, 'unknown name in s.yaml, corpora: "z". Known: x, y'),
        ({"corpra": ["x"]}, 'unknown section of s.yaml: "corpra"; did you mean "corpora"'),
        ({"corpora": 3}, "corpora in s.yaml is 3; it must have options"),
        ({"corpora": {"x": None}}, "s.yaml, corpora.x is empty; give it a value"),
        ({"corpora": {"z": {"like": "v"}}}, 'unknown like of s.yaml, corpora.z: "v". Known: x, y'),
        ({"papers": {"q": {"epochs": 1}}}, 'unknown key of papers in s.yaml: "q". Known: p'),
        ({"like": "fll"}, 'unknown like in s.yaml: "fll". Known: s'),
        ({"like": "s"}, "like in s.yaml is s, which is itself like s"),
    ],
)
def test_a_mistake_in_a_scale_is_named_with_its_place(tmp_path, own, words):
    assert words in refusal(lambda: of_files(tmp_path, s=own))


def test_what_is_no_scale_is_refused():
    assert refusal(scale_preset, "base").startswith('unknown scale: "base". Known: cpu')
    assert refusal(scale_preset, "papr").startswith(
        'unknown scale: "papr"; did you mean "paper"? Known: cpu, full, measure'
    )


@pytest.mark.parametrize(
    ("rules", "result"),
    [
        # Columns in the order of the scale's corpora, rows in the table's; none without a model or runs.
        ({"rows": "svm"}, "svm.polarity svm.ced svm.r8"),
        ({"columns": "r8"}, "svm.r8 cnn.r8 lstm.r8"),
        ({"columns": ["r8", "at hand"], "rows": "svm"}, "svm.r8 svm.polarity svm.ced"),
        ({"columns": "r8", "rows": ["lstm", "all"]}, "lstm.r8 svm.r8 cnn.r8"),
        ({"columns": "r8", "without": ["svm"]}, "cnn.r8 lstm.r8"),
        ({"columns": "r8", "without": "svm", "rows": ["all", "svm"]}, "cnn.r8 lstm.r8 svm.r8"),
        ({"rows": "svm", "except": {"ced": [], "r8": "all", "sst-2": "cnn"}}, "svm.polarity svm.r8 cnn.r8 lstm.r8"),
    ],
)
def test_cells_by_rule(rules, result):
    assert " ".join(cells_of(TABLE, with_rules(RULES | rules))) == result


def test_a_cell_has_the_vectors_of_its_corpus_or_language_and_none_where_its_model_reads_none():
    vectors = {"mr": "mr", "en": "en-300", "zh": "zh-300"}
    scale = SCALE | {"vectors": {"mr": {}, **SCALE["vectors"]}}
    found = cells_of(TABLE, with_rules(RULES | {"vectors": vectors, "rows": ["svm", "cnn"]}, scale))
    assert [found[f"cnn.{name}"]["vectors"] for name in ("polarity", "r8", "ced")] == ["mr", "en-300", "zh-300"]
    assert found["svm.r8"] == {"row": "svm", "column": "r8", "model": "tfidf-svm", "corpus": "r8", "vectors": "none"}


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"row": "svm"}, 'unknown rule of cells.t-table-1 in scale tiny: "row"; did you mean "rows"'),
        (
            {"columns": "sst2"},
            'unknown column of cells.t-table-1 in scale tiny: "sst2"; did you mean "sst-2"? Known: at',
        ),
        ({"columns": "sst-2"}, "uses the corpus sst-2, which the scale does not prepare; add it to `corpora`"),
        ({"columns": "mean"}, "mean cannot be run: it has no corpus of its own"),
        ({"columns": "f1"}, "f1 shows the runs of r8; list that column instead"),
        ({"columns": {"r8": "all"}}, "columns of cells.t-table-1 in scale tiny is {'r8': 'all'}; allowed: a name or"),
        (
            {"rows": ["lstms"]},
            'unknown row of cells.t-table-1 in scale tiny: "lstms"; did you mean "lstm"? Known: all',
        ),
        ({"rows": "old"}, "old cannot be run: not built"),
        ({"without": ["cmm"]}, 'unknown row under without of cells.t-table-1 in scale tiny: "cmm"'),
        ({"except": {"r9": "all"}}, 'unknown column under except of cells.t-table-1 in scale tiny: "r9"'),
        ({"except": ["r8"]}, "except of cells.t-table-1 in scale tiny is ['r8']; allowed: {column: rows}"),
        ({"vectors": "en-30"}, 'unknown vectors of cells.t-table-1 in scale tiny: "en-30"; did you mean "en-300"'),
        ({"vectors": {"zh": "zh-300"}}, "have no set for mr; add one for it or for en"),
    ],
)
def test_a_mistake_in_a_rule_is_named_with_its_place(rules, words):
    assert words in refusal(cells_of, TABLE, with_rules(RULES | rules))


def test_a_rule_that_a_table_needs_and_a_table_that_no_paper_has_are_named():
    assert "lacks rows; it needs vectors, columns, rows" in refusal(
        cells_of, TABLE, with_rules({"vectors": "none", "columns": "r8"})
    )
    unknown = SCALE | {"cells": {"fcsr-table-33": RULES}}
    assert 'unknown table of cells in scale tiny: "fcsr-table-33"' in refusal(check_tables, unknown)


@pytest.mark.parametrize("name", scales())
def test_every_scale_has_all_papers_a_focus_and_cells(name):
    preset = scale_preset(name)
    assert any(cells_of(table, preset) for table in result_tables())
    assert set(preset["papers"]) == set(PAPERS)
    assert preset["focus"]["corpus"] in preset["corpora"]
    assert preset["focus"]["vectors"] in preset["vectors"]


@pytest.mark.parametrize("name", scales())
def test_every_scale_passes_the_checks_before_a_run(name):  # `cpu` named seeds of a corpus that it does not prepare
    for source in PAPERS:
        check_cells(scale_preset(name), paper(source))


def test_params_in_git_are_those_of_scale_cpu(tmp_path, monkeypatch):
    """`make tables` in a fresh clone, and after `make params SCALE=cpu`, is the same."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout of git")
    committed = subprocess.run(["git", "show", ":params.yaml"], cwd=ROOT, capture_output=True, text=True, check=True)
    monkeypatch.setitem(params_file.FAMILIES, "own", {})  # corpora of a user's own are added to those of a scale
    (tmp_path / "params.yaml").write_text(committed.stdout)
    monkeypatch.setattr(params_file, "PARAMS", tmp_path / "params.yaml")
    params_file.write_scale("cpu")
    assert (tmp_path / "params.yaml").read_text() == committed.stdout


def test_no_text_of_a_corpus_is_pushed_to_a_remote():
    """Many corpora may not be redistributed; results and word vectors may."""
    holding_texts = ("data/raw/", "data/clean/", "data/tagged/", "data/pools/")
    outs = {}
    for stage in load_yaml(ROOT / "dvc.yaml")["stages"].values():
        for out in stage.get("do", stage).get("outs", ()):
            outs |= out if isinstance(out, dict) else {out: {}}
    pushed = {path for path, options in outs.items() if options.get("push", True)}
    assert len([path for path in outs if path.startswith(holding_texts)]) == 4
    assert not [path for path in pushed if path.startswith(holding_texts)]
    assert "data/vectors/${key}" in pushed
