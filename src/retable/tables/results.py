"""A table of scores: every printed cell, measured or with the reason why not, and our extra rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import stdev, variance
from typing import Any

from retable.models import is_seedless
from retable.papers.paper import Column, ResultTable, Row
from retable.tables.intervals import NO_SPREAD, Spread, Verdict, pooled_spread, prediction_interval, spread_of, verdict
from retable.tables.lines import CUT, UNVERIFIED, Line, joined
from retable.tables.published import Published
from retable.text.folds import Fold, held_out_ratio
from retable.training.schedules import learning_rates

LINEAR_ROWS = ("tfidf-svm", "nb-svm", "fasttext")
FACTOR, DIGITS = {"%": 100.0, "fraction": 1.0, "MB": 1.0, "s": 1.0}, {"%": 2, "fraction": 4, "MB": 0, "s": 1}
OTHER_MACHINE = "not the paper's machine: compare order and slope, not values"
IN_NO_SCALE = "not planned at any scale"
NOT_COMPARED = f"{UNVERIFIED}: imported, answers not compared with the test texts"
SPENT = 1e-3  # share of the initial learning rate below which training has no visible effect on dev
COST_UNITS = {"peak_memory_mb": "MB", "seconds_per_epoch": "s"}  # scores that are in cost.json, and their units


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
    of_epochs: int = 0  # the row's epochs, if the scale's limit ended the run early; 0: it is whole
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
    middle_of_last = learning_rates(training["schedule"], 1.0, training["epochs_max"])(ran - 0.5)
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


@dataclass(frozen=True)
class Cells:
    """Hold the runs of each (row, column), and why others are missing; one without a reason is in no scale."""

    runs: Mapping[tuple[str, str], Sequence[RunResult]]
    missing: Mapping[tuple[str, str], str]


def result_lines(table: ResultTable, published: Sequence[Published], cells: Cells) -> list[Line]:
    """Return all lines of a table.

    Args:
        table: the table, with its rows and columns.
        published: the printed numbers of this table.
        cells: the measured cells.
    """
    printed = {
        (number.row, column.id): number
        for number in published
        for column in table.columns
        if (number.column, number.metric) == table.printed_as(column)
    }
    cells = with_means(table, cells)
    lines = []
    for row in table.rows:
        for column in table.columns:
            key = (row.id, column.id)
            if key in cells.runs:
                line = _measured(table, row, column, printed, cells.runs)
                unverified = any(run.is_unverified for run in cells.runs[key])
                lines.append(replace(line, verdict=UNVERIFIED) if unverified else line)
            elif key in printed or key in cells.missing or (row.extra and not column.extra):
                lines.append(_not_run(table, row, column, printed.get(key), cells))
    return lines


def with_means(table: ResultTable, cells: Cells) -> Cells:
    """Add the columns that are means of others, computed run by run, or the reason why one is missing.

    If no column is measured, and all for one reason, the mean has that reason.
    """
    runs, missing = dict(cells.runs), dict(cells.missing)
    for column in table.columns:
        for row in table.rows if column.mean_of else ():
            members = [runs[row.id, name] for name in column.mean_of if (row.id, name) in runs]
            reasons = {missing.get((row.id, name), "") for name in column.mean_of}
            if len(members) == len(column.mean_of):
                runs[row.id, column.id] = [_mean_run(group) for group in zip(*members, strict=False)]
            elif members or len(reasons) > 1:
                missing[row.id, column.id] = f"{len(members)} of its {len(column.mean_of)} columns are measured"
            elif reason := reasons.pop():
                missing[row.id, column.id] = reason
    return Cells(runs, missing)


def _mean_run(runs: Sequence[RunResult]) -> RunResult:
    cleans = [run.clean for run in runs if run.clean is not None]
    return replace(
        of_all(runs),
        value=mean([run.value for run in runs]),
        clean=mean(cleans) if len(cleans) == len(runs) else None,
        turned=turned(runs),
        sampling=sum(run.of_texts for run in runs) / len(runs) ** 2,
        of_epochs=max(run.of_epochs for run in runs),
        values=(),
        kind="",
    )


def floor_of(
    table: ResultTable, column: str, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> tuple[str, float] | None:
    """Return the best linear row on a column and its mean score, a fraction."""
    found = [(row, mean([run.value for run in runs[row, column]])) for row in LINEAR_ROWS if (row, column) in runs]
    return max(found, key=lambda pair: pair[1]) if found else None


def _line(table: ResultTable, row: Row, column: Column, number: Published | None) -> Line:
    """Return the line of a cell without its measurement."""
    metric, published = table.metric_of(column), number.value if number else ""
    return Line(row.id, column.id, metric, published=published, unit=COST_UNITS.get(metric, table.unit))


def _measured(
    table: ResultTable,
    row: Row,
    column: Column,
    printed: Mapping[tuple[str, str], Published],
    runs: Mapping[tuple[str, str], Sequence[RunResult]],
) -> Line:
    mine, number = runs[row.id, column.id], printed.get((row.id, column.id))
    line, values = _line(table, row, column, number), [run.value for run in mine]
    factor, digits = FACTOR[line.unit], DIGITS[line.unit]
    cleans = [run.clean for run in mine if run.clean is not None]
    line = replace(
        line,
        measured=f"{mean(values) * factor:.{digits}f}",
        runs=str(sum(len(run.values) or 1 for run in mine)),
        clean=f"{mean(cleans) * factor:.{digits}f}" if cleans else "",
    )
    if number:
        delta = f"{mean(values) * factor - float(number.value):+.{digits}f}"
        line = replace(line, delta=delta, match=_match(table, column, mine, number))
    if line.unit != table.unit:
        notes = [OTHER_MACHINE, *_notes(column, mine, number, None, line.unit)]
        return replace(line, verdict="uninformative" if number else "", note=joined(notes))
    notes = _notes(column, mine, number, floor_of(table, column.id, runs), line.unit)
    interval = interval_of_cell(table, row, column, runs)
    if interval:
        low, high = (end * factor for end in interval)
        line = replace(line, low=f"{low:.{digits}f}", high=f"{high:.{digits}f}")
    else:
        notes.append("one run, and no other row of the column has two: no interval")
    if number:
        line = replace(line, verdict=_judged(column, mine, number, interval, printed, factor))
    return replace(line, note=joined(notes))


def _judged(
    column: Column,
    mine: Sequence[RunResult],
    number: Published,
    interval: tuple[float, float] | None,
    printed: Mapping[tuple[str, str], Published],
    factor: float,
) -> Verdict:
    """Return the verdict on the printed number: "cut" if a training was cut, "one-run" if no spread is known."""
    if any(run.of_epochs for run in mine):
        return "cut"
    if not interval:
        return "one-run"
    column_values = [float(other.value) for (_, name), other in printed.items() if name == column.id]
    low, high = (end * factor for end in interval)
    rounded = 0.5 * 10.0 ** -len(number.value.partition(".")[2])  # rounding error of the printed number
    return verdict(low - rounded, high + rounded, float(number.value), max(column_values) - min(column_values))


def interval_of_cell(
    table: ResultTable, row: Row, column: Column, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> tuple[float, float] | None:
    """Return the interval for one more run of a cell, as fractions; None if no spread is known.

    Source: docs/protocol.md, rule 5. For test folds, that of another set of folds, or of a single fold if the paper's
    split is unknown.
    """
    mine, paper_split = runs[row.id, column.id], column.split == "paper"
    texts = mine[0].texts
    values = [run.value for run in mine]
    if mine[0].kind == "test":
        folds = means_of_folds(mine)
        if not paper_split:
            return prediction_interval(folds, spread_of(folds, texts / len(folds)) or NO_SPREAD)
        own = spread_of(values, texts) or Spread(variance(folds) / len(folds), len(folds) - 1)
        return prediction_interval(values, own)
    spread = spread_of_cell(table, row, column, runs)
    of_texts = 0.0 if paper_split else mean([run.of_texts for run in mine])
    return prediction_interval(values, spread, of_texts) if spread else None


def error_of_cell(
    table: ResultTable, row: Row, column: Column, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> Spread | None:
    """Return the variance of a cell's mean over its runs, or over its test folds; None if no spread is known.

    Source: docs/protocol.md, rule 1: folds share training texts, so the variance of their mean is Nadeau and Bengio's.
    """
    mine = runs[row.id, column.id]
    if mine[0].kind == "test":
        folds = means_of_folds(mine)
        spread, share = spread_of(folds, mine[0].texts / len(folds)), 1 / len(folds) + held_out_ratio(len(folds))
    else:
        spread, share = spread_of_cell(table, row, column, runs), 1 / len(mine)
    return Spread(spread.variance * share, spread.freedom) if spread else None


def spread_of_cell(
    table: ResultTable, row: Row, column: Column, runs: Mapping[tuple[str, str], Sequence[RunResult]]
) -> Spread | None:
    """Return the spread between runs of a cell that is not cut into test folds; None if none is known.

    A row with one run has the pooled spread of the other networks in its column.
    """
    others = (
        [run.value for run in runs[other.id, column.id]]
        for other in table.rows
        if not is_seedless(other.model)
        and (other.id, column.id) in runs
        and not any(run.of_epochs for run in runs[other.id, column.id])
    )
    values, texts = [run.value for run in runs[row.id, column.id]], runs[row.id, column.id][0].texts
    return NO_SPREAD if is_seedless(row.model) else spread_of(values, texts) or pooled_spread(others, texts)


def means_of_folds(runs: Sequence[RunResult]) -> list[float]:
    """Return the mean score on each test fold over the runs of a cell."""
    return [mean(of_fold) for of_fold in zip(*(run.values for run in runs), strict=True)]


def _not_run(table: ResultTable, row: Row, column: Column, number: Published | None, cells: Cells) -> Line:
    reason = column.reason or row.reason or cells.missing.get((row.id, column.id), IN_NO_SCALE)
    match = "quoted" if number and number.own == "cited" else ""
    note = joined((reason, number.remark if number else ""))
    return replace(_line(table, row, column, number), match=match, verdict="not-run", note=note)


def _match(table: ResultTable, column: Column, runs: Sequence[RunResult], number: Published) -> str:
    if number.own == "cited":
        return "quoted"
    same_vectors = all(is_papers_own(table.vectors, run.vectors, column.corpus, table.vector_size) for run in runs)
    whole = not any(run.max_words or run.cut or run.of_epochs for run in runs)
    same_texts = column.split == "paper" and column.training == "paper"
    return "exact" if same_vectors and whole and same_texts else "proxy"


def is_papers_own(wanted: str, vectors: str, corpus: str | None, size: int = 0) -> bool:
    """Return whether word vectors are of the kind that a paper used.

    Args:
        wanted: ResultTable.vectors: "" any, "glove" a published release, "corpus.word2vec" those of the corpus alone.
        vectors: name of our vectors, source.method-size ("glove.6b-300", "pool-en.glove-300", "r8.word2vec-100").
        corpus: corpus of the cell.
        size: dimension of the paper's vectors; 0: any.
    """
    source, _, method = wanted.partition(".")
    of_source, _, made = vectors.partition(".")
    if source == "corpus":
        source = corpus or ""
    is_size = not size or made.endswith(f"-{size}")
    return not wanted or (of_source == source and is_size and (not method or made.startswith(f"{method}-")))


def _notes(
    column: Column,
    runs: Sequence[RunResult],
    number: Published | None,
    floor: tuple[str, float] | None,
    unit: str,
) -> list[str]:
    """Return the notes on a measured cell; a note that does not apply is empty."""
    factor, digits, first = FACTOR[unit], DIGITS[unit], runs[0]
    covered = f"{100 * (first.tokens_covered or 0):.1f}%"
    earlier = ", ".join(dict.fromkeys(run.earlier for run in runs if run.earlier))
    below = floor if number and floor and float(number.value) < floor[1] * factor else None
    folded = [run for run in runs if run.values]
    cut_short = max(run.of_epochs for run in runs)
    return [
        f"vectors {first.vectors} cover {covered} of the training tokens" if first.vectors else "",
        f"texts cut after {first.max_words} words" if first.max_words else "",
        f"the schedule of {first.cut} epochs was stopped after {first.epochs}" if first.cut else "",
        f"{CUT} {first.epochs} of {cut_short} epochs, the scale's limit" if cut_short else "",
        NOT_COMPARED if any(run.is_unverified for run in runs) else "",
        f"trained in {first.precision}" if first.precision != "float32" else "",
        f"trained with {earlier}, equal within rounding" if earlier else "",
        f"best dev score in the last epoch ({first.epochs})" if any(run.turned is False for run in runs) else "",
        f"printed number below {below[0]} ({below[1] * factor:.{digits - 1}f})" if below else "",
        _note_of_folds(folded, unit) if folded else column.split_note,
        column.note,
        number.remark if number else "",
    ]


def _note_of_folds(runs: Sequence[RunResult], unit: str) -> str:
    """Return how the folds were combined, and how far they are apart."""
    factor, digits = FACTOR[unit], DIGITS[unit]
    count = len(runs[0].values)
    spread = f"standard deviation between folds {mean([stdev(run.values) for run in runs]) * factor:.{digits}f}"
    if runs[0].kind == "test":
        return f"every text tested once in {count} folds, {spread}"
    middle = mean([mean(run.values) for run in runs]) * factor
    best = f"best of {count} folds' models, each on its held-out texts"
    return f"{best}, mean of all {middle:.{digits}f}, {spread}"


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return sum(values) / len(values)
