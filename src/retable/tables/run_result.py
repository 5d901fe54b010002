"""What a table needs of a run, and the result of several: folds of one seed, the members of a mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retable.text.folds import Fold
from retable.training.schedules import learning_rates

COST_UNITS = {"peak_memory_mb": "MB", "seconds_per_epoch": "s"}  # scores that are in cost.json, and their units
SPENT = 1e-3  # share of the initial learning rate below which training has no visible effect on dev


@dataclass(frozen=True)
class RunResult:
    """Hold what a table needs of one run: scores as fractions, and the facts for its notes."""

    value: float
    clean: float | None
    texts: int
    vectors: str
    tokens_covered: float | None
    epochs: int | None
    turned: bool | None
    max_words: int = 0  # texts were cut after this many; 0: never
    cut: int = 0  # epochs of a schedule that was cut off while it still had epochs to run; 0: not cut off
    fold: str = ""  # `Fold.label`; empty for a run on the corpus's own splits
    dev: float | None = None  # accuracy on dev
    clean_texts: int = 0
    of_epochs: int = 0  # the row's epochs, if the scale's or row's limit ended the run early; 0: it is whole
    values: tuple[float, ...] = ()  # of all folds that this result combines; `kind` is what was held out
    kind: str = ""
    earlier: str = ""  # outdated recipe versions that are equal within rounding: "loop 1.0 (today 1.1)"
    sampling: float | None = None  # variance of the score between sets of test texts; None: binomial
    precision: str = "float32"
    is_unverified: bool = False  # imported, and its answers were not checked

    @classmethod
    def from_metrics(
        cls, metrics: Mapping[str, Any], cost: Mapping[str, Any], metric: str, domain: str = ""
    ) -> "RunResult":
        """Build the result from metrics.json and cost.json.

        Args:
            metric: a score, or one of COST_UNITS.
            domain: domain of a joint corpus whose scores are wanted; "" for all texts.
        """
        scores = metrics["domains"][domain] if domain else metrics
        vectors, clean = metrics["vectors"], scores["test_clean"]
        of_cost, fold = metric in COST_UNITS, Fold.of_parameters(metrics["parameters"].get("corpus", {}))
        is_network = metrics["epochs"]["run"] is not None  # a paper's precision does not apply to its linear rows
        return cls(
            cost[metric] if of_cost else scores["test"][metric],
            None if of_cost or not clean else clean.get(metric),  # a ranking has no clean part
            scores["test"]["texts"],
            vectors["name"] if vectors else "",
            vectors["tokens_covered"] if vectors else None,
            metrics["epochs"]["run"],
            metrics["epochs"]["turned"],
            metrics["parameters"]["training"].get("max_words", 0),
            schedule_cut(metrics["parameters"]["training"], metrics["epochs"]["run"]),
            fold.label if fold else "",
            (metrics.get("dev") or {}).get("accuracy"),
            0 if of_cost or not clean else clean.get("texts", 0),
            precision=metrics["parameters"].get("precision", "float32") if is_network else "float32",
        )

    @property
    def of_texts(self) -> float:
        """Return the variance of the score between sets of test texts.

        For a proportion, two right and two wrong answers are added (Agresti and Coull, 1998), so that 100% varies too.
        """
        share = (self.value * self.texts + 2) / (self.texts + 4)
        return share * (1 - share) / self.texts if self.sampling is None else self.sampling


def is_whole(training: Mapping[str, Any], ran: int | None, curve: Sequence[float], of_row: int) -> bool:
    """Return whether a training ended by its patience, after all epochs of its row, or with a vanishing learning rate.

    Args:
        training: the run's training parameters.
        ran: epochs run; None for a linear model.
        curve: dev accuracy after each epoch; empty if it was not kept.
        of_row: the row's epochs.
    Source: docs/protocol.md, rule 3.
    """
    if ran is None or ran >= of_row or ran < training["epochs"]:  # below its limit, its patience ran out
        return True
    if curve and len(curve) - 1 - curve.index(max(curve)) >= training["patience"]:
        return True
    # A record does not tell its batches; with one an epoch, `halving` keeps its rate for longer than any run has.
    middle_of_last = learning_rates(training["schedule"], 1.0, training["epochs_max"], batches=1)(ran - 0.5)
    return middle_of_last < SPENT


def of_folds(runs: Sequence[RunResult]) -> RunResult:
    """Return the result of one seed: the run itself if there are no folds.

    With test folds, the mean over all their texts, each tested once. With dev folds, the run of the fold with the best
    score on what it held out: "the accuracy of the best model on the test set after performing 3-fold cross-validation"
    (LAMA, section 5).

    Raises: ValueError if the runs do not cover all folds.
    """
    folds = [Fold.read(run.fold) if run.fold else None for run in runs]
    if folds == [None]:
        return runs[0]
    ordered = sorted(zip(folds, runs, strict=True), key=lambda pair: pair[0].number if pair[0] else 0)
    numbers = [fold.number if fold else 0 for fold, _ in ordered]
    first = ordered[0][0]
    if first is None or numbers != list(range(1, first.folds + 1)):
        raise ValueError(f"folds {numbers} of {first.folds if first else 1}: a result needs each fold exactly once")
    runs = [run for _, run in ordered]
    shown = pooled(runs) if first.kind == "test" else max(runs, key=lambda run: run.dev or 0.0)
    values = tuple(run.value for run in runs)
    cut_short = max(run.of_epochs for run in runs)
    return replace(
        shown,
        fold="",
        turned=turned(runs),
        of_epochs=cut_short,
        values=values,
        kind=first.kind,
        is_unverified=any(run.is_unverified for run in runs),
    )


def pooled(runs: Sequence[RunResult]) -> RunResult:
    """Combine runs on different test texts: an accuracy, also a clean one, is the share of all their texts."""
    clean_texts = sum(run.clean_texts for run in runs)
    found = of_all(runs)
    return replace(
        found,
        value=sum(run.value * run.texts for run in runs) / found.texts,
        clean=sum((run.clean or 0.0) * run.clean_texts for run in runs) / clean_texts if clean_texts else None,
        clean_texts=clean_texts,
        dev=mean([run.dev or 0.0 for run in runs]),
    )


def of_all(runs: Sequence[RunResult]) -> RunResult:
    """Return the first run with the totals of all: the sum of texts, the mean coverage, the most epochs."""
    covered = [run.tokens_covered for run in runs if run.tokens_covered is not None]
    epochs = [run.epochs for run in runs if run.epochs is not None]
    return replace(
        runs[0],
        texts=sum(run.texts for run in runs),
        tokens_covered=mean(covered) if covered else None,
        epochs=max(epochs, default=None),
        is_unverified=any(run.is_unverified for run in runs),
    )


def turned(runs: Sequence[RunResult]) -> bool | None:
    """Return whether the dev curves of all runs had turned; None if one has no curve."""
    return None if any(run.turned is None for run in runs) else all(run.turned for run in runs)


def schedule_cut(training: Mapping[str, Any], run: int | None) -> int:
    """Return the schedule's length in epochs if the rates depend on it and the run ended earlier; else 0."""
    depends = training.get("schedule") in ("fcsr", "linear", "steps")
    return training["epochs_max"] if depends and run == training["epochs"] < training["epochs_max"] else 0


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return sum(values) / len(values)
