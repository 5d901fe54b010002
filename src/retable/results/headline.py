"""The opening of README.md, from the bank: how many of the papers' claims hold, by how much, and one table."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from retable.corpora import FAMILIES
from retable.figures.forest import Difference
from retable.models import is_floor
from retable.papers import NAMES, paper_of_table, papers, result_table
from retable.papers.claims import OURS
from retable.papers.paper import Paper, ResultTable
from retable.results.claims import CONTRADICT, LARGER, NOT_EVERY, beside_readings, size_of, through
from retable.results.judging import AT_LEAST, PERCENT, Judged, after_holm, claim_of
from retable.tables.lines import UNVERIFIED, Line
from retable.tables.markdown import listed, markdown_table

# sign of a claim -> the verdicts that support it
HOLDS = {">": {"ahead"}, ">=": AT_LEAST, "=": {"equal"}}
FLOOR = "nb-svm"  # one linear model for all columns: taking the better of two would be a choice by test scores


def first_readings(lines: Iterable[Judged]) -> Iterator[Judged]:
    """Yield the papers' own comparisons that have a verdict, each under its first reading."""
    for line in lines:
        is_reading = line.first.reading_of or line.second.reading_of
        if line.comparison and claim_of(line).measured != OURS and not is_reading:
            yield line


def printed_differences(lines: Iterable[Judged]) -> list[Difference]:
    """Return the data of the picture: each comparison with a printed difference, in points."""
    found: dict[tuple[str, str], Difference] = {}
    for (paper, name), line in named_differences(lines):
        if line.printed is not None and line.comparison:
            low, high = (PERCENT * end for end in line.comparison.interval())
            found[paper, name] = Difference(paper, name, line.printed, PERCENT * line.difference, low, high)
    return list(found.values())


def named_differences(lines: Iterable[Judged]) -> list[tuple[tuple[str, str], Judged]]:
    """Return each comparison with a printed difference, after its paper and its name.

    The names of two tables' comparisons that would read alike have their table too.
    """
    sized = [line for line in first_readings(lines) if line.printed is not None]
    names = [
        (NAMES[claim_of(line).paper], f"{line.first.printed} vs. {line.second.printed}, {line.on}") for line in sized
    ]
    tables = [claim_of(line).table for line in sized]
    alike = Counter(name for name, _ in dict.fromkeys(zip(names, tables, strict=True)))
    return [
        ((paper, f"{name} (table {table.rpartition('-')[2]})" if alike[paper, name] > 1 else name), line)
        for (paper, name), table, line in zip(names, tables, sized, strict=True)
    ]


class Counts(NamedTuple):
    """Count the papers' comparisons by outcome, the printed differences, and those of them that are too large."""

    judged: int
    hold: int
    ahead: int  # of those that hold; the others are equal or not behind
    kept: int  # of those that hold, how many still do after Holm's correction
    kept_ahead: int  # of these, how many are still ahead
    against: int
    against_kept: int
    sized: int
    larger: int
    larger_hold: int  # of the larger, how many hold
    sized_groups: int  # first rows and columns to which the printed differences belong
    larger_groups: int  # those to which the larger ones belong
    sampled: int  # of those judged, how many are on a sample of the paper's corpus or on a split of ours
    sampled_hold: int
    contradicted: int  # of those that hold, how many turn around under another reading
    contradicted_kept: int  # of these, how many hold and turn around after Holm's correction too
    weakened: int  # of the others that hold, how many are undecided under one
    alone: int  # of those that hold, how many were judged under no other reading
    unpaired: int  # of those that hold, for how many a reading for all networks is not measured on both sides
    unpaired_names: str  # of these readings
    through: str  # the reading without which most of them would not
    said: str  # the sentence on which most comparisons rest
    of_said: int
    of_said_hold: int

    @property
    def open(self) -> int:
        """Return how many are undecided, or equal although the claim says ahead."""
        return self.judged - self.hold - self.against


