"""Render docs/claims.md: the papers' claims with their comparisons, each as a line of a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from retable.papers import NAMES, result_table
from retable.papers.claims import OURS, Claim, claims
from retable.results.judging import AT_LEAST, NONE, NOT_BEHIND, PERCENT, Judged, after_holm, claim_of, in_points
from retable.tables.comparison import Comparison
from retable.tables.markdown import markdown_table, signed
from retable.wording import listed

HEADER = ("rows", "on", "runs", "texts", "ours, points", "detectable", "printed", "size", "verdict", "Holm")
VERDICTS = ("ahead", "behind", "equal", NOT_BEHIND, "undecided", "none")
WHO = {
    "own": "both measured by the authors",
    "cited": "one of them quoted",
    "both-cited": "both quoted",
    "unknown": "not stated who measured",
}
ROUNDING = 0.05
CONTRADICT, NOT_EVERY = "readings contradict", "not under every reading"
LARGER, SMALLER, AS_PRINTED = "printed is larger", "printed is smaller", "within our prediction interval"


def claims_markdown(lines: Sequence[Judged]) -> str:
    """Return the page's body: a table of counts, then each paper's claims with their comparisons."""
    parts, counts = [], []
    for name, of_paper in groupby(lines, key=lambda line: claim_of(line).paper):
        found = list(of_paper)
        adjusted = after_holm(found)
        parts.append(paper_markdown(name, found, adjusted))
        counts.append(counts_of(name, found, list(adjusted.values())))
    header = ("paper", "comparisons", *VERDICTS, "decided after Holm")
    told = "Every comparison below, other readings and our own questions included ([the papers' own](../README.md)):\n"
    return "\n".join([told, markdown_table(header, counts), *parts, unmeasured(lines)])


def counts_of(name: str, lines: Sequence[Judged], adjusted: Sequence[str]) -> list[str]:
    """Return a paper's row of the table of counts."""
    verdicts = Counter(line.verdict for line in lines)
    kept = sum(verdict != "undecided" for verdict in adjusted)
    return [NAMES[name], str(len(lines)), *(str(verdicts[verdict]) for verdict in VERDICTS), str(kept)]


def paper_markdown(name: str, lines: Sequence[Judged], adjusted: Mapping[int, str]) -> str:
    """Return a paper's claims: each sentence, then its comparisons."""
    parts = [f"## {NAMES[name]}\n", *notes_on_columns(lines), kept_leads(lines, adjusted)]
    for (place, sentence, measured), of_sentence in groupby(lines, key=lambda line: said(claim_of(line))):
        found = list(of_sentence)
        where = "Ours; no paper makes these comparisons" if measured == OURS else place[0].upper() + place[1:]
        quoted = f": “{sentence}”" if sentence else ""
        who = f" ({WHO[measured]})" if measured != OURS else ""
        body = [cells_of(line, adjusted.get(id(line), ""), beside_readings(line, found)) for line in found]
        parts.append(f"**{where}**{quoted}{who}\n\n{markdown_table(HEADER, body)}")
    return "\n".join(parts)


def kept_leads(lines: Sequence[Judged], adjusted: Mapping[int, str]) -> str:
    """Return the leads that the paper claims and that are still leads after Holm's correction, each once."""
    found = dict[str, str]()
    for line in lines:
        claim = claim_of(line)
        is_reading = line.first.reading_of or line.second.reading_of
        if claim.measured == OURS or is_reading or claim.sign == "=" or adjusted.get(id(line)) != "ahead":
            continue
        others = [other for other in lines if other.comparison and (other.claim, other.on) == (line.claim, line.on)]
        left = sum(adjusted.get(id(other)) == "ahead" for other in others)
        readings = f" (under {left} of {len(others)} readings)" if len(others) > 1 else ""
        found[f"{line.first.printed} over {line.second.printed}, {line.on}"] = readings
    names = "; ".join(name + readings for name, readings in found.items()) or "none"
    return f"Leads that the paper claims and that remain after Holm's correction: {names}.\n"


def notes_on_columns(lines: Sequence[Judged]) -> list[str]:
    """Return a list of what must be known about the columns of a paper's comparisons; empty if there is nothing."""
    tables = dict[str, dict[str, list[str]]]()  # column -> note -> numbers of the tables that have it
    for line in (line for line in lines if line.comparison):
        claim = claim_of(line)
        for column in result_table(claim.table).columns:
            if column.note and (column.id in claim.columns if claim.together else column.printed == line.on):
                number = claim.table.rpartition("-")[2]
                of_note = tables.setdefault(line.on, {}).setdefault(column.note, [])
                of_note += [number] if number not in of_note else []
    told = [
        f"- {on}{f' (table {listed(sorted(of))})' if len({*map(tuple, notes.values())}) > 1 else ''}: {note}\n"
        for on, notes in tables.items()
        for note, of in notes.items()
    ]
    return ["".join(told)] if told else []


