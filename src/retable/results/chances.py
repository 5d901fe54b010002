"""The finding of the equal-chances table: on how many columns networks beat a linear model, and at what cost."""

from collections.abc import Sequence
from statistics import median

from retable.models import is_floor
from retable.papers.paper import Column, Row
from retable.results.bench import SAID, Bench, Standing, best_linear, best_on_dev
from retable.results.findings import Finding
from retable.results.judging import PERCENT
from retable.tables.markdown import markdown_table
from retable.wording import listed, number_of

CHANCES = "equal-chances"
AFTER_HOLM = ("ahead", "behind")  # the verdicts that are also counted after the correction
HEADER = (
    "on", "linear model", "best network on dev", *SAID, "undecided", *(f"{each} after Holm" for each in AFTER_HOLM),
    "detectable", "operations per word",
)  # fmt: skip
TEXT = (
    "Every network has the same word vectors and tokens, eight trials on dev and the same stopping rule "
    "([rules](../bench.md)), and is compared, text by text, with the linear model that was best on dev. Only columns "
    "that every system has are counted. The mean of word vectors, which are tuned, counts as a network; fastText, with "
    "vectors of its own, does not, but Holm's correction has its tests too. Both named models, with their accuracy in "
    "%, were chosen on dev. *Detectable* "
    "is the median difference, in points, that a comparison would decide in 80 of 100 repetitions: true "
    "differences of systems may be smaller, so undecided is no evidence of equality. The last column is the network's "
    "operations per word, forward pass, as a multiple of the linear model's.\n"
)
PICTURE = "\n![Accuracy against cost, means over corpora](../figures/bench-figure-1.svg)\n"


def equal_chances(bench: Bench) -> Finding | None:
    """Return how many networks beat the best linear model on each complete column; None if no column is complete."""
    body, names, judged = [], list[str](), list[Standing]()
    networks = [row.id for row in bench.rows if not is_floor(row.model)]
    for column in bench.complete:
        standings = [each for (row, name), each in bench.standings.items() if name == column.id and row in networks]
        linear = best_linear(column, bench.filled)
        network = best_on_dev([each.line.first for each in standings], column, bench.filled)
        if linear and network:
            body.append(cells_of(column, linear, network, standings, bench))
            names.append(column.printed)
            judged += standings
    if not body:
        return None
    (ahead, behind), kept = ([of(judged, verdict) for verdict in AFTER_HOLM] for of in (count, count_adjusted))
    headline = (
        f"Under equal chances a network is ahead of the best linear model in {ahead} of "
        f"{number_of(len(judged), 'comparisons')} and behind in {behind}; after Holm's correction in {kept[0]} and "
        f"{kept[1]}"
    )
    tests = sum(bool(each.adjusted) for each in bench.standings.values())
    text = (
        f"{number_of(len(networks), 'networks').capitalize()} on {listed(names)}; Holm's correction is for all {tests} "
        f"tests of the table. {TEXT}"
    )
    return Finding(CHANCES, headline, f"{text}\n{markdown_table(HEADER, body)}{PICTURE}")


def cells_of(column: Column, linear: Row, network: Row, standings: Sequence[Standing], bench: Bench) -> list[str]:
    """Return a column's cells, in the order of HEADER."""
    detectable = [each.line.comparison.detectable for each in standings if each.line.comparison]
    cells = (bench.filled.shown((row.id, column.id)) for row in (network, linear))
    flops = [median(run.cost["flops_per_word"] for run in runs) for runs in cells]
    return [
        column.printed,
        *(f"{row.printed}, {bench.scores[row.id, column.id].measured}" for row in (linear, network)),
        *(str(count(standings, verdict)) for verdict in (*SAID, "undecided")),
        *(str(count_adjusted(standings, verdict)) for verdict in AFTER_HOLM),
        f"{PERCENT * median(detectable):.1f}" if detectable else "–",
        f"{flops[0] / flops[1]:,.0f} times",
    ]


def count(standings: Sequence[Standing], verdict: str) -> int:
    """Count the standings with this verdict."""
    return sum(each.line.verdict == verdict for each in standings)


def count_adjusted(standings: Sequence[Standing], verdict: str) -> int:
    """Count the standings with this verdict after Holm's correction."""
    return sum(each.adjusted == verdict for each in standings)
