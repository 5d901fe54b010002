"""Check params.yaml whole, then write what each stage's and each row's code is.

In   params.yaml, pipeline/presets/, src/
Out  data/code/<stage>, data/code/corpus.<corpus>, data/code/focus, data/code/<paper>.<row>: the digests of the sources
     that the stage, corpus or row imports, and its preset. A stage depends on its file: an edit re-runs what it can
     change, and nothing else.

Every stage depends on this one: a mistake in params.yaml is told before anything expensive begins.
"""

import ast
from typing import Any

from pipeline.command import command
from pipeline.params import load_yaml
from pipeline.paths import CODE, PARAMS, ROOT
from pipeline.scale import model_preset
from retable.corpora import CORPORA, TREEBANKS
from retable.errors import InputError, unknown_name
from retable.files import atomic_folder, write_json
from retable.models import LINEAR_MODELS, MODELS, model_module
from retable.papers import PAPERS, paper_of_table
from retable.papers.parameters import row_parameters
from retable.provenance import imported_modules, module_digests, tree_digest
from retable.training.parameters import check_parameters

FOCUS_SECTIONS = ("corpus", "model", "embedding", "training", "seed", "device", "precision")
DATA_STAGES = ("clean", "tagger", "tag")
SOURCE = ROOT / "src"


def digests(script: str, *more: str) -> dict[str, str]:
    """Digests of a stage's script, of all sources that it imports at its top, and of further modules."""
    tree = ast.parse((ROOT / f"pipeline/{script}.py").read_text(encoding="utf-8"))
    return {f"pipeline.{script}": tree_digest(tree)} | module_digests([*imported_modules(tree), *more], SOURCE)


def run_digests(model: str) -> dict[str, str]:
    """Digests of what trains and scores a model. The scripts read and write; they are not part of a result."""
    found = digests("running", "retable.training.run", model_module(model))
    return {name: digest for name, digest in found.items() if not name.startswith("pipeline.")}


def check_focus(params: dict[str, Any]) -> None:
    """Refuse a focus run that cannot be run."""
    name = params["model"].get("name")
    known = name in MODELS | LINEAR_MODELS
    check_parameters(focus_parameters(params), defaults=model_preset(name) if known else None)
    check_named(params, params["corpus"].get("name"), params["embedding"].get("vectors"), "")


def check_named(params: dict[str, Any], corpus: object, vectors: object, where: str) -> None:
    """Refuse a corpus or word vectors that this scale does not prepare."""
    if corpus not in params["corpora"]:
        raise unknown_name(f"corpus.name in params.yaml{where}", corpus, params["corpora"])
    known = ["none", *params["vectors"]]
    if vectors not in known:
        raise unknown_name(f"embedding.vectors in params.yaml{where}", vectors, known)


def focus_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """The sections that describe the focus run."""
    missing = [name for name in FOCUS_SECTIONS if name not in params]
    if missing:
        raise InputError(f"params.yaml lacks {', '.join(missing)}; `make params SCALE=cpu` writes all sections.")
    return {name: params[name] for name in FOCUS_SECTIONS}


def row_codes(params: dict[str, Any], cells: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Code file -> its content, for every row of a paper that has a cell; its parameters are checked on the way."""
    found: dict[str, dict[str, Any]] = {}
    for table, named in cells.items():
        source = paper_of_table(table)
        for cell in (named or {}).values():
            row = source.result_table(table).row(cell["row"])
            preset = model_preset(cell["model"])
            protocol = params["papers"][source.name]
            check_named(params, cell["corpus"], cell["vectors"], f" (cell {row.id}.{cell['column']} of {table})")
            parameters = row_parameters(preset, row, protocol, corpus=cell["corpus"], vectors=cell["vectors"], seed=0)
            name = f"{source.name}.{row.id}"
            if name not in found:
                check_parameters(parameters, file=f"the preset of {row.id}")
                found[name] = {
                    "preset": preset,
                    "overrides": row.overrides,
                    "sources": run_digests(cell["model"]),
                }
    return found


@command
def main() -> None:
    params = load_yaml(PARAMS)
    check_focus(params)
    codes: dict[str, Any] = {name: digests(name) for name in DATA_STAGES}
    codes |= {
        f"corpus.{name}": module_digests([f"retable.corpora.{(CORPORA | TREEBANKS)[name]}"], SOURCE)
        for name in {*params["corpora"], *params["treebanks"]}
    }
    # The names of pools and vectors hold points, which DVC's params cannot: what is asked of each stands in its file. A
    # pool leaves out what any corpus of the scale holds out.
    codes |= {
        f"pool.{name}": {"sources": digests("pool"), "parameters": values, "corpora": list(params["corpora"])}
        for name, values in params["pools"].items()
    }
    codes |= {
        f"embed.{name}": {"sources": digests("embed"), "parameters": values}
        for name, values in params["vectors"].items()
    }
    codes["focus"] = run_digests(params["model"]["name"])
    # The tables and the page are built anew when the code that builds them, or what a paper's module says, changes.
    codes["tables"] = digests("tables", *PAPERS.values(), "retable.tables.results")
    codes["report"] = digests("report", *PAPERS.values())
    for name in PAPERS:
        codes |= row_codes(params, load_yaml(ROOT / f"pipeline/{name}/cells.yaml"))
    with atomic_folder(CODE) as folder:
        for name, value in sorted(codes.items()):
            write_json(folder / name, value)


if __name__ == "__main__":
    main()
