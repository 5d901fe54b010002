"""Refuse a params.yaml whose corpora, pools, word vectors or tagger cannot be made, with a one-sentence error."""

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from retable.corpora import CORPORA, REFERENCES, TREEBANKS, corpus
from retable.errors import InputError, shown, unknown_name
from retable.experiments.folds import check_folds_of_pool
from retable.experiments.run_checks import FOCUS_SECTIONS
from retable.experiments.scale import SCALE_SECTIONS, scale_preset, scales
from retable.files import is_plain_name
from retable.forms import Number
from retable.papers import PAPERS
from retable.training.parameters import options_of, type_problem
from retable.vectors.pool import pool_language

ONE_VALUE = ("scale", "seed", "device", "precision")  # sections that hold no options
LANGUAGES = ("en", "zh")  # of word vectors
PARTS = ("none", "context", "table")  # sources of a corpus's parts of speech


RANGES = {  # allowed ranges of the numeric options of `vectors` and `tagger`; beyond them, no machine can run them
    "size": Number(1, 10_000),
    "window": Number(1, 10_000),
    **dict.fromkeys(("epochs", "min_count", "steps", "batch_words"), Number(1, 10**9)),
    "negative": Number(1, 1_000),  # without negative samples gensim learns nothing
    "sample": Number(0, 1),
    **dict.fromkeys(("x_max", "exponent", "learning_rate"), Number(0, above=True)),
    "threads": Number(1, 1_000),
    **dict.fromkeys(("width", "depth"), Number(1, 10_000)),
    "dropout": Number(0, 0.99),
    "lowercased": Number(0, 1),
    "seed": Number(0, 2**32 - 1),  # numpy's range
}
FIXED = {  # sections with a fixed set of options
    "corpora": ("parts",), "references": (), "parts-table": ("corpora",), "corpus": ("name",),
}  # fmt: skip


def check_sections(params: dict[str, Any]) -> None:
    """Refuse a missing section, one without options, and a name that a shell would misread."""
    known = (*SCALE_SECTIONS, *FOCUS_SECTIONS)
    for name in params:
        if name not in known:
            raise unknown_name("section of params.yaml", name, known)
    for name in known:
        if name not in params:
            raise InputError(f"params.yaml lacks {name}; `make params SCALE=cpu` writes all sections.")
        if name not in ONE_VALUE and not isinstance(params[name], dict):
            raise InputError(f"{name} in params.yaml is {shown(params[name])}; it must be a section of options.")
    for section in ("corpora", "references", "pools", "vectors", "cells"):  # dvc.yaml uses these names in commands
        for name in params[section]:
            if not is_plain_name(name):
                raise InputError(
                    f"a name in {section} of params.yaml is {shown(name)}; allowed: letters, digits and . - + _, "
                    "first a letter or digit; rename it."
                )
    for section in ("corpora", "references", "pools", "vectors", "papers", "cells"):
        for name, asked in params[section].items():
            if not isinstance(asked, dict):
                raise InputError(f"{section}.{name} in params.yaml is {shown(asked)}; it must be a section of options.")
    for section, allowed in FIXED.items():
        inner = params[section] if section in ("corpora", "references") else {"": params[section]}
        for name, asked in inner.items():
            for option in asked:
                if option not in allowed:
                    raise unknown_name(f"option of {f'{section}.{name}'.rstrip('.')} in params.yaml", option, allowed)
    if params["scale"] not in scales():
        raise unknown_name("scale in params.yaml", params["scale"], scales())
    for name in params["papers"]:
        if name not in PAPERS:
            raise unknown_name("name in papers of params.yaml", name, PAPERS)


def check_data(params: dict[str, Any]) -> None:
    """Refuse a corpus, pool, set of vectors or tagger that cannot be made."""
    check_corpora(params)
    for name, pool in params["pools"].items():
        check_pool(name, pool, params["corpora"])
    preset = scale_preset(params["scale"])
    if not same(params["tagger"], preset["tagger"]):
        from retable.text.parts.treebank_tagger import train_tagger  # slow to import: only if something was changed

        check_options("tagger", params["tagger"], train_tagger, "treebank")
    if not same(params["vectors"], preset["vectors"]):
        check_vectors(params["vectors"], params["pools"], params["corpora"])


def same(one: Any, other: Any) -> bool:
    """Return whether two sections have the same values of the same types: 1 is not True."""
    return repr(one) == repr(other)


def check_names(what: str, asked: object, known: Iterable[str]) -> list[str]:
    """Return a list of known names without repeats. Raises: InputError."""
    if not isinstance(asked, list) or not all(isinstance(name, str) for name in asked):
        raise InputError(f"{what} in params.yaml is {shown(asked)}; allowed: a list of names.")
    for name in asked:
        if name not in known:
            raise unknown_name(f"name in {what} in params.yaml", name, known)
        if asked.count(name) > 1:
            raise InputError(f"{what} in params.yaml has {name} {asked.count(name)} times; name it once.")
    return asked