def counted(lines: Sequence[Judged]) -> Counts:
    """Count the outcomes of the papers' comparisons, each under its first reading."""
    adjusted = adjusted_of(lines)
    judged = list(first_readings(lines))
    hold = [line for line in judged if holds(line, line.verdict)]
    against = [line for line in judged if goes_against(line, line.verdict)]
    sampled = [line for line in judged if is_on_a_sample(line)]
    read = [readings_of(line, lines) for line in hold]
    missing = [names for of in read if (names := unpaired(of))]
    turned = [of for of in read if beside_readings(of[0], of) == CONTRADICT]
    sizes = {
        id(line): size_of(line.printed, line.comparison)
        for line in judged
        if line.comparison and line.printed is not None
    }
    larger = [line for line in judged if sizes.get(id(line)) == LARGER]
    of_turned = [[adjusted[id(line)] for line in of if line.comparison] for of in turned]
    said = Counter(claim_of(line).sentence for line in judged).most_common(1)
    (sentence, of_said), *_ = [*said, ("", 0)]
    return Counts(
        judged=len(judged),
        hold=len(hold),
        ahead=sum(line.verdict == "ahead" for line in hold),
        kept=sum(holds(line, adjusted[id(line)]) for line in hold),
        kept_ahead=sum(holds(line, adjusted[id(line)]) and adjusted[id(line)] == "ahead" for line in hold),
        against=len(against),
        against_kept=sum(goes_against(line, adjusted[id(line)]) for line in against),
        sized=len(sizes),
        larger=len(larger),
        larger_hold=sum(sizes.get(id(line)) == LARGER for line in hold),
        sized_groups=len({group_of(line) for line in judged if id(line) in sizes}),
        larger_groups=len({group_of(line) for line in larger}),
        sampled=len(sampled),
        sampled_hold=sum(holds(line, line.verdict) for line in sampled),
        contradicted=len(turned),
        contradicted_kept=sum(
            holds(of[0], first) and any(goes_against(of[0], other) for other in others)
            for of, (first, *others) in zip(turned, of_turned, strict=True)
        ),
        weakened=sum(beside_readings(of[0], of) == NOT_EVERY for of in read),
        alone=sum(not any(other.comparison for other in of[1:]) for of in read),
        unpaired=len(missing),
        unpaired_names=listed(sorted(set().union(*missing))),
        through=through(turned),
        said=sentence,
        of_said=of_said,
        of_said_hold=sum(claim_of(line).sentence == sentence for line in hold),
    )


def group_of(line: Judged) -> tuple[str, str, str]:
    """Return the first row and the column of a comparison: those that share them are not independent."""
    return claim_of(line).paper, line.first.id, line.on


def adjusted_of(lines: Sequence[Judged]) -> dict[int, str]:
    """Return id of a comparison -> its verdict after Holm's correction over all comparisons of its paper."""
    by_paper = groupby(lines, key=lambda line: claim_of(line).paper)
    return {line: verdict for _, of_paper in by_paper for line, verdict in after_holm(list(of_paper)).items()}


def readings_of(line: Judged, lines: Sequence[Judged]) -> list[Judged]:
    """Return a comparison under all readings."""
    return [line, *(each for each in lines if each is not line and (each.claim, each.on) == (line.claim, line.on))]


def unpaired(readings: Sequence[Judged]) -> set[str]:
    """Return the names of readings for all networks under which a comparison could not be judged."""
    first = readings[0]
    names = {
        row.reading
        for row in result_table(claim_of(first).table).rows
        if row.for_all and row.reading_of in (first.first.id, first.second.id)
    }
    judged = {row.reading for line in readings if line.comparison for row in (line.first, line.second)}
    return names - judged


def is_on_a_sample(line: Judged) -> bool:
    """Return whether a comparison is on a column that the paper does not have, or on our own split of its texts."""
    columns = [result_table(claim_of(line).table).column(name) for name in line.columns]
    return any(column.extra or column.split != "paper" for column in columns)


