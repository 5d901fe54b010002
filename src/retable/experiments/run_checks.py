"""Refuse a focus run or a cell that cannot be run, before any expensive step, with a one-sentence error."""

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from retable.corpora import CORPORA, corpus
from retable.errors import InputError, shown, unknown_name
from retable.experiments.cells import cells_of, check_tables
from retable.experiments.folds import check_fold_vectors, check_folds
from retable.experiments.scale import model_preset
from retable.forms import Number
from retable.models import MODELS, TRAINERS, read_beside_words
from retable.papers.paper import Paper
from retable.papers.parameters import folds_of, row_parameters
from retable.runs.form import LARGEST_SEED
from retable.training.options import Training
from retable.training.parameters import DEVICES, LARGEST, PRECISIONS, check_parameters
from retable.vectors.pool import whole_of_pool

PROTOCOL = {"seeds", "folds", "epochs", "device", "precision", "keep_weights"}  # the keys of papers.<paper>
OPTIONAL = {"deterministic", "model", "training"}  # keys that may be omitted
TRAINING = [each.name for each in fields(Training)]
SEED = Number(0, LARGEST_SEED, whole=True)
LIMIT = Number(0, LARGEST, whole=True)
FOCUS_SECTIONS = ("corpus", "model", "embedding", "training", "seed", "device", "precision")


def check_focus(params: dict[str, Any]) -> None:
    """Refuse a focus run that cannot be run."""
    name = params["model"].get("name")
    known = isinstance(name, str) and name in MODELS | TRAINERS
    check_parameters(focus_parameters(params), defaults=model_preset(name) if known else None)
    check_named(params, params["corpus"].get("name"), params["embedding"].get("vectors"), "")
    check_parts(params, str(name), params["corpus"]["name"], "")
    check_heads(params["corpus"]["name"], params["training"].get("heads", "shared"), " in params.yaml")
    embedding = params["embedding"]
    check_vectors_fit(params, params["corpus"]["name"], embedding["vectors"], embedding["unit"], "")


def focus_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """Return the sections that describe the focus run."""
    missing = [name for name in FOCUS_SECTIONS if name not in params]
    if missing:
        raise InputError(f"params.yaml lacks {', '.join(missing)}; `make params SCALE=cpu` writes all sections.")
    return {name: params[name] for name in FOCUS_SECTIONS}


def check_cells(params: dict[str, Any], source: Paper) -> None:
    """Refuse a cell, or a value of papers.<paper>, that cannot be run."""
    protocol = params["papers"].get(source.name)
    where = f"papers.{source.name} in params.yaml"
    if not isinstance(protocol, dict) or set(protocol) - OPTIONAL != PROTOCOL:
        keys = [*protocol] if isinstance(protocol, dict) else protocol
        raise InputError(
            f"{where} has {shown(keys)}; it needs the keys {', '.join(sorted(PROTOCOL))}, "
            f"and may have {', '.join(sorted(OPTIONAL))}."
        )
    deterministic = protocol.get("deterministic", False)
    if type(deterministic) is not bool:
        raise InputError(f"deterministic of {where} is {deterministic!r}; allowed: true, false.")
    check_replaced(protocol, source, where)
    check_seeds(f"seeds of {where}", protocol["seeds"], params["corpora"])
    check_limit(f"epochs of {where}", protocol["epochs"], params["corpora"])
    check_folds(protocol, source, params["corpora"], where)
    for name, allowed in (("device", DEVICES), ("precision", PRECISIONS)):
        if protocol[name] not in allowed:
            raise unknown_name(f"{name} of {where}", protocol[name], allowed)
    rows = list(dict.fromkeys(row.id for table in source.results for row in table.rows if row.model))
    kept = protocol["keep_weights"]
    if not isinstance(kept, list):
        raise InputError(f"keep_weights of {where} is {shown(kept)}; allowed: a list of rows.")
    for row_id in kept:
        if row_id not in rows:
            raise unknown_name(f"row of keep_weights of {where}", row_id, rows)
    check_tables(params)
    checked = set[str]()  # a small network of each model is built: once for the columns that share its options
    for table in source.results:
        for name, cell in cells_of(table, params).items():
            place = f" (cell {name} of {table.name})"
            check_named(params, cell["corpus"], cell["vectors"], place)
            check_parts(params, cell["model"], cell["corpus"], place)
            row, column = table.row(cell["row"]), table.column(cell["column"])
            parameters = row_parameters(
                model_preset(cell["model"]), row, column, protocol, vectors=cell["vectors"], seed=0
            )
            if (options := f"{row.id} {parameters | {'corpus': {}}}") not in checked:
                check_parameters(parameters, f"{where} or the preset of {row.id}", model_preset(cell["model"]))
                checked.add(options)
            check_heads(cell["corpus"], parameters["training"].get("heads", "shared"), place)
            unit = parameters["embedding"]["unit"]
            check_vectors_fit(params, cell["corpus"], cell["vectors"], unit, place)
            fold = folds_of(column, protocol)[0]
            check_fold_vectors(params, cell["corpus"], cell["vectors"], fold, place)


