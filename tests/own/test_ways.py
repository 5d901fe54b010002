"""All ways to query a model give the same answers: Python, the command, the service, and MLflow."""

import csv
import io
import json
import random
from pathlib import Path

import mlflow
import pandas as pd
import pytest
from fastapi.testclient import TestClient

import retable
from retable.commands import fit, predict
from retable.own.serving import service

TEXTS = ["a b yes", "", "c d no", "e don't 好"]


def test_all_ways_answer_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db").mkdir()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/db/mlflow.db")  # MLflow would put its own here
    draw = random.Random(2)
    with Path("votes.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [
            (" ".join(draw.choices("abcdefghij", k=9)) + f" {word}", word) for word in ("yes", "no") for _ in range(40)
        ]
        csv.writer(file).writerows([("text", "label"), *rows])
    fit.main(["votes.csv", "--model", "naive-bayes", "--record"])
    assert "models:/votes@champion" in capsys.readouterr().out
    model = retable.load("votes-model")
    expected = [(answer.label, answer.probability) for answer in model.predict(TEXTS)]

    Path("asked.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf-8")
    predict.main(["votes-model", "asked.jsonl"])
    answered = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["label"] or None for row in answered] == [label for label, _ in expected]
    assert [float(row["probability"]) for row in answered] == pytest.approx([each for _, each in expected], abs=1e-5)

    with TestClient(service(model)) as client:
        sent = client.post("/predict", json={"texts": TEXTS}).json()
    assert [(each["label"], each["probability"]) for each in sent] == expected

    loaded = mlflow.pyfunc.load_model("models:/votes@champion")
    for given in (TEXTS, pd.DataFrame({"text": TEXTS})):
        answers = loaded.predict(given)
        assert answers["label"].tolist() == [label for label, _ in expected]
        assert answers["probability"].tolist() == [each for _, each in expected]
    files = [path for path in Path("db/mlartifacts").rglob("*") if path.is_file()]  # next to the database
    assert files
    assert not [path for path in files if path.suffix in (".pkl", ".pickle", ".pt")]
