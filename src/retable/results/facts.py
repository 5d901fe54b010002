"""Collect the facts about the data as rows of plain tables; the report shows them as HTML, the docs as Markdown.

In   data/{clean,overlap,parts,tagged,vectors}/, for the entries of params.yaml
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from retable.corpora import CORPORA, corpus
from retable.errors import InputError
from retable.experiments.scale import model_preset
from retable.files import AGAIN, read_json
from retable.forms import COUNT, NAME, Form, ListOf, Maybe, Named, Number, Plain, Section, check
from retable.models import MODELS, TRAINERS, description
from retable.project.params import read_params
from retable.project.paths import CLEAN, OVERLAP, PARTS_TABLES, TAGGED, TAGGER, VECTORS
from retable.tables.statistics import read_stats
from retable.text.splits import UNLABELLED
from retable.vectors.store import FACTS, WordVectors, read_vectors
from retable.vectors.store import coverage as words_covered
from retable.vectors.token_lists import TokenLists

Rows = list[dict[str, Any]]
SHOWN_ELSEWHERE = ("source", "unit", "size", "format", "member", "corpora")  # parameters of vectors
COMPARED = {  # key of agreement.json -> its description
    "words": "words of tagging in context, looked up",
    "characters": "characters, by the words of plain segmentation",
    "characters_alone": "characters, each looked up by itself",
}

SHARE = Number(0, 1)
OVERLAPS = Section(
    {
        "texts": Named(Named(COUNT, NAME), NAME),
        "pairs": ListOf(Section({"corpus": NAME, "other": NAME, "exact": COUNT, "near": COUNT}, closed=True)),
    },
    closed=True,
)
TAGGED_RIGHT = Section({"upos": SHARE, "xpos": SHARE, "words": COUNT}, closed=True)
ACCURACY = Section({"treebank": NAME}, dict.fromkeys(("dev", "test", "test_lowercased"), TAGGED_RIGHT), closed=True)
AGREED = Section(
    {"tokens": COUNT, "same_part": Maybe(SHARE), "same_verdict": Maybe(SHARE), "added": COUNT}, closed=True
)
AGREEMENT = Section(
    {
        "table": Named(COUNT),
        "dev": Named(Section({"texts": COUNT, **dict.fromkeys(COMPARED, AGREED)}, closed=True), NAME),
    },
    closed=True,
)
OF_VECTORS = Section(
    {**FACTS.fields, "name": NAME, "method": NAME},
    {**(FACTS.more or {}), "training_words": COUNT, "parameters": Named(Plain(), NAME)},
)


def json_at(path: Path, form: Form) -> dict[str, Any]:
    """Return a JSON file; empty if it does not exist. Raises: InputError if it has another form."""
    if not path.exists():
        return {}
    found: dict[str, Any] = read_json(path)
    check(found, form, str(path), AGAIN)
    return found


def statistics_in_scale() -> list[dict[str, Any]]:
    """Return the statistics of the cleaned corpora of params.yaml, in its order."""
    paths = [CLEAN / name / "stats.json" for name in read_params("corpora")]
    return [read_stats(path) for path in paths if path.exists()]


def vectors_in_scale() -> list[dict[str, Any]]:
    """Return the facts of the word vectors of params.yaml that exist, in its order."""
    paths = [VECTORS / name / "vectors.json" for name in read_params("vectors")]
    return [json_at(path, OF_VECTORS) for path in paths if path.exists()]


def declared_corpora(*, at_hand: bool) -> Rows:
    """Return the registered corpora that are available here, or those that are not."""
    found = [corpus(name) for name in CORPORA]
    return [
        {
            "id": f"`{each.name}`",
            "what": each.title,
            "published splits": splits_of(each.texts, each.unlabelled),
            "classes": len(each.labels),
            "language": each.language,
            "tokens": "its own" if each.tokenised else "raw text",
            "licence of the texts": each.licence,
        }
        | ({} if at_hand else {"how to get it": each.obtain})
        for each in found
        if each.at_hand == at_hand
    ]


def splits_of(texts: Mapping[str, Any], unlabelled: int) -> str:
    """Return "6,920 / 872 / 1,821" for train, dev and test; "none: 10,662" if no split is published."""
    sizes = {split: total_of(counts) for split, counts in texts.items()}
    if "all" in sizes:
        return f"none: {sizes['all']}"
    labelled = " / ".join(sizes.get(split, "-") for split in ("train", "dev", "test"))
    return labelled + (f" + {unlabelled:,} unlabelled" if unlabelled else "")


def total_of(counts: Any) -> str:
    """Return the sum of a split's counts; a question mark if it is not declared."""
    if counts is None:
        return "?"
    return f"{counts if isinstance(counts, int) else sum(counts):,}"


def models() -> Rows:
    """Return every model, what it is, and how its preset trains it."""
    return [
        {"id": f"`{name}`", "what": description(name), **training_text(model_preset(name)["training"])}
        for name in sorted(MODELS | TRAINERS)
    ]


def training_text(training: Mapping[str, Any]) -> dict[str, str]:
    """Return optimiser, initial rate, schedule and batch size of a preset; a linear model has none of them."""
    if "optimiser" not in training:
        return {}
    momentum = f", momentum {training['momentum']:g}" if training["momentum"] else ""
    decay = f", L2 {training['weight_decay']:g}" if training["weight_decay"] else ""
    return {
        "optimiser": f"{training['optimiser']}{momentum}{decay}",
        "learning rate": f"{training['learning_rate']:g}, {training['schedule']}",
        "batch": str(training["batch_size"]),
        "epochs": f"{training['epochs']}, patience {training['patience']}",
    }


