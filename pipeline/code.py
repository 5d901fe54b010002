"""Check params.yaml whole, then write what each stage's and each row's code is.

In   params.yaml, pipeline/presets/, src/
Out  data/code/<stage>, data/code/corpus.<corpus>, data/code/focus, data/code/<table>.<row>: the digests of the sources
     that the stage, corpus or row imports, and its preset. A stage depends on its file: an edit re-runs what it can
     change, and nothing else.

Every stage depends on this one: a mistake in params.yaml is told before anything expensive begins.
"""

import ast
import inspect
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.command import command
from pipeline.folding import check_fold_vectors, check_folds, check_folds_of_pool, folded_corpora
from pipeline.params import load_yaml
from pipeline.paths import CODE, PARAMS, ROOT
from pipeline.scale import SCALE_SECTIONS, model_preset, papers_with_cells, scale_preset
from retable.corpora import CORPORA, REFERENCES, TREEBANKS, corpus, source
from retable.corpora.evaluation_sets import EvaluationSets
from retable.errors import InputError, unknown_name
from retable.files import atomic_folder, write_json
from retable.models import LINEAR_MODELS, MODELS, model_module
from retable.papers import PAPERS, paper
from retable.papers.paper import Paper
from retable.papers.parameters import fold_count, folds_of, row_parameters
from retable.provenance import imported_modules, module_digests, tree_digest
from retable.training.network import reads_parts
from retable.training.parameters import check_parameters, options_of, type_problem
from retable.vectors.pool import pool_language

PROTOCOL = {
    "seeds",
    "folds",
    "epochs",
    "max_words",
    "device",
    "precision",
    "keep_weights",
}  # the keys of papers.<paper>
ONE_VALUE = ("scale", "evaluation", "seed", "device", "precision")  # sections that hold no options
FOCUS_SECTIONS = ("corpus", "model", "embedding", "training", "seed", "device", "precision")
# Stage -> its script, of those whose code is the same for every corpus.
DATA_STAGES = {
    "clean": "clean", "overlap": "overlap", "tagger": "tagger", "parts-table": "parts_table", "tag": "tag",
    "quality": "quality",
}  # fmt: skip
EMBED_MODULES = {
    "word2vec": "retable.vectors.word2vec", "glove": "retable.vectors.glove", "file": "retable.vectors.published",
}  # fmt: skip
PARTS = ("none", "context", "table")  # where the parts of speech of a corpus come from
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


def check_focus(params: dict[str, Any]) -> None:
    """Refuse a focus run that cannot be run."""
    name = params["model"].get("name")
    known = name in MODELS | LINEAR_MODELS
    check_parameters(focus_parameters(params), defaults=model_preset(name) if known else None)
    check_named(params, params["corpus"].get("name"), params["embedding"].get("vectors"), "")
    check_parts(params, str(name), params["corpus"]["name"], "")
    check_heads(params["corpus"]["name"], params["training"].get("heads", "shared"), " in params.yaml")
    embedding = params["embedding"]
    check_vectors_fit(params, params["corpus"]["name"], embedding["vectors"], embedding["unit"], "")


def check_parts(params: dict[str, Any], model: str, corpus: str, where: str) -> None:
    """Refuse a model that reads parts of speech on a corpus that is prepared without."""
    if model in MODELS and reads_parts(model) and params["corpora"][corpus]["parts"] == "none":
        raise InputError(
            f"{model} reads parts of speech{where}, but corpora.{corpus}.parts is none in params.yaml; "
            "set it to context, or to table (Chinese alone)."
        )


def check_heads(name: str, heads: str, where: str) -> None:
    """Refuse a classifier for each domain of a corpus without domains."""
    if heads == "per-domain" and not corpus(name).domains:
        joint = [known for known in CORPORA if corpus(known).domains]
        raise InputError(
            f"training.heads is per-domain{where}, but {name} has no domains; set it to shared, "
            f"or take a joint corpus ({', '.join(joint)})."
        )


def check_named(params: dict[str, Any], corpus: object, vectors: object, where: str) -> None:
    """Refuse a corpus or word vectors that this scale does not prepare."""
    if corpus not in params["corpora"]:
        raise unknown_name(f"corpus.name in params.yaml{where}", corpus, params["corpora"])
    known = ["none", *params["vectors"]]
    if vectors not in known:
        raise unknown_name(f"embedding.vectors in params.yaml{where}", vectors, known)


def check_vectors_fit(params: dict[str, Any], name: str, vectors: str, unit: str, where: str) -> None:
    """Refuse word vectors of another unit or language than the run's."""
    if vectors == "none":
        return
    asked, language = params["vectors"][vectors], corpus(name).language
    pool = params["pools"].get(Path(asked["source"]).name, {})
    theirs = {corpus(each).language for each in pool.get("corpora", [])} or {asked.get("language", "en")}
    of_unit = asked.get("unit", "words")
    if of_unit != unit:
        raise InputError(
            f"embedding.unit{where} is {unit}, but the vectors {vectors} are of {of_unit} in params.yaml; "
            "take others, or none."
        )
    if theirs != {language}:
        raise InputError(
            f"the vectors {vectors}{where} are of the language {', '.join(sorted(theirs))}, but {name} is of "
            f"{language}; take others in params.yaml, or none."
        )


