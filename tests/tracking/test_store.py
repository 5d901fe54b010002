from pathlib import Path

import pytest

from retable.errors import InputError
from retable.tracking import checkout as record
from retable.tracking.store import Store, found


def store(uri: str) -> Store:
    return Store(uri, Path("artifacts"), Path("lock"))


@pytest.mark.parametrize("uri", ["./mlruns", "file:///tmp/mlruns", "databricks", ""])
def test_a_uri_that_is_no_store_is_refused(uri: str):
    with pytest.raises(InputError, match="allowed: sqlite"):
        store(uri)
    assert store("postgresql+psycopg2://me:s3cret@host/runs").shown == "postgresql+psycopg2://me:***@host/runs"


def test_a_store_that_does_not_exist_holds_nothing(tmp_path: Path):
    assert found(store(f"sqlite:///{tmp_path}/mlflow.db"), ["fcsr"]) == []
    (tmp_path / "mlflow.db").touch()  # another process is about to make its tables
    assert found(store(f"sqlite:///{tmp_path}/mlflow.db"), ["fcsr"]) == []
    assert not (tmp_path / "mlartifacts").exists()


def test_the_store_is_that_of_the_real_checkout_and_the_environment_has_the_last_word(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(record, "CHECKOUT", Path("/home/me/retable"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert record.the_store().uri == "sqlite:////home/me/retable/mlflow.db"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///runs/mine.db")
    assert record.the_store().uri == "sqlite:////home/me/retable/runs/mine.db"
    assert record.the_store().artifacts == Path("/home/me/retable/runs/mlartifacts")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://mlflow.example:5000")
    assert record.the_store().uri == "http://mlflow.example:5000"
