"""Findings from the whole bank, one page with one headline each: docs/findings/, generated from the bank alone.

Every number in a headline is counted from comparisons and cells on the other pages. A finding that the bank does not
support yet has no page.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from retable.figures.measured import of_seeds
from retable.models import OF_CHARACTERS
from retable.papers import NAMES
from retable.papers.claims import OURS, Claim
from retable.papers.paper import ResultTable
from retable.results.claims import AS_PRINTED, CONTRADICT, beside_readings, cells_of, size_of, through
from retable.results.judging import Judged, claim_of, in_points
from retable.results.leads import FLOOR, Lead, leads_of
from retable.results.outcomes import adjusted_of, named_differences, sizes
from retable.results.resolving import Filled
from retable.tables.costs import HEADER as COST_HEADER
from retable.tables.costs import cost_table, short
from retable.tables.lines import Line
from retable.tables.markdown import markdown_table, signed
from retable.wording import listed, number_of

FLATTERED = 0.5  # smallest difference in points between all and clean test texts that is listed
FLOORS = "floors-table-1"
COST = "cost"
FASTEST, TIMED = "fcsr", "fcsr-figure-7"  # the row that claims to be the fastest, and where
NAMED = ("cnn", "bilstm", "transformer", "s-lstm")  # rivals in the headline; the page has all
HEADER = ("paper", "rows", "on", "difference, points", "detectable", "verdict")
SURVEY = "Survey"  # its best numbers come from networks pretrained on other texts
ON_A_GPU = (  # measured once, docs/gpu.md
    "on [one that we had]({page}#what-was-measured) FCSR trained more words a second than the CNN, the BiLSTM, the "
    "Transformer and S-LSTM, and fewer than the LSTM (each in its preset's batches)."
)


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


class MeasuredTable(NamedTuple):
    """Hold a table with its cells beside the printed numbers, and the costs of its runs."""

    table: ResultTable
    scores: Sequence[Line]
    costs: Sequence[Mapping[str, Any]]


def findings(lines: Sequence[Judged], tables: Mapping[str, MeasuredTable], floors: Filled) -> list[Finding]:
    """Return all findings that the bank supports.

    Args:
        lines: every comparison of the claims.
        tables: name -> a table with runs.
        floors: the runs of the linear models.
    """
    found = (
        printed_sizes(lines),
        beside_a_linear_model(lines, tables),
        linear_beside_print(tables.values()),
        near_copies(tables[FLOORS], floors) if FLOORS in tables else None,
        readings(lines),
        cost_of_a_word(tables.get(TIMED)),
    )
    return [each for each in found if each]


def index(found: Sequence[Finding]) -> str:
    """Return the page that lists the findings."""
    links = "\n".join(f"- [{each.headline}]({each.name}.md)" for each in found)
    return f"# Findings\n\nWritten by `retable results` from [the bank](../results).\n\n{links}\n"


def printed_sizes(lines: Sequence[Judged]) -> Finding | None:
    """Return how the printed differences compare with ours in size."""
    found = sizes(lines)
    if found is None:
        return None
    body, decided = [], 0
    for (paper, name), line in named_differences(lines):
        if line.printed is None or line.comparison is None:
            continue
        intervals = (in_points(each) for each in (line.comparison.interval(), line.comparison.expected))
        size = size_of(line.printed, line.comparison)
        decided += size == AS_PRINTED and line.verdict == ("behind" if line.printed > 0 else "ahead")
        body.append([paper, name, signed(line.printed), *intervals, size])
    text = (
        f"The median difference of two rows is {found.all.printed:.1f} points in print. Here it is "
        f"{found.all.ours:.1f} in size and {signed(found.all.towards)} in the printed direction: {found.reversed} of "
        f"{found.all.pairs} have the other sign, decided or not. A printed one is larger if it is above the interval "
        "in which we expect it, our 95% prediction interval ([rule 1](../protocol.md)). Those that are larger belong "
        f"to {found.larger_groups} of {found.groups} pairs of a first row and a column, and comparisons that share a "
        f"row are not independent. *{AS_PRINTED.capitalize()}* is no agreement: {found.unclear} of the {len(body)} "
        "intervals hold both zero and the printed difference, so that those comparisons could not tell the one from "
        "the other"
        + (f", and in {number_of(decided, 'of them')} our means are decided the other way" if decided else "")
        + ".\n\n![Differences as printed and as measured](../figures/claims.svg)\n"
    )
    headline = (
        f"The median printed difference is {found.all.printed:.1f} points, ours, in the same direction, "
        f"{signed(found.all.towards)}; {found.larger} of {found.all.pairs} are printed above our 95% prediction "
        "interval"
    )
    header = ("paper", "comparison", "printed, points", "ours, 95% interval", "expected in print", "size")
    return Finding("printed-differences", headline, f"{text}\n{markdown_table(header, body)}")


def beside_a_linear_model(lines: Sequence[Judged], tables: Mapping[str, MeasuredTable]) -> Finding | None:
    """Return how the papers' own models compare with one linear model, and what they cost per word."""
    of_floor = [
        line
        for line in lines
        if claim_of(line).measured == OURS
        and (line.second.id, line.second.model) == (FLOOR, FLOOR)
        and (not line.first.reading_of or line.first.vectors)
        and line.comparison
    ]
    counted = [line for line in of_floor if not line.first.reading_of]
    verdicts = [line.verdict for line in counted]
    if not verdicts:
        return None
    adjusted = adjusted_of(lines)
    kept = [adjusted.get(id(line), line.verdict) for line in counted]
    body = [[*cells_of_finding(line), *costs_beside(tables[claim_of(line).table], line)] for line in of_floor]
    headline = (
        f"The papers' own models are ahead of {of_floor[0].second.printed}, a linear model, in "
        f"{verdicts.count('ahead')} of {len(verdicts)} comparisons and behind in {verdicts.count('behind')}; after "
        f"Holm's correction in {kept.count('ahead')} and {kept.count('behind')}"
    )
    text = (
        "The model that each paper proposes against a linear model on single words, pairs and, where dev "
        "prefers it, triples, trained in seconds on one core: same test texts, whole trainings only; Holm's correction "
        "is for all comparisons of a paper. A row in *italics*, which is not counted, has the paper's kind of word "
        "vectors (GloVe) in place of those trained here. FLOPs are per word, forward pass.\n"
    )
    table = markdown_table((*HEADER, "FLOPs per word", "times the linear model's"), body)
    return Finding("beside-a-linear-model", headline, f"{text}\n{table}")


