"""Check an imported run against the local test texts: ids, labels and clean flags, and against its training data.

In   data/tagged/<corpus>/ or, if not available locally, a banked run on the same texts; data/digests.json
"""

from functools import cache
from pathlib import Path

from retable.errors import InputError
from retable.experiments.folds import data_of_run, splits_of_run
from retable.project.paths import TAGGED, VECTORS
from retable.runs.bank import read_bank
from retable.runs.folder import further_scores
from retable.runs.predictions import read_predictions
from retable.runs.record import RunRecord
from retable.text.splits import Split

FURTHER = ("map", "mrr", "questions", "pearson", "spearman", "mse")  # scores of ranked and graded corpora
ROUNDING = 1e-9
Truth = dict[str, tuple[str, bool]]  # id of a test text -> (its label, whether it is clean)


def check_against_data(run: RunRecord, bank: Path) -> bool:
    """Return whether a run could be checked against local data, or at least against a banked run on the same texts.

    Args:
        run: a run whose files agree with each other.
        bank: docs/results/.
    Raises: InputError if its training data, test texts or labels differ from those here.
    """
    check_digest(run)
    test = test_here(run)
    truth = truth_of_bank(run, bank) if test is None else truth_of(test)
    if truth is None:
        return False
    found = told_by(run.predictions)
    for text in dict.fromkeys((*truth, *found)):
        if truth.get(text) != found.get(text):
            raise InputError(
                f"{run.predictions} has {described(found.get(text))} for {text!r} of {run.metrics['corpus']}, but here "
                f"it is {described(truth.get(text))}: the test texts differ; make the corpus with this version."
            )
    if test is not None and (test.facts.ranked or test.facts.graded):
        check_further(run, test)
        return True
    return not any(name in run.metrics["test"] for name in FURTHER)  # they need the texts


def check_further(run: RunRecord, test: Split) -> None:
    """Check the scores of a ranked or graded corpus against a run's own answers.

    Raises: InputError.
    """
    _, ids, _, _, probabilities = read_predictions(run.predictions)
    place = {text: number for number, text in enumerate(ids)}  # ties are broken by the order of the texts
    for part, scores in further_scores(probabilities[[place[text] for text in test.ids]], test).items():
        for name, found in scores.items():
            given = run.metrics[part].get(name)
            if given is None or abs(given - found) > ROUNDING:
                raise InputError(
                    f"{run.predictions} gives a {part} {name} of {found:.6g}, but metrics.json says {given}; copy the "
                    "folder again."
                )


def check_digest(run: RunRecord) -> None:
    """Refuse a run on corpora or word vectors that differ from those here; unknown ones are accepted.

    Raises: InputError.
    """
    try:
        ours = data_of_run(run.metrics["parameters"], TAGGED / run.metrics["corpus"], VECTORS / run.vectors)
    except FileNotFoundError:
        return
    except KeyError as error:
        raise InputError(f"parameters lack {error} in {run.predictions.parent}/metrics.json; copy it again.") from None
    if ours != run.hashes["data"]:
        raise InputError(
            f"{run.predictions.parent} was trained on data that differ from those here: the digest of its corpus and "
            f"word vectors is {run.hashes['data'][:16]}, ours {ours[:16]}; make both with this version and train again."
        )


def test_here(run: RunRecord) -> Split | None:
    """Return the test texts of a run; None if its corpus is not available locally."""
    if not (TAGGED / run.metrics["corpus"] / "test.parquet").exists():
        return None
    return splits_of_run(run.metrics["parameters"])[2]()


def truth_of(test: Split) -> Truth:
    """Return the label and clean flag of each test text in the local corpus."""
    labels = [test.facts.labels[place] for place in test.classes]
    return dict(zip(test.ids, zip(labels, test.clean.tolist(), strict=True), strict=True))


def truth_of_bank(run: RunRecord, bank: Path) -> Truth | None:
    """Return the labels and clean flags from a banked run on the same test texts; None if there is none."""
    same = (run.metrics["corpus"], run.fold)
    found = (other for other in banked(bank) if (other.metrics["corpus"], other.fold) == same)
    other = next(found, None)
    return told_by(other.predictions) if other else None


@cache  # shared by all runs of an import
def banked(bank: Path) -> list[RunRecord]:
    """Return the runs of the bank."""
    return read_bank(bank)


def told_by(predictions: Path) -> Truth:
    """Return the labels and clean flags of the test texts in a run's predictions."""
    facts, ids, classes, clean, _ = read_predictions(predictions)
    return {
        text: (facts.labels[place], bool(is_clean)) for text, place, is_clean in zip(ids, classes, clean, strict=True)
    }


def described(found: tuple[str, bool] | None) -> str:
    """Describe a text's label and clean flag in words."""
    return "no such text" if found is None else f"the label {found[0]!r}{', clean' if found[1] else ''}"