def focus_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """The sections that describe the focus run."""
    missing = [name for name in FOCUS_SECTIONS if name not in params]
    if missing:
        raise InputError(f"params.yaml lacks {', '.join(missing)}; `make params SCALE=cpu` writes all sections.")
    return {name: params[name] for name in FOCUS_SECTIONS}


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
        | (fold_digests() if any(fold_count(column, protocol) for column in table.columns) else {})
        for table in source.results
        for row in table.rows
        if row.model
    }


def check_cells(params: dict[str, Any], source: Paper) -> None:
    """Refuse a cell, or a value of papers.<paper>, that cannot be run."""
    protocol = params["papers"].get(source.name)
    where = f"papers.{source.name} in params.yaml"
    if not isinstance(protocol, dict) or set(protocol) != PROTOCOL:
        raise InputError(f"{where} is {protocol!r}; it has the keys {', '.join(sorted(PROTOCOL))}.")
    seeds = protocol["seeds"]
    if not isinstance(seeds, list) or not seeds or not all(type(seed) is int and seed >= 0 for seed in seeds):
        raise InputError(f"seeds of {where} is {seeds!r}; allowed: a list of one or more whole numbers from 0.")
    for name in ("epochs", "max_words"):
        check_limit(f"{name} of {where}", protocol[name], params["corpora"])
    check_folds(protocol, source, params["corpora"], where)
    rows = list(dict.fromkeys(row.id for table in source.results for row in table.rows if row.model))
    for row_id in protocol["keep_weights"]:
        if row_id not in rows:
            raise unknown_name(f"a row of keep_weights of {where}", row_id, rows)
    for table, cells in load_yaml(ROOT / f"pipeline/{source.name}/cells.yaml").items():
        for name, cell in (cells or {}).items():
            check_named(params, cell["corpus"], cell["vectors"], f" (cell {name} of {table})")
            check_parts(params, cell["model"], cell["corpus"], f" (cell {name} of {table})")
            asked = source.result_table(table)
            row, column = asked.row(cell["row"]), asked.column(cell["column"])
            parameters = row_parameters(
                model_preset(cell["model"]), row, column, protocol, vectors=cell["vectors"], seed=0
            )
            check_parameters(parameters, file=f"{where}, or the preset of {row.id},")
            check_heads(cell["corpus"], parameters["training"].get("heads", "shared"), f" (cell {name} of {table})")
            unit = parameters["embedding"]["unit"]
            check_vectors_fit(params, cell["corpus"], cell["vectors"], unit, f" (cell {name} of {table})")
            fold = folds_of(column, protocol)[0]
            check_fold_vectors(params, cell["corpus"], cell["vectors"], fold, f" (cell {name} of {table})")


def check_limit(what: str, limit: object, corpora: Iterable[str]) -> None:
    """Refuse a limit of a scale that is no number, nor one for each of some corpora."""
    if isinstance(limit, dict):
        for name in limit:
            if name not in corpora:
                raise unknown_name(f"a corpus of {what}", name, corpora)
    values = list(limit.values()) if isinstance(limit, dict) else [limit]
    if any(type(value) is not int or value < 0 for value in values):
        raise InputError(
            f"{what} is {limit!r}; allowed: 0 (as the preset says) or more, for all corpora or {{corpus: number}}."
        )


def check_sections(params: dict[str, Any]) -> None:
    """Refuse a file without one of its sections, or with a list or a name where a section of options belongs."""
    for name in (*SCALE_SECTIONS, *FOCUS_SECTIONS):
        if name not in params:
            raise InputError(f"params.yaml lacks {name}; `make params SCALE=cpu` writes all sections.")
        if name not in ONE_VALUE and not isinstance(params[name], dict):
            raise InputError(f"{name} in params.yaml is {params[name]!r}; it must be a section of options.")
    for section in ("corpora", "pools", "vectors"):
        for name, asked in params[section].items():
            if not isinstance(asked, dict):
                raise InputError(f"{section}.{name} in params.yaml is {asked!r}; it must be a section of options.")


def check_data(params: dict[str, Any]) -> None:
    """Refuse a corpus, pool, set of vectors or tagger that cannot be made."""
    check_corpora(params)
    for name, pool in params["pools"].items():
        check_pool(name, pool, params["corpora"])
    preset = scale_preset(params["scale"])
    if params["tagger"] != preset["tagger"]:
        from retable.text.treebank_tagger import train_tagger  # slow to import: only where something was changed

        check_options("tagger", params["tagger"], train_tagger, "treebank")
    if params["vectors"] != preset["vectors"]:
        check_vectors(params["vectors"])


