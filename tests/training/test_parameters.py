import subprocess
import sys
import time

import pytest

from retable.errors import InputError
from retable.experiments.scale import model_preset
from retable.models import MODELS, TRAINERS
from retable.training.parameters import check_parameters

CHECKS = """
import sys
from retable.experiments.scale import model_preset
from retable.training.parameters import check_parameters
for name in ("fcsr", "cspan", "transformer-f", "textcnn", "bilstm", "transformer", "avg-embedding"):
    corpus = {"name": "made-up"}
    check_parameters(model_preset(name) | {"corpus": corpus, "seed": 1, "device": "auto", "precision": "float32"})
print("compiler" if "torch._dynamo" in sys.modules else "none")
"""


def parameters(model, **embedding):
    preset = model_preset(model)
    return preset | {
        "embedding": preset["embedding"] | embedding,
        "corpus": {"name": "made-up"},
        "seed": 1,
        "device": "auto",
        "precision": "float32",
    }


@pytest.mark.parametrize("model", sorted(MODELS | TRAINERS))
def test_every_preset_is_whole_and_may_read_characters(model):
    check_parameters(parameters(model))
    check_parameters(parameters(model, unit="characters"))


@pytest.mark.parametrize("model", ["transformer-f", "nb-svm"])
def test_an_unknown_unit_is_refused_with_those_allowed(model):
    with pytest.raises(InputError, match=r"embedding\.unit is 'letters' in params\.yaml; allowed: words, characters"):
        check_parameters(parameters(model, unit="letters"))


def test_options_of_a_network_with_parts_are_checked_by_the_network():
    asked = parameters("transformer-f")
    asked["model"]["content"] = ["NOUN", "VREB"]
    with pytest.raises(InputError, match=r"model\.content is \['NOUN', 'VREB'\]; allowed: one or more of ADJ"):
        check_parameters(asked)
    asked = parameters("transformer-f")
    asked["model"]["parts"] = ["n"]
    with pytest.raises(InputError, match="parts"):
        check_parameters(asked)


@pytest.mark.parametrize(
    ("model", "option", "value", "sentence"),
    [
        ("lama", "heads", 0, "model.heads is 0; allowed: heads >= 1 (params.yaml, model lama); the value stays in"),
        ("lda", "passes", 0, "model.passes is 0; allowed: passes >= 1 (params.yaml, model lda); the value stays in"),
        (
            "doc2vec",
            "costs",
            [],
            "model.costs is []; allowed: one or more numbers above 0 (params.yaml",
        ),
        ("nb-svm", "beta", 2, "model.beta is 2; allowed: 0 <= beta <= 1 (params.yaml, model nb-svm)"),
        ("bert-base", "dropout", 1.5, "model.dropout is 1.5; allowed: 0 <= dropout < 1 (params.yaml, model bert-base)"),
        ("lama", "pool", "last", "model.pool is 'last' in params.yaml; it is an option of bigru"),
        ("bigru", "pool", "last", "model.pool is 'last' in params.yaml; allowed: max, mean; the value stays in"),
    ],
)
def test_an_option_outside_its_declared_range_is_refused_with_its_place(model, option, value, sentence):
    asked = parameters(model)
    asked["model"][option] = value
    with pytest.raises(InputError) as error:
        check_parameters(asked)
    assert str(error.value).startswith(sentence)


def test_checking_a_large_network_builds_none():
    start = time.perf_counter()
    for _ in range(3):
        check_parameters(parameters("transformer"))
    assert time.perf_counter() - start < 1


def test_checking_the_options_of_a_network_brings_no_compiler():
    """Torch's takes 1.3 s to import, in each process of a cell: if this fails, cells start later."""
    done = subprocess.run([sys.executable, "-c", CHECKS], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "none"