def corpora() -> Rows:
    """Return the size and contents of this scale's corpora."""
    return [
        {
            "corpus": facts["corpus"],
            "language": facts["language"],
            "classes": facts["classes"],
            **{split: facts["splits"][split]["texts"] for split in ("train", "dev", "test")},
            UNLABELLED: facts["splits"].get(UNLABELLED, {}).get("texts"),
            "words a text": facts["published-average-words"] if facts["language"] != "zh" else None,
            "characters a text": facts["published-average-characters"],
            "vocabulary": facts[f"published-vocabulary-{'characters' if facts['language'] == 'zh' else 'words'}"],
            "removed": sum(facts["removed"].values()),
        }
        for facts in statistics_in_scale()
    ]


def leakage() -> Rows:
    """Return how many dev and test texts occur in the training texts of a corpus, and how many texts are repeated."""
    rows: Rows = []
    for facts in statistics_in_scale():
        leaks, test = facts["leakage"], facts["splits"]["test"]["texts"]
        in_train = {
            f"{asked} in train, {kind}": leaks[f"{asked}-in-train"][kind]
            for asked in ("dev", "test")
            for kind in ("exact", "near")
        }
        clean, twice = share(test - sum(leaks["test-in-train"].values()), test), facts["near-duplicates"]
        counts = {"clean test texts": clean, "texts in clusters": twice["texts"], "clusters": twice["clusters"]}
        rows.append({"corpus": facts["corpus"], **in_train, **counts})
    return rows


def overlaps() -> Rows:
    """Return pairs of corpora that share texts, largest overlap first."""
    found = json_at(OVERLAP / "overlap.json", OVERLAPS)
    texts = {name: sum(splits.values()) for name, splits in found.get("texts", {}).items()}
    if unknown := [pair["corpus"] for pair in found.get("pairs", []) if pair["corpus"] not in texts]:
        raise InputError(f"{OVERLAP / 'overlap.json'} has pairs of {unknown[0]}, but not its texts; {AGAIN}.")
    pairs = [(pair["corpus"], pair["other"], pair["exact"], pair["near"]) for pair in found.get("pairs", [])]
    return [
        {"texts of": name, "all": texts[name], "in": other, "exactly": exact, "nearly": near}
        for name, other, exact, near in sorted(pairs, key=lambda pair: (-pair[2] - pair[3], *pair[:2]))
    ]


def vectors() -> Rows:
    """Return the word vectors of this scale."""
    rows: Rows = []
    for facts in vectors_in_scale():
        known = {"vectors": facts["name"], "unit": facts.get("unit", "words"), "words": facts["words"]}
        sizes = {"size": facts["dim"], "training words": facts.get("training_words")}
        shown = [(name, value) for name, value in facts.get("parameters", {}).items() if name not in SHOWN_ELSEWHERE]
        options = ", ".join(f"{name} {value}" for name, value in shown)
        rows.append({**known, **sizes, "method": f"{facts['method']}: {options}"})
    return rows


def coverage() -> Rows:
    """Return the share of training tokens that have a vector: one row per corpus, one column per set of vectors."""
    sets = [read_vectors(VECTORS / facts["name"]) for facts in vectors_in_scale()]
    rows = []
    for name in sorted(read_params("corpora"), key=lambda each: (corpus(each).language, each)):
        file = TAGGED / name / "train.parquet"
        of_language = [vectors for vectors in sets if vectors.facts["language"] == corpus(name).language]
        if file.exists() and of_language:
            rows.append({"corpus": name} | covered(file, of_language))
    return rows


def covered(file: Path, sets: Iterable[WordVectors]) -> dict[str, str]:
    """Return vectors -> the share of a split's tokens, and of its distinct words, that have one: "98.6% (34.9%)"."""
    counts = cache(lambda lowercase, unit: TokenLists(file, lowercase=lowercase, unit=unit).counts())
    found = {}
    for vectors in sets:
        facts = vectors.facts
        shares = words_covered(counts(facts["lowercase"], facts["unit"]), set(vectors.words))
        found[facts["name"]] = f"{shares.tokens:.1%} ({shares.words:.1%})"
    return found


def tagger() -> Rows:
    """Return the accuracy of the part-of-speech tagger."""
    return [
        {
            "split": name.replace("_", ", "),
            "words": found["words"],
            "UPOS": percentage(found["upos"]),
            "XPOS": percentage(found["xpos"]),
        }
        for name, found in json_at(TAGGER / "accuracy.json", ACCURACY).items()
        if isinstance(found, Mapping)
    ]


def comparison_table() -> Rows:
    """Return how often part-of-speech lookup agrees with tagging in context, on dev texts."""
    return [
        {
            "corpus": name,
            "compared": COMPARED[unit],
            "tokens": found[unit]["tokens"],
            "same part": percentage(found[unit]["same_part"]),
            "same verdict (content or not)": percentage(found[unit]["same_verdict"]),
            "words added": found[unit].get("added"),
        }
        for name, found in json_at(PARTS_TABLES / "zh/agreement.json", AGREEMENT).get("dev", {}).items()
        for unit in COMPARED
    ]


def names_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the columns of a table, in order of first appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def share(part: int, whole: int) -> str:
    """Return "1,815 (99.7%)"."""
    return f"{part:,} ({part / whole:.1%})" if whole else "0"


def percentage(fraction: float | None) -> str | None:
    """Format a fraction as a percentage; None if there is none."""
    return None if fraction is None else f"{fraction:.1%}"
