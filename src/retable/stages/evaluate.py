"""Score the focus run; only this stage reads its test split.

In   results/focus/model/, data/tagged/<corpus>/{dev,test}.parquet
Out  results/focus/{metrics.json,cost.json,curve.csv,predictions.parquet}: the folder of a run
     results/focus/scores.json: the few scores that `dvc exp show` and `dvc metrics diff` compare
     the run in MLflow with its test scores, so that `dvc exp run evaluate` needs no later stage
"""

from collections.abc import Mapping
from typing import Any

from retable.experiments.folds import splits_of_run
from retable.experiments.identity import identity
from retable.experiments.scoring import score_into
from retable.files import copy_file, write_json
from retable.project.command import command
from retable.project.paths import FOCUS, TAGGED, VECTORS
from retable.runs.form import read_training
from retable.training.run import load_classifier


@command
def main() -> None:
    from retable.tracking.checkout import record_focus  # not at the top: recording code does not change a run

    facts = read_training(FOCUS / "model/training.json")
    parameters, tagged = facts["parameters"], TAGGED / facts["corpus"]
    # Computed again, because the test split may have changed since training.
    facts |= identity(parameters, tagged, VECTORS / parameters["embedding"]["vectors"])
    _, dev, read_test = splits_of_run(parameters)
    test = read_test()
    classifier = load_classifier(parameters, FOCUS / "model", test.facts)
    for name in ("curve.csv", "cost.json"):
        copy_file(FOCUS / "model" / name, FOCUS / name)
    scores = score_into(FOCUS, classifier, dev, test)
    write_json(FOCUS / "scores.json", compared_first(scores))
    write_json(FOCUS / "metrics.json", facts | scores)
    record_focus()


def compared_first(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores to compare first; a table of thirty would not fit on a screen."""
    test, clean, dev = (scores.get(name) or {} for name in ("test", "test_clean", "dev"))
    found = {
        "dev_accuracy": dev.get("accuracy"),
        "test_accuracy": test.get("accuracy"),
        "test_macro_f1": test.get("macro_f1"),
        "test_map": test.get("map"),
        "test_pearson": test.get("pearson"),
        "test_clean_accuracy": clean.get("accuracy"),
    }
    return {name: round(value, 4) for name, value in found.items() if value is not None}
