"""Bad data: splits, word vectors, taggers, corpora as published, digests, states of trainings."""

import gzip
import hashlib
import io
import json
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from retable.commands.add_corpus import overlaps
from retable.corpora import corpus
from retable.corpora.archives import read_tar_rows, read_zip_lines
from retable.corpora.readers import Layout, read_conllu
from retable.errors import InputError
from retable.experiments import digests, folds, resuming
from retable.files import sha256_of_file, write_json
from retable.stages import overlap, parts_table
from retable.text.parts.comparison_table import read_table, write_table
from retable.text.parts.english import load_tagger, parts_of_speech
from retable.text.parts.tagging import tag_split
from retable.text.splits import SPLITS, Facts, clean_schema, facts_metadata, number_of_rows, tagged_schema
from retable.text.tokens import tokeniser_for
from retable.training.state import StateFile
from retable.vectors.pool import build_pool
from retable.vectors.published import read_published
from retable.vectors.store import WordVectors, write_vectors
from retable.vectors.token_lists import TokenLists
from tests.robustness.kinds import Damage, Group, Kind, cut, edit, files, folder, json_file, put, without

FACTS = Facts("sample-en", "en", corpus("sample-en").labels)
TRAIN, CLEAN_TRAIN = "tagged/sample-en/train.parquet", "clean/sample-en/train.parquet"
RUN = {"corpus": {"name": "sample-en"}, "model": {"name": "textcnn"}, "embedding": {"unit": "words", "vectors": "v"}}
RAW_RUN = RUN | {"embedding": {"unit": "raw-characters", "vectors": "v"}}


# Splits: what training reads of data/tagged/ and data/clean/


def columns(split: str, texts: int = 6) -> dict[str, Any]:
    """Return the columns of a tagged split."""
    return {
        "id": [f"sample-en/{split}/{number}" for number in range(texts)],
        "tokens": [["a", "word", str(number)] for number in range(texts)],
        "parts": [["DET", "NOUN", "NUM"] for _ in range(texts)],
        "label": [FACTS.labels[number % len(FACTS.labels)] for number in range(texts)],
        "clean": [True] * texts,
    }


def write_splits(place: Path) -> None:
    for split in SPLITS:
        path = place / f"tagged/sample-en/{split}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns(split), schema=tagged_schema(FACTS, parts=True)), path)
        path = place / f"clean/sample-en/{split}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        of_clean = columns(split) | {"text": [" ".join(each) for each in columns(split)["tokens"]]}
        schema = clean_schema(FACTS)
        pq.write_table(pa.table({name: of_clean[name] for name in schema.names}, schema=schema), path)
    digests.seal_texts(place / "tagged/sample-en", place / "clean/sample-en")


def of_run(parameters: dict[str, Any]) -> Callable[[Path], None]:
    def read(place: Path) -> None:
        with mock.patch.object(folds, "TAGGED", place / "tagged"), mock.patch.object(folds, "CLEAN", place / "clean"):
            for split in folds.splits_of_run(parameters):
                split() if callable(split) else None

    return read


def split_with(seal: bool = True, name: str = TRAIN, facts: Any = FACTS, **changes: Any) -> Damage:
    """Write a split with other columns; a new value is a list or an Arrow array, None drops the column."""

    def damage(place: Path) -> None:
        split = Path(name).stem
        table = {key: changes.get(key, value) for key, value in columns(split).items()}
        made = pa.table({key: value for key, value in table.items() if value is not None})
        metadata = facts_metadata(facts) if isinstance(facts, Facts) else facts
        pq.write_table(made.replace_schema_metadata(metadata), place / name)
        if seal:
            try:
                digests.seal_texts(place / "tagged/sample-en", place / "clean/sample-en")
            except (InputError, KeyError, ValueError, TypeError, AttributeError, pa.ArrowException):
                (place / "tagged/sample-en/digest.json").unlink()

    return damage


def doubled(place: Path, name: str) -> None:
    """Append a column of a split to itself."""
    table = pq.read_table(place / TRAIN)
    pq.write_table(table.append_column(table.schema.field(name), table.column(name)), place / TRAIN)


def same(value: Any, texts: int = 6) -> list[Any]:
    return [value] * texts


