"""The pages of claims: each sentence, its comparisons, and the ids of the texts on which two rows differ."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from retable.papers import NAMES, result_table
from retable.papers.claims import OURS, Claim, claims
from retable.results.claims import WHO, beside_readings, cells_of
from retable.results.headline import counted, linear_lead
from retable.results.judging import PERCENT, Judge, Line, after_holm
from retable.results.pairing import answers
from retable.results.whole import Whole
from retable.site.templating import render

SIGNS = {">": "ahead of", ">=": "at least equal to", "=": "equal to"}
TEXTS_SHOWN = 12  # texts on which two rows differ, per side
REACH = 10.0  # points on either side of zero in the picture of an interval


def pages(whole: Whole) -> Iterator[tuple[str, str]]:
    """Yield a page for each paper's claims, and one for each measured claim."""
    for name, of_paper in groupby(whole.lines, key=paper_of):
        lines = list(of_paper)
        adjusted = after_holm(lines)
        of_claim = {number: list(found) for number, found in groupby(lines, key=lambda line: line.claim)}
        shown = {
            number: [comparison(line, adjusted.get(id(line), ""), found) for line in found]
            for number, found in of_claim.items()
        }
        listed = [(head(claims()[number]), f"claims/{number}.html", found) for number, found in shown.items()]
        left = [each for number, each in enumerate(claims()) if each.paper == name and number not in of_claim]
        values: dict[str, Any] = {"name": NAMES[name], "claims": listed, "unmeasured": [head(each) for each in left]}
        yield f"claims/{name}.html", render("claims.html", f"claims/{name}.html", values)
        for number, found in of_claim.items():
            place = f"claims/{number}.html"
            differing = [texts_between(line, whole) for line in found]
            pairs = list(zip(shown[number], differing, strict=True))
            values = {"claim": head(claims()[number]), "pairs": pairs, "paper": (NAMES[name], f"claims/{name}.html")}
            yield place, render("claim.html", place, values)


def overview(whole: Whole) -> dict[str, Any]:
    """Return the claims section of the home page."""
    tables = (whole.tables[name] for name in dict.fromkeys(claim.table for claim in claims()) if name in whole.tables)
    lead = linear_lead((each.table, each.scores) for each in tables)
    return {"counts": counted(whole.lines), "lead": lead}


def paper_of(line: Line) -> str:
    """Return the paper whose claim a comparison belongs to."""
    return claims()[line.claim].paper


def head(claim: Claim) -> dict[str, str]:
    """Describe a claim in words."""
    table = result_table(claim.table)
    rows = (table.row(claim.first).printed, SIGNS[claim.sign], table.row(claim.second).printed)
    who = "our own question; no paper makes this comparison" if claim.measured == OURS else WHO[claim.measured]
    return {"words": " ".join(rows), "sentence": claim.sentence, "place": claim.place, "who": who, "size": claim.size}


def comparison(line: Line, adjusted: str, others: Sequence[Line]) -> dict[str, Any]:
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
        found["bar"] = [at(value) for value in (low, PERCENT * line.difference, high)]
    return found | {
        "is_reading": bool(line.first.reading_of or line.second.reading_of),
        "readings": beside_readings(line, others),
        "mark": None if line.printed is None else at(line.printed),
    }


def at(points: float) -> float:
    """Return the position of a difference in the picture, in % of its width."""
    return round(50 + 50 * float(np.clip(points, -REACH, REACH)) / REACH, 1)


def texts_between(line: Line, whole: Whole) -> dict[str, Any]:
    """Return on how many texts two rows differ, and where they differ most; for single columns only."""
    table = result_table(claims()[line.claim].table)
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
