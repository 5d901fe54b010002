import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from retable.figures import networks
from retable.files import write_json
from retable.layers.embedding import WordEmbedding
from retable.models.lama import LAMA
from retable.runs.provenance import hash_of_parameters, run_key
from retable.runs.record import read_run
from retable.text.splits import Facts, tagged_schema
from retable.text.vocabulary import Vocabulary
from retable.training.network import NetworkClassifier
from tests.tracking.conftest import write_run

MODEL = {"heads": 2, "hidden": 4, "mlp_hidden": 0}
FACTS = Facts("sst-2", "en", ("negative", "positive"))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a run with kept weights of a small LAMA, and its test split."""
    folder = write_run(tmp_path / "run", texts=20)
    metrics = read_run(folder).metrics
    parameters = {
        "model": {"name": "lama", **MODEL}, "embedding": {"lowercase": True, "tune": True, "unit": "words"},
        "training": {"heads": "shared", "max_words": 3}, "device": "cpu", "precision": "float32",
    }  # fmt: skip
    parameters = metrics["parameters"] | parameters
    hashes = metrics["hashes"] | {"parameters": hash_of_parameters(parameters)}
    own = {"row": "lama", "model": "lama", "parameters": parameters, "hashes": hashes, "key": run_key(**hashes)}
    write_json(folder / "metrics.json", metrics | own)
    torch.manual_seed(1)
    network = LAMA(WordEmbedding(torch.randn(5, 4), tuned=5), 2, **MODEL)
    vocabulary = Vocabulary(["<padding>", "<unknown>", "good", "bad", "film"], tuned=5, lowercase=True)
    (folder / "model").mkdir()
    NetworkClassifier(network, vocabulary, torch.device("cpu"), "float32", 3).save(folder / "model")
    (tmp_path / "tagged/sst-2").mkdir(parents=True)
    tokens = [["Good", "film", "bad", "good"], ["bad"]]
    table = {"id": ["1", "2"], "tokens": tokens, "label": ["positive", "negative"], "clean": [True, True]}
    split = pa.table(table, schema=tagged_schema(FACTS, parts=False))
    pq.write_table(split, tmp_path / "tagged/sst-2/test.parquet")
    monkeypatch.setattr(networks, "TAGGED", tmp_path / "tagged")
    return read_run(folder)


def test_a_network_is_read_from_the_runs_folder_and_asked_on_the_test_texts(run):
    texts = networks.Networks().texts(run)
    assert [(text.words, text.label) for text in texts] == [
        (("good", "film", "bad"), "positive"),
        (("bad",), "negative"),
    ]
    np.testing.assert_allclose([text.weights.sum() for text in texts], 1.0, rtol=1e-5)
    assert np.ptp(texts[0].weights) > 1e-4  # the heads do not attend to all equally
    assert networks.Networks().labels(run) == FACTS.labels
