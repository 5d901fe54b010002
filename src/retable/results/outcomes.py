"""The outcomes of the papers' comparisons: which hold, which go the other way, and how their printed sizes compare."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import NamedTuple

from retable.figures.forest import Difference
from retable.papers import NAMES, result_table
from retable.papers.claims import OURS
from retable.results.claims import CONTRADICT, LARGER, NOT_EVERY, beside_readings, size_of
from retable.results.judging import AT_LEAST, PERCENT, Judged, after_holm, claim_of
from retable.wording import listed

# sign of a claim -> the verdicts that support it
HOLDS = {">": {"ahead"}, ">=": AT_LEAST, "=": {"equal"}}


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
            ends = (*line.comparison.interval(), *line.comparison.expected)
            points = (PERCENT * each for each in (line.difference, *ends))
            found[paper, name] = Difference(paper, name, line.printed, *points)
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
    """Count the papers' comparisons by outcome, and those that hold by what else is known of them."""

    judged: int
    hold: int
    ahead: int  # of those that hold; the others are equal or not behind
    against: int
    undecided: int
    kept: tuple[str, ...]  # the papers of those that hold after Holm's correction
    against_kept: tuple[str, ...]  # of those against that are still against
    kept_ahead: int  # of those kept; the others are equal or not behind
    alone: tuple[int, int]  # those kept and those against, if only these comparisons of a paper are corrected for
    sampled: int  # of those judged, how many are on a sample of the paper's corpus or on a split of ours
    sampled_hold: int
    contradicted: int  # of those that hold, how many another reading contradicts
    contradicted_kept: int  # of these, how many hold and are contradicted after Holm's correction too
    weakened: int  # of the others that hold, how many are undecided under one
    unpaired: int  # of those that hold, for how many a reading for all networks is not measured on both sides
    unpaired_names: str  # of these readings
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
    of_turned = [[adjusted[id(line)] for line in of if line.comparison] for of in turned]
    kept = [line for line in hold if holds(line, adjusted[id(line)])]
    alone = adjusted_of(judged)
    said = Counter(claim_of(line).sentence for line in judged).most_common(1)
    (sentence, of_said), *_ = [*said, ("", 0)]
    return Counts(
        judged=len(judged),
        hold=len(hold),
        ahead=sum(line.verdict == "ahead" for line in hold),
        against=len(against),
        undecided=sum(line.verdict == "undecided" for line in judged),
        kept=tuple(map(name_of, kept)),
        against_kept=tuple(name_of(line) for line in against if goes_against(line, adjusted[id(line)])),
        kept_ahead=sum(adjusted[id(line)] == "ahead" for line in kept),
        alone=(
            sum(holds(line, alone[id(line)]) for line in hold),
            sum(goes_against(line, alone[id(line)]) for line in against),
        ),
        sampled=len(sampled),
        sampled_hold=sum(holds(line, line.verdict) for line in sampled),
        contradicted=len(turned),
        contradicted_kept=sum(
            holds(of[0], first) and any(goes_against(of[0], other) for other in others)
            for of, (first, *others) in zip(turned, of_turned, strict=True)
        ),
        weakened=sum(beside_readings(of[0], of) == NOT_EVERY for of in read),
        unpaired=len(missing),
        unpaired_names=listed(sorted(set().union(*missing))),
        said=sentence,
        of_said=of_said,
        of_said_hold=sum(claim_of(line).sentence == sentence for line in hold),
    )


class Medians(NamedTuple):
    """Describe some pairs of rows: how many, and the medians of their differences, in points."""

    pairs: int
    printed: float  # size
    ours: float  # size
    towards: float  # ours, in the printed direction


class Sizes(NamedTuple):
    """Describe the printed differences beside ours, in points."""

    papers: tuple[str, ...]  # of each pair of rows
    all: Medians
    of_means: Medians | None  # of those on the mean of several columns
    of_columns: Medians | None  # of the others
    reversed: int  # how many have the other sign here
    larger: int  # how many are printed above our prediction interval
    unclear: int  # how many of these intervals hold zero and the printed difference
    groups: int  # pairs of a first row and a column to which all belong
    larger_groups: int  # those to which the larger ones belong


def sizes(lines: Iterable[Judged]) -> Sizes | None:
    """Describe the differences that the papers print, each pair of rows once; None if there is none."""
    found = list(dict(named_differences(lines)).values())
    if not (of_all := medians(found)):
        return None
    larger = [
        line
        for line in found
        if line.printed is not None and line.comparison and size_of(line.printed, line.comparison) == LARGER
    ]
    return Sizes(
        papers=tuple(name_of(line) for line in found),
        all=of_all,
        of_means=medians([line for line in found if len(line.columns) > 1]),
        of_columns=medians([line for line in found if len(line.columns) <= 1]),
        reversed=sum(towards(line) < 0 for line in found),
        larger=len(larger),
        unclear=sum(holds_zero_and_print(line) for line in found),
        groups=len({group_of(line) for line in found}),
        larger_groups=len({group_of(line) for line in larger}),
    )


def medians(lines: Sequence[Judged]) -> Medians | None:
    """Return the medians of comparisons with a printed difference; None if there is none."""
    if not lines:
        return None
    printed = [abs(line.printed) for line in lines if line.printed is not None]
    ours = [PERCENT * abs(line.difference) for line in lines]
    return Medians(len(lines), median(printed), median(ours), median(map(towards, lines)))


def towards(line: Judged) -> float:
    """Return our difference in the direction of the printed one, in points."""
    printed = line.printed or 0.0
    return PERCENT * line.difference * ((printed > 0) - (printed < 0))


def holds_zero_and_print(line: Judged) -> bool:
    """Return whether the interval in which we expect a printed difference holds both zero and the printed one."""
    if line.printed is None or line.comparison is None:
        return False
    low, high = (PERCENT * end for end in line.comparison.expected)
    return low <= min(0.0, line.printed) and max(0.0, line.printed) <= high


def name_of(line: Judged) -> str:
    """Return the name of the paper that makes a comparison."""
    return NAMES[claim_of(line).paper]


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


def holds(line: Judged, verdict: str) -> bool:
    """Return whether a verdict supports the claim behind a comparison."""
    return verdict in HOLDS[claim_of(line).sign]


def goes_against(line: Judged, verdict: str) -> bool:
    """Return whether a verdict is that the first row is behind, or ahead where the claim says equal."""
    return verdict == "behind" or (verdict == "ahead" and not holds(line, verdict))
