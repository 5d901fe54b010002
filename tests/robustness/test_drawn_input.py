"""Files drawn by Hypothesis: a reader returns a valid result or one error sentence, never a traceback."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from retable.errors import InputError
from retable.files import read_csv, read_json, sha256_of_file, write_json
from retable.project.params import load_yaml
from retable.runs.bank import add_to_bank, read_lines
from retable.runs.record import read_run
from retable.vectors.published import read_published
from retable.vectors.store import WordVectors, read_vectors, write_vectors
from tests.robustness import params_kinds
from tests.robustness.test_bad_input import outcome
from tests.tracking.conftest import write_run

FEW = settings(max_examples=60, derandomize=True, deadline=None, database=None, phases=[Phase.generate])
NUMBERS = st.integers() | st.floats() | st.sampled_from([-1, 0, 1, 2**32, 2**64, 1e308, True])
SCALARS = (
    st.none() | st.booleans() | NUMBERS | st.text(max_size=8) | st.sampled_from(["none", "<script>", "../x", "nan"])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
LINES = st.lists(
    st.lists(st.sampled_from(["a", "b", "1", "-2.5", "nan", "1e999", "é", "", '"', "\0", "2 3", "\r", ","]))
)


def one_sentence(read: Callable[[], Any]) -> Any:
    """Return the result of a reader; None if it refuses the input in one sentence."""
    try:
        return read()
    except InputError as error:
        refusal = str(error)
    assert refusal.strip()
    assert "\n" not in refusal
    return None


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Draw a damaged file: a part in place of another, or bytes changed, cut off or inserted."""
    start = draw(st.integers(0, len(whole)))
    length = draw(st.integers(0, 8) | st.integers(0, len(whole)))
    return whole[:start] + draw(st.binary(max_size=8) | st.just(whole[-20:])) + whole[start + length :]


@st.composite
def changed(draw: st.DrawFn, whole: Any) -> Any:
    """Draw a JSON value with one value replaced somewhere inside."""
    places = list(places_of(whole))
    place = draw(st.sampled_from(places))
    changed_whole = json.loads(json.dumps(whole))
    inner = changed_whole
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = draw(VALUES)
    return changed_whole


def places_of(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a JSON value."""
    for name, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield (*before, name)
        yield from places_of(inner, (*before, name))


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    write_vectors(folder, "drawn", WordVectors(["a", "b", "é"], np.arange(6, dtype=np.float32).reshape(3, 2), {}))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@FEW
@given(st.data())
def test_vectors(vectors, data):
    with TemporaryDirectory() as scratch:
        folder, name = Path(scratch), data.draw(st.sampled_from(sorted(vectors)))
        for each, content in vectors.items():
            (folder / each).write_bytes(content)
        (folder / name).write_bytes(data.draw(damaged(vectors[name])))
        if name != "vectors.json":  # a wrong digest would be refused before the checks tested here
            facts = read_json(folder / "vectors.json")
            facts["sha256"][name] = sha256_of_file(folder / name)
            write_json(folder / "vectors.json", facts)
        found = one_sentence(lambda: read_vectors(folder))
        if found is not None:
            assert found.matrix.dtype == np.float32
            assert found.matrix.shape[0] == len(set(found.words)) == len(found.words)
            assert np.isfinite(found.matrix).all()


@pytest.mark.parametrize("form", ["glove", "word2vec-text", "word2vec-binary"])
def test_published_vectors(form):
    text = b"3 2\na 1 2\nb 0.5 -1\nc 1e3 2\n" if form == "word2vec-text" else b"a 1 2\nb 0.5 -1\nc 1e3 2\n"
    whole = b"2 2\na \0\0\0\0\0\0\0\0\nb \0\0\0\0\0\0\0\0\n" if form == "word2vec-binary" else text

    @FEW
    @given(damaged(whole) | st.binary(max_size=40))
    def holds(content):
        with TemporaryDirectory() as scratch:
            path = Path(scratch, "vectors.txt")
            path.write_bytes(content)
            found = one_sentence(lambda: read_published(path, form))
            assert found is None or (len(found.words) == len(found.matrix) and np.isfinite(found.matrix).all())

    holds()


@FEW
@given(LINES, st.binary(max_size=30))
def test_csv(lines, rest):
    with TemporaryDirectory() as scratch:
        path = Path(scratch, "a.csv")
        path.write_bytes("\n".join(",".join(line) for line in lines).encode() + rest)
        found = one_sentence(lambda: read_csv(path, ["a"]))
        for line in found or ():
            assert "a" in line
            assert all(isinstance(field, str) for field in line.values())


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("drawn") / "run", texts=20)


@FEW
@given(st.data())
def test_a_run(run, data):
    metrics = read_json(run / "metrics.json")
    write_json(run / "metrics.json", data.draw(changed(metrics)))
    try:
        found = one_sentence(lambda: read_run(run))
    finally:
        write_json(run / "metrics.json", metrics)
    if found is not None:
        assert 0 <= found.metrics["test"]["accuracy"] <= 1
        assert all(math.isfinite(value) for value in found.metrics["test"].values() if value is not None)
        assert type(found.seed) is int


@FEW
@given(st.data())
def test_a_line_of_the_bank(run, data):
    with TemporaryDirectory() as scratch:
        add_to_bank(Path(scratch), [read_run(run)], "Ada")
        path = next(Path(scratch).glob("*.jsonl"))
        line = data.draw(
            changed(json.loads(path.read_text())).map(json.dumps).map(str.encode) | damaged(path.read_bytes())
        )
        path.write_bytes(line)
        for found in one_sentence(lambda: read_lines(path)) or ():
            assert 0 <= found.metrics["test"]["accuracy"] <= 1


@FEW
@given(
    st.text(max_size=60)
    | damaged(params_kinds.whole()[0].encode()).map(lambda content: content.decode(errors="replace"))
)
def test_params_as_text(text):
    with TemporaryDirectory() as scratch:
        path = Path(scratch, "params.yaml")
        path.write_text(text)
        found = one_sentence(lambda: load_yaml(path))
        assert found is None or isinstance(found, dict)


@settings(FEW, max_examples=20)  # each is checked whole
@given(changed(params_kinds.whole()[1]))
def test_params_as_values(values):
    with TemporaryDirectory() as scratch:
        Path(scratch, "params.yaml").write_text(json.dumps(values))  # JSON is YAML
        assert outcome(params_kinds.read, Path(scratch))[0] in ("SILENT", "refused")
