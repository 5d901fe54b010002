"""The pages of claims: each sentence, its comparisons, and the ids of the texts on which two rows differ."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from math import ceil
from typing import Any

import numpy as np

from retable.papers import NAMES, result_table
from retable.papers.claims import OURS, SIGNS, Claim, claims
from retable.results.claims import WHO, beside_readings, cells_of
from retable.results.judging import PERCENT, Judge, Judged, after_holm, claim_of
from retable.results.outcomes import counted
from retable.results.pairing import answers
from retable.results.whole import Whole
from retable.site.templating import render
from retable.tables.markdown import signed

TEXTS_SHOWN = 12  # texts on which two rows differ, per side
REACHES = (5, 8, 12, 16, 20, 30, 50, 100)  # points on either side of zero in the pictures of a claim's intervals
WHOLE = 2 / 3  # of a claim's comparisons are drawn whole; arrows and numbers stand for what is beyond in the others


def pages(whole: Whole) -> Iterator[tuple[str, str]]:
    """Yield a page for each paper's claims, one for each measured claim, and an index."""
    papers = []
    for name, of_paper in groupby(whole.lines, key=paper_of):
        lines = list(of_paper)
        papers.append((name, NAMES[name], counted(lines)))
        adjusted = after_holm(lines)
        by_claim = groupby(lines, key=lambda line: claims().index(claim_of(line)))
        of_claim = {number: list(found) for number, found in by_claim}
        shown = {number: pictured(found, adjusted) for number, found in of_claim.items()}
        listed = [(head(claims()[number]), places()[number], *found) for number, found in shown.items()]
        left = [each for number, each in enumerate(claims()) if each.paper == name and number not in of_claim]
        values: dict[str, Any] = {"name": NAMES[name], "claims": listed}
        values["unmeasured"] = [(head(each), without_runs(each, whole)) for each in left]
        yield f"claims/{name}.html", render("claims.html", f"claims/{name}.html", values)
        for number, (found, reach) in shown.items():
            differing = [texts_between(line, whole) for line in of_claim[number]]
            values = {"claim": head(claims()[number]), "found": found, "reach": reach}
            values |= {"pairs": [pair for pair in zip(found, differing, strict=True) if pair[1]]}
            values |= {"paper": (NAMES[name], f"claims/{name}.html")}
            yield places()[number], render("claim.html", places()[number], values)
    yield "claims/index.html", render("claims-index.html", "claims/index.html", {"papers": papers})


@cache
def places() -> list[str]:
    """Return the page of each claim, named by what it compares; claims on the same pair are numbered."""
    names = [f"claims/{claim.table}-{claim.first}-beside-{claim.second}" for claim in claims()]
    earlier = [names[:place].count(name) for place, name in enumerate(names)]
    return [
        f"{name}--{before + 1}.html" if before else f"{name}.html" for name, before in zip(names, earlier, strict=True)
    ]


def without_runs(claim: Claim, whole: Whole) -> str:
    """Return which rows of a claim have no run, and why."""
    table = result_table(claim.table)
    ran = {row for row, _ in whole.resolver.fill(table).runs}
    rows = [table.row(name) for name in (claim.first, claim.second) if name not in ran]
    said = [f"no run of {row.printed}" + (f": {row.reason}" if row.reason else "") for row in rows]
    return "; ".join(said) or "no column on which both have runs"


def paper_of(line: Judged) -> str:
    """Return the paper whose claim a comparison belongs to."""
    return claim_of(line).paper


def head(claim: Claim) -> dict[str, str]:
    """Describe a claim in words."""
    table = result_table(claim.table)
    rows = (table.row(claim.first).printed, SIGNS[claim.sign], table.row(claim.second).printed)
    who = "our own question; no paper makes this comparison" if claim.measured == OURS else WHO[claim.measured]
    return {"words": " ".join(rows), "sentence": claim.sentence, "place": claim.place, "who": who, "size": claim.size}


def pictured(lines: Sequence[Judged], adjusted: Mapping[int, str]) -> tuple[list[dict[str, Any]], int]:
    """Return a claim's comparisons as lines of a table, and how far to either side their pictures reach, in points."""
    reach = reach_of([farthest for line in lines if (farthest := farthest_of(line))])
    return [comparison(line, adjusted.get(id(line), ""), lines, reach) for line in lines], reach


