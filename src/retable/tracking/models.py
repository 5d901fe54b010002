"""The network of a run, where its weights were kept, as a model in the store: the page of the run links it.

The weights stay in the run's folder; the store has their place and SHA-256.
"""

from typing import Any

from retable.tracking.entries import Entry
from retable.tracking.found import KEY, Found


def link_model(client: Any, experiment: str, run_id: str, entry: Entry) -> None:
    """Link the model of a run, in place of what a stopped writer may have linked."""
    from mlflow import MlflowException
    from mlflow.entities import LoggedModelOutput

    unlink_models(client, experiment, run_id)
    own = {KEY: entry.key, "place": f"results/{entry.place}/model", "sha256": entry.model}
    model = client.create_logged_model(experiment, name=entry.facts["model"], source_run_id=run_id, tags=own)
    try:
        client.log_outputs(run_id, [LoggedModelOutput(model.model_id, step=0)])
        client.finalize_logged_model(model.model_id, "READY")
    except MlflowException:  # another machine removed the run meanwhile, perhaps before this model was there
        unlink_models(client, experiment, run_id)
        raise


def unlink_models(client: Any, experiment: str, run_id: str) -> None:
    """Delete the models of a run."""
    for model in client.search_logged_models([experiment], f"source_run_id = '{run_id}'"):
        client.delete_logged_model(model.model_id)


def remove_run(client: Any, experiment: str, run: Found) -> None:
    """Delete a run, and its model before and after: its writer may be about to link one."""
    if run.model:
        unlink_models(client, experiment, run.run_id)
    client.delete_run(run.run_id)
    if run.model:
        unlink_models(client, experiment, run.run_id)
