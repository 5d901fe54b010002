"""The models, one file each, found by id. A module is imported when its model is asked for, and not before."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from retable.errors import unknown_name

if TYPE_CHECKING:  # torch takes seconds to import, and who asks for a name does not need it
    from retable.layers.network import Network

MODELS = {
    "att-blstm": "retable.models.att_blstm:AttBLSTM",
    "avg-embedding": "retable.models.avg_embedding:AvgEmbedding",
    "bigru": "retable.models.bigru:BiGRU",
    "bilstm": "retable.models.bilstm:BiLSTM",
    "cspan": "retable.models.cspan:CSPAN",
    "dpcnn": "retable.models.dpcnn:DPCNN",
    "fasttext": "retable.models.fasttext:FastText",
    "fcsr": "retable.models.fcsr:FCSR",
    "fcsr-fp": "retable.models.fcsr_fp:FCSRFP",
    "lama": "retable.models.lama:LAMA",
    "lstm": "retable.models.lstm:LSTM",
    "structured-self-attention": "retable.models.structured_self_attention:StructuredSelfAttention",
    "textcnn": "retable.models.textcnn:TextCNN",
    "transformer": "retable.models.transformer:Transformer",
    "transformer-f": "retable.models.transformer_f:TransformerF",
    "universal-transformer": "retable.models.universal_transformer:UniversalTransformer",
}
# Linear models: train(train, dev, *, lowercase, unit, seed, options) gives a classifier and the candidates tried.
LINEAR_MODELS = {
    "nb-svm": "retable.models.linear:train_nb_svm",
    "tfidf-svm": "retable.models.linear:train_tfidf_svm",
}


def model_module(name: str) -> str:
    """The module in which a model is written.

    Raises: InputError for an unknown model.
    """
    known = MODELS | LINEAR_MODELS
    if name not in known:
        raise unknown_name("model.name", name, known)
    return known[name].partition(":")[0]


def network_class(name: str) -> "type[Network]":
    """The class of a network (`retable.layers.network`).

    Raises: InputError for an unknown network.
    """
    found: type[Network] = _found(MODELS, name)
    return found


def linear_trainer(name: str) -> Callable[..., Any]:
    """The training function of a linear model.

    Raises: InputError for an unknown linear model.
    """
    found: Callable[..., Any] = _found(LINEAR_MODELS, name)
    return found


def _found(registry: dict[str, str], name: str) -> Any:
    if name not in registry:
        raise unknown_name("model.name", name, registry)
    module, _, attribute = registry[name].partition(":")
    return getattr(import_module(module), attribute)
