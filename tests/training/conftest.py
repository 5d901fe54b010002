import numpy as np
import pyarrow as pa
import pytest
import torch

from retable.text.splits import Facts, Split


def make_split(texts, labels, names=("bad", "good")):
    facts = Facts("made-up", "en", names)
    tokens = pa.array([text.split() for text in texts], pa.list_(pa.string()))
    ids = [f"made-up/{number}" for number in range(len(texts))]
    return Split(facts, ids, tokens, None, np.array(labels, dtype=np.int64), np.ones(len(texts), dtype=bool))


@pytest.fixture
def doubles():
    """Use float64 throughout, so that equal means equal."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.fixture
def opinions():
    """Return train and dev of 60 and 20 texts; the word decides, and a negation flips it."""
    generator = np.random.default_rng(3)
    good, bad, other = ["fine", "great", "lovely"], ["awful", "poor", "dull"], ["the", "film", "was", "plot", "and"]

    def text():
        label = int(generator.integers(2))
        words = list(generator.choice(other, size=generator.integers(2, 6)))
        words.append(str(generator.choice(good if label else bad)))
        return " ".join(words), label

    splits = []
    for count in (60, 20):
        texts, labels = zip(*(text() for _ in range(count)), strict=True)
        splits.append(make_split(texts, labels))
    return splits
