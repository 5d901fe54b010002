"""The Parquet files that pass between the stages: one a split, with the corpus's facts in the schema's metadata.

clean   id string, text string, label string, clean bool
tagged  id string, tokens list<string>, [parts list<string>,] label string, clean bool

`clean` is False for a dev or test text that (nearly) occurs in a training text of the same corpus, and for an
unlabelled one that (nearly) occurs in its dev or test texts. unlabelled.parquet is written only where a corpus has such
texts; their label is "", so `read_split` refuses them: no classifier learns from them, pools of word vectors may.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from retable.errors import InputError

SPLITS = ("train", "dev", "test")
UNLABELLED = "unlabelled"  # a fourth file, of texts without a label
ID, LABEL, CLEAN = pa.field("id", pa.string()), pa.field("label", pa.string()), pa.field("clean", pa.bool_())
TEXT = pa.field("text", pa.string())
TOKENS, PARTS = pa.field("tokens", pa.list_(pa.string())), pa.field("parts", pa.list_(pa.string()))


@dataclass(frozen=True)
class Facts:
    """Hold what every file of a corpus says of itself: its id, language and labels (the order gives the class index).

    `domains` are the corpora that a joint corpus is made of; the ids of its texts are "<domain>/<id>". A `ranked` one
    lists candidates for questions, pairs of which the second label says that it answers.
    """

    corpus: str
    language: str
    labels: tuple[str, ...]
    domains: tuple[str, ...] = ()
    ranked: bool = False


@dataclass(frozen=True)
class Split:
    """One split of a tagged corpus, ready for a model.

    `tokens` and `parts` are list<string> arrays, `classes` int64 (text,), `clean` bool (text,). `texts` are the clean
    texts, string (text,), for a run that reads raw characters; None for others.
    """

    facts: Facts
    ids: list[str]
    tokens: pa.ListArray
    parts: pa.ListArray | None
    classes: np.ndarray
    clean: np.ndarray
    texts: pa.StringArray | None = None

    @property
    def domains(self) -> np.ndarray | None:
        """Index of each text's domain, int64 (text,); None where the corpus is not a joint one."""
        if not self.facts.domains:
            return None
        index = {domain: position for position, domain in enumerate(self.facts.domains)}
        return np.array([index[text.partition("/")[0]] for text in self.ids], dtype=np.int64)


def clean_schema(facts: Facts) -> pa.Schema:
    """Return the schema of data/clean/<corpus>/<split>.parquet."""
    return pa.schema([ID, TEXT, LABEL, CLEAN], metadata=facts_metadata(facts))


def tagged_schema(facts: Facts, *, parts: bool) -> pa.Schema:
    """Return the schema of data/tagged/<corpus>/<split>.parquet, with parts of speech or without."""
    return pa.schema([ID, TOKENS, *([PARTS] if parts else []), LABEL, CLEAN], metadata=facts_metadata(facts))


def read_facts(path: Path) -> Facts:
    """Return the facts in a clean or tagged file."""
    metadata = _open(path).schema_arrow.metadata or {}
    if b"retable" not in metadata:
        raise InputError(f"{path} was not written by retable: its schema has no facts; remove it and run `dvc repro`.")
    values = json.loads(metadata[b"retable"])
    domains = tuple(values.get("domains", ()))
    return Facts(
        values["corpus"], values["language"], tuple(values["labels"]), domains, ranked=values.get("ranked", False)
    )


def read_split(folder: Path, split: str) -> Split:
    """Read one split of a tagged corpus.

    Raises: InputError if the file is missing, damaged, or holds a label that the corpus does not declare.
    """
    path = folder / f"{split}.parquet"
    facts = read_facts(path)
    table = _open(path).read()
    index = {label: position for position, label in enumerate(facts.labels)}
    labels = table.column("label").to_pylist()
    wrong = next((label for label in labels if label not in index), None)
    if wrong is not None:
        raise InputError(f'{path} has the label "{wrong}"; the corpus declares {", ".join(facts.labels)}.')
    parts = table.column("parts").combine_chunks() if "parts" in table.column_names else None
    return Split(
        facts,
        table.column("id").to_pylist(),
        table.column("tokens").combine_chunks(),
        parts,
        np.array([index[label] for label in labels], dtype=np.int64),
        table.column("clean").to_numpy(),
    )


def read_texts(path: Path, ids: list[str]) -> pa.StringArray:
    """Read the clean texts of a split, string (text,).

    Args:
        path: data/clean/<corpus>/<split>.parquet.
        ids: those of the tagged split.
    Raises: InputError if the file is missing or damaged, or its texts are others.
    """
    table = _open(path).read(columns=["id", "text"])
    if table.column("id").to_pylist() != ids:
        raise InputError(f"{path} has other texts than its tagged split; `dvc repro` tags it anew.")
    return table.column("text").combine_chunks()


def facts_metadata(facts: Facts) -> dict[bytes, bytes]:
    """Return facts as the metadata of a Parquet schema."""
    values: dict[str, object] = {"corpus": facts.corpus, "language": facts.language, "labels": list(facts.labels)}
    values |= {"domains": list(facts.domains)} if facts.domains else {}
    if facts.ranked:
        values["ranked"] = True
    return {b"retable": json.dumps(values, ensure_ascii=False).encode("utf-8")}


def _open(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError:
        raise InputError(f"{path} is missing; `dvc repro` makes it.") from None
    except pa.ArrowInvalid as error:
        raise InputError(f"{path} is damaged ({error}); remove it and run `dvc repro`.") from None
