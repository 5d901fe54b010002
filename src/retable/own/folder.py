"""A model folder: everything needed to predict exactly as the trained model did.

model.json           format, labels, language, cleaning, parameters, scores, and the digest of every other file
weights.safetensors  with vocabulary.json or whatever else the model needs
predictions.parquet  its predictions on the test texts
README.md            the model card
"""

import os
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from retable import __version__
from retable.errors import InputError, shortened, unknown_name
from retable.files import PART_BYTES, atomic_folder, read_json, sha256_of_file, write_json
from retable.forms import ANY_TEXT, DIGEST, NAME, Distinct, Named, OneOf, Section, check
from retable.own.corpus import OwnCorpus
from retable.runs.predictions import write_predictions
from retable.text.splits import Facts
from retable.training.parameters import known_models
from retable.training.run import Classifier, load_classifier

FORMAT = 3  # 1 split English texts with spaCy; 2 stored the weights of linear models with many labels out of order
CONTENTS, CARD = "model.json", "README.md"
DAMAGED = "remove the folder, or choose another with --to"
ANEW = "copy the model folder again, or train it again"
FORM = Section(  # of model.json
    {
        "corpus": ANY_TEXT,
        "language": ANY_TEXT,
        "labels": Distinct(2),
        "markup": OneOf((True, False)),
        "parameters": Section({"model": Section({"name": NAME}), "embedding": Section({}), "training": Section({})}),
        "sha256": Named(DIGEST, NAME),
    }
)


@dataclass(frozen=True)
class Stored:
    """A model as stored in its folder."""

    classifier: Classifier
    facts: Facts
    markup: bool
    parameters: dict[str, Any]


def check_target(folder: Path) -> None:
    """Refuse a folder that holds anything but an older model, or that cannot be created. Raises: InputError."""
    parent = next(place for place in folder.absolute().parents if place.exists())
    longest = os.pathconf(parent, "PC_NAME_MAX") - PART_BYTES
    if len(os.fsencode(folder.name)) > longest:
        raise InputError(
            f"the model folder would be {shortened(folder.name)}, which is too long; allowed: a name of {longest} "
            "bytes; choose another with --to."
        )
    if folder.exists() and not (folder / CONTENTS).is_file():
        raise InputError(f"{folder} exists and is not a model folder; remove it, or choose another with --to.")
    if beside := names_beside(folder):
        raise InputError(
            f"{folder} contains {beside[0]}, which is not of its model; move it, or choose another with --to."
        )
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise InputError(f"{folder} cannot be created: {parent} is not a writable folder; choose another with --to.")


def names_beside(folder: Path) -> list[str]:
    """Return what a model folder contains besides its model, which a new model would replace."""
    if not folder.exists():
        return []
    named = read_json(folder / CONTENTS, advice=DAMAGED).get("sha256")
    of_model = named if isinstance(named, dict) else ()
    return sorted({path.name for path in folder.iterdir()} - {CONTENTS, CARD, *of_model})


def model_in(folder: Path) -> str:
    """Return date, id and source of the model that a new one would replace; "" if there is none."""
    if not folder.exists():
        return ""
    contents = read_json(folder / CONTENTS, advice=DAMAGED)
    day = date.fromtimestamp((folder / CONTENTS).stat().st_mtime)
    try:
        return (
            f"the model of {day}, {contents['parameters']['model']['name']}, of {shortened(contents['source']['name'])}"
        )
    except (LookupError, TypeError):  # `check_target` lets an incomplete model.json be replaced
        return f"a damaged model of {day}"


def write_model(
    folder: Path, classifier: Classifier, corpus: OwnCorpus, answers: Any, *, contents: dict[str, Any], card: str
) -> None:
    """Write a model folder, whole or not at all.

    Args:
        answers: probabilities of the test texts, float (text, class).
        contents: contents of model.json in addition to format, facts and digests.
        card: the model card, Markdown.
    """
    with atomic_folder(folder) as part:
        classifier.save(part)
        write_predictions(part / "predictions.parquet", corpus.test, answers)
        (part / CARD).write_text(card, encoding="utf-8")
        for path in part.iterdir():
            path.chmod(0o644)  # safetensors writes it readable by the owner only
        digests = {path.name: sha256_of_file(path) for path in sorted(part.iterdir()) if path.name != CARD}
        facts = {
            name: value for name, value in asdict(corpus.facts).items() if name in ("corpus", "language", "labels")
        }
        write_json(part / CONTENTS, {"format": FORMAT, "retable": __version__, **facts, **contents, "sha256": digests})


def read_model(folder: Path, *, device: str = "auto") -> Stored:
    """Read a model folder.

    Raises: InputError if there is none, it is damaged, or a newer retable wrote it.
    """
    try:
        contents = read_json(folder / CONTENTS, advice=ANEW)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{folder} is not a model folder: it has no {CONTENTS}; `retable fit` makes one.") from None
    check_contents(folder, contents)
    facts = Facts(contents["corpus"], contents["language"], tuple(contents["labels"]))
    parameters = contents["parameters"] | {"device": device}
    return Stored(load_classifier(parameters, folder, facts), facts, contents["markup"], parameters)


def check_contents(folder: Path, contents: Any) -> None:
    """Refuse a folder of a newer format, or with a changed file. Raises: InputError."""
    found = contents.get("format")
    if type(found) is not int or found < 1:
        raise InputError(f"{folder / CONTENTS} states no format; {ANEW}.")
    if found > FORMAT:
        raise InputError(
            f"{folder} has format {found}, written by retable {contents.get('retable')}; this one, {__version__}, "
            f"reads up to {FORMAT}. Install the newer version."
        )
    if found < FORMAT:
        raise InputError(
            f"{folder} has format {found}, of an older retable, and would predict differently; train the model again."
        )
    check(contents, FORM, str(folder / CONTENTS), ANEW)
    if contents["parameters"]["model"]["name"] not in known_models():
        raise unknown_name(f"model of {folder / CONTENTS}", contents["parameters"]["model"]["name"], known_models())
    for name, digest in contents["sha256"].items():
        path = folder / name
        if not path.is_file() or sha256_of_file(path) != digest:
            state = "damaged" if path.is_file() else "missing"
            raise InputError(f"{path} is {state}; {ANEW}.")
