"""Record a model trained on a user's own texts, and register it, so that MLflow loads and serves it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retable.tracking.store import Store, connect, experiment_id, locked

EXPERIMENT, ALIAS = "own-texts", "champion"


def record_model(
    store: Store,
    model: Path,
    *,
    code: Path,
    requirement: str,
    name: str,
    parameters: Mapping[str, Any],
    metrics: Mapping[str, float],
) -> str:
    """Record a model folder as a run, and register it as the newest version of its name, without writing a pickle.

    Args:
        model: a folder written by `retable fit`.
        code, requirement: the code that MLflow runs to answer with it, and the package that this needs.
        name: name of the registered model.
    Returns: the address from which MLflow loads it.
    """
    with locked(store):
        client = connect(store)
        import mlflow

        mlflow.set_tracking_uri(store.uri)
        with mlflow.start_run(experiment_id=experiment_id(client, store, EXPERIMENT), run_name=name):
            mlflow.log_params(parameters)
            mlflow.log_metrics(metrics)
            logged = mlflow.pyfunc.log_model(
                name="model", python_model=str(code), artifacts={"folder": str(model)}, registered_model_name=name,
                pip_requirements=[requirement],
            )  # fmt: skip
        client.set_registered_model_alias(name, ALIAS, logged.registered_model_version)
    return f"models:/{name}@{ALIAS}"