def headline(lines: Sequence[Judged]) -> str:
    """Return how many of the papers' comparisons hold, on what they rest, and how many printed sizes are too large."""
    found = counted(lines)
    if not found.judged:
        return "No comparison of the papers could be judged yet."
    points = [
        f"{found.sampled} of the {found.judged} are on a sample of the paper's corpus or on a split of ours "
        f"({found.sampled_hold} as claimed).",
        f"Of {found.sized} printed differences, {found.larger} are above our 95% prediction interval, "
        f"{found.larger_hold} of them among the {found.hold}. These {found.larger} belong to {found.larger_groups} of "
        f"{found.sized_groups} pairs of a first row and a column, and comparisons that share a row are not "
        "independent.",
    ]
    if found.contradicted:
        points.insert(
            0,
            f"Of the {found.hold}, {found.contradicted} turn around under another [reading](docs/readings.md) of their "
            f"paper, or with the printed option where ours departs from it{found.through}, "
            f"{found.contradicted_kept} of them also after Holm's correction; {found.weakened} more are undecided "
            f"under one, and {found.alone} were judged under no other."
            + (
                f" For {found.unpaired} a reading that the paper gives to all networks ({found.unpaired_names}) is not "
                "measured for both rows."
                if found.unpaired
                else ""
            ),
        )
    if found.said and found.of_said > 1:
        sentence = f"One sentence, “{found.said}”, makes {found.of_said} of the {found.judged}"
        points.insert(0, f"{sentence} ({found.of_said_hold} as claimed).")
    first = (
        f"Of {found.judged} comparisons that the papers make and fully trained runs can test, **{found.hold} come out "
        f"as claimed** ({found.ahead} ahead, {found.hold - found.ahead} equal or not behind by more than a margin; "
        f"{found.kept} of them, {found.kept_ahead} ahead, after "
        f"[Holm's correction](docs/protocol.md#1-a-comparison-of-two-rows) for many tests) "
        f"and {found.against} go the other way ({found.against_kept} after it); {found.open} are undecided or equal."
    )
    return "\n".join([first, "", *(f"- {point}" for point in points)])


def holds(line: Judged, verdict: str) -> bool:
    """Return whether a verdict supports the claim behind a comparison."""
    return verdict in HOLDS[claim_of(line).sign]


class Coverage(NamedTuple):
    """Count the printed numbers in a paper's tables, those of them that are measured, and the measured others."""

    printed: int
    measured: int
    ours: int
    unverified: int = 0  # of all that are measured
    cut: int = 0  # of the printed that are measured, how many after a training that a limit ended


def coverage(paper: Paper, tables: Mapping[str, Sequence[Line]]) -> Coverage:
    """Count the cells of a paper's tables.

    Args:
        tables: name -> the cells of a table that has runs or prints numbers.
    """
    cells = [cell for table in paper.results for cell in tables.get(table.name, ())]
    return Coverage(
        sum(bool(cell.published) for cell in cells),
        sum(bool(cell.published and cell.measured) for cell in cells),
        sum(bool(cell.measured and not cell.published) for cell in cells),
        sum(cell.is_unverified for cell in cells),
        sum(bool(cell.published and cell.measured and cell.is_cut) for cell in cells),
    )


def papers_table(lines: Sequence[Judged], tables: Mapping[str, Sequence[Line]]) -> str:
    """Return a table of the papers: how their claims come out, and how many of their printed numbers are measured.

    Args:
        lines: every comparison of the claims.
        tables: name -> its cells.
    """
    body = []
    for paper in papers():
        found = coverage(paper, tables)
        if found.printed:
            counts = counted([line for line in lines if claim_of(line).paper == paper.name])
            outcome = [f"{counts.hold} of {counts.judged}", str(counts.against)] if counts.judged else ["–", "–"]
            name = f"[{NAMES[paper.name]}](docs/tables/{paper.name}.md)"
            told = [f"{count} {what}" for count, what in ((found.cut, "cut"), (found.unverified, UNVERIFIED)) if count]
            mark = f" ({', '.join(told)})" if told else ""
            body.append([name, *outcome, f"{found.measured} of {found.printed}{mark}", str(found.ours)])
    header = ("paper", "as claimed", "the other way", "printed numbers measured", "more of ours")
    return markdown_table(header, body)