def check_replaced(protocol: dict[str, Any], source: Paper, where: str) -> None:
    """Refuse overriding options (`row_parameters`) that no training, or no model of the paper, has."""
    for section in ("model", "training"):
        given = protocol.get(section, {})
        if not isinstance(given, dict):
            raise InputError(f"{section} of {where} is {shown(given)}; allowed: options with their values.")
        known = TRAINING if section == "training" or not given else options_of_models(source)
        for name in given:
            if name not in known:
                raise unknown_name(f"option of {section} of {where}", name, known)


def options_of_models(source: Paper) -> list[str]:
    """Return the options of the models of a paper's rows."""
    models = {row.model for table in source.results for row in table.rows if row.model}
    return sorted({option for model in models for option in model_preset(model)["model"]} - {"name"})


def check_seeds(what: str, seeds: object, corpora: Iterable[str]) -> None:
    """Refuse seeds that are neither a list of numbers nor one such list per corpus."""
    if isinstance(seeds, dict):
        check_corpora(what, seeds, corpora)
    for listed in seeds.values() if isinstance(seeds, dict) else [seeds]:
        seen = listed if isinstance(listed, list) else []
        if not seen or not all(SEED.holds(seed) for seed in seen) or len(set(seen)) < len(seen):
            raise InputError(
                f"{what} is {shown(seeds)}; allowed: a list of one or more whole numbers from 0 to {LARGEST_SEED}, "
                "each once, or {corpus: list}; a corpus that is not named has seed 1."
            )


def check_corpora(what: str, named: Iterable[str], corpora: Iterable[str]) -> None:
    """Refuse a corpus that this scale does not prepare."""
    for name in named:
        if name not in corpora:
            raise unknown_name(f"corpus of {what}", name, corpora)


def check_limit(what: str, limit: object, corpora: Iterable[str]) -> None:
    """Refuse a limit of a scale that is neither a number nor one per corpus."""
    if isinstance(limit, dict):
        check_corpora(what, limit, corpora)
    values = list(limit.values()) if isinstance(limit, dict) else [limit]
    if not all(LIMIT.holds(value) for value in values):
        raise InputError(
            f"{what} is {shown(limit)}; allowed: 0 (as the preset says) to {LARGEST:,}, for all corpora or "
            "{corpus: number}."
        )


def check_named(params: dict[str, Any], corpus: object, vectors: object, where: str) -> None:
    """Refuse a corpus or word vectors that this scale does not prepare."""
    if corpus not in [*params["corpora"]]:
        raise unknown_name(f"corpus.name in params.yaml{where}", corpus, params["corpora"])
    known = ["none", *params["vectors"]]
    if vectors not in known:
        raise unknown_name(f"embedding.vectors in params.yaml{where}", vectors, known)


def check_parts(params: dict[str, Any], model: str, corpus: str, where: str) -> None:
    """Refuse a model that reads parts of speech on a corpus that is prepared without them."""
    if "parts" in read_beside_words(model) and params["corpora"][corpus]["parts"] == "none":
        raise InputError(
            f"{model} reads parts of speech{where}, but corpora.{corpus}.parts is none in params.yaml; "
            "set it to context, or to table (Chinese only)."
        )


def check_heads(name: str, heads: str, where: str) -> None:
    """Refuse one classifier per domain on a corpus without domains."""
    if heads == "per-domain" and not corpus(name).domains:
        joint = [known for known in CORPORA if corpus(known).domains]
        raise InputError(
            f"training.heads is per-domain{where}, but {name} has no domains; set it to shared, "
            f"or choose a joint corpus ({', '.join(joint)})."
        )


def check_vectors_fit(params: dict[str, Any], name: str, vectors: str, unit: str, where: str) -> None:
    """Refuse word vectors of another unit or language, or of a part that has texts which the run's corpus holds out."""
    if vectors == "none":
        return
    asked, language = params["vectors"][vectors], corpus(name).language
    source = Path(asked["source"]).name
    pool = params["pools"].get(source, {"corpora": [source]} if source in CORPORA else {})  # as the stage has it
    theirs = {corpus(each).language for each in pool.get("corpora", [])} or {asked.get("language", "en")}
    of_unit = asked.get("unit", "words")
    if of_unit != unit:
        raise InputError(
            f"embedding.unit{where} is {unit}, but the vectors {vectors} are of {of_unit} in params.yaml; "
            "choose others, or none."
        )
    if theirs != {language}:
        raise InputError(
            f"the vectors {vectors}{where} are in the language {', '.join(sorted(theirs))}, but {name} is in "
            f"{language}; choose others in params.yaml, or none."
        )
    if whole_of_pool([corpus(each) for each in pool.get("corpora", [])]) == name:
        raise InputError(
            f"the vectors {vectors}{where} are trained on {pool['corpora'][0]}, a part of {name}, and {name} holds out "
            "some of its training texts; choose others in params.yaml, or none."
        )
