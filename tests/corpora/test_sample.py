"""The corpora that the project made: small, and the same bytes whenever they are made again."""

import runpy
from pathlib import Path

import pytest

from retable.corpora import corpus

SAMPLE = Path(__file__).resolve().parents[2] / "data/sample"


def test_the_generator_writes_the_committed_bytes(tmp_path):
    runpy.run_path(str(SAMPLE / "make.py"))["make"](tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    assert len(made) == 6
    assert all((tmp_path / path).read_bytes() == (SAMPLE / path).read_bytes() for path in made)
    assert sum((SAMPLE / path).stat().st_size for path in made) < 300_000


@pytest.mark.parametrize("phrase", ["not", "never", "but", "although"])
def test_word_order_can_matter(phrase):
    texts = [example.text.split() for example in corpus("sample-en").examples(SAMPLE / "sample-en")]
    assert sum(phrase in text for text in texts) > 20
