"""The first stage writes what all others depend on, at every scale."""

import pytest

from retable.experiments import params_file
from retable.experiments.scale import scales
from retable.project.params import load_yaml
from retable.stages.code import codes_of


@pytest.mark.parametrize("scale", scales())
def test_every_corpus_pool_and_table_of_a_scale_has_its_file(scale, tmp_path, monkeypatch):
    monkeypatch.setattr(params_file, "PARAMS", tmp_path / "params.yaml")
    params_file.write_scale(scale)
    params = load_yaml(tmp_path / "params.yaml")
    codes = codes_of(params)
    for name in (*params["corpora"], *params["references"]):
        assert len(codes[f"corpus.{name}"]) == 64
    assert {f"pool.{name}" for name in params["pools"]} <= codes.keys()
    assert {f"embed.{name}" for name in params["vectors"]} <= codes.keys()
    for table in params["cells"]:
        assert codes[table]["cells"]
