"""Compare a run from elsewhere with the test texts here: their ids, labels and clean ones, and what it was trained on.

In   data/tagged/<corpus>/ or, where it is not at hand, a banked run on the same texts; data/digests.json
"""

from functools import cache
from pathlib import Path

from retable.errors import InputError
from retable.experiments.folds import data_of_run, splits_of_run
from retable.project.paths import TAGGED, VECTORS
from retable.runs.bank import read_bank
from retable.runs.predictions import read_predictions
from retable.runs.record import RunRecord
from retable.text.pairs import questions_of
from retable.text.ranking import ranking_scores
from retable.text.splits import Split

RANKING = ("map", "mrr", "questions")
ROUNDING = 1e-9
Truth = dict[str, tuple[str, bool]]  # id of a test text -> its label, and whether it is clean


def check_against_data(run: RunRecord, bank: Path) -> bool:
    """Return whether a run could be compared with data here, or at least with a banked run on the same texts.

    Args:
        run: its files agree with each other.
        bank: docs/results/.
    Raises: InputError if it was trained on other data, or answers other texts or labels than those here.
    """
    check_digest(run)
    test = test_here(run)
    truth = truth_of_bank(run, bank) if test is None else truth_of(test)
    if truth is None:
        return False
    told = told_by(run.predictions)
    for text in dict.fromkeys((*truth, *told)):
        if truth.get(text) != told.get(text):
            raise InputError(
                f"{run.predictions} has {described(told.get(text))} for {text!r} of {run.metrics['corpus']}, here it "
                f"is {described(truth.get(text))}: other test texts than ours; make the corpus as this version does."
            )
    if test is not None and test.facts.ranked:
        check_ranking(run, test)
        return True
    return not any(name in run.metrics["test"] for name in RANKING)  # the texts alone say whose candidates they are


def check_ranking(run: RunRecord, test: Split) -> None:
    """Compare map, mrr and the number of questions with what a run's answers give.

    Raises: InputError.
    """
    _, ids, _, _, probabilities = read_predictions(run.predictions)
    place = {text: number for number, text in enumerate(ids)}  # of equal scores the order of the texts decides
    answers = probabilities[[place[text] for text in test.ids], 1]
    for name, found in ranking_scores(answers, test.classes == 1, questions_of(test.tokens)).items():
        told = run.metrics["test"].get(name)
        if told is None or abs(told - found) > ROUNDING:
            raise InputError(
                f"{run.predictions} gives {name} {found:.6g} of test, but metrics.json says {told}; copy the folder "
                "again."
            )


def check_digest(run: RunRecord) -> None:
    """Refuse a run of other corpora or word vectors than those here; where they are not known, nothing is said.

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
            f"{run.predictions.parent} was trained on other data than those here: the digest of its corpus and word "
            f"vectors is {run.hashes['data'][:16]}, ours {ours[:16]}; make both as this version does, and train again."
        )


def test_here(run: RunRecord) -> Split | None:
    """Return the test texts of a run; None if its corpus is not at hand."""
    if not (TAGGED / run.metrics["corpus"] / "test.parquet").exists():
        return None
    return splits_of_run(run.metrics["parameters"])[2]()


def truth_of(test: Split) -> Truth:
    """Return what the corpus here says of the test texts."""
    labels = [test.facts.labels[place] for place in test.classes]
    return dict(zip(test.ids, zip(labels, test.clean.tolist(), strict=True), strict=True))


def truth_of_bank(run: RunRecord, bank: Path) -> Truth | None:
    """Return what a banked run on the same test texts says of them; None if there is none."""
    same = (run.metrics["corpus"], run.fold)
    found = (other for other in banked(bank) if (other.metrics["corpus"], other.fold) == same)
    other = next(found, None)
    return told_by(other.predictions) if other else None


@cache  # for every run of an import
def banked(bank: Path) -> list[RunRecord]:
    """Return the runs of the bank."""
    return read_bank(bank)


def told_by(predictions: Path) -> Truth:
    """Return what a run's predictions say of its test texts."""
    facts, ids, classes, clean, _ = read_predictions(predictions)
    return {
        text: (facts.labels[place], bool(is_clean)) for text, place, is_clean in zip(ids, classes, clean, strict=True)
    }


def described(found: tuple[str, bool] | None) -> str:
    """Return a text's label, and whether it is clean, in words."""
    return "no such text" if found is None else f"the label {found[0]!r}{', clean' if found[1] else ''}"