def cells_of_finding(line: Judged) -> list[str]:
    """Return the cells of a comparison, in the order of HEADER."""
    rows, on, _, _, difference, detectable, _, _, verdict, _ = cells_of(line, "")
    return [NAMES[claim_of(line).paper], rows, on, difference, detectable, verdict]


def costs_beside(measured: MeasuredTable, line: Judged) -> tuple[str, str]:
    """Return the first row's cost per word on the columns compared, "5.9 M", and its ratio to the second's, "500 K"."""
    costs = [cost for cost in measured.costs if cost["column"] in line.columns]
    first, second = (
        median([cost["flops_per_word"] for cost in costs if cost["row"] == row.id] or [0.0])
        for row in (line.first, line.second)
    )
    return short(first), short(first / second) if second else ""


def linear_beside_print(tables: Iterable[MeasuredTable]) -> Finding | None:
    """Return where a linear model beats the best number that a paper prints."""
    leads = dict[tuple[str, str], Lead]()
    for measured in tables:
        for lead in leads_of(measured.table, measured.scores):
            best = leads.get((lead.paper, lead.column))  # when several tables of a paper share a column
            if lead.paper != SURVEY and (best is None or lead.printed > best.printed):
                leads[lead.paper, lead.column] = lead
    if not leads:
        return None
    ordered = sorted(leads.values(), key=lambda lead: -lead.points)
    clean = sum((lead.clean or lead.measured) > lead.printed for lead in ordered)
    body = [
        [
            lead.paper,
            lead.column,
            f"{lead.measured:.1f}",
            f"{lead.clean:.1f}" if lead.clean else "",
            f"{lead.printed:.1f}",
            signed(lead.points),
            f"{lead.network:.1f}" if lead.network else "",
        ]
        for lead in ordered
    ]
    on = {True: [lead for lead in ordered if lead.is_domain], False: [lead for lead in ordered if not lead.is_domain]}
    leading = {kind: sum(lead.points > 0 for lead in of) for kind, of in on.items()}
    headline = f"{ordered[0].row}, a linear model, is above the best printed number on " + " and ".join(
        f"{leading[kind]} of {len(on[kind])} {what}"
        for kind, what in ((False, "columns"), (True, "columns of single review domains"))
        if on[kind]
    )
    text = (
        "The best number that a paper prints in a column, for its own model or a rival, next to our linear model; no "
        f"test is made. Without near copies of training texts it is above on {clean} of the {len(ordered)} columns "
        f"instead of {sum(leading.values())}; the sixteen review domains are two columns each, a network for each "
        "domain and one for all. Test texts are the paper's where it names a split, else ours. A gap has two parts, "
        "which the last column separates: that of the models, and that of the set-up, because networks trained here "
        "are often above their printed numbers as well. That column is the best, by test accuracy, of the networks "
        "that were fully trained for this table of the paper: the choice favours them, the lack of cut trainings may "
        "not. fastText is a floor there, no network; the mean of word vectors counts as one.\n"
    )
    header = (
        "paper",
        "column",
        "linear model, %",
        "clean",
        "best printed, %",
        "difference",
        "best network in this table, %",
    )
    return Finding("linear-beside-print", headline, f"{text}\n{markdown_table(header, body)}")


