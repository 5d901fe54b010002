"""Train the focus run. Every choice is made on dev; from the test split only a digest is taken, for the run's key.

In   data/tagged/<corpus>/{train,dev}.parquet, data/vectors/<name>/, params.yaml (corpus ... precision)
Out  results/focus/model/{weights.safetensors,vocabulary.json,curve.csv,cost.json,training.json}
"""

from typing import Any

from retable.experiments.data_checks import check_sections
from retable.experiments.digests import checked_vectors
from retable.experiments.display import display, show_line
from retable.experiments.folds import splits_of_run
from retable.experiments.identity import identity
from retable.experiments.resuming import Kept
from retable.experiments.run_checks import check_focus, focus_parameters
from retable.experiments.scoring import surroundings, vectors_facts
from retable.files import atomic_folder, write_json
from retable.project.command import command
from retable.project.params import load_yaml
from retable.project.paths import FOCUS, PARAMS, TAGGED, VECTORS
from retable.runs.folder import write_cost, write_curve
from retable.training.run import train_classifier


@command
def main() -> None:
    from retable.tracking.checkout import live_run  # not at the top: recording code does not change a run

    params = load_yaml(PARAMS)
    check_sections(params)  # as in the stage `code`: `retable stage train` may be called without it
    check_focus(params)
    parameters = focus_parameters(params)
    corpus, vectors_name = parameters["corpus"]["name"], parameters["embedding"]["vectors"]
    tagged, vectors = TAGGED / corpus, checked_vectors(VECTORS / vectors_name)
    train, dev, _ = splits_of_run(parameters, compared=False)
    facts = {
        "paper": "focus",
        "table": "focus",
        "row": parameters["model"]["name"],
        "column": corpus,
        "scale": params["scale"],
    }
    facts |= identity(parameters, tagged, VECTORS / vectors_name)

    def show(line: dict[str, Any]) -> None:
        show_line(bar, line)
        live.log_line(line)

    what = f"train · {parameters['model']['name']} · {corpus} · seed {parameters['seed']}"
    kept = Kept(facts["key"])
    with live_run(facts) as live, display(what, parameters, train) as bar:
        trained = train_classifier(parameters, train, dev, vectors, kept.progress(bar, show))
        bar.finish()
    with atomic_folder(FOCUS / "model") as folder:
        trained.classifier.save(folder)
        write_curve(folder / "curve.csv", trained.curve)
        write_cost(folder / "cost.json", trained.cost)
        write_json(
            folder / "training.json",
            facts
            | {
                "epochs": trained.epochs,
                "chosen": trained.chosen,
                "vectors": vectors_facts(vectors, train, parameters["embedding"]),
                **surroundings(trained.cost),
            },
        )
    kept.forget()