def goes_against(line: Judged, verdict: str) -> bool:
    """Return whether a verdict is that the first row is behind, or ahead where the claim says equal."""
    return verdict == "behind" or (verdict == "ahead" and not holds(line, verdict))


def linear_lead(tables: Iterable[tuple[ResultTable, Sequence[Line]]]) -> str:
    """Return a sentence on NB-SVM's largest lead over the best number that a paper prints; else nothing.

    Args:
        tables: each table with its cells.
    """
    found = [lead for table, scores in tables for lead in leads_of(table, scores)]
    lead = max(found, key=lambda each: each.points, default=None)
    if lead is None or lead.points <= 0:
        return ""
    clean = f" ({lead.clean:.1f}% without near copies of training texts)" if lead.clean else ""
    of_network = f" ({lead.network_clean:.1f}% without)" if lead.clean and lead.network_clean else ""
    network = (
        f", and the best of that table's networks trained here reaches {lead.network:.1f}%{of_network}; no test is made"
        if lead.network
        else ""
    )
    return (
        f"On {lead.column}, where the gap is largest, {lead.row}, a linear model, reaches {lead.measured:.1f}% "
        f"accuracy{clean}; the best number that {lead.paper} prints there is {lead.printed:.1f}{network}."
    )


class Lead(NamedTuple):
    """Hold a linear model beside the best printed number of a column, all in percent."""

    paper: str
    row: str
    column: str
    measured: float
    clean: float
    printed: float
    network: float  # the best whole training of a network in the table; 0 if there is none
    network_clean: float

    @property
    def points(self) -> float:
        """Return the linear model's lead in points."""
        return self.measured - self.printed


def leads_of(table: ResultTable, scores: Sequence[Line]) -> Iterator[Lead]:
    """Yield the linear model beside the best printed number, for each column that has both."""
    scale = PERCENT if table.unit == "fraction" else 1
    paper = NAMES[paper_of_table(table.name).name]
    for score in scores:
        row, column = table.row(score.row), table.column(score.column)
        printed = [float(each.published) for each in scores if each.column == score.column and each.published]
        is_known = score.measured and not score.is_unverified
        if row.id == FLOOR and is_known and printed and score.metric == "accuracy" and not column.mean_of:
            ours, clean = (scale * float(number or 0) for number in (score.measured, score.clean))
            name = f"{column.printed}, trained on all domains" if column.domain else column.printed
            name = f"{name} (review domain)" if column.corpus in FAMILIES["fdu"] else name
            networks = [
                (scale * float(each.measured), scale * float(each.clean or 0))
                for each in scores
                if (each.column, each.is_cut, each.is_unverified) == (score.column, False, False)
                and each.measured
                and not is_floor(table.row(each.row).model)
            ]
            yield Lead(paper, row.printed, name, ours, clean, scale * max(printed), *max(networks, default=(0.0, 0.0)))


def front_table(table: ResultTable, scores: Iterable[Line]) -> str:
    """Return a short table, the printed number beside ours: the paper's rows and the floors measured on half of its
    columns or more.
    """
    measured = {(score.row, score.column): score for score in scores if score.measured or score.part}
    columns = [column for column in table.columns if any(name == column.id for _, name in measured)]
    found = Counter(row for row, _ in measured)
    rows = [row for row in table.rows if not row.reading_of and 2 * found[row.id] >= max(len(columns), 1)]
    body = [[row.printed, *(front_cell(measured.get((row.id, column.id))) for column in columns)] for row in rows]
    return markdown_table(["", *(column.printed for column in columns)], body)


def front_cell(score: Line | None) -> str:
    """Return a cell of the short table; a tenth of its interval is enough."""
    printed = f" (*{score.published}*)" if score and score.published else ""
    if score is None or score.part:
        return (score.part if score else "–") + printed
    half = (float(score.high) - float(score.low)) / 2 if score.high else 0
    number = score.measured + (f" ± {max(half, 0.1):.1f}" if half else "")
    single = ", one run" if half and score.runs == "1" else ""  # its interval is that of the column's other rows
    marks = f"{single}{', cut' if score.is_cut else ''}{', unverified' if score.is_unverified else ''}"
    return f"{number}{marks}{printed}"
