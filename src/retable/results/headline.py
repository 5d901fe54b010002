"""The opening of README.md, from the bank: what comes out, what to know before quoting it, and two tables."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from retable.papers import NAMES, papers, result_table
from retable.papers.claims import OURS
from retable.papers.paper import Paper, ResultTable, Row
from retable.results.judging import PERCENT, Judged, claim_of, in_points
from retable.results.leads import FLOOR, leads_of
from retable.results.outcomes import Sizes, adjusted_of, counted, name_of, sizes
from retable.tables.cell_intervals import few_runs
from retable.tables.lines import UNVERIFIED, Line
from retable.tables.markdown import markdown_table, signed
from retable.wording import listed, number_of

BESIDE_PRINT = "docs/findings/linear-beside-print.md"
OUTCOME = ("comparisons", "as claimed", "the other way", "undecided or equal", "after Holm: as claimed / other way")


class Point(NamedTuple):
    """A statement of the first screen: in short, with its numbers, and the page that has all of them."""

    title: str
    text: str
    link: str
    page: str

    @property
    def markdown(self) -> str:
        """Return the point as an item of a list."""
        return " ".join(filter(None, [f"- **{self.title}**", self.text, f"[{self.link}]({self.page})"]))


def headline(lines: Sequence[Judged]) -> list[Point]:
    """Return what comes out of the papers' comparisons; empty if none could be judged."""
    found = counted(lines)
    if not found.judged:
        return []
    equal = found.open - found.undecided
    points = [
        Point(
            f"Of {number_of(found.judged, 'comparisons')} that the papers make and fully trained runs can test, "
            f"{found.hold} come out as claimed and {found.against} the other way.",
            f"{found.undecided} are undecided"
            + (f", {equal} equal where a lead is claimed" if equal else "")
            + ". After [Holm's correction](docs/protocol.md#1-a-comparison-of-two-rows) over all tests on a paper, "
            + f"other readings and our own questions included, {shared(found.kept)} come out as claimed"
            + (f" ({found.kept_ahead} ahead, {len(found.kept) - found.kept_ahead} not behind)" if found.kept else "")
            + f" and {shared(found.against_kept)} the other way; over these comparisons alone {found.alone[0]} and "
            f"{found.alone[1]}.",
            "Every comparison",
            "docs/claims.md",
        ),
    ]
    if size := sizes(lines):
        points.insert(
            0,
            Point(
                f"The median printed difference between two models is {size.all.printed:.1f} points; ours, in the same "
                f"direction, is {signed(size.all.towards)}.",
                f"Of {shared(size.papers)} {size.reversed} have the other sign here, {size.larger} "
                f"{'is' if size.larger == 1 else 'are'} printed above our 95% prediction interval; {size.unclear} "
                f"of the {size.all.pairs} intervals hold zero as well as the printed difference.{apart(size)}",
                "One by one",
                "docs/findings/printed-differences.md",
            ),
        )
    return [*points, *under_a_reading_for_all(lines)]


def apart(size: Sizes) -> str:
    """Return the medians on means of several columns beside those on single ones; empty if only one kind is there."""
    if not (size.of_means and size.of_columns):
        return ""
    means, columns = size.of_means, size.of_columns
    return (
        f" On means of several columns ({means.pairs}) the median is {means.printed:.1f} in print and "
        f"{signed(means.towards)} here, on single columns {columns.printed:.1f} and {signed(columns.towards)}."
    )


def shared(names: Sequence[str]) -> str:
    """Return how many comparisons and from which papers: "11 (from FCSR's paper)", "3 (FCSR 2, LAMA 1)" or "none"."""
    counts = Counter(names)
    if len(counts) < 2:
        return f"{len(names)} (from {names[0]}'s paper)" if names else "none"
    return f"{len(names)} ({', '.join(f'{name} {count}' for name, count in counts.most_common())})"


