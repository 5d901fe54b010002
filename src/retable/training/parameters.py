"""Check the parameters of a run: each option is an argument of the code that uses it, and is checked against it.

The parameters of a run are sections of params.yaml: corpus {name}, model {name, options}, embedding, training, seed,
device, precision.
"""

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

from retable.errors import InputError, shown, unknown_name
from retable.forms import Number
from retable.layers.network import Task
from retable.layers.options import Count, NonNegative, Range, check_ranges
from retable.models import MODELS, TRAINERS, network_class, trainer_of
from retable.text.units import Unit
from retable.text.vocabulary import NO_PART
from retable.training.network import Heads, build_network, training_of
from retable.training.options import Training

Section = Mapping[str, Any]
DEVICES, PRECISIONS = ("auto", "cpu", "cuda"), ("float32", "bfloat16")
LARGEST = 10**9  # whole number of an option
MaxWords = Annotated[int, Range("0 (whole texts) or more", lambda value: value >= 0)]
Size = Annotated[int, Range("from 1 to 10,000", lambda value: 1 <= value <= 10_000)]  # dimensions of a word vector
GIVEN_BY_THE_RUN = {"seed", "device", "precision", "lowercase", "unit"}


def known_models() -> list[str]:
    """Return every model id."""
    return sorted(MODELS | TRAINERS)


def embedding_options(
    vectors: str, *, unit: Unit, size: Size, tune: bool, min_count: Count, lowercase: bool, spread: NonNegative
) -> None:
    """Check the section `embedding` of a network.

    Args:
        vectors: name of a folder in data/vectors; none initialises every word at random.
        unit: what the model reads as a word: a word, or a character.
        size: dimensions of a word vector if `vectors` is none.
        tune: whether training changes the vectors of the training split's words.
        min_count: a word without a given vector that is rarer than this in training is read as unknown.
        lowercase: whether words are lower-cased before they are looked up.
        spread: standard deviation of the random vectors.
    """


def linear_embedding_options(vectors: Literal["none"], *, unit: Unit, lowercase: bool) -> None:
    """Check the section `embedding` of a linear model, which has no word vectors."""


def text_options(*, heads: Heads, max_words: MaxWords) -> None:
    """Check the options of `training` that concern a network and its texts rather than the loop.

    Args:
        heads: for a joint corpus: one classifier for all texts, or one per domain.
        max_words: texts are cut after this many words; 0 never cuts.
    """


def check_parameters(
    parameters: Section, file: str = "params.yaml", defaults: Mapping[str, Section] | None = None
) -> None:
    """Refuse a misspelt, mistyped, misplaced or impossible option before anything is trained.

    Args:
        parameters: the sections of a run.
        file: the file that holds them, for the error message.
        defaults: the sections of the model's preset, so that the error message can say how to restore a value.
    Raises: InputError.
    """
    for section in ("corpus", "model", "embedding", "training"):
        if not isinstance(parameters[section], Mapping):
            raise InputError(f"{section} in {file} is {shown(parameters[section])}; it must be a section of options.")
    model = dict(parameters["model"])
    name = model.pop("name", None)
    if name not in known_models():
        raise unknown_name(f"model.name in {file}", name, known_models())
    check = _Checker(file, str(name), defaults or {})
    training = dict(parameters["training"])
    if name in TRAINERS:
        check.section("model", model, trainer_of(name))
        check.section("embedding", parameters["embedding"], linear_embedding_options)
        check.section("training", training, None)
        check.call("model", check_ranges, trainer_of(name), model)
    else:
        check.section("model", model, network_class(name))
        check.section("embedding", parameters["embedding"], embedding_options)
        check.section("training", training, Training, text_options)
        check.call("training", training_of, training)
        check.call("training", check_ranges, text_options, training)
        check.call("embedding", check_ranges, embedding_options, parameters["embedding"])
        check.call("model", _build_small, name, model)
        check.call("training", _check_clip, name, training["clip"])
        check.call("training", _check_heads, name, training["heads"])
    if type(parameters["seed"]) is not int or not 0 <= parameters["seed"] < 2**32:
        raise InputError(
            f"seed in {file} is {shown(parameters['seed'])}; allowed: a whole number from 0 to 4294967295."
        )
    for key, allowed in (("device", DEVICES), ("precision", PRECISIONS)):
        if parameters[key] not in allowed:
            raise unknown_name(f"{key} in {file}", parameters[key], allowed)


