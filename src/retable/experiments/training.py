"""Read the inputs of a run and train on them: runs of cells, trials and the focus run alike."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from retable.experiments.digests import checked_vectors
from retable.experiments.display import display, show_line
from retable.experiments.folds import splits_of_run, vectors_of_run
from retable.experiments.resuming import Kept
from retable.project.paths import VECTORS
from retable.text.folds import Fold
from retable.text.splits import Split
from retable.training.run import Trained, train_classifier
from retable.vectors.store import WordVectors


class Inputs(NamedTuple):
    """What a run reads; its test split is read by the function, once the model is trained."""

    train: Split
    dev: Split
    read_test: Callable[[], Split]
    vectors: WordVectors


def read_inputs(parameters: Mapping[str, Any], *, compared: bool = True) -> Inputs:
    """Return the splits and word vectors of a run. Raises: InputError like `splits_of_run` and `checked_vectors`."""
    splits = splits_of_run(parameters, compared=compared)
    folder = VECTORS / parameters["embedding"]["vectors"]
    return Inputs(*splits, checked_vectors(vectors_of_run(folder, Fold.of_parameters(parameters["corpus"]))))


def train_on(
    what: str,
    parameters: dict[str, Any],
    inputs: Inputs,
    kept: Kept,
    on_line: Callable[[dict[str, Any]], None] = lambda line: None,
) -> Trained:
    """Train a run, or resume a stopped training, under a progress bar.

    Args:
        what: the run, for the bar.
        kept: its state; hold its lock, and let it forget only once the result is written.
        on_line: called with each line of the curve.
    """

    def show(line: dict[str, Any]) -> None:
        show_line(bar, line)
        on_line(line)

    with display(what, parameters, inputs.train) as bar:
        trained = train_classifier(parameters, inputs.train, inputs.dev, inputs.vectors, kept.progress(bar, show))
        bar.finish()
    return trained
