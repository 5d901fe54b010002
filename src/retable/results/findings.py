"""Findings from the whole bank, one page with one headline each: docs/findings/, generated from the bank alone.

Every number in a headline is counted from comparisons and cells on the other pages. A finding that the bank does not
support yet has no page.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from retable.models import LINEAR_MODELS
from retable.papers import NAMES
from retable.papers.claims import OURS, claims
from retable.papers.paper import ResultTable
from retable.results.claims import Line, cells_of, disagrees, size_of
from retable.results.headline import LARGER, Lead, leads_of, printed_differences
from retable.results.headline import first_readings as judged_by_papers
from retable.tables.costs import HEADER as COST_HEADER
from retable.tables.costs import cost_table, short
from retable.tables.lines import Line as Score
from retable.tables.markdown import markdown_table

FLOOR = "nb-svm"  # one linear model for all columns: taking the better of two would be a choice by test scores
FLATTERED = 0.5  # smallest difference in points between all and clean test texts that is listed
FLOORS = "floors-table-1"
BESIDE_PRINT = "linear-beside-print"
COST = "cost"
TIMED = ("fcsr-table-3", "fcsr", ("cnn", "bilstm"))  # where FCSR claims to be the fastest (figure 7)
HEADER = ("paper", "rows", "on", "difference, points", "could show", "verdict")
SURVEY = "Survey"  # its best numbers come from networks pretrained on other texts


@dataclass(frozen=True)
class Finding:
    """Hold a page: its file name, a headline, and a body in Markdown."""

    name: str
    headline: str
    body: str

    @property
    def page(self) -> str:
        """Return the whole page."""
        return f"# {self.headline}\n\n{self.body}\n[All findings](README.md)\n"


class Measured(NamedTuple):
    """Hold a table with its cells beside the printed numbers, and the costs of its runs."""

    table: ResultTable
    scores: Sequence[Score]
    costs: Sequence[Mapping[str, Any]]


def findings(lines: Sequence[Line], tables: Mapping[str, Measured]) -> list[Finding]:
    """Return all findings that the bank supports.

    Args:
        lines: every comparison of the claims.
        tables: name -> a table with runs.
    """
    found = (
        printed_sizes(lines),
        beside_a_linear_model(lines, tables),
        linear_beside_print(tables.values()),
        near_copies(tables[FLOORS]) if FLOORS in tables else None,
        readings(lines),
        cost_of_a_word(tables.get(TIMED[0])),
    )
    return [each for each in found if each]


def index(found: Sequence[Finding]) -> str:
    """Return the page that lists the findings."""
    links = "\n".join(f"- [{each.headline}]({each.name}.md)" for each in found)
    return f"# Findings\n\nWritten by `retable results` from [the bank](../results).\n\n{links}\n"


def printed_sizes(lines: Sequence[Line]) -> Finding | None:
    """Return how many printed differences are larger than our intervals allow."""
    differences = printed_differences(lines)
    if not differences:
        return None
    sizes = [
        size_of(line.printed, line.comparison)
        for line in judged_by_papers(lines)
        if line.comparison and line.printed is not None
    ]
    middle = [median(abs(getattr(each, kind)) for each in differences) for kind in ("printed", "ours")]
    body = (
        f"The median difference between two rows is {middle[0]:.1f} points in print and {middle[1]:.1f} here. A "
        "printed one is larger if it is above our 95% prediction interval ([rule 1](../protocol.md)).\n\n"
        "![Differences as printed and as measured](../figures/claims.svg)\n"
    )
    table = [
        [each.paper, each.name, f"{each.printed:+.1f}", f"{each.ours:+.1f} ({each.low:+.1f} to {each.high:+.1f})"]
        for each in differences
    ]
    headline = f"{sizes.count(LARGER)} of {len(sizes)} printed differences are larger than our runs allow"
    shown = markdown_table(("paper", "comparison", "printed, points", "ours (95% interval)"), table)
    return Finding("printed-differences", headline, f"{body}\n{shown}")


def beside_a_linear_model(lines: Sequence[Line], tables: Mapping[str, Measured]) -> Finding | None:
    """Return how the papers' own models compare with one linear model, and what they cost per word."""
    of_floor = [
        line
        for line in lines
        if claims()[line.claim].measured == OURS
        and (line.second.id, line.second.model) == (FLOOR, FLOOR)
        and not line.first.reading_of
        and line.comparison
    ]
    if not of_floor:
        return None
    verdicts = [line.verdict for line in of_floor]
    body = [[*cells_of_finding(line), times(tables[claims()[line.claim].table], line)] for line in of_floor]
    headline = (
        f"Against {of_floor[0].second.printed}, the papers' own models are ahead on {verdicts.count('ahead')} of "
        f"{len(of_floor)} comparisons and behind on {verdicts.count('behind')}"
    )
    text = (
        "The model that each paper proposes against a linear model on words and pairs of words, trained in seconds on "
        "one core: same test texts, whole trainings only. FLOPs are of the forward pass of a word.\n"
    )
    table = markdown_table((*HEADER, "FLOPs of a word"), body)
    return Finding("beside-a-linear-model", headline, f"{text}\n{table}")


def cells_of_finding(line: Line) -> list[str]:
    """Return the cells of a comparison, in the order of HEADER."""
    rows, on, _, _, difference, detectable, _, _, verdict, _ = cells_of(line, "", disagree=False)
    return [NAMES[claims()[line.claim].paper], rows, on, difference, detectable, verdict]


