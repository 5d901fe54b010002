"""Train the focus run. Every choice is made on dev; from the test split only a digest is taken, for the run's key.

In   data/tagged/<corpus>/{train,dev}.parquet, data/vectors/<name>/, params.yaml (corpus ... precision)
Out  results/focus/model/{weights.safetensors,vocabulary.json,curve.csv,cost.json,training.json}
"""

from typing import Any

from retable.experiments.data_checks import check_sections
from retable.experiments.identity import identity
from retable.experiments.resuming import Kept
from retable.experiments.run_checks import check_focus, focus_parameters
from retable.experiments.scoring import training_facts
from retable.experiments.training import Inputs, read_inputs, train_on
from retable.files import atomic_folder, read_json, write_json
from retable.project.command import command
from retable.project.params import load_yaml
from retable.project.paths import FOCUS, PARAMS, TAGGED, VECTORS
from retable.runs.folder import write_cost, write_curve
from retable.training.run import Trained


@command
def main() -> None:
    from retable.tracking.checkout import live_run  # not at the top: recording code does not change a run

    params = load_yaml(PARAMS)
    check_sections(params)  # as in the stage `code`: `retable stage train` may be called without it
    check_focus(params)
    parameters = focus_parameters(params)
    corpus, vectors_name = parameters["corpus"]["name"], parameters["embedding"]["vectors"]
    inputs = read_inputs(parameters, compared=False)
    facts = {
        "paper": "focus",
        "table": "focus",
        "row": parameters["model"]["name"],
        "column": corpus,
        "scale": params["scale"],
    }
    facts |= identity(parameters, TAGGED / corpus, VECTORS / vectors_name)
    kept = Kept(facts["key"])
    if not (kept.lock_others_out() and is_trained(facts)):
        what = f"train · {parameters['model']['name']} · {corpus} · seed {parameters['seed']}"
        with live_run(facts) as live:
            trained = train_on(what, parameters, inputs, kept, live.log_line)
        write_model(trained, facts, inputs)
    kept.forget()


def is_trained(facts: dict[str, Any]) -> bool:
    """Return whether the model folder is of these facts: another checkout shares the lock, but not the folder."""
    path = FOCUS / "model/training.json"
    return path.exists() and facts.items() <= read_json(path).items()


def write_model(trained: Trained, facts: dict[str, Any], inputs: Inputs) -> None:
    """Write the model folder of the focus run."""
    with atomic_folder(FOCUS / "model") as folder:
        trained.classifier.save(folder)
        write_curve(folder / "curve.csv", trained.curve)
        write_cost(folder / "cost.json", trained.cost)
        write_json(folder / "training.json", facts | training_facts(trained, inputs, facts["parameters"]))