def under_a_reading_for_all(lines: Sequence[Judged]) -> list[Point]:
    """Return how a paper's model compares where both rows have an option that the paper gives to all networks."""
    of_model: dict[tuple[str, str, str], dict[tuple[str, str, str], Judged]] = {}
    for line in lines:
        if line.comparison and line.first.for_all and line.second.for_all and claim_of(line).measured != OURS:
            first = result_table(claim_of(line).table).row(line.first.reading_of).printed
            pair = line.first.id, line.second.id, line.on
            of_model.setdefault((name_of(line), first, line.first.reading), {})[pair] = line
    adjusted, points = adjusted_of(lines), []
    for (paper, model, reading), pairs in of_model.items():
        behind = [line for line in pairs.values() if line.verdict == "behind"]
        kept = sum(adjusted[id(line)] == "behind" for line in behind)
        sizes_of = [-PERCENT * line.difference for line in behind]
        by = f"By {min(sizes_of):.1f} to {max(sizes_of):.1f} points. " if len(behind) > 1 else ""
        table = result_table(claim_of(next(iter(pairs.values()))).table)
        rivals = [table.row(line.second.reading_of).printed for line in pairs.values()]
        again = sum(bool(line.first.vectors) for line in pairs.values())
        points.append(
            Point(
                f"With the {reading}, which {paper}'s paper gives to all networks, {model} is behind "
                f"{listed([*dict.fromkeys(rivals)])} in {len(behind)} of {number_of(len(pairs), 'comparisons')}, after "
                f"Holm's correction in {kept}.",
                by
                + (f"{again} of them are with the paper's kind of word vectors. " if again else "")
                + "The counts above use an option chosen on dev.",
                "Other readings of the papers",
                "docs/findings/readings.md",
            )
        )
    return points


def caveats(lines: Sequence[Judged], tables: Iterable[Sequence[Line]]) -> list[str]:
    """Return what to know before a number of the first screen is quoted.

    Args:
        lines: every comparison of the claims.
        tables: the cells of each table of the papers.
    """
    found, of_cells = counted(lines), reproduced([cell for cells in tables for cell in cells])
    if not found.judged:
        return of_cells
    told = [
        "*Undecided* is not *equal*: beside each comparison stands the difference that it could have shown.",
        f"*As claimed* is ahead ({found.ahead} of the {found.hold}) or, for a claim “at least equal”, equal or not "
        f"behind by more than a margin ({found.hold - found.ahead}).",
        f"{found.sampled} of the {found.judged} are on a sample of the paper's corpus or on a split of ours "
        f"({found.sampled_hold} as claimed).",
    ]
    if found.said and found.of_said > 1:
        told.append(
            f"One sentence, “{found.said}”, makes {found.of_said} of the {found.judged} ({found.of_said_hold} as "
            "claimed); comparisons that share a row are not independent."
        )
    if found.contradicted or found.weakened:
        told.append(
            f"Of the {found.hold}, {found.contradicted} are contradicted by another "
            "[reading](docs/findings/readings.md) of their paper, or with a printed option where ours departs from it "
            f"({found.contradicted_kept} also after Holm's correction); {found.weakened} more are undecided under "
            "one."
        )
    if found.unpaired:
        told.append(
            f"For {found.unpaired} of the {found.hold} an option that the paper gives to all networks "
            f"({found.unpaired_names}) is not measured for both rows."
        )
    return [*told, *of_cells]


def reproduced(cells: Iterable[Line]) -> list[str]:
    """Return how the printed numbers that are measured compare with ours, as one sentence; none without numbers."""
    printed = [cell for cell in cells if cell.published and cell.measured and not cell.is_unverified]
    if not printed:
        return []
    verdicts = Counter(cell.verdict for cell in printed)
    told = [
        f"{verdicts[verdict]} {said}"
        for verdict, said in (
            ("higher", "higher here"),
            ("lower", "lower"),
            ("agrees", "in our interval"),
            ("uninformative", "undecided, because ours vary widely"),
            ("one-run", "without a verdict, from one run"),
            ("cut", "without one, from a cut training"),
        )
        if verdicts[verdict]
    ]
    exact = sum(cell.match == "exact" for cell in printed)
    return [
        f"*Measured* is not *reproduced*. Printed numbers that are measured: {len(printed)}; {'; '.join(told)}. With "
        f"word vectors of the paper's kind, its split and its texts: {exact}."
    ]