def check_corpora(params: dict[str, Any]) -> None:
    """Refuse an unknown corpus or reference, and an unavailable source of parts of speech."""
    for section, registry in (("corpora", CORPORA), ("references", REFERENCES)):
        for name in params[section]:
            if name not in registry:
                raise unknown_name(f"key of {section} in params.yaml", name, registry)
    for name, asked in params["corpora"].items():
        if asked.get("parts") not in PARTS:
            raise unknown_name(f"parts of corpora.{name} in params.yaml", asked.get("parts"), PARTS)
        if asked["parts"] == "table" and corpus(name).language != "zh":
            raise InputError(
                f"corpora.{name}.parts is table in params.yaml, but the comparison table is Chinese and {name} is not; "
                "set it to context or none."
            )
    chinese = [known for known in params["corpora"] if corpus(known).language == "zh"]
    check_names("corpora of parts-table", params["parts-table"].get("corpora"), chinese)
    banks = [name for name in params["references"] if name in TREEBANKS]
    if params["tagger"].get("treebank") not in banks:
        raise unknown_name("tagger.treebank in params.yaml", params["tagger"].get("treebank"), banks)


def check_pool(name: str, pool: dict[str, Any], corpora: Iterable[str]) -> None:
    """Refuse a pool of unknown corpora, of two languages, or of a corpus that is excluded from pools."""
    options = ("corpora", "unlabelled", "folds")
    for option in pool:
        if option not in options:
            raise unknown_name(f"option of pools.{name} in params.yaml", option, options)
    pooled = check_names(f"corpora of pools.{name}", pool.get("corpora") or [], corpora)
    pool_language(name, [corpus(each) for each in pooled])
    if not isinstance(pool.get("unlabelled", False), bool):
        raise InputError(
            f"pools.{name}.unlabelled is {shown(pool['unlabelled'])} in params.yaml; allowed: true, false."
        )
    check_folds_of_pool(name, pool)


def check_vectors(asked: dict[str, Any], pools: Iterable[str], corpora: Iterable[str]) -> None:
    """Refuse an unknown method or pool, and an option that the method does not take."""
    from retable.experiments.embedding import METHODS, from_file
    from retable.vectors.glove import train_glove
    from retable.vectors.published import FORMS
    from retable.vectors.word2vec import ALGORITHMS, train_word2vec

    makers: dict[str, Callable[..., Any]] = {"word2vec": train_word2vec, "glove": train_glove, "file": from_file}
    for name, options in asked.items():
        method, source = options.get("method"), options.get("source")
        if name == "none":
            raise InputError(
                "vectors.none in params.yaml: none means no word vectors; choose another name for this set."
            )
        if not isinstance(method, str) or method not in METHODS:
            raise unknown_name(f"method of vectors.{name} in params.yaml", method, METHODS)
        if not isinstance(source, str) or not source:
            raise InputError(
                f"vectors.{name} in params.yaml lacks source: a pool (data/pools/...) or a file; it is {shown(source)}."
            )
        if method in ("word2vec", "glove") and Path(source).name not in (*pools, *CORPORA):
            raise unknown_name(f"pool as source of vectors.{name} in params.yaml", Path(source).name, pools)
        if method in makers:
            check_options(f"vectors.{name}", options, makers[method], "method", "source", "corpora")
        if method == "word2vec" and options["algorithm"] not in ALGORITHMS:
            raise unknown_name(f"algorithm of vectors.{name} in params.yaml", options["algorithm"], ALGORITHMS)
        if method == "file":
            if options["format"] not in FORMS:
                raise unknown_name(f"format of vectors.{name} in params.yaml", options["format"], FORMS)
            if options.get("language", "en") not in LANGUAGES:
                raise unknown_name(f"language of vectors.{name} in params.yaml", options["language"], LANGUAGES)
            check_names(f"corpora of vectors.{name}", options.get("corpora", []), corpora)


def check_options(where: str, values: dict[str, Any], function: Callable[..., Any], *more: str) -> None:
    """Refuse an unknown option of the function, a value of the wrong type, and a missing option."""
    given = {"texts", "train", "dev", "test", "name", "source"}
    allowed = {name: kind for name, kind in options_of(function, with_seed=True).items() if name not in given}
    for name, value in values.items():
        if name in more:
            continue
        if name not in allowed:
            raise unknown_name(f"option of {where} in params.yaml", name, [*allowed, *more])
        problem = type_problem(value, allowed[name])
        if problem:
            raise InputError(f"{where}.{name} is {shown(value)} in params.yaml; allowed: {problem}.")
        if name in RANGES and value is not None and not RANGES[name].holds(value):
            raise InputError(f"{where}.{name} is {shown(value)} in params.yaml; allowed: {RANGES[name]}.")
    arguments = inspect.signature(function).parameters
    missing = [name for name in allowed if name not in values and arguments[name].default is inspect.Parameter.empty]
    if missing:
        raise InputError(f"{where} in params.yaml lacks {', '.join(missing)}; docs/vectors.md shows a whole entry.")
