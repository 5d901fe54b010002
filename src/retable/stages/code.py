"""Check all of params.yaml, then write the dependencies of each stage and each row beyond its data.

In   params.yaml, src/retable/conf/, src/retable/corpora/
Out  data/code/<stage>: the recipes of its units; data/code/corpus.<corpus>: the digest of the corpus's module;
     data/code/<table>: its cells, their presets, overrides and recipes. A stage depends on its file: a new recipe,
     preset or corpus declaration re-runs only what it can change.

Every stage depends on this one, so a mistake in params.yaml is reported before any expensive step.
"""

import ast
from typing import Any

from retable.corpora import CORPORA, FAMILIES, REFERENCES
from retable.corpora.own import DECLARATION
from retable.experiments.cells import Plan, cells_of
from retable.experiments.data_checks import check_data, check_sections
from retable.experiments.folds import folded_corpora
from retable.experiments.run_checks import check_cells, check_focus
from retable.experiments.scale import model_preset
from retable.files import atomic_folder, sha256_of_file, sha256_of_value, write_json
from retable.papers import PAPERS, paper
from retable.papers.paper import ResultTable
from retable.papers.trials import banked_trials
from retable.project.command import command
from retable.project.params import load_yaml
from retable.project.paths import BANK, CODE, OWN, PARAMS, ROOT
from retable.runs.provenance import EXECUTION, tree_digest
from retable.runs.recipes import RECIPES

# Stage -> the units that make its outputs.
DATA_STAGES = {
    "clean": ["clean"],
    "overlap": ["overlap"],
    "tagger": ["tagger"],
    "parts-table": ["parts-table", "tokens"],
    "tag": ["tokens"],
}
EMBED_UNITS = {"word2vec": ["word2vec"], "glove": ["glove"], "file": ["published-vectors"]}
RUN_UNITS = [unit for unit in RECIPES if unit.startswith(("optimiser-", "schedule-"))] + [
    "loop", "batches", "vocabulary", "raw-characters", "per-domain", "bfloat16", "linear", "ranking", "folds", "scores",
]  # fmt: skip


def recipes_of(units: list[str]) -> dict[str, str]:
    """Return unit -> version."""
    return {unit: RECIPES[unit] for unit in units}


def digest_of_corpus(name: str) -> str:
    """Return the digest of the module that declares a corpus, or a reference set, and of the tables that it reads.

    Comments do not count.
    """
    path = ROOT / f"src/retable/corpora/{(CORPORA | REFERENCES)[name]}.py"
    tables = [sha256_of_file(table) for table in sorted(path.parent.glob(f"{path.stem}*.csv"))]
    if name in FAMILIES["own"]:
        tables.append(sha256_of_file(OWN / name / DECLARATION))
    return sha256_of_value([tree_digest(ast.parse(path.read_text(encoding="utf-8"))), *tables])


def code_of_table(table: ResultTable, plan: Plan, protocol: dict[str, Any]) -> dict[str, Any]:
    """Return the dependencies of a table's runs beyond data: its cells, their rows' options and the recipes."""
    cells = cells_of(table, plan)
    rows = [row for row in table.rows if row.id in {cell["row"] for cell in cells.values()}]
    return {
        "cells": cells,
        "protocol": {name: value for name, value in protocol.items() if name not in EXECUTION},
        "rows": {row.id: [model_preset(str(row.model)), row.overrides, row.chosen] for row in rows},
        "recipes": recipes_of(RUN_UNITS),
        **({"trials": sha256_of_file(trials)} if (trials := banked_trials(BANK, table.name)).exists() else {}),
    }


@command
def main() -> None:
    params = load_yaml(PARAMS)
    check_sections(params)
    check_data(params)
    check_focus(params)
    for name in PAPERS:
        check_cells(params, paper(name))
    with atomic_folder(CODE) as folder:
        for name, value in sorted(codes_of(params).items()):
            write_json(folder / name, value)


def codes_of(params: Plan) -> dict[str, Any]:
    """Return stage or table -> its dependencies beyond its data."""
    codes: dict[str, Any] = {stage: recipes_of(units) for stage, units in DATA_STAGES.items()}
    codes |= {f"corpus.{name}": digest_of_corpus(name) for name in {*params["corpora"], *params["references"]}}
    # Names of pools and vectors contain dots, which DVC's params cannot handle, so their settings are in these files. A
    # pool excludes what any corpus of the scale holds out, except corpora that a user added, which change no vectors.
    held = {
        "corpora": [name for name in params["corpora"] if name not in FAMILIES["own"]],
        "folded": sorted(folded_corpora(params["papers"])),
    }
    codes |= {
        f"pool.{name}": {"recipes": recipes_of(["pool"]), "parameters": values} | held
        for name, values in params["pools"].items()
    }
    codes |= {
        f"embed.{name}": {"recipes": recipes_of(EMBED_UNITS.get(values["method"], [])), "parameters": values}
        for name, values in params["vectors"].items()
    }
    model = params["model"]["name"]
    codes["focus"] = {model: model_preset(model)["recipe"]} | recipes_of(RUN_UNITS)
    for name in PAPERS:
        tables = [table for table in paper(name).results if table.name in params["cells"]]
        codes |= {table.name: code_of_table(table, params, params["papers"][name]) for table in tables}
    return codes