def farthest_of(line: Judged) -> float:
    """Return how far from zero a comparison's interval or printed difference goes, in points; 0 if it has neither."""
    ends = [PERCENT * end for end in line.comparison.interval()] if line.comparison else []
    return max(map(abs, [*ends, *([] if line.printed is None else [line.printed])]), default=0.0)


def reach_of(farthest: Sequence[float]) -> int:
    """Return how far a picture reaches to either side of zero, in points, to hold two thirds of these whole.

    One reading that fails by forty points would make a blob of all the others.
    """
    held = sorted(farthest)[ceil(WHOLE * len(farthest)) - 1] if farthest else 0.0
    return next((reach for reach in REACHES if held <= reach), REACHES[-1])


def comparison(line: Judged, adjusted: str, others: Sequence[Judged], reach: int) -> dict[str, Any]:
    """Return a comparison as a line of a table, with the picture of its interval."""
    rows, on, runs, texts, ours, shows, printed, size, _, holm = cells_of(line, adjusted)
    found: dict[str, Any] = {
        "rows": rows.replace("*", ""),
        "on": on,
        "runs": runs,
        "texts": texts,
        "ours": ours,
        "shows": shows,
    }
    found |= {"printed": printed, "size": size, "verdict": line.verdict, "why": line.why, "holm": holm}
    if line.comparison:
        low, high = (PERCENT * end for end in line.comparison.interval())
        points = PERCENT * line.difference
        found |= {"interval": [at(end, reach) for end in (low, high)], "dot": within(points, reach)}
        found["arrows"] = arrows(low, points, high, line.printed, reach)
    return found | {
        "is_reading": bool(line.first.reading_of or line.second.reading_of),
        "readings": beside_readings(line, others),
        "mark": None if line.printed is None else within(line.printed, reach),
    }


def within(points: float, reach: int) -> float | None:
    """Return the position of a difference in a picture, in % of its width; None if it is beyond its edges."""
    return at(points, reach) if abs(points) <= reach else None


def at(points: float, reach: int) -> float:
    """Return the position of a difference in a picture that reaches so far, in % of its width; at most at its edge."""
    return round(50 + 50 * float(np.clip(points / reach, -1, 1)), 1)


def arrows(low: float, ours: float, high: float, printed: float | None, reach: int) -> dict[tuple[str, bool], str]:
    """Return whose arrows point beyond a picture's edges, and whether to the left -> the number beside it.

    An arrow at the end of an interval has no number if the difference itself is in the picture.
    """
    found = dict[tuple[str, bool], str]()
    for whose, points, number in (
        ("ours", ours, signed(ours)),
        ("printed", printed or 0.0, signed(printed or 0.0)),
        ("ours", low, ""),
        ("ours", high, ""),
    ):
        if abs(points) > reach:
            found.setdefault((whose, points < 0), number)
    return found


def texts_between(line: Judged, whole: Whole) -> dict[str, Any]:
    """Return on how many texts two rows differ, and where they differ most; for single columns only."""
    table = result_table(claim_of(line).table)
    shown = whole.resolver.fill(table).runs
    column = next((each for each in table.columns if each.printed == line.on and not each.runs_of), None)
    keys = [(row.id, column.id) for row in (line.first, line.second)] if column else []
    if column is None or column.domain or not all(key in shown for key in keys):
        return {}
    return differing(shown[keys[0]], shown[keys[1]], whole.judge)


def differing(first: Any, second: Any, judge: Judge) -> dict[str, Any]:
    """Return how the answers of two cells differ, text by text."""
    pair = answers(first, second, judge.right_of)
    gap = pair.first.mean(axis=0) - pair.second.mean(axis=0)
    order = np.argsort(gap, kind="stable")
    ahead = [pair.ids[place] for place in order[::-1][:TEXTS_SHOWN] if gap[place] > 0]
    behind = [pair.ids[place] for place in order[:TEXTS_SHOWN] if gap[place] < 0]
    return {
        "texts": len(pair.ids),
        "first": int((gap > 0).sum()),
        "second": int((gap < 0).sum()),
        "ahead": ahead,
        "behind": behind,
    }