EVEN = columns("train")
SPLIT_KINDS = (
    *files(TRAIN, kind="train.parquet", words="train.parquet"),
    *files("tagged/sample-en/test.parquet", kind="test.parquet", words="test.parquet"),
    Kind("a split without facts", split_with(facts=None), "facts"),
    Kind("a split with other facts", split_with(facts={b"retable": b"[1"}), "facts"),
    Kind("a split whose facts lack labels", split_with(facts={b"retable": b'{"corpus": "x"}'}), "facts"),
    Kind("a split whose facts are a list", split_with(facts={b"retable": b"[]"}), "facts"),
    Kind("a split of another corpus", split_with(facts=replace(FACTS, corpus="mr")), "mr"),
    Kind("a split of other labels", split_with(facts=replace(FACTS, labels=("x", *FACTS.labels))), "label"),
    Kind("a split in another language", split_with(facts=replace(FACTS, language="zh")), "zh"),
    *(Kind(f"a split without {name}", split_with(**{name: None}), name) for name in ("id", "tokens", "label", "clean")),
    Kind("ids that are numbers", split_with(id=list(range(6))), "id"),
    Kind("tokens that are texts", split_with(tokens=same("a b")), "tokens"),
    Kind("tokens that are numbers", split_with(tokens=same([1, 2, 3])), "tokens"),
    Kind("labels that are numbers", split_with(label=same(1)), "label"),
    Kind("clean that is a word", split_with(clean=same("yes")), "clean"),
    Kind("an id of null", split_with(id=[*EVEN["id"][:5], None]), "id"),
    Kind("a text of null", split_with(tokens=[*EVEN["tokens"][:5], None]), "tokens"),
    Kind("a token of null", split_with(tokens=[*EVEN["tokens"][:5], ["a", None, "b"]]), "token"),
    Kind("a label of null", split_with(label=[*EVEN["label"][:5], None]), "label"),
    Kind("clean of null", split_with(clean=[*EVEN["clean"][:5], None]), "clean"),
    Kind("a label that is not declared", split_with(label=[*EVEN["label"][:5], "neutral"]), "neutral"),
    Kind("parts shorter than tokens", split_with(parts=[*EVEN["parts"][:5], ["DET"]]), "part-of-speech"),
    Kind("parts longer than tokens", split_with(parts=[*EVEN["parts"][:5], ["DET"] * 9]), "part-of-speech"),
    Kind("parts of null", split_with(parts=[*EVEN["parts"][:5], None]), "parts"),
    Kind("parts that are texts", split_with(parts=same("DET NOUN NUM")), "parts"),
    Kind("an id twice", split_with(id=[*EVEN["id"][:5], EVEN["id"][0]]), "sample-en/train/0"),
    Kind(
        "an id of train in test", split_with(name="tagged/sample-en/test.parquet", id=EVEN["id"]), "sample-en/train/0"
    ),
    Kind("an id of dev in test", split_with(name="tagged/sample-en/test.parquet", id=columns("dev")["id"]), "dev/0"),
    *(
        Kind(f"a column {name} twice", lambda place, twice=name: doubled(place, twice), f"column {name} twice")
        for name in EVEN
    ),
    Kind("a text without tokens", split_with(tokens=[*EVEN["tokens"][:5], []], parts=None), "token"),
    Kind("all texts empty", split_with(tokens=same([]), parts=None), "token"),
    Kind("tokens that are empty", split_with(tokens=same(["", "", ""])), "token"),
    Kind(
        "a split without texts",
        split_with(**{name: pa.array(value).slice(0, 0) for name, value in EVEN.items()}),
        "text",
    ),
    Kind(
        "a dev split without texts",
        split_with(
            name="tagged/sample-en/dev.parquet", **{name: pa.array(value).slice(0, 0) for name, value in EVEN.items()}
        ),
        "text",
    ),
    Kind("train of one class", split_with(label=same(FACTS.labels[0])), "one label|at least two"),
    Kind(
        "train of one text", split_with(**{name: value[:1] for name, value in EVEN.items()}), "one label|at least two"
    ),
    Kind("tokens changed since they were sealed", split_with(seal=False, tokens=same(["x", "y", "z"])), "digest"),
    Kind("labels changed since they were sealed", split_with(seal=False, label=EVEN["label"][::-1]), "digest"),
    Kind("parts changed since they were sealed", split_with(seal=False, parts=same(["X", "X", "X"])), "digest"),
    Kind(
        "test changed since it was sealed",
        split_with(seal=False, name="tagged/sample-en/test.parquet", label=EVEN["label"][::-1]),
        "digest",
    ),
    *json_file("tagged/sample-en/digest.json", kind="digest.json")[1:],
    Kind("digest.json of other texts", edit("tagged/sample-en/digest.json", "texts", "0" * 64), "digest"),
    Kind("digest.json of a number", edit("tagged/sample-en/digest.json", "tokens", 5), "digest"),
)
RAW_KINDS = (
    *files("clean/sample-en/train.parquet", kind="clean texts", words="train.parquet"),
    Kind("clean texts that are numbers", lambda place: write_clean(place, text=same(1)), "text"),
    Kind("clean texts of null", lambda place: write_clean(place, text=[*same("a", 5), None]), "text"),
    Kind("clean texts of other ids", lambda place: write_clean(place, id=same("x")), "digest"),
    Kind("clean texts without ids", lambda place: write_clean(place, id=None), "id"),
    Kind("clean texts changed since they were sealed", lambda place: write_clean(place, text=same("b")), "digest"),
)