def linear_lead(lines: Sequence[Judged], tables: Iterable[tuple[ResultTable, Sequence[Line]]]) -> list[Point]:
    """Return where NB-SVM leads most over the best number that a paper prints, and how the paper's model does there.

    Args:
        lines: every comparison of the claims.
        tables: each table with its cells.
    """
    found = [lead for table, scores in tables for lead in leads_of(table, scores)]
    lead = max(found, key=lambda each: each.points, default=None)
    if lead is None or lead.points <= 0:
        return []
    adjusted = adjusted_of(lines)
    beside = [
        f"{line.first.printed} less {lead.row}, both trained here: {signed(PERCENT * line.difference)} points "
        f"({in_points(line.comparison.interval())}; {adjusted.get(id(line), line.verdict)} after Holm's correction)."
        for line in lines
        if claim_of(line).measured == OURS
        and (name_of(line), line.second.id, line.on) == (lead.paper, FLOOR, lead.column)
        and line.comparison
        and not line.first.reading_of
    ]
    told = [f"{lead.row} reaches {lead.clean:.1f}% without near copies of training texts."] if lead.clean else []
    if lead.network:
        told.append(f"The best network of that table trained here reaches {lead.network:.1f}%.")
    told.append(f"No test is made of a printed number{', and the split is ours' if lead.is_own_split else ''}.")
    title = (
        f"On {lead.column}, where the gap is largest, a linear model, {lead.row}, has an accuracy of "
        f"{lead.measured:.1f}%; the best number that {lead.paper} prints there is {lead.printed:.1f}."
    )
    return [Point(title, " ".join([*dict.fromkeys(beside), *told]), "All columns", BESIDE_PRINT)]


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
            outcome = ["–"] * len(OUTCOME)
            if counts.judged:
                kept, against = len(counts.kept), len(counts.against_kept)
                numbers = counts.judged, counts.hold, counts.against, counts.open
                outcome = [*map(str, numbers), f"{kept} / {against}"]
            name = f"[{NAMES[paper.name]}](docs/tables/{paper.name}.md)"
            told = [f"{count} {what}" for count, what in ((found.cut, "cut"), (found.unverified, UNVERIFIED)) if count]
            mark = f" ({', '.join(told)})" if told else ""
            body.append([name, *outcome, f"{found.measured} of {found.printed}{mark}"])
    return markdown_table(("paper", *OUTCOME, "printed numbers measured"), body)


def front_table(table: ResultTable, scores: Iterable[Line]) -> str:
    """Return a short table, the printed number beside ours: the paper's rows and the floors measured on half of its
    columns or more.
    """
    measured = {(score.row, score.column): score for score in scores if score.measured or score.part}
    columns = [column for column in table.columns if any(name == column.id for _, name in measured)]
    found = Counter(row for row, _ in measured)
    rows = [row for row in table.rows if not row.reading_of and 2 * found[row.id] >= max(len(columns), 1)]
    body = [[row.printed, *(front_cell(measured.get((row.id, column.id)), row) for column in columns)] for row in rows]
    return markdown_table(["", *(column.printed for column in columns)], body)


def front_cell(score: Line | None, row: Row) -> str:
    """Return a cell of the short table; a tenth of its interval is enough."""
    printed = f" (*{score.published}*)" if score and score.published else ""
    if score is None or score.part:
        return (score.part if score else "–") + printed
    half = (float(score.high) - float(score.low)) / 2 if score.high else 0
    number = score.measured + (f" ± {max(half, 0.1):.1f}" if half else "")
    marks = (few_runs(score, row), "cut" if score.is_cut else "", UNVERIFIED if score.is_unverified else "")
    return ", ".join([number, *filter(None, marks)]) + printed