def near_copies(floors: MeasuredTable, filled: Filled) -> Finding | None:
    """Return where a linear model scores lower on test texts without near copies in training.

    The headline names the largest fall of a test set that keeps at least half of its texts: few texts vary widely.
    """
    found = {
        score.column: score for score in floors.scores if score.row == FLOOR and score.clean and not score.is_unverified
    }
    gaps = {column: float(score.measured) - float(score.clean) for column, score in found.items()}
    shown = sorted((column for column in gaps if gaps[column] >= FLATTERED), key=lambda column: -gaps[column])
    if not shown:
        return None
    names = {column: floors.table.column(column).printed for column in shown}
    cells = {column: of_seeds(filled.shown((FLOOR, column)))[0] for column in shown}
    body = [
        [
            names[column],
            f"{cells[column].texts:,}",
            f"{cells[column].clean_texts:,}",
            found[column].measured,
            found[column].clean,
            signed(-gaps[column]),
        ]
        for column in shown
    ]
    most = next((column for column in shown if 2 * cells[column].clean_texts >= cells[column].texts), None)
    headline = (
        f"{floors.table.row(FLOOR).printed} scores lower by half a point or more on {len(shown)} of {len(gaps)} test "
        "sets without near copies of training texts" + (f", on {names[most]} by {gaps[most]:.1f}" if most else "")
    )
    text = (
        f"Accuracy of {floors.table.row(FLOOR).printed} in % on all test texts and on those without a (near) copy "
        f"in training ([how copies are found](../corpora.md)), for corpora where it falls by {FLATTERED} points or "
        "more. The title names the largest fall of a test set that keeps at least half of its texts. Texts without a "
        "copy may be harder for other reasons too; no test is made.\n"
    )
    header = ("corpus", "test texts", "clean ones", "accuracy on all", "on clean ones", "points")
    return Finding("near-copies", headline, f"{text}\n{markdown_table(header, body)}")


def readings(lines: Sequence[Judged]) -> Finding | None:
    """Return in how many comparisons two readings of the same sentence give different verdicts."""
    of_place: dict[tuple[Claim, str], list[Judged]] = {}
    for line in lines:
        if line.comparison and claim_of(line).measured != OURS:
            of_place.setdefault((claim_of(line), line.on), []).append(line)
    several = {place: found for place, found in of_place.items() if len(found) > 1}
    differing = [(beside_readings(found[0], found), found) for found in several.values()]
    split = sorted((each for each in differing if each[0]), key=lambda each: each[0] != CONTRADICT)
    if not split:
        return None
    body = [cells_of_finding(line) for _, found in split for line in found]
    against = [found for how, found in split if how == CONTRADICT]
    lost = sum({"ahead", "behind"} <= {line.verdict for line in found} for found in against)
    headline = (
        f"Readings of a paper contradict each other in {len(against)} of {len(several)} comparisons{through(against)} "
        f"and turn {number_of(lost, 'leads')} into a loss; in {len(split) - len(against)} more, only some readings are "
        "decided"
    )
    text = (
        "Where a paper's text leaves something open, each [reading](../readings.md) is trained and judged. A row in "
        "*italics* is another reading. That one is decided and another is not is no evidence that the two differ.\n"
    )
    table = markdown_table(HEADER, body)
    return Finding("readings", headline, f"{text}\n{table}")


def cost_of_a_word(measured: MeasuredTable | None) -> Finding | None:
    """Return the cost per word of FCSR, which claims to be the most efficient, and of its measured rivals."""
    if measured is None:
        return None
    names = {row.id: row.printed for row in measured.table.rows if not row.extra and row.model not in OF_CHARACTERS}
    operations = {
        row: median(found)
        for row in names
        if (found := [float(cost["flops_per_word"]) for cost in measured.costs if cost["row"] == row])
    }
    if FASTEST not in operations or len(operations) == 1:
        return None
    times = {row: operations[FASTEST] / flops for row, flops in operations.items() if row != FASTEST}
    shown = listed([f"{short(times[row])} times {names[row]}'s" for row in NAMED if row in times])
    headline = (
        f"{names[FASTEST]}, which its paper calls the most efficient, needs more operations per word than "
        f"{sum(ratio > 1 for ratio in times.values())} of {number_of(len(times), 'rivals')} in the figure of that "
        "claim"
    )
    its = f"Its forward pass has {shown} operations per word. " if shown else ""
    text = (
        f'The paper says of its figure 7, on a GPU, that {names[FASTEST]} "achieved the highest computational '
        f'efficiency". {its}Operations do not depend on the machine. Times are of one CPU thread; a dash: not kept, '
        "because the machine had other work. A GPU runs independent operations in parallel, so that the order of times "
        "is another there: "
        + ON_A_GPU.format(page="../gpu.md")
        + " It does not follow that the model computes less. [All claims about costs](../claims.md#costs).\n"
    )
    body = cost_table(measured.costs, {row: names[row] for row in sorted(operations, key=operations.__getitem__)})
    table = markdown_table(("", *COST_HEADER[1:]), body)
    return Finding(COST, headline, f"{text}\n{table}\n![Accuracy against cost](../figures/cost-{TIMED}.svg)\n")
