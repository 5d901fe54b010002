"""Write the bank as a stand-alone data set: two Parquet files, a data card, and machine-readable metadata.

predictions.parquet      each run's answer to each test text (ids, no texts)
runs.parquet             each run's parameters, data, recipe, scores, costs
README.md                the data card
croissant.json           Croissant 1.0 (mlcommons.org/croissant)
ro-crate-metadata.json   RO-Crate 1.1 (w3id.org/ro/crate/1.1)
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as files_of_package
from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa
import pyarrow.parquet as pq

from retable.corpora import corpus
from retable.files import atomic_folder, sha256_of_file, write_json
from retable.results.resolving import Resolver
from retable.runs.record import RunRecord
from retable.text.splits import read_facts

NAME = "retable: every prediction"
LICENCE, LICENCE_URL = "MIT", "https://spdx.org/licenses/MIT"
CITE = "retable: rebuild every table, 2026"
WORD = pa.dictionary(pa.int32(), pa.string())
TYPES = {"text": "sc:Text", "number": "sc:Float", "whole number": "sc:Integer", "yes or no": "sc:Boolean"}
PLAIN = {"text": pa.string(), "number": pa.float64(), "whole number": pa.int64(), "yes or no": pa.bool_()}
PREDICTIONS, RUNS, CARD = "predictions.parquet", "runs.parquet", "README.md"


@dataclass(frozen=True)
class Column:
    """Hold a column of a file: its name, its type in words, and its meaning."""

    name: str
    kind: str
    what: str
    repeated: bool = False


@dataclass(frozen=True)
class About:
    """Describe the whole data set: a sentence, the date of the newest run, and the version of retable."""

    sentence: str
    date: str
    version: str


@dataclass(frozen=True)
class File:
    """Hold a file of the data set."""

    name: str
    description: str
    columns: tuple[Column, ...] = ()

    @property
    def format(self) -> str:
        """Return the file's media type."""
        if self.columns:
            return "application/x-parquet"
        return "application/jsonl" if self.name.endswith(".jsonl") else "text/markdown"


WHICH = (
    Column(
        "run", "text", "name of the run: its table and the first digits of its key; .2 for a second training of a key"
    ),
    Column("table", "text", "table that it was trained for"),
    Column("row", "text", "row of the table: a model with its options"),
    Column("corpus", "text", "corpus"),
    Column("seed", "whole number", "seed of weights, order and dropout"),
    Column("fold", "whole number", "which fold was held out; 0 on the corpus's own splits"),
    Column("folds", "whole number", "into how many folds the corpus is cut; 0 where it is not"),
)
ANSWER = (
    Column("id", "text", "id of the test text"),
    Column("label", "text", "its label"),
    Column("predicted", "text", "the answer"),
    Column("clean", "yes or no", "whether the text occurs, exactly or nearly, in no training text"),
    Column(
        "probabilities", "number", "of the labels, in the order of `labels` in runs.parquet; float16", repeated=True
    ),
)
OF_RUN = (
    Column("column", "text", "column of the table"),
    Column("model", "text", "model"),
    Column("vectors", "text", "word vectors, or none"),
    Column("fold_kind", "text", "whether a fold is dev or test; empty without"),
    Column("current", "yes or no", "whether its parameters, data and recipe are today's, so that tables show it"),
    Column("unverified", "yes or no", "imported, its answers not checked"),
    Column("texts", "whole number", "test texts"),
    Column("accuracy", "number", "accuracy on test, a fraction"),
    Column("macro_f1", "number", "macro F1 on test"),
    Column("accuracy_clean", "number", "accuracy on the clean test texts"),
    Column("accuracy_dev", "number", "accuracy on dev; of a linear model the best candidate's"),
    Column("epochs", "whole number", "epochs that it ran; none of a linear model"),
    Column("seconds", "number", "wall time of the training, s"),
    Column("words_per_second", "number", "training words per second"),
    Column("parameters", "whole number", "trained numbers in the model"),
    Column("peak_memory_mb", "number", "largest memory of the process, MB; none if it trained on a GPU"),
    Column("peak_gpu_memory_mb", "number", "largest memory on the GPU, MB"),
    Column("device", "text", "processor or GPU"),
    Column("threads", "whole number", "threads"),
    Column("date", "text", "when it was trained"),
    Column("commit", "text", "of the code that trained it"),
    Column("recipe", "text", "versions of the numerical units it used"),
    Column("key", "text", "SHA-256 of parameters, data and recipe: equal keys are the same run"),
    Column("data_hash", "text", "digest of what its data hold"),
    Column("options", "text", "all its parameters, as JSON"),
    Column("labels", "text", "labels, in the order of the probabilities", repeated=True),
    Column("who", "text", "banked it"),
)
FILES = (
    File(PREDICTIONS, "the answer of every run to every test text", (*WHICH, *ANSWER)),
    File(RUNS, "what each run is, its scores and its costs", (*WHICH, *OF_RUN)),
    File(CARD, "the data card"),
)


