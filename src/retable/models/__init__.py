"""The models, one file each, found by id. A module is imported only when its model is requested.

A network has a preset (conf/models/<id>.yaml) and a module of the same name that defines one `Network`.
"""

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retable.errors import unknown_name
from retable.project.paths import PRESETS

if TYPE_CHECKING:  # torch takes seconds to import, and looking up a name does not need it
    from retable.layers.network import Network

# Models that a function of their own trains, not the loop of the networks: train(train, dev, *, lowercase, unit, seed,
# options) returns a classifier and the candidates tried. All are linear but BERT.
TRAINERS = {
    "bert-base": "retable.models.bert_base:train_bert_base",
    "bow-svm": "retable.models.bag_of_words:train_bow_svm",
    "delta-tfidf": "retable.models.bag_of_words:train_delta_tfidf",
    "doc2vec": "retable.models.doc2vec:train_doc2vec",
    "lda": "retable.models.lda:train_lda",
    "minilm-knn": "retable.models.minilm:train_minilm_knn",
    "minilm-lr": "retable.models.minilm:train_minilm_lr",
    "naive-bayes": "retable.models.bag_of_words:train_naive_bayes",
    "nb-svm": "retable.models.linear:train_nb_svm",
    "pair-features": "retable.models.pair_features:train_pair_features",
    "sgc": "retable.models.sgc:train_sgc",
    "tfidf-svm": "retable.models.linear:train_tfidf_svm",
}
SEEDED = {"bert-base", "doc2vec", "lda"}  # those of them that draw random numbers: another seed gives other answers
PRETRAINED = {"bert-base", "minilm-knn", "minilm-lr"}  # on other texts, so in no picture of costs as a floor
OF_CHARACTERS = {"char-aware-cnn", "char-cnn", "vdcnn"}  # of raw ones: their FLOPs are a character's, not a word's
OF_PAIRS = ("pair-features",)  # those of them that compare two texts
LOADERS = {  # of those that `load_linear` does not read
    "bert-base": "retable.models.bert_base:load_bert",
    "doc2vec": "retable.models.doc2vec:load_paragraphs",
    "lda": "retable.models.lda:load_topics",
    "minilm-knn": "retable.models.minilm:load_neighbours",
    "minilm-lr": "retable.models.minilm:load_sentences",
    "pair-features": "retable.models.pair_features:load_pairs",
    "sgc": "retable.models.sgc:load_graph",
}
MODELS = {
    name: f"retable.models.{name.replace('-', '_')}"
    for name in sorted(path.stem for path in (PRESETS / "models").glob("*.yaml"))
    if name not in TRAINERS
}


def is_seedless(name: str | None) -> bool:
    """Return whether a model does not depend on a seed: it draws no number or solves a convex problem."""
    return name in TRAINERS and name not in SEEDED


def is_linear(name: str | None) -> bool:
    """Return whether a model is linear in its features, or votes by them (`minilm-knn`): no network that is trained."""
    return name in TRAINERS and name != "bert-base"


def is_floor(name: str | None) -> bool:
    """Return whether a model is a baseline that a user might pick instead of a network: linear, or fastText.

    fastText is trained like a network.
    """
    return is_linear(name) or name == "fasttext"


def model_module(name: str) -> str:
    """Return the module that defines a model.

    Raises: InputError for an unknown model.
    """
    known = MODELS | TRAINERS
    if name not in known:
        raise unknown_name("model.name", name, known)
    return known[name].partition(":")[0]


def description(name: str) -> str:
    """Return the first paragraph of the docstring of a model's module, or of its training function; import neither."""
    file = Path(__file__).with_name(f"{model_module(name).rpartition('.')[2]}.py")
    module = ast.parse(file.read_text(encoding="utf-8"))
    functions = {each.name: each for each in module.body if isinstance(each, ast.FunctionDef)}
    function = TRAINERS.get(name, "").partition(":")[2]
    said = ast.get_docstring(functions[function] if function else module) or ""
    return " ".join(said.partition("\n\n")[0].split()).rstrip(".")


def network_class(name: str) -> "type[Network]":
    """Return the class of a network (`retable.layers.network`).

    Raises: InputError for an unknown network.
    """
    if name not in MODELS:
        raise unknown_name("model.name", name, MODELS)
    from retable.layers.network import Network  # not at the top: it imports torch

    module = import_module(MODELS[name])
    found = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__]
    networks = [each for each in found if issubclass(each, Network)]
    assert len(networks) == 1, f"{module.__name__} defines {len(networks)} networks; a model's module defines one"
    return networks[0]


@cache
def read_beside_words(name: str) -> tuple[str, ...]:
    """Return what a model reads of a text in addition to its words: parts, sentences, sides (of a pair), domains."""
    if name in TRAINERS:
        return ("sides",) if name in OF_PAIRS else ()
    return network_class(name).reads


def trainer_of(name: str) -> Callable[..., Any]:
    """Return the training function of a model that has one.

    Raises: InputError for another model.
    """
    if name not in TRAINERS:
        raise unknown_name("model.name", name, TRAINERS)
    return _function(TRAINERS[name])


def loader_of(name: str) -> Callable[..., Any]:
    """Return the function that reads the folder of a model with a training function."""
    return _function(LOADERS.get(name, "retable.models.linear:load_linear"))


def _function(address: str) -> Callable[..., Any]:
    module, _, function = address.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
