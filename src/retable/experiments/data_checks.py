"""Refuse a params.yaml whose corpora, pools, word vectors or tagger cannot be made; each mistake in one sentence."""

import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from retable.corpora import CORPORA, REFERENCES, TREEBANKS, corpus
from retable.errors import InputError, unknown_name
from retable.experiments.folds import check_folds_of_pool
from retable.experiments.run_checks import FOCUS_SECTIONS
from retable.experiments.scale import SCALE_SECTIONS, scale_preset
from retable.files import is_plain_name
from retable.training.parameters import options_of, type_problem
from retable.vectors.pool import pool_language

ONE_VALUE = ("scale", "seed", "device", "precision")  # sections that hold no options
PARTS = ("none", "context", "table")  # where the parts of speech of a corpus come from


class Range(NamedTuple):
    """The numbers that an option may be: from `least` to `most`, both included unless `above` leaves out `least`."""

    least: float
    most: float = math.inf
    above: bool = False

    def holds(self, value: float) -> bool:
        """Return whether a number is in the range; infinity and NaN are in none."""
        return math.isfinite(value) and self.least <= value <= self.most and not (self.above and value == self.least)

    def __str__(self) -> str:
        least = f"above {self.least}" if self.above else f"{self.least} or more"
        return least if self.most == math.inf else f"{least}, {self.most} or less"


RANGES = {  # of the options of `vectors` and `tagger` that are numbers
    **dict.fromkeys(("size", "epochs", "window", "min_count"), Range(1)),
    "negative": Range(1),  # without noise gensim learns nothing
    "sample": Range(0, 1),
    **dict.fromkeys(("x_max", "exponent", "learning_rate"), Range(0, above=True)),
    "threads": Range(1),
    **dict.fromkeys(("steps", "batch_words", "width", "depth"), Range(1)),
    "dropout": Range(0, 0.99),
    "lowercased": Range(0, 1),
    "seed": Range(0, 2**32 - 1),  # numpy's
}


def check_sections(params: dict[str, Any]) -> None:
    """Refuse a missing section, one that holds no options, and a name that a shell would misread."""
    for name in (*SCALE_SECTIONS, *FOCUS_SECTIONS):
        if name not in params:
            raise InputError(f"params.yaml lacks {name}; `make params SCALE=cpu` writes all sections.")
        if name not in ONE_VALUE and not isinstance(params[name], dict):
            raise InputError(f"{name} in params.yaml is {params[name]!r}; it must be a section of options.")
    for section in ("corpora", "references", "pools", "vectors", "cells"):  # dvc.yaml puts these names into commands
        for name in params[section]:
            if not is_plain_name(name):
                raise InputError(
                    f"a name in {section} of params.yaml is {name!r}; allowed: letters, digits and . - + _, "
                    "first a letter or digit; rename it."
                )
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
        from retable.text.parts.treebank_tagger import train_tagger  # slow to import: only where something was changed

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
    from retable.experiments.embedding import METHODS, from_file
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
        if name in RANGES and value is not None and not RANGES[name].holds(value):
            raise InputError(f"{where}.{name} is {value!r} in params.yaml; allowed: {RANGES[name]}.")
    arguments = inspect.signature(function).parameters
    missing = [name for name in allowed if name not in values and arguments[name].default is inspect.Parameter.empty]
    if missing:
        raise InputError(f"{where} in params.yaml lacks {', '.join(missing)}; docs/vectors.md shows a whole entry.")