def named(claim: Claim) -> tuple[str, str, str]:
    """Return the printed name of the first row, the sign, and that of the second row."""
    table = result_table(claim.table)
    return table.row(claim.first).printed, shown_sign(claim), table.row(claim.second).printed


def shown_sign(claim: Claim) -> str:
    """Return a claim's sign as shown."""
    return claim.sign.replace(">=", "≥")


def said(claim: Claim) -> tuple[str, str, str]:
    """Return where a claim appears, its sentence, and who measured it."""
    return claim.place, claim.sentence, claim.measured


def beside_readings(line: Judged, others: Sequence[Judged]) -> str:
    """Return how the verdicts under all readings of a claim differ on the same texts; empty if they are the same.

    An undecided reading contradicts nothing: that one interval holds zero and another does not is no evidence that the
    two readings differ. For a claim "at least equal", ahead, equal and not behind say the same.
    """
    verdicts = {other.verdict for other in others if (other.claim, other.on) == (line.claim, line.on)} - {NONE}
    if line.at_least and verdicts & AT_LEAST:
        verdicts = (verdicts - AT_LEAST) | {NOT_BEHIND}
    if line.comparison is None or len(verdicts) < 2:
        return ""
    return CONTRADICT if len(verdicts - {"undecided"}) > 1 else NOT_EVERY


def through(contradictions: Sequence[Sequence[Judged]]) -> str:
    """Return the reading without which most of these comparisons would hold no contradiction; empty if none is."""
    alone = Counter[str]()
    for found in contradictions:
        named = [name for line in found for name in readings_of(line)]
        for name in dict.fromkeys(named):
            others = [line for line in found if name not in readings_of(line)]
            alone[name] += not others or beside_readings(others[0], others) != CONTRADICT
    (name, count), (_, next_one), *_ = [*alone.most_common(2), ("", 0), ("", 0)]
    is_one = next_one < count and 2 * count > len(contradictions) > 1
    return f" ({count} of them through one: {name})" if is_one else ""


def readings_of(line: Judged) -> list[str]:
    """Return the names of the readings of a comparison; rows of one `Row.reading` are one, whatever their vectors."""
    return [row.reading or row.printed for row in (line.first, line.second) if row.reading_of]


def cells_of(line: Judged, adjusted: str, readings: str = "") -> list[str]:
    """Return a comparison as the cells of a table row.

    Args:
        line: the comparison.
        adjusted: its verdict after Holm's correction; empty if it has none.
        readings: how the verdicts under all readings differ.
    """
    claim, found = claim_of(line), line.comparison
    names = [f"*{row.printed}*" if row.reading_of else row.printed for row in (line.first, line.second)]
    ours, shows, size = signed(PERCENT * line.difference), "", ""
    if found:
        ours, shows = f"{ours} ({in_points(found.interval())})", f"{PERCENT * found.detectable:.1f}"
        size = "" if line.printed is None else size_of(line.printed, found)
    printed = "" if line.printed is None else signed(line.printed)
    if claim.size and (line.printed is None or abs(line.printed - float(claim.size)) >= ROUNDING):
        printed = f"{printed}; in words {claim.size}".removeprefix("; ")
    verdict = f"**{line.verdict}**" if line.comparison else f"none ({line.why})"
    return [
        f" {shown_sign(claim)} ".join(names),
        line.on,
        "{} / {}".format(*line.runs),
        f"{line.texts:,}",
        ours,
        shows,
        printed,
        size,
        f"{verdict}; {readings}" if readings else verdict,
        adjusted,
    ]


def size_of(printed: float, found: Comparison) -> str:
    """Return how the printed difference compares with our interval, in points."""
    low, high = (PERCENT * end for end in found.expected)
    return LARGER if printed > high else SMALLER if printed < low else AS_PRINTED


def unmeasured(lines: Sequence[Judged]) -> str:
    """List the claims for which no comparison could be made."""
    measured = {line.claim for line in lines}
    left = [
        f"- {NAMES[claim.paper]}, {claim.place}: {' '.join(named(claim))}"
        for claim in claims()
        if claim not in measured
    ]
    return "## Not measured yet\n\n" + "\n".join(left) + "\n" if left else ""