def write_bank(
    to: Path, resolver: Resolver, runs: Sequence[RunRecord], version: str, advance: Callable[[], None] = lambda: None
) -> None:
    """Write the data set into a folder, replacing it.

    Args:
        runs: the bank's runs, in the bank's order.
        resolver: decides which of them are current.
        version: version of retable.
        advance: called after each run.
    """
    current = {run.key for run in resolver.current()}
    with atomic_folder(to) as folder:
        write_predictions(folder / PREDICTIONS, runs, advance)
        facts = [facts_of(run, current) for run in runs]
        pq.write_table(pa.Table.from_pylist(facts, schema_of(FILES[1])), folder / RUNS, compression="zstd")
        dates = sorted(run.metrics["date"] for run in runs)
        about = About(description(runs), dates[-1], version)
        (folder / CARD).write_text(card(runs, current, about, dates[0]), encoding="utf-8")
        write_json(folder / "croissant.json", croissant(folder, about))
        write_json(folder / "ro-crate-metadata.json", crate(folder, about))


def description(runs: Sequence[RunRecord]) -> str:
    """Describe the data set in one sentence."""
    corpora = {run.metrics["corpus"] for run in runs}
    models = {run.metrics["model"] for run in runs}
    return (
        f"The answers of {len(runs):,} trained text classifiers ({len(models)} models) to every test text of "
        f"{len(corpora)} corpora, with their scores, costs and hashes."
    )


def schema_of(file: File) -> pa.Schema:
    """Return the column types of a file."""
    types = [pa.list_(PLAIN[column.kind]) if column.repeated else PLAIN[column.kind] for column in file.columns]
    return pa.schema(list(zip([column.name for column in file.columns], types, strict=True)))


def which(run: RunRecord) -> dict[str, Any]:
    """Return the fields that identify a run."""
    table, row, _ = run.place
    kind, folds = run.folding
    return {
        "run": f"{table}/{run.predictions.stem}", "table": table, "row": row, "corpus": run.metrics["corpus"],
        "seed": run.seed, "fold": run.fold.number if kind and run.fold else 0, "folds": folds,
    }  # fmt: skip


def facts_of(run: RunRecord, current: set[str]) -> dict[str, Any]:
    """Return a run's line of runs.parquet."""
    metrics, cost = run.metrics, run.cost
    test, clean, dev = (metrics.get(name) or {} for name in ("test", "test_clean", "dev"))
    return which(run) | {
        "column": run.place[2], "model": metrics["model"], "vectors": run.vectors, "fold_kind": run.folding[0],
        "current": run.key in current, "unverified": run.is_unverified, "texts": run.texts,
        "accuracy": test["accuracy"], "macro_f1": test.get("macro_f1"), "accuracy_clean": clean.get("accuracy"),
        "accuracy_dev": dev.get("accuracy"), "epochs": metrics["epochs"]["run"], "seconds": cost.get("seconds"),
        "words_per_second": cost.get("words_per_second"), "parameters": cost.get("parameters"),
        "peak_memory_mb": cost.get("peak_memory_mb"), "peak_gpu_memory_mb": cost.get("peak_gpu_memory_mb"),
        "device": metrics["device"], "threads": metrics["threads"],
        "date": metrics["date"], "commit": metrics["git_commit"], "recipe": run.hashes["recipe"], "key": run.key,
        "data_hash": run.hashes["data"], "options": json.dumps(metrics["parameters"], sort_keys=True),
        "labels": list(read_facts(run.predictions).labels), "who": run.who,
    }  # fmt: skip


def write_predictions(path: Path, runs: Sequence[RunRecord], advance: Callable[[], None]) -> None:
    """Write the answers of every run, one row group per run, so that a single run can be read."""
    types = dict.fromkeys(("run", "table", "row", "corpus", "label", "predicted"), WORD)
    types |= {"id": pa.string(), "clean": pa.bool_(), "probabilities": pa.list_(pa.float16())}
    types |= dict.fromkeys(("seed", "fold", "folds"), pa.int32())
    schema = pa.schema([(column.name, types[column.name]) for column in FILES[0].columns])
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=9) as writer:
        for run in runs:
            writer.write_table(answers_of(run, schema))
            advance()


