"""Check params.yaml whole, then write what each stage's and each row's code is.

In   params.yaml, pipeline/presets/, src/
Out  data/code/<stage>, data/code/corpus.<corpus>, data/code/focus, data/code/<table>.<row>: the digests of the sources
     that the stage, corpus or row imports, and its preset. A stage depends on its file: an edit re-runs what it can
     change, and nothing else.

Every stage depends on this one: a mistake in params.yaml is told before anything expensive begins.
"""

import ast
from functools import cache
from typing import Any

from pipeline.command import command
from pipeline.data_checks import check_data, check_sections
from pipeline.folding import folded_corpora
from pipeline.params import load_yaml
from pipeline.paths import CODE, PARAMS, ROOT
from pipeline.run_checks import check_cells, check_focus
from pipeline.scale import model_preset
from retable.corpora import CORPORA, REFERENCES
from retable.files import atomic_folder, write_json
from retable.models import model_module
from retable.papers import PAPERS, paper
from retable.papers.paper import Paper
from retable.papers.parameters import fold_count
from retable.provenance import imported_modules, module_digests, tree_digest

# Stage -> its script, of those whose code is the same for every corpus.
DATA_STAGES = {
    "clean": "clean", "overlap": "overlap", "tagger": "tagger", "parts-table": "parts_table", "tag": "tag",
    "quality": "quality",
}  # fmt: skip
EMBED_MODULES = {
    "word2vec": "retable.vectors.word2vec", "glove": "retable.vectors.glove", "file": "retable.vectors.published",
}  # fmt: skip
SOURCE = ROOT / "src"


def digests(script: str, *more: str) -> dict[str, str]:
    """Digests of a stage's script, of all sources that it imports at its top, and of further modules."""
    tree = ast.parse((ROOT / f"pipeline/{script}.py").read_text(encoding="utf-8"))
    return {f"pipeline.{script}": tree_digest(tree)} | module_digests([*imported_modules(tree), *more], SOURCE)


@cache  # many rows have one model
def run_digests(model: str) -> dict[str, str]:
    """Digests of what trains and scores a model. The scripts read and write; they are not part of a result."""
    found = digests("running", "retable.training.run", "retable.evaluation.run_folder", model_module(model))
    return {name: digest for name, digest in found.items() if not name.startswith("pipeline.")}


def fold_digests() -> dict[str, dict[str, str]]:
    """Digests of what cuts a corpus into folds, under the key that `pipeline.folding.code_of_run` reads."""
    return {"folds": module_digests(["retable.text.folds"], SOURCE)}


def embed_digests(method: str) -> dict[str, str]:
    """Digests of what makes word vectors in one way: an edit of one trainer does not train the others' sets again."""
    tree = ast.parse((ROOT / "pipeline/embed.py").read_text(encoding="utf-8"))
    shared = [name for name in imported_modules(tree) if not name.startswith(tuple(EMBED_MODULES.values()))]
    own = [EMBED_MODULES[method]] if method in EMBED_MODULES else []
    return {"pipeline.embed": tree_digest(tree)} | module_digests([*shared, *own], SOURCE)


def row_codes(source: Paper, protocol: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Code file -> its content, for every row with a model of every table of a paper.

    `folds` are the digests of what cuts a corpus; only in the tables of which this scale cuts one.
    """
    return {
        f"{table.name}.{row.id}": {
            "preset": model_preset(row.model),
            "overrides": row.overrides,
            "sources": run_digests(row.model),
        }
        | ({"searched": row.searched} if row.searched else {})
        | (fold_digests() if any(fold_count(column, protocol) for column in table.columns) else {})
        for table in source.results
        for row in table.rows
        if row.model
    }


@command
def main() -> None:
    params = load_yaml(PARAMS)
    check_sections(params)
    check_data(params)
    check_focus(params)
    for name in PAPERS:
        check_cells(params, paper(name))
    codes: dict[str, Any] = {stage: digests(script) for stage, script in DATA_STAGES.items()}
    codes |= {
        f"corpus.{name}": module_digests([f"retable.corpora.{(CORPORA | REFERENCES)[name]}"], SOURCE)
        for name in {*params["corpora"], *params["references"]}
    }
    # The names of pools and vectors hold points, which DVC's params cannot: what is asked of each stands in its file. A
    # pool leaves out what any corpus of the scale holds out.
    held = {"corpora": list(params["corpora"]), "folded": sorted(folded_corpora(params["papers"]))}
    codes |= {
        f"pool.{name}": {"sources": digests("pool"), "parameters": values} | held
        for name, values in params["pools"].items()
    }
    codes |= {
        f"embed.{name}": {"sources": embed_digests(values["method"]), "parameters": values}
        for name, values in params["vectors"].items()
    }
    codes["focus"] = run_digests(params["model"]["name"])
    # The tables and the page are built anew when the code that builds them, or what a paper's module says, changes.
    codes["tables"] = digests("tables", *PAPERS.values(), "retable.tables.results", "retable.tables.counts")
    codes["tables"] |= digests("reasons")
    codes["figures"] = digests("figures", *PAPERS.values(), "retable.papers.figures", "retable.figures.attention")
    codes["report"] = digests("report", *PAPERS.values()) | digests("facts")
    for name in PAPERS:
        codes |= row_codes(paper(name), params["papers"][name])
    with atomic_folder(CODE) as folder:
        for name, value in sorted(codes.items()):
            write_json(folder / name, value)


if __name__ == "__main__":
    main()
