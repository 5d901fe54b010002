"""The Parquet files that pass between the stages: one per split, with the corpus's facts in the schema's metadata.

clean   id string, text string, label string, clean bool
tagged  id string, tokens list<string>, [parts list<string>,] label string, clean bool

`clean` is False for a dev or test text that (nearly) occurs in a training text of the same corpus, and for an
unlabelled text that (nearly) occurs in its dev or test texts. unlabelled.parquet is written only if a corpus has such
texts; their label is "", so `read_split` refuses them: no classifier learns from them, pools of word vectors may.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from retable.declaration import UNLABELLED as UNLABELLED
from retable.errors import InputError, shortened
from retable.files import AGAIN, parse_json
from retable.forms import ANY_TEXT, ListOf, OneOf, Section, check
from retable.text.grades import is_score

SPLITS = ("train", "dev", "test")
TEXTS_IN_BATCH = 1_000  # read at once where a whole split would not fit into memory
ID, LABEL, CLEAN = pa.field("id", pa.string()), pa.field("label", pa.string()), pa.field("clean", pa.bool_())
TEXT = pa.field("text", pa.string())
TOKENS, PARTS = pa.field("tokens", pa.list_(pa.string())), pa.field("parts", pa.list_(pa.string()))

FLAGS = ("ranked", "graded")  # of Facts
FACTS = Section(
    {"corpus": ANY_TEXT, "language": ANY_TEXT, "labels": ListOf(ANY_TEXT)},
    {"domains": ListOf(ANY_TEXT), "ranked": OneOf((True, False)), "graded": OneOf((True, False))},
)


@dataclass(frozen=True)
class Facts:
    """The facts stored in every file of a corpus: id, language and labels (their order gives the class index).

    `domains` are the parts of a joint corpus, whose text ids are "<domain>/<id>". A `ranked` corpus lists candidates
    for questions; the second label of such a pair marks an answer. The labels of a `graded` corpus are consecutive
    whole numbers; the label column has a number between the first and the last, whose class is the nearest grade.
    """

    corpus: str
    language: str
    labels: tuple[str, ...]
    domains: tuple[str, ...] = ()
    ranked: bool = False
    graded: bool = False


@dataclass(frozen=True)
class Split:
    """One split of a tagged corpus, ready for a model.

    `tokens` and `parts` are list<string> arrays, `classes` int64 (text,), `clean` bool (text,). `texts` are the clean
    texts, string (text,), for a run that reads raw characters; None for others. `scores`, float64 (text,), are those of
    a graded corpus, from 0 at the first grade; None for other corpora.
    """

    facts: Facts
    ids: list[str]
    tokens: pa.ListArray
    parts: pa.ListArray | None
    classes: np.ndarray
    clean: np.ndarray
    texts: pa.StringArray | None = None
    scores: np.ndarray | None = None

    @property
    def domains(self) -> np.ndarray | None:
        """Return the domain index of each text, int64 (text,); None if the corpus is not a joint one."""
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
    """Return the facts in a clean, tagged or predictions file. Raises: InputError."""
    metadata = _open(path).schema_arrow.metadata or {}
    if b"retable" not in metadata:
        raise InputError(f"{path} was not written by retable: its schema has no facts; {AGAIN}.")
    try:
        values = parse_json(metadata[b"retable"].decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"the facts of {path} are not valid JSON ({error}); {AGAIN}.") from None
    check(values, FACTS, f"the facts of {path}", AGAIN)
    domains = tuple(values.get("domains", ()))
    flags = {flag: values.get(flag, False) for flag in FLAGS}
    return Facts(values["corpus"], values["language"], tuple(values["labels"]), domains, **flags)


def number_of_rows(path: Path) -> int:
    """Return how many rows a Parquet file says it has, without reading them. Raises: InputError."""
    return int(_open(path).metadata.num_rows)


def column_names(path: Path) -> list[str]:
    """Return the names of the columns of a Parquet file. Raises: InputError."""
    return list(_open(path).schema_arrow.names)


def read_columns(path: Path, fields: Sequence[pa.Field]) -> pa.Table:
    """Read columns of a Parquet file without nulls, also inside lists.

    Args:
        fields: name and type of each; a dictionary-encoded column counts as its value type.
    Raises: InputError if the file is missing or damaged, or a column is missing or of another type.
    """
    with _reading(path, fields) as (file, names):
        table = file.read(columns=names)
    _check_whole(path, table)
    return table


def read_batches(path: Path, fields: Sequence[pa.Field]) -> Iterator[pa.RecordBatch]:
    """Yield columns of a Parquet file in batches of at most TEXTS_IN_BATCH rows, checked as in `read_columns`.

    Raises: InputError, during reading.
    """
    with _reading(path, fields) as (file, names):
        for batch in file.iter_batches(TEXTS_IN_BATCH, columns=names):
            _check_whole(path, batch)
            yield batch


@contextmanager
def _reading(path: Path, fields: Sequence[pa.Field]) -> Iterator[tuple[pq.ParquetFile, list[str]]]:
    """Yield a Parquet file with these columns, and their names. Raises: InputError."""
    file = _open(path)
    schema = file.schema_arrow
    for field in fields:
        if field.name not in schema.names:
            raise InputError(f"{path} has no column {field.name}; {AGAIN}.")
        if schema.names.count(field.name) > 1:
            raise InputError(f"{path} has the column {field.name} twice; {AGAIN}.")
        found = schema.field(field.name).type
        found = found.value_type if pa.types.is_dictionary(found) else found
        if not found.equals(field.type):
            raise InputError(f"{path}: the column {field.name} has the type {found}; allowed: {field.type}; {AGAIN}.")
    try:
        yield file, [field.name for field in fields]
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is damaged ({shortened(str(error))}); {AGAIN}.") from None


def _check_whole(path: Path, rows: pa.Table | pa.RecordBatch) -> None:
    """Refuse rows with a missing value. Raises: InputError."""
    for name in rows.schema.names:
        column = rows.column(name)
        if column.null_count or (pa.types.is_list(column.type) and pc.list_flatten(column).null_count):
            raise InputError(f"{path}: the column {name} has a missing value (null); {AGAIN}.")


def read_split(folder: Path, split: str) -> Split:
    """Read one split of a tagged corpus.

    Raises: InputError if the file is missing, damaged, or invalid: no text, a repeated id, a text without tokens, a
        different number of parts of speech, a label that the corpus does not declare.
    """
    path = folder / f"{split}.parquet"
    facts = read_facts(path)
    has_parts = PARTS.name in column_names(path)
    table = read_columns(path, [ID, TOKENS, *([PARTS] if has_parts else []), LABEL, CLEAN])
    ids, tokens = table.column("id").to_pylist(), table.column("tokens").combine_chunks()
    if not ids:
        raise InputError(f"{path} has no text; {AGAIN}.")
    if len(set(ids)) < len(ids):
        raise InputError(f"{path} has the id {first_twice(ids)} twice; {AGAIN}.")
    lengths = pc.list_value_length(tokens)
    if (empty := pc.index(lengths, 0).as_py()) >= 0:
        raise InputError(f"{path}: the text {ids[empty]} has no token; {AGAIN}.")
    if pc.index(pc.binary_length(tokens.flatten()), 0).as_py() >= 0:
        raise InputError(f"{path} has an empty token; {AGAIN}.")
    parts = table.column("parts").combine_chunks() if has_parts else None
    if parts is not None and (other := pc.index(pc.equal(pc.list_value_length(parts), lengths), False).as_py()) >= 0:
        raise InputError(
            f"{path}: the text {ids[other]} has a different number of tokens and part-of-speech tags; {AGAIN}."
        )
    labels = table.column("label")
    scores = scores_of(labels, facts, path) if facts.graded else None
    classes = classes_of(labels, facts, path) if scores is None else np.floor(scores + 0.5).astype(np.int64)
    return Split(facts, ids, tokens, parts, classes, table.column("clean").to_numpy(), scores=scores)


def classes_of(labels: pa.ChunkedArray, facts: Facts, path: Path) -> np.ndarray:
    """Return the class of every label, int64 (text,). Raises: InputError for one that the facts do not declare."""
    places = pc.index_in(labels.cast(pa.string()), value_set=pa.array(facts.labels, pa.string()))
    if places.null_count:
        wrong = labels.filter(pc.is_null(places))[0].as_py()
        raise InputError(f'{path} has the label "{shortened(wrong)}"; the corpus declares {", ".join(facts.labels)}.')
    return places.to_numpy().astype(np.int64)


def scores_of(labels: pa.ChunkedArray, facts: Facts, path: Path) -> np.ndarray:
    """Return the score of every label, float64 (text,), from 0. Raises: InputError for one outside the grades."""
    found, (first, *_, last) = labels.to_pylist(), facts.labels
    if wrong := next((label for label in found if not is_score(label, facts.labels)), None):
        raise InputError(f'{path} has the label "{shortened(wrong)}"; allowed: a number from {first} to {last}.')
    return np.array(found, dtype=np.float64) - int(first)


def first_twice(ids: Sequence[str]) -> str:
    """Return the first repeated id."""
    seen = set[str]()
    return next(each for each in ids if each in seen or seen.add(each))  # type: ignore[func-returns-value]


def read_texts(path: Path, ids: list[str]) -> pa.StringArray:
    """Read the clean texts of a split, string (text,).

    Args:
        path: data/clean/<corpus>/<split>.parquet.
        ids: the ids of the tagged split.
    Raises: InputError if the file is missing or damaged, or its texts differ.
    """
    table = read_columns(path, [ID, TEXT])
    if table.column("id").to_pylist() != ids:
        raise InputError(f"{path} and its tagged split have different texts; `dvc repro` tags it again.")
    return table.column("text").combine_chunks()


def check_training(train: Split, dev: Split) -> None:
    """Refuse splits from which nothing can be learnt, or that share an id. Raises: InputError."""
    if len(set(train.classes.tolist())) < 2:
        raise InputError(
            f"the training texts of {train.facts.corpus} have only one label ({len(train.ids):,} texts); at least two "
            "are needed; make the corpus again with `dvc repro`."
        )
    check_apart(train, dev)


def check_every_label(train: Split) -> None:
    """Refuse a label without a training text: most linear models have rows for what they see. Raises: InputError."""
    learnt = set(train.classes.tolist())
    if missing := [label for place, label in enumerate(train.facts.labels) if place not in learnt]:
        raise InputError(
            f'{train.facts.corpus} has no training text of the label "{shortened(missing[0])}", and linear models need '
            "one (copies are left out, dev and test held out); add texts of it that differ, or take the label out."
        )


def check_apart(one: Split, other: Split) -> None:
    """Refuse two splits that share an id. Raises: InputError."""
    if shared := set(one.ids) & set(other.ids):
        raise InputError(
            f"two splits of {one.facts.corpus} contain the text {shortened(min(shared))}; `dvc repro` makes them again."
        )


def facts_metadata(facts: Facts) -> dict[bytes, bytes]:
    """Return facts as the metadata of a Parquet schema."""
    values: dict[str, object] = {"corpus": facts.corpus, "language": facts.language, "labels": list(facts.labels)}
    values |= {"domains": list(facts.domains)} if facts.domains else {}
    values |= {flag: True for flag in FLAGS if getattr(facts, flag)}
    return {b"retable": json.dumps(values, ensure_ascii=False).encode("utf-8")}


def _open(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError:
        raise InputError(f"{path} is missing; `dvc repro` makes it.") from None
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is damaged ({shortened(str(error))}); {AGAIN}.") from None
