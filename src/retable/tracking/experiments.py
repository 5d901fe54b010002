"""The view of an experiment in the UI: its description, and the columns that a user compares first."""

import json
from collections.abc import Sequence

VIEW = "retable"  # name of the view that the links of `retable ui` open
KIND = {"mlflow.experimentKind": "custom_model_development"}  # otherwise the UI shows pages for chat bots
ABOUT = {
    "focus": "The model on the corpus that params.yaml describes: one run per `dvc exp run`, named by what differs "
    "from the model's preset. Select several and press Compare.",
    "corpora": "One run per corpus: sizes, lengths, vocabulary, leaks (data/clean/<corpus>/stats.json).",
    "vectors": "One run per set of word vectors: size, epochs, time, words covered.",
    "tagger": "The part-of-speech tagger, scored on a treebank.",
}
OF_RUNS = (
    "metrics.`test_accuracy`", "metrics.`test_accuracy_sd`", "metrics.`test_clean_accuracy`", "metrics.`dev_accuracy`",
    "metrics.`runs`", "metrics.`cost_seconds`", "tags.`corpus`",
)  # fmt: skip
OF_FOCUS = (
    "metrics.`dev_accuracy`", "metrics.`test_accuracy`", "params.`model.alpha`", "params.`model.dropout`",
    "params.`training.learning_rate`", "params.`training.batch_size`", "params.`seed`", "tags.`dvc_experiment`",
)  # fmt: skip
NAME, NAME_WIDTH = "attributes.`Run Name`", 330  # pixels: the name says what differs
LETTER_WIDTH, EDGES = 8, 30  # pixels, wide enough to distinguish test_accuracy from test_accuracy_sd
OTHERS = {"corpora": ("tags.`corpus`",), "vectors": ("tags.`vectors`",), "tagger": ("tags.`tagger`",)}


def about(name: str) -> str:
    """Return what an experiment holds, for the top of its page."""
    from retable.papers import PAPERS, paper  # not at the top: numpy loads slowly, and a complete record needs none

    if name in PAPERS:
        found = paper(name)
        cited = f" ({found.citation})" if found.citation else ""
        return (
            f"{found.title}{cited}. A parent run is a cell, with mean and deviation (_sd) of its runs; a child, a seed."
        )
    return ABOUT.get(name, "")


def columns(name: str) -> Sequence[str]:
    """Return the columns of an experiment's table."""
    return OF_FOCUS if name == "focus" else OTHERS.get(name, OF_RUNS)


def tags(name: str) -> dict[str, str]:
    """Return the tags that define kind, description and view of an experiment in the UI."""
    widths = {column: LETTER_WIDTH * len(column.split("`")[1]) + EDGES for column in columns(name)}
    view = {
        "selectedColumns": columns(name),
        "columnOrder": [NAME, *columns(name)],  # otherwise alphabetical: seconds before accuracy
        "columnWidths": widths | {NAME: NAME_WIDTH},
    }
    return {
        **KIND,
        "mlflow.note.content": about(name),
        f"mlflow.sharedViewState.{VIEW}": json.dumps(view),
    }


def link(root: str, experiment_id: str) -> str:
    """Return the URL at which the UI shows the runs of an experiment in our view."""
    return f"{root}/#/experiments/{experiment_id}/runs?workflowType=machine_learning&viewStateShareKey={VIEW}"