def times(measured: Measured, line: Line) -> str:
    """Return "5.9 M, 500 K times": the first row's cost per word, and its ratio to the second row's."""
    first, second = (
        median([cost["flops_per_word"] for cost in measured.costs if cost["row"] == row.id] or [0.0])
        for row in (line.first, line.second)
    )
    return short(first) + (f", {short(first / second)} times" if second else "")


def linear_beside_print(tables: Iterable[Measured]) -> Finding | None:
    """Return where a linear model beats the best number that a paper prints."""
    leads = dict[tuple[str, str], Lead]()
    for measured in tables:
        for lead in leads_of(measured.table, scores_beside_print(measured)):
            best = leads.get((lead.paper, lead.column))  # when several tables of a paper share a column
            if lead.paper != SURVEY and (best is None or lead.printed > best.printed):
                leads[lead.paper, lead.column] = lead
    if not leads:
        return None
    ordered = sorted(leads.values(), key=lambda lead: -lead.points)
    ahead = sum(lead.points > 0 for lead in ordered)
    body = [
        [
            lead.paper,
            lead.column,
            f"{lead.measured:.1f}",
            f"{lead.clean:.1f}" if lead.clean else "",
            f"{lead.printed:.1f}",
            f"{lead.points:+.1f}",
        ]
        for lead in ordered
    ]
    headline = f"{ordered[0].row} is ahead of the best printed number on {ahead} of {len(ordered)} columns"
    text = (
        "The best number that a paper prints in a column, for its own model or a rival, beside our linear model. Test "
        "texts are the paper's where it names a split, else ours. A single column without an interval says little; "
        "together they show that the tables lacked this row.\n"
    )
    header = ("paper", "column", "linear model, %", "clean", "best printed, %", "difference")
    return Finding(BESIDE_PRINT, headline, f"{text}\n{markdown_table(header, body)}")


def scores_beside_print(measured: Measured) -> list[Score]:
    """Return the printed accuracies of single corpora, and the linear model's."""
    table = measured.table
    return [
        score
        for score in measured.scores
        if (
            score.row == FLOOR
            or (score.published and not score.measured)
            or table.row(score.row).model not in LINEAR_MODELS
        )
        and score.metric == "accuracy"
        and not table.column(score.column).mean_of
    ]


def near_copies(floors: Measured) -> Finding | None:
    """Return where a linear model scores lower on test texts without near copies in training."""
    found = {score.column: score for score in floors.scores if score.row == FLOOR and score.clean}
    gaps = {column: float(score.measured) - float(score.clean) for column, score in found.items()}
    shown = sorted((column for column in gaps if gaps[column] >= FLATTERED), key=lambda column: -gaps[column])
    if not shown:
        return None
    names = {column: floors.table.column(column).printed for column in shown}
    body = [[names[column], found[column].measured, found[column].clean, f"{-gaps[column]:+.1f}"] for column in shown]
    headline = (
        f"Without near copies of training texts, {len(shown)} of {len(gaps)} test sets score lower by half a point or "
        f"more, {names[shown[0]]} by {gaps[shown[0]]:.1f}"
    )
    text = (
        f"Accuracy of {floors.table.row(FLOOR).printed} in % on all test texts and on those without a (near) copy "
        f"in training ([how copies are found](../corpora.md)), for corpora where it falls by {FLATTERED} points or "
        "more. Texts without a copy may be harder for other reasons too.\n"
    )
    return Finding("near-copies", headline, f"{text}\n{markdown_table(('corpus', 'all', 'clean', 'points'), body)}")


def readings(lines: Sequence[Line]) -> Finding | None:
    """Return in how many comparisons two readings of the same sentence give different verdicts."""
    of_place: dict[tuple[int, str], list[Line]] = {}
    for line in lines:
        if line.comparison:
            of_place.setdefault((line.claim, line.on), []).append(line)
    several = {place: found for place, found in of_place.items() if len(found) > 1}
    split = {place: found for place, found in several.items() if disagrees(found[0], found)}
    if not split:
        return None
    body = [cells_of_finding(line) for found in split.values() for line in found]
    headline = f"In {len(split)} of {len(several)} comparisons the verdict depends on how the paper is read"
    text = (
        "Where a paper's text leaves something open, each [reading](../readings.md) is trained and judged. A row in "
        "*italics* is another reading.\n"
    )
    table = markdown_table(HEADER, body)
    return Finding("readings", headline, f"{text}\n{table}")


def cost_of_a_word(measured: Measured | None) -> Finding | None:
    """Return the cost per word of FCSR, which claims to be the most efficient, and of its rivals."""
    name, own, rivals = TIMED
    if measured is None:
        return None
    names = {row: measured.table.row(row).printed for row in (own, *rivals)}
    operations = {
        row: median(found)
        for row in names
        if (found := [float(cost["flops_per_word"]) for cost in measured.costs if cost["row"] == row])
    }
    if len(operations) < len(names):
        return None
    times = [f"{operations[own] / operations[row]:.1f} times the {names[row]}'s" for row in rivals]
    headline = f"{names[own]} needs {' and '.join(times)} operations per word; the paper calls it the most efficient"
    text = (
        f'The paper says of its figure 7, on a GPU, that {names[own]} "achieved the highest computational efficiency". '
        "The operations of a forward pass do not depend on the machine. Times are of one CPU thread; a dash: not "
        "kept, because the machine had other work. A GPU runs independent operations in parallel, so the paper's "
        "times may be right there; it does not follow that the model computes less.\n"
    )
    body = cost_table(measured.costs, names)
    table = markdown_table(("", *COST_HEADER[1:]), body)
    return Finding(COST, headline, f"{text}\n{table}\n![Accuracy against cost](../figures/cost-{name}.svg)\n")