def answers_of(run: RunRecord, schema: pa.Schema) -> pa.Table:
    """Return the lines of one run."""
    found = pq.read_table(run.predictions).replace_schema_metadata(None)
    columns = {name: pa.repeat(value, len(found)) for name, value in which(run).items()}
    columns |= {column.name: found.column(column.name) for column in ANSWER}
    arrays = [combined(columns[field.name]).cast(field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def combined(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column as one array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def card(runs: Sequence[RunRecord], current: set[str], about: About, first: str) -> str:
    """Return the data card."""
    text = files_of_package("retable.results").joinpath("bank-card.md").read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    return environment.from_string(text).render(
        name=NAME, description=about.sentence, files=FILES, version=about.version, count=f"{len(runs):,}",
        first=first, last=about.date, current=sum(run.key in current for run in runs), licence=LICENCE, cite=CITE,
        corpora=list(corpora_of(runs)),
    )  # fmt: skip


def corpora_of(runs: Sequence[RunRecord]) -> Iterator[Mapping[str, Any]]:
    """Yield each corpus with its number of runs, its number of test texts answered, and its terms."""
    for name in sorted({run.metrics["corpus"] for run in runs}):
        own = [run for run in runs if run.metrics["corpus"] == name]
        texts = f"{sum(run.texts for run in own):,}"
        yield {"name": name, "runs": len(own), "texts": texts, "licence": corpus(name).licence or "not said"}


def croissant(folder: Path, about: About) -> dict[str, Any]:
    """Return the Croissant description: files with digests, and a record set for each Parquet file."""
    context = files_of_package("retable.results").joinpath("croissant-context.json").read_text(encoding="utf-8")
    distribution = [
        {
            "@type": "cr:FileObject", "@id": file.name, "name": file.name, "description": file.description,
            "contentUrl": file.name, "encodingFormat": file.format, "sha256": sha256_of_file(folder / file.name),
            "contentSize": f"{(folder / file.name).stat().st_size} B",
        }
        for file in FILES
    ]  # fmt: skip
    return {
        "@context": json.loads(context), "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": NAME, "description": about.sentence, "license": LICENCE_URL, "version": about.version,
        "datePublished": about.date, "citeAs": CITE, "distribution": distribution,
        "recordSet": [records(file) for file in FILES if file.columns],
    }  # fmt: skip


def records(file: File) -> dict[str, Any]:
    """Return the Croissant record set of a file."""
    name = file.name.partition(".")[0]
    fields = [
        {
            "@type": "cr:Field", "@id": f"{name}/{column.name}", "name": column.name, "description": column.what,
            "dataType": TYPES[column.kind], "repeated": column.repeated,
            "source": {"fileObject": {"@id": file.name}, "extract": {"column": column.name}},
        }
        for column in file.columns
    ]  # fmt: skip
    return {
        "@type": "cr:RecordSet", "@id": name, "name": name, "description": file.description, "field": fields,
    }  # fmt: skip


def crate(folder: Path, about: About) -> dict[str, Any]:
    """Return the RO-Crate description: the folder, its files, and the program that made it."""
    parts = [*FILES, File("croissant.json", "Croissant 1.0 metadata")]
    entities = [
        {
            "@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": {"@id": "./"},
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        },
        {
            "@id": "./", "@type": "Dataset", "name": NAME, "description": about.sentence, "datePublished": about.date,
            "license": {"@id": LICENCE_URL}, "author": {"@id": "#authors"}, "publisher": {"@id": "#authors"},
            "version": about.version, "hasPart": [{"@id": file.name} for file in parts], "mentions": {"@id": "#made"},
        },
        *(
            {
                "@id": file.name, "@type": "File", "name": file.name, "description": file.description,
                "encodingFormat": "application/ld+json" if file.name.endswith("json") else file.format,
                "contentSize": str((folder / file.name).stat().st_size), "sha256": sha256_of_file(folder / file.name),
            }
            for file in parts
        ),
        {"@id": LICENCE_URL, "@type": "CreativeWork", "name": LICENCE, "description": "of what retable made"},
        {"@id": "#authors", "@type": "Organization", "name": "the retable authors"},
        {"@id": "#retable", "@type": "SoftwareApplication", "name": "retable", "version": about.version},
        {
            "@id": "#made", "@type": "CreateAction", "name": "retable export --bank", "instrument": {"@id": "#retable"},
            "result": [{"@id": file.name} for file in parts], "endTime": about.date,
        },
    ]  # fmt: skip
    # RO-Crate 1.1's context has no term for a digest
    context = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "https://schema.org/sha256"}]
    return {"@context": context, "@graph": entities}