# What the stages read of data/tagged/ and data/clean/ besides


def of_overlap(place: Path) -> None:
    asked = {"read_params": lambda section: {"sample-en": {}}, "CLEAN": place / "clean", "OVERLAP": place / "overlap"}
    with mock.patch.multiple(overlap, **asked):
        overlap.main()


def of_tag(place: Path) -> None:
    number_of_rows(place / CLEAN_TRAIN)
    tag_split(place / CLEAN_TRAIN, place / "made.parquet", tokeniser_for("en", tokenised=False), parts=False)


OF_TAGGED: dict[str, Callable[[Path], object]] = {
    "pool": lambda place: build_pool([place / TRAIN], {}, place / "made.parquet"),
    "token lists": lambda place: TokenLists(place / TRAIN, lowercase=True).counts(),
}
OF_CLEAN: dict[str, Callable[[Path], object]] = {
    "overlap": of_overlap,
    "tag": of_tag,
    "parts-table": lambda place: parts_table.read_texts(place / CLEAN_TRAIN),
    "add-corpus": lambda place: overlaps(["a text"], place / "clean", "mine", markup=False),
}
STAGES_TAGGED_KINDS = (
    *files(TRAIN, kind="train.parquet")[1:],
    Kind("a split without tokens", split_with(tokens=None), "tokens"),
    Kind("tokens that are texts", split_with(tokens=same("a b")), "tokens"),
    Kind("a text of null", split_with(tokens=[*EVEN["tokens"][:5], None]), "tokens"),
    Kind("a token of null", split_with(tokens=[*EVEN["tokens"][:5], ["a", None, "b"]]), "tokens"),
    Kind("tokens twice", lambda place: doubled(place, "tokens"), "tokens twice"),
)
STAGES_CLEAN_KINDS = (
    *files(CLEAN_TRAIN, kind="clean texts")[1:],
    Kind("clean texts that are numbers", lambda place: write_clean(place, text=same(1)), "text"),
    Kind("clean texts of null", lambda place: write_clean(place, text=[*same("a", 5), None]), "text"),
    Kind("clean texts without a text", lambda place: write_clean(place, text=None), "text"),
)


def write_clean(place: Path, **changes: Any) -> None:
    of_clean, names = columns("train") | {"text": same("a")} | changes, clean_schema(FACTS).names
    table = pa.table({name: value for name, value in of_clean.items() if name in names and value is not None})
    pq.write_table(table.replace_schema_metadata(facts_metadata(FACTS)), place / "clean/sample-en/train.parquet")


# Word vectors


def make_vectors(place: Path) -> None:
    (place / "v").mkdir(exist_ok=True)
    numbers = np.arange(12, dtype=np.float32).reshape(4, 3)
    write_vectors(place / "v", "v", WordVectors(["a", "b", "c", "d"], numbers, {"unit": "words"}))
    digests.seal_vectors(place / "v")


def read_both(place: Path) -> None:
    """Read word vectors as a run does, and check that they belong to its key."""
    digests.checked_vectors(place / "v")


def matrix(array: np.ndarray, seal: bool = True, pickle: bool = False) -> Damage:
    def damage(place: Path) -> None:
        np.save(place / "v/vectors.npy", array, allow_pickle=pickle)
        sealed(place) if seal else None

    return damage


def words(content: bytes, seal: bool = True) -> Damage:
    def damage(place: Path) -> None:
        (place / "v/words.txt").write_bytes(content)
        sealed(place) if seal else None

    return damage


def sealed(place: Path) -> None:
    """Write the digests of the damaged files, as if made by somebody on purpose."""
    found = {name: sha256_of_file(place / f"v/{name}") for name in ("vectors.npy", "words.txt")}
    edit("v/vectors.json", "sha256", found)(place)