def check_corpora(params: dict[str, Any]) -> None:
    """Refuse an unknown corpus or reference, and parts of speech from nowhere."""
    for section, registry in (("corpora", CORPORA), ("references", REFERENCES)):
        for name in params[section]:
            if name not in registry:
                raise unknown_name(f"a key of {section} in params.yaml", name, registry)
    for name, asked in params["corpora"].items():
        if asked.get("parts") not in PARTS:
            raise unknown_name(f"parts of corpora.{name} in params.yaml", asked.get("parts"), PARTS)
        if asked["parts"] == "table" and corpus(name).language != "zh":
            raise InputError(
                f"corpora.{name}.parts is table in params.yaml, but the comparison table is Chinese and {name} is not; "
                "set it to context or none."
            )
    for name in params["parts-table"].get("corpora") or []:
        if name not in params["corpora"] or corpus(name).language != "zh":
            chinese = [known for known in params["corpora"] if corpus(known).language == "zh"]
            raise unknown_name("a corpus of parts-table in params.yaml", name, chinese)
    sets = [name for name in params["references"] if isinstance(source(name), EvaluationSets)]
    if params["evaluation"] not in sets:
        raise unknown_name("evaluation in params.yaml", params["evaluation"], sets)
    banks = [name for name in params["references"] if name in TREEBANKS]
    if params["tagger"].get("treebank") not in banks:
        raise unknown_name("tagger.treebank in params.yaml", params["tagger"].get("treebank"), banks)


def check_pool(name: str, pool: dict[str, Any], corpora: Iterable[str]) -> None:
    """Refuse a pool of corpora that are not there, of two languages, or of a corpus that no pool may hold."""
    options = ("corpora", "unlabelled", "folds")
    for option in pool:
        if option not in options:
            raise unknown_name(f"an option of pools.{name} in params.yaml", option, options)
    pooled = pool.get("corpora") or []
    for each in pooled:
        if each not in corpora:
            raise unknown_name(f"a corpus of pools.{name} in params.yaml", each, corpora)
    pool_language(name, [corpus(each) for each in pooled])
    if not isinstance(pool.get("unlabelled", False), bool):
        raise InputError(f"pools.{name}.unlabelled is {pool['unlabelled']!r} in params.yaml; allowed: true, false.")
    check_folds_of_pool(name, pool)


def check_vectors(asked: dict[str, Any]) -> None:
    """Refuse a method that is not known, and an option that it does not take."""
    from pipeline.embed import METHODS, from_file
    from retable.vectors.glove import train_glove
    from retable.vectors.word2vec import train_word2vec

    makers: dict[str, Callable[..., Any]] = {"word2vec": train_word2vec, "glove": train_glove, "file": from_file}
    for name, options in asked.items():
        if options.get("method") not in METHODS:
            raise unknown_name(f"method of vectors.{name} in params.yaml", options.get("method"), METHODS)
        if not options.get("source"):
            raise InputError(f"vectors.{name} in params.yaml lacks source: a pool (data/pools/...) or a file.")
        if options["method"] in makers:
            check_options(f"vectors.{name}", options, makers[options["method"]], "method", "source", "corpora")


def check_options(where: str, values: dict[str, Any], function: Callable[..., Any], *more: str) -> None:
    """Refuse an option that the function does not take, a value of another type, and a missing option."""
    given = {"texts", "train", "dev", "test", "name", "source"}
    allowed = {name: kind for name, kind in options_of(function, with_seed=True).items() if name not in given}
    for name, value in values.items():
        if name in more:
            continue
        if name not in allowed:
            raise unknown_name(f"an option of {where} in params.yaml", name, [*allowed, *more])
        problem = type_problem(value, allowed[name])
        if problem:
            raise InputError(f"{where}.{name} is {value!r} in params.yaml; allowed: {problem}.")
    arguments = inspect.signature(function).parameters
    missing = [name for name in allowed if name not in values and arguments[name].default is inspect.Parameter.empty]
    if missing:
        raise InputError(f"{where} in params.yaml lacks {', '.join(missing)}; docs/vectors.md shows a whole entry.")


@command
def main() -> None:
    params = load_yaml(PARAMS)
    check_sections(params)
    check_data(params)
    check_focus(params)
    for name in papers_with_cells():
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
    codes["figures"] = digests("figures", *PAPERS.values(), "retable.papers.figures", "retable.figures.attention")
    codes["report"] = digests("report", *PAPERS.values()) | digests("facts")
    for name in papers_with_cells():
        codes |= row_codes(paper(name), params["papers"][name])
    with atomic_folder(CODE) as folder:
        for name, value in sorted(codes.items()):
            write_json(folder / name, value)


if __name__ == "__main__":
    main()
