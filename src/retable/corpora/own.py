"""Corpora that a user added to the checkout: `retable add-corpus` writes the declaration of each to a folder.

Each is in data/own/<id>/: corpus.json, with the content of a module of this package, and texts.jsonl.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from retable.declaration import Corpus, Example, RemoteFile
from retable.errors import InputError
from retable.files import read_json, read_json_lines, sha256_of_file
from retable.forms import ANY_TEXT, COUNT, DIGEST, NAME, ListOf, Named, Number, OneOf, Section, Text, check
from retable.project.paths import OWN

DECLARATION, TEXTS = "corpus.json", "texts.jsonl"
FORM = Section(  # of corpus.json
    {
        "name": NAME,
        "language": OneOf(("en", "zh", "other")),
        "from": Text(),
        "html": OneOf((True, False)),
        "labels": ListOf(ANY_TEXT),
        "texts": Named(ListOf(COUNT), OneOf(("all", "train", "test"))),
        "bytes": Number(1, whole=True),
        "sha256": DIGEST,
    }
)


def own_names() -> tuple[str, ...]:
    """Return the ids of the added corpora."""
    return tuple(sorted(path.parent.name for path in OWN.glob(f"*/{DECLARATION}")))


def declare(path: Path) -> Corpus:
    """Return the corpus that a corpus.json declares. Raises: InputError."""
    advice = f"remove {path.parent} and its line in params.yaml, then `retable add-corpus` again"
    told = read_json(path, advice=advice)
    check(told, FORM, str(path), advice)
    labels = len(set(told["labels"]))
    if told["name"] != path.parent.name:
        raise InputError(f"{path} declares {told['name']}, but its folder is {path.parent.name}; {advice}.")
    if labels < 2 or any(len(counts) != labels for counts in (told["labels"], *told["texts"].values())):
        raise InputError(f"{path} needs two or more different labels, and a count for each of them; {advice}.")
    return Corpus(
        name=told["name"],
        language=told["language"],
        title=f"own texts, from {told['from']}",
        labels=tuple(told["labels"]),
        texts={split: tuple(counts) for split, counts in told["texts"].items()},
        files={TEXTS: RemoteFile(f"{told['name']}/{TEXTS}", f"sha256:{told['sha256']}", told["bytes"])},
        read=read,
        html=told["html"],
        grouped=True,
        obtain=f"Or add it again: remove {path.parent} and its line in params.yaml, then `retable add-corpus`.",
        source=told["from"],
        paper="none",
        licence="that of their source",
        note="added with `retable add-corpus`; splits that were not given are drawn",
    )


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the lines of texts.jsonl, written by `write`. Raises: InputError."""
    path = folder / TEXTS
    lines = read_json_lines(path, "[split, text, label]", f"remove {folder} and add the corpus again")
    for number, (where, line) in enumerate(lines):
        split, text, label = line if isinstance(line, list) and len(line) == 3 else [None] * 3
        if (
            not (isinstance(text, str) and isinstance(split, str))
            or split not in corpus.texts
            or label not in corpus.labels
        ):
            raise InputError(f"{where}, is not a text with a split and a label that {DECLARATION} declares.")
        yield Example(f"{corpus.name}/{split}/{number}", split, text, label)


def write(folder: Path, examples: list[Example], *, name: str, language: str, html: bool, origin: str) -> None:
    """Write corpus.json and texts.jsonl of a corpus.

    Args:
        examples: of the split "all", or of "train" and "test".
        origin: the name of their source file.
    Raises: InputError if `declare` would refuse what is written, as every command would from then on.
    """
    labels = sorted({example.label for example in examples})
    splits = sorted({example.split for example in examples})
    counts = {(split, label): 0 for split in splits for label in labels}
    for example in examples:
        counts[example.split, example.label] += 1
    path = folder / TEXTS
    lines = (json.dumps([each.split, each.text, each.label], ensure_ascii=False) for each in examples)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    told = {
        "name": name, "language": language, "from": origin, "html": html, "labels": labels,
        "texts": {split: [counts[split, label] for label in labels] for split in splits},
        "bytes": path.stat().st_size, "sha256": sha256_of_file(path),
    }  # fmt: skip
    check(told, FORM, f"the declaration of {name}", "rename the file, or shorten the label")
    (folder / DECLARATION).write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


CORPORA = {name: declare(OWN / name / DECLARATION) for name in own_names()}