NUMBERS = np.arange(12, dtype=np.float32).reshape(4, 3)
VECTOR_KINDS = (
    *files("v/vectors.npy", kind="vectors.npy"),
    *files("v/words.txt", kind="words.txt"),
    *json_file("v/vectors.json", kind="vectors.json"),
    Kind("vectors.npy changed", matrix(NUMBERS + 1, seal=False), "vectors.npy"),
    Kind("vectors.npy of int8", matrix(NUMBERS.astype(np.int8)), "int8"),
    Kind("vectors.npy of float64", matrix(NUMBERS.astype(np.float64)), "float64"),
    Kind("vectors.npy of complex numbers", matrix(NUMBERS.astype(np.complex64)), "complex64"),
    Kind("vectors.npy of strings", matrix(NUMBERS.astype(str)), "vectors.npy"),
    Kind("vectors.npy of objects", matrix(NUMBERS.astype(object), pickle=True), "vectors.npy"),
    Kind("vectors.npy of a structure", matrix(np.zeros(4, [("a", "f4"), ("b", "f4")])), "vectors.npy"),
    Kind("vectors.npy of one row less", matrix(NUMBERS[:3]), "vectors.npy"),
    Kind("vectors.npy of one number less", matrix(NUMBERS[:, :2].copy()), "vectors.npy"),
    Kind("vectors.npy of one dimension", matrix(NUMBERS.ravel()), "vectors.npy"),
    Kind("vectors.npy of three dimensions", matrix(NUMBERS[None]), "vectors.npy"),
    Kind("vectors.npy with NaN", matrix(np.where(NUMBERS == 5, np.nan, NUMBERS)), "row 2"),
    Kind("vectors.npy with infinity", matrix(np.where(NUMBERS == 11, np.inf, NUMBERS)), "row 4"),
    Kind(
        "vectors.npy cut off and sealed", lambda place: (cut("v/vectors.npy", 0.9)(place), sealed(place)), "vectors.npy"
    ),
    Kind("two words swapped", words(b"b\na\nc\nd\n", seal=False), "words.txt"),
    Kind("a word twice", words(b"a\nb\nc\na\n"), "'a'"),
    Kind("a word too many", words(b"a\nb\nc\nd\ne\n"), "words.txt"),
    Kind("a word too few", words(b"a\nb\nc\n"), "words.txt"),
    Kind("words that are not UTF-8", words(b"a\nb\nc\n\xff\n"), "UTF-8"),
    Kind("an empty word", words(b"a\nb\n\nd\n"), "words.txt"),
    Kind("a last word without its end", words(b"a\nb\nc\nd"), "words.txt"),
    Kind("dim of a word", edit("v/vectors.json", "dim", "three"), "dim"),
    Kind("dim of another number", edit("v/vectors.json", "dim", 4), "dim|numbers"),
    Kind("a number of words that is another", edit("v/vectors.json", "words", 5), "words"),
    Kind("digests that are a list", edit("v/vectors.json", "sha256", []), "sha256"),
    Kind("no digests", without("v/vectors.json", "sha256"), "sha256"),
    Kind("a digest that is forged", edit("v/vectors.json", "sha256/words.txt", "0" * 64), "words.txt"),
    Kind("a name that is a list", edit("v/vectors.json", "name", ["v"]), "name"),
    Kind("a unit that there is not", edit("v/vectors.json", "unit", "letters"), "unit"),
    Kind("the digest of the numbers forged", edit("v/vectors.json", "digest", "0" * 64), "digest"),
)


# Published word vectors


def make_published(place: Path) -> None:
    (place / "x.vec").write_text("a 1 2 3\nb 4 5 6\n")


def published(name: str, form: str, content: bytes, member: str = "") -> Callable[[Path], None]:
    def read(place: Path) -> None:
        (place / name).write_bytes(content)
        read_published(place / name, form, member=member)

    return read


