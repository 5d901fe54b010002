"""Write runs in the form of OpenML's run records (`/api/v1/json/run/ID`), one per line.

OpenML's server gives ids to tasks, flows, setups, data sets and files. Ours have none, so names are used instead: a
task is a corpus with its split, a flow a model with its recipe. Evaluations use OpenML's names.
"""

from collections.abc import Iterator, Mapping
from typing import Any


def openml_run(facts: Mapping[str, Any], parameters: Mapping[str, Any], predictions: str) -> dict[str, Any]:
    """Return the record of a run.

    Args:
        facts: the run's line of runs.parquet.
        parameters: the run's options by section.
        predictions: the file with the run's answers.
    """
    flow = f"retable.{facts['model']}"
    seconds = facts["seconds"]
    evaluations = {
        "predictive_accuracy": facts["accuracy"],
        "number_of_instances": facts["texts"],
        "wall_clock_time_millis_training": None if seconds is None else round(1000 * seconds),
    }
    return {
        "run": {
            "run_name": facts["run"],
            "uploader_name": facts["who"],
            **({"tag": ["unverified"]} if facts["unverified"] else {}),
            "task": {
                "task_type": "Supervised Classification",
                "source_data": facts["corpus"],
                "source_data_sha256": facts["data_hash"],
                "target_feature": "label",
                "estimation_procedure": procedure(facts),
                "evaluation_measure": "predictive_accuracy",
            },
            "flow": {"name": flow, "external_version": facts["recipe"], "commit": facts["commit"]},
            "setup_string": f"retable run {facts['table']} {facts['row']} {facts['column']}",
            "parameter_setting": list(settings(flow, parameters)),
            "input_data": {"dataset": [{"name": facts["corpus"]}]},
            "output_data": {
                "file": [{"name": "predictions", "url": predictions, "where": f"run == '{facts['run']}'"}],
                "evaluation": [
                    {"name": name, "value": value} for name, value in evaluations.items() if value is not None
                ],
            },
        }
    }


def procedure(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the test texts were held out."""
    if facts["fold_kind"] == "test":
        return {"type": "crossvalidation", "folds": facts["folds"], "fold": facts["fold"]}
    return {"type": "testontestdata"}  # OpenML's term for a separate test split


def settings(flow: str, parameters: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each option: its name, its value, and the component it belongs to."""
    for section, value in parameters.items():
        options = value if isinstance(value, Mapping) else {"": value}
        for name, option in options.items():
            yield {"name": ".".join(filter(None, (section, name))), "value": option, "component": flow}