class _Checker:
    """Check sections, and phrase the error: the value given, what is allowed, how to restore it."""

    def __init__(self, file: str, model: str, defaults: Mapping[str, Section]) -> None:
        self.file, self.model, self.defaults = file, model, defaults

    def section(self, section: str, values: Section, *functions: Callable[..., Any] | None) -> None:
        """Check that every key is an argument of one of the functions, every value has its type, and no option is
        missing.
        """
        allowed: dict[str, Any] = {}
        for function in functions:
            allowed |= options_of(function) if function else {}
        for key, value in values.items():
            if key not in allowed:
                raise self.refusal(section, key, value, self.wrong_name(section, key, allowed))
            expected = type_problem(value, allowed[key])
            if expected:
                raise self.refusal(section, key, value, f"allowed: {expected}")
        missing = sorted(set(allowed) - set(values))
        if missing:
            preset = self.defaults.get(section, missing)
            unset = [option for option in missing if option not in preset]
            first = f"add {', '.join(unset)} to src/retable/conf/models/{self.model}.yaml, then " if unset else ""
            raise InputError(
                f"{section} in {self.file} lacks {', '.join(missing)} for {self.model}; "
                f"{first}`retable use {self.model} <corpus>` writes all options of {self.model}."
            )

    def call(self, section: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Let the code itself check the values; its ValueError begins with the name of the option."""
        try:
            function(*args, **kwargs)
        except ValueError as error:
            key = str(error).split(" ", 1)[0]
            sentence = str(error).removesuffix(".")
            raise InputError(
                f"{section}.{sentence} ({self.file}, model {self.model}){self.back(section, key)}."
            ) from None

    def refusal(self, section: str, key: str, value: Any, why: str) -> InputError:
        return InputError(f"{section}.{key} is {shown(value)} in {self.file}; {why}{self.back(section, key)}.")

    def wrong_name(self, section: str, key: str, allowed: Mapping[str, Any]) -> str:
        owners = [
            other
            for other in known_models()
            if other != self.model
            and section == "model"
            and key in options_of(trainer_of(other) if other in TRAINERS else network_class(other))
        ]
        if owners:
            return f"it is an option of {', '.join(owners)}, not of {self.model}"
        return str(unknown_name(f"option of {self.model}", key, allowed)).removesuffix(".")

    def back(self, section: str, key: str) -> str:
        """Return how to restore a value: params.yaml keeps what `dvc exp run -S` wrote into it."""
        if self.file != "params.yaml":
            return ""
        kept = "the value stays in params.yaml until you undo it"
        preset = self.defaults.get(section, {})
        if key in preset:
            return f"; {kept}: `-S {section}.{key}={preset[key]}` or edit the line"
        return f"; {kept}: remove the line {section}.{key}, or `retable use {self.model} <corpus>`"


def options_of(function: Callable[..., Any], *, with_seed: bool = False) -> dict[str, Any]:
    """Return option -> type for a function's arguments, or a class's keywords, without those that the run supplies."""
    target = function.__init__ if inspect.isclass(function) else function
    hints = typing.get_type_hints(target)
    skip = {"return", "network", "train", "dev"} | GIVEN_BY_THE_RUN
    if function in (embedding_options, linear_embedding_options):
        skip -= {"lowercase", "unit"}
    if with_seed:
        skip -= GIVEN_BY_THE_RUN
    return {
        name: hints.get(name, Any)
        for name, parameter in inspect.signature(target).parameters.items()
        if name not in skip
        and not name.startswith("on_")
        and (parameter.kind is parameter.KEYWORD_ONLY or not inspect.isclass(function))
    }


def type_problem(value: Any, expected: Any) -> str | None:
    """Return None if the value has the type, else what is allowed, in words."""
    if expected is Any:
        return None
    origin = get_origin(expected)
    if origin is Literal:
        allowed = get_args(expected)
        return None if value in allowed and type(value) in map(type, allowed) else ", ".join(map(str, allowed))
    if origin in (typing.Union, types.UnionType):
        problems = [type_problem(value, one) for one in get_args(expected)]
        return None if None in problems else " or ".join(map(str, problems))
    if origin in (list, tuple) or (inspect.isclass(origin) and issubclass(origin, Sequence)):
        inner = get_args(expected)[0]
        if isinstance(value, (list, tuple)) and all(type_problem(item, inner) is None for item in value):
            return None
        return f"a list, each item {type_problem(object(), inner)}"
    if expected is float:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return None if Number().holds(value) else "a number" if not number else "a finite number"
    if expected is int:
        whole = Number(-LARGEST, LARGEST, whole=True)
        out = isinstance(value, int) and not isinstance(value, bool)
        return None if whole.holds(value) else f"a whole number{f' from -{LARGEST:,} to {LARGEST:,}' if out else ''}"
    if expected is bool:
        return None if isinstance(value, bool) else "true or false"
    if expected is type(None):
        return None if value is None else "null"
    return None if isinstance(value, expected) else f"a {expected.__name__}"


def _check_clip(name: str, clip: float) -> None:
    """Refuse clipping of sparse gradients, whose norm is not available."""
    if clip and network_class(name).sparse_rows:
        raise ValueError(f"clip is {clip}; allowed: 0, because the gradients of {name} are sparse")


def _check_heads(name: str, heads: str) -> None:
    """Refuse several classifiers if the network does not support them, and one if it has one per domain itself."""
    found = network_class(name)
    if heads == "per-domain" and not found.answers_for_domains:
        raise ValueError(f"heads is per-domain; allowed: shared, because {name} has a second classifier of its own")
    if heads == "shared" and "domains" in found.reads:
        raise ValueError(f"heads is shared; allowed: per-domain, because {name} has layers for each domain")


def _build_small(name: str, options: Section) -> None:
    """Build a small network, which checks the options; a network on the meta device costs nothing."""
    import torch

    from retable.layers.unset import UnsetWeights

    task = Task(("one", "other"), domains=("here", "there"), parts=(NO_PART,))
    with torch.device("meta"), UnsetWeights():
        build_network({"name": name, **options}, task, torch.zeros(4, 4), tuned=4)