def zipped(names: dict[str, bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, content in names.items():
            archive.writestr(name, content)
    return made.getvalue()


def marked(archive: bytes, place: int, value: bytes) -> bytes:
    """Change bytes of both headers of the first file of a zip; `place` is the offset in the local one."""
    central = archive.index(b"PK\x01\x02")
    for start in (place, central + place + 2):
        archive = archive[:start] + value + archive[start + len(value) :]
    return archive


OF_WINK = {"dimensions": 2, "words": ["a"]}
GLOVE = b"".join(b"word%d 1.5 2.5 3.5\n" % number for number in range(400))
ZIP = zipped({"x.vec": GLOVE})
ENCRYPTED, METHOD_99 = marked(ZIP, 6, b"\x01\x00"), marked(ZIP, 8, b"\x63\x00")
BROKEN_ZIP = ZIP[:60] + bytes(40) + ZIP[100:]
GZ = gzip.compress(GLOVE, mtime=0)
TAR = io.BytesIO()
with tarfile.open(fileobj=TAR, mode="w:gz") as _tar:
    _tar.addfile(tarfile.TarInfo("d/"), None)
    _link = tarfile.TarInfo("link")
    _link.type, _link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    _tar.addfile(_link)
    _dir = tarfile.TarInfo("folder")
    _dir.type = tarfile.DIRTYPE
    _tar.addfile(_dir)
BINARY = b"2 3\na " + np.ones(3, "<f4").tobytes() + b"\nb " + np.ones(3, "<f4").tobytes() + b"\n"
PUBLISHED: tuple[tuple[str, str, str, bytes, str, str], ...] = (
    ("of an unknown format", "x.vec", "glof", GLOVE, "", "glof"),
    ("empty", "x.vec", "glove", b"", "", "no word vectors"),
    ("of one word", "x.vec", "glove", b"word\n", "", "line 1"),
    ("of bytes", "x.vec", "glove", b"\xff\xfe\x00\x01" * 50, "", "x.vec"),
    ("with a shorter line", "x.vec", "glove", b"a 1 2 3\nb 4 5\n", "", "line 2"),
    ("with a word for a number", "x.vec", "glove", b"a 1 2 3\nb 4 x 6\n", "", "vector 2"),
    ("with NaN", "x.vec", "glove", b"a 1 2 3\nb 4 nan 6\n", "", "vector 2"),
    ("with infinity", "x.vec", "glove", b"a 1 2 1e39\n", "", "vector 1"),
    ("with a header", "x.vec", "glove", b"2 3\na 1 2 3\nb 4 5 6\n", "", "line 1"),
    ("with an empty word", "x.vec", "glove", b"a 1 2 3\n 4 5 6\n", "", "vector 2"),
    ("of one endless line", "x.gz", "glove", gzip.compress(b"a" * ((1 << 24) + 1), 1), "", "line 1"),
    (
        "binary, of an endless word",
        "x.gz",
        "word2vec-binary",
        gzip.compress(b"9 3\n" + bytes(18 << 20)),
        "",
        "vector 1",
    ),
    *(
        (
            f"of wink, {name}",
            "x.json",
            "wink",
            json.dumps(OF_WINK | found).encode(),
            "",
            "wink",
        )
        for name, found in {
            "without vectors": {},
            "a row too short": {"vectors": {"a": [1]}},
            "a row of true": {"vectors": {"a": [True, 1]}},
            "a row of lists": {"vectors": {"a": [[1], [2]]}},
            "a row of texts": {"vectors": {"a": ["1", "2"]}},
            "a word of a number": {"words": [5], "vectors": {"a": [1, 2]}},
            "no size": {"dimensions": -1, "vectors": {"a": [1, 2]}},
            "a size of true": {"dimensions": True, "vectors": {"a": [1, 2]}},
        }.items()
    ),
    ("without a header", "x.vec", "word2vec-text", b"a 1 2 3\n", "", "line 1"),
    ("of a negative count", "x.vec", "word2vec-text", b"-2 3\na 1 2 3\n", "", "line 1"),
    ("of another count", "x.vec", "word2vec-text", b"3 3\na 1 2 3\n", "", "3"),
    ("of no numbers", "x.vec", "word2vec-text", b"1 0\na\n", "", "line 1"),
    ("binary, cut off", "x.bin", "word2vec-binary", BINARY[:-8], "", "vector 2 of 2"),
    ("binary, of a negative size", "x.bin", "word2vec-binary", b"2 -3\na " + bytes(24), "", "line 1"),
    ("binary, of a huge size", "x.bin", "word2vec-binary", b"2 99999999999\na " + bytes(24), "", "line 1"),
    ("binary, without a header", "x.bin", "word2vec-binary", bytes(99), "", "line 1"),
    ("of wink, no JSON", "x.json", "wink", b"{", "", "winkNLP"),
    ("of wink, a list", "x.json", "wink", b"[]", "", "winkNLP"),
    ("of wink, nested too deep", "x.json", "wink", b"[" * 100_000, "", "winkNLP"),
    (
        "of wink, a word as size",
        "x.json",
        "wink",
        b'{"dimensions": "x", "words": ["a"], "vectors": {"a": [1]}}',
        "",
        "wink",
    ),
    ("gz that is none", "x.gz", "glove", b"not gz", "", "damaged"),
    ("gz cut off", "x.gz", "glove", GZ[:-30], "", "damaged"),
    ("gz damaged", "x.gz", "glove", GZ[:40] + bytes(20) + GZ[60:], "", "damaged"),
    ("zip that is none", "x.zip", "glove", b"not zip", "", "damaged"),
    ("zip cut off", "x.zip", "glove", ZIP[:-30], "", "damaged"),
    ("zip damaged", "x.zip", "glove", BROKEN_ZIP, "", "damaged"),
    ("zip encrypted", "x.zip", "glove", ENCRYPTED, "", "password|encrypted"),
    ("zip of an unknown method", "x.zip", "glove", METHOD_99, "", "damaged|method"),
    ("zip without anything", "x.zip", "glove", zipped({}), "", "member"),
    ("zip with ../ names", "x.zip", "glove", zipped({"../x.vec": GLOVE, "b": b""}), "x.vec", "member"),
    ("zip whose member is a folder", "x.zip", "glove", zipped({"x/": b""}), "x/", "no word vectors|folder"),
    ("tar that is none", "x.tgz", "glove", b"not tar" * 99, "", "damaged"),
    ("tar cut off", "x.tgz", "glove", TAR.getvalue()[:-20], "", "damaged|member"),
    ("tar whose member is a folder", "x.tgz", "glove", TAR.getvalue(), "folder", "folder"),
    ("tar whose member is a link", "x.tgz", "glove", TAR.getvalue(), "link", "link|damaged"),
)


# Corpora as published

LAYOUT = Layout(columns=2, label=0, texts=(1,))
SAMPLE = corpus("sample-en")


def tarred(name: str, content: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return made.getvalue()


def read_corpora(place: Path) -> None:
    """Read everything, each with the reader for its format."""
    list(read_zip_lines(place / "x.zip", "x.txt", "utf-8"))
    archive = replace(SAMPLE, texts={"train": (1, 1)}, labels=("0", "1"))
    list(read_tar_rows(archive, place, archive="x.tar.gz", layout=LAYOUT))
    list(read_conllu(place / "x.conllu"))
    SAMPLE.examples(place / "sample-en")


def make_corpora(place: Path) -> None:
    shutil.copytree(Path(__file__).parents[2] / "data/sample/sample-en", place / "sample-en")
    rows = b'0,"a text"\n1,"another"\n'
    (place / "x.zip").write_bytes(zipped({"x.txt": b"a line\n" * 300}))
    (place / "x.tar.gz").write_bytes(tarred("in/train.csv", rows))
    (place / "x.conllu").write_text("1\ta\ta\tDET\tDT\t_\t_\t_\t_\t_\n\n")


def line(number: int, content: bytes) -> Damage:
    def damage(place: Path) -> None:
        lines = (place / "sample-en/train.txt").read_bytes().split(b"\n")
        lines[number] = content
        (place / "sample-en/train.txt").write_bytes(b"\n".join(lines))

    return damage


MANY = f"{SAMPLE.labels[0]}\ta text\n".encode() * 3_000
LONG_ZIP = zipped({"x.txt": b"".join(b"line %d\n" % number for number in range(3000))})
CORPUS_KINDS = (
    *files("sample-en/train.txt", kind="a corpus's file", words="train.txt|sample-en"),
    Kind("a line without a label", line(3, b"only a text"), "line 4"),
    Kind("a line of an unknown label", line(3, b"neither\ta text"), "line 4"),
    Kind("a line that is not UTF-8", line(3, b"\xff\xfe"), "line 4"),
    Kind("an empty line", line(3, b""), "line 4"),
    Kind(
        "a text too many", line(3, SAMPLE.labels[0].encode() + b"\ta\n" + SAMPLE.labels[0].encode() + b"\tb"), "texts"
    ),
    *files("x.zip", kind="a zip"),
    Kind("a zip damaged inside", put("x.zip", LONG_ZIP[:200] + bytes(80) + LONG_ZIP[280:]), "x.zip"),
    Kind(
        "a corpus of far more texts",
        lambda place: (place / "sample-en/train.txt").open("ab").write(MANY),
        "texts",
    ),
    Kind("a zip of one endless line", put("x.zip", zipped({"x.txt": b"a" * ((1 << 26) + 1)})), "line 1: .* bytes"),
    Kind("a tar.gz of an endless line", put("x.tar.gz", tarred("train.csv", b"a" * ((1 << 26) + 1))), "bytes"),
    Kind("a zip encrypted", put("x.zip", marked(zipped({"x.txt": b"a\n"}), 6, b"\x01\x00")), "password|encrypted"),
    Kind("a zip of an unknown method", put("x.zip", marked(zipped({"x.txt": b"a\n"}), 8, b"\x63\x00")), "x.zip"),
    Kind("a zip with ../ names alone", put("x.zip", zipped({"../x.txt": b"a\n"})), "x.txt"),
    *files("x.tar.gz", kind="a tar.gz"),
    Kind("a tar.gz damaged inside", put("x.tar.gz", GZ), "x.tar.gz"),
    Kind("a tar.gz of a link", put("x.tar.gz", TAR.getvalue()), "train.csv"),
    Kind("CSV in a tar.gz with a field too many", put("x.tar.gz", tarred("train.csv", b"0,a,b\n")), "3 fields"),
    Kind("CSV with an open quote", put("x.tar.gz", tarred("train.csv", b'0,"a\n')), "CSV"),
    Kind("CSV with NUL", put("x.tar.gz", tarred("train.csv", b"0,a\x00b\n")), "NUL"),
    Kind(
        "CSV with a field of 17 million characters",
        put("x.tar.gz", tarred("train.csv", b"0," + b"a" * (17 << 20))),
        "CSV",
    ),
    Kind("a treebank with 9 columns", put("x.conllu", "1\ta\ta\tDET\tDT\t_\t_\t_\t_\n\n"), "9 columns"),
    Kind(
        "a treebank that ends in a sentence", put("x.conllu", "1\ta\ta\tDET\tDT\t_\t_\t_\t_\t_\n"), "inside a sentence"
    ),
    Kind("a treebank that is not UTF-8", put("x.conllu", b"\xff\n"), "utf-8"),
    *files("x.conllu", kind="a treebank")[3:],
)


# Tagging: the comparison table and the English tagger


def make_table(place: Path) -> None:
    write_table(place / "table.tsv", {"好": "ADJ", "人": "NOUN"})


TABLE_KINDS = (
    *files("table.tsv", kind="table.tsv"),
    Kind("a table's line without a part", put("table.tsv", "好\n"), "line 1"),
    Kind("a table's word twice", put("table.tsv", "好\tADJ\n好\tNOUN\n"), "line 2"),
    Kind("a table's unknown part", put("table.tsv", "好\tADJECTIVE\n"), "ADJECTIVE"),
    Kind("a table without its last line's end", put("table.tsv", "好\tADJ\n人\tNOUN"), "line 2"),
)


@cache
def small_tagger() -> bytes:
    """Return the tagger's folder as a tar, made once in a few seconds."""
    from retable.declaration import Sentence
    from retable.text.parts.treebank_tagger import train_tagger

    sentences = [Sentence(["a", "cat"], ["DET", "NOUN"], ["DT", "NN"])] * 4
    asked = {"steps": 1, "batch_words": 4, "learning_rate": 0.001, "dropout": 0.1, "lowercased": 0.0, "width": 4}
    tagger = train_tagger(sentences, sentences, **asked, depth=1, seed=1)
    made = io.BytesIO()
    with tempfile.TemporaryDirectory() as scratch, tarfile.open(fileobj=made, mode="w") as tar:
        tagger.to_disk(Path(scratch, "model"))
        tar.add(Path(scratch, "model"), "model")
    return made.getvalue()


def make_tagger(place: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(small_tagger())) as tar:
        for member in tar.getmembers():  # extractall of Debian's Python 3.11.2 has no filter
            path = place / member.name
            if member.isdir():
                path.mkdir(parents=True, exist_ok=True)
            elif content := tar.extractfile(member):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


def read_tagger(place: Path) -> None:
    parts_of_speech(load_tagger(place / "model"), pa.array([["a", "dog"]], pa.list_(pa.string())))


TAGGER_KINDS = (
    Kind("a tagger missing", lambda place: shutil.rmtree(place / "model"), "model"),
    *json_file("model/meta.json", kind="a tagger's meta.json", words="model"),
    *files("model/config.cfg", kind="a tagger's config", words="model"),
    *files("model/tok2vec/model", kind="a tagger's weights", words="model"),
    *files("model/vocab/strings.json", kind="a tagger's words", words="model"),
    Kind("a tagger of other weights", put("model/morphologizer/model", b"\x80"), "model"),
    Kind(
        "a tagger without parts",
        lambda place: edit_config(place, '"tagger", "morphologizer"]', '"tagger"]'),
        "morphologizer",
    ),
    Kind("a tagger of unknown parts", lambda place: edit_config(place, "morphologizer", "nobody"), "model"),
)


def edit_config(place: Path, old: str, new: str) -> None:
    text = (place / "model/config.cfg").read_text()
    assert old in text
    (place / "model/config.cfg").write_text(text.replace(old, new))


# Training states: a bad one is reported in a sentence, and the training starts again


def make_state(place: Path) -> None:
    StateFile(place / "key/state", "key", print).write({"epoch": 1, "weights": torch.ones(3)}, "epoch 1")


def read_state(place: Path) -> None:
    messages: list[str] = []
    with mock.patch.object(resuming, "STATES", place):
        kept = resuming.Kept("key")
        kept.lock_others_out()
        file = StateFile(place / "key/state", "key", messages.append)
        if file.read() is None:
            file.write({"epoch": 1}, "epoch 1")
            raise InputError(messages[0] if messages else "there is no state")


def header(**changes: Any) -> Damage:
    def damage(place: Path) -> None:
        content = (place / "key/state").read_bytes()
        head, _, body = content.partition(b"\n")
        (place / "key/state").write_bytes(json.dumps(json.loads(head) | changes).encode() + b"\n" + body)

    return damage


def body(content: bytes) -> Damage:
    def damage(place: Path) -> None:
        head = (place / "key/state").read_bytes().partition(b"\n")[0]
        changed = json.loads(head) | {"sha256": hashlib.sha256(content).hexdigest()}
        (place / "key/state").write_bytes(json.dumps(changed).encode() + b"\n" + content)

    return damage


def file_for_folder(place: Path) -> None:
    shutil.rmtree(place / "key")
    (place / "key").write_text("")


STATE_KINDS = (
    *files("key/state", kind="a state", words="state")[1:],
    Kind("a state with other bytes", lambda place: (place / "key/state").open("ab").write(b"x"), "damaged"),
    Kind("a state of another run", header(key="other"), "other code, data or parameters"),
    Kind("a state of another torch", header(torch="1.0"), "torch 1.0"),
    Kind("a state without a key", header(key=None), "state"),
    Kind("a state of another format", header(format=1), "state"),
    Kind("a state whose seconds are a word", header(seconds="many"), "state"),
    Kind("a state whose place is a list", header(where=None, saved=None), "state"),
    Kind("a state that torch did not write", body(b"nothing"), "state"),
    Kind("a state that is a list", body(b"\x80\x02]."), "state"),
    Kind("a lock that is a folder", folder("key/lock"), "lock"),
    Kind("a file in place of a state's folder", file_for_folder, "key"),
)


# The lock file of digests


def make_lock(place: Path) -> None:
    write_json(place / "digests.json", {"texts": {"mr": "0" * 64}, "vectors": {}})


LOCK_KINDS = (
    *json_file("digests.json", kind="digests.json")[1:-1],
    Kind("digests of a kind that there is not", edit("digests.json", "words", {}), "words"),
    Kind("digests that are a list", edit("digests.json", "texts", []), "texts"),
    Kind("a digest that is a number", edit("digests.json", "texts/mr", 5), "mr"),
    Kind("a digest that is too short", edit("digests.json", "texts/mr", "abc"), "mr"),
)

GROUPS = {
    "splits": Group(write_splits, of_run(RUN), SPLIT_KINDS),
    "clean texts": Group(write_splits, of_run(RAW_RUN), RAW_KINDS),
    "vectors": Group(make_vectors, read_both, VECTOR_KINDS),
    "corpora": Group(make_corpora, read_corpora, CORPUS_KINDS),
    "comparison table": Group(make_table, lambda place: read_table(place / "table.tsv"), TABLE_KINDS),
    "tagger": Group(make_tagger, read_tagger, TAGGER_KINDS),
    "states": Group(make_state, read_state, STATE_KINDS),
    "digests": Group(make_lock, lambda place: digests.read_lock(place / "digests.json"), LOCK_KINDS),
}
GROUPS |= {f"tagged texts, {name}": Group(write_splits, read, STAGES_TAGGED_KINDS) for name, read in OF_TAGGED.items()}
GROUPS |= {f"clean texts, {name}": Group(write_splits, read, STAGES_CLEAN_KINDS) for name, read in OF_CLEAN.items()}
GROUPS |= {
    f"published vectors {name}": Group(
        make_published,
        lambda place, asked=(file, form, content, member): (
            published(*asked)(place) if (place / "bad").exists() else read_published(place / "x.vec", "glove")
        ),
        (Kind(name, put("bad", b""), sentence),),
    )
    for name, file, form, content, member, sentence in PUBLISHED
}
