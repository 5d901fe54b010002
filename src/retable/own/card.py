"""Describe a fitted model and its quality: the lines printed after a fit, and the model card in its folder."""

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binomtest
from sklearn.metrics import precision_recall_fscore_support

from retable.models import TRAINERS, is_floor
from retable.own.candidates import Candidate
from retable.own.corpus import OwnCorpus
from retable.own.labels import sentence_of_labels, warning_of_labels
from retable.own.vectors import no_own_vectors
from retable.runs.provenance import versions
from retable.tables.markdown import literal, signed
from retable.text.splits import Split
from retable.wording import number_of

if TYPE_CHECKING:
    from retable.own.fit import Fitted

MOST_LABELS = 20  # in a sentence
LANGUAGE_NAMES = {"en": "English", "zh": "Chinese", "other": "neither English nor Chinese"}


def corpus_lines(corpus: OwnCorpus) -> list[str]:
    """Return the findings about the texts, one sentence per line."""
    sizes = ", ".join(f"{len(split.ids):,} {name}" for name, split in splits_of(corpus).items())
    lines = [
        f"{sizes} texts of {len(corpus.facts.labels)} labels, language: {LANGUAGE_NAMES[corpus.facts.language]}.",
        sentence_of_labels(counts_of_labels(corpus)),
    ]
    if warning := warning_of_labels(corpus.facts.labels):
        lines.append(warning)
    lines += [f"Left out: {number_of(count, 'texts')}, {reason}." for reason, count in sorted(corpus.removed.items())]
    if corpus.alike:
        lines.append(
            "Near copies were not looked for, only equal letters and digits: too many pairs of unrelated texts look "
            "alike at first sight."
        )
    if corpus.near_copies:
        of_drawn, copies = (
            "texts of train and dev" if corpus.given else "texts",
            "copies" if corpus.alike else "near copies",
        )
        lines.append(f"{corpus.near_copies:,} {of_drawn} are {copies} of others; copies stay in one split.")
    if corpus.leaked:
        occur = "occur" if corpus.alike else "(nearly) occur"
        lines.append(f"{corpus.leaked:,} test texts {occur} in train or dev: the score does not hold for new texts.")
    return lines


def counts_of_labels(corpus: OwnCorpus) -> Counter[str]:
    """Return the number of texts of every label, in all splits."""
    classes = (place for split in splits_of(corpus).values() for place in split.classes.tolist())
    return Counter(corpus.facts.labels[place] for place in classes)


def splits_of(corpus: OwnCorpus) -> dict[str, Split]:
    """Return the splits by name."""
    return {"train": corpus.train, "dev": corpus.dev, "test": corpus.test}


def table_of_candidates(fitted: "Fitted") -> list[list[str]]:
    """Return a line for each candidate: model, dev accuracy with its interval, seconds, note."""
    texts = len(fitted.corpus.dev.ids)
    return [
        [
            each.model,
            percent(each.accuracy, texts),
            f"{each.seconds:.1f}",
            ", ".join(notes_of(each, fitted)),
        ]
        for each in fitted.tried
    ]


def notes_of(candidate: Candidate, fitted: "Fitted") -> list[str]:
    """Return the notes on a candidate."""
    notes = {"chosen": candidate is fitted.chosen, "random word vectors": random_vectors(candidate)}
    return [note for note, true in (notes | {"stopped by the budget": candidate.stopped}).items() if true]


def random_vectors(candidate: Candidate) -> bool:
    """Return whether a network reads words and started from random vectors."""
    return candidate.model not in TRAINERS and candidate.parameters["embedding"].get("vectors") == "none"


def result_lines(fitted: "Fitted") -> list[str]:
    """Return the test results, one sentence per line."""
    texts = fitted.scores["texts"]
    lines = [
        f"{fitted.chosen.model} classifies {percent(fitted.scores['accuracy'], texts)} % of {texts:,} test texts "
        f"correctly (macro F1 {100 * fitted.scores['macro_f1']:.1f}).",
    ]
    if "clean_texts" in fitted.scores:
        clean = fitted.scores["clean_texts"]
        lines.append(
            f"Of the {clean:,} test texts that (nearly) occur in neither train nor dev, it classifies "
            f"{percent(fitted.scores['clean_accuracy'], clean)} % correctly."
        )
    if untested := labels_untested(fitted):
        names, them = ("label", "it") if len(untested) == 1 else ("labels", "them")
        listed = ", ".join(untested[:MOST_LABELS]) + ", ..." * (len(untested) > MOST_LABELS)
        lines.append(
            f"No test text has the {names} {listed}: nothing is known about {them}; macro F1 is of the others."
        )
    if fitted.against:
        lines.append(sentence_against(fitted))
    if any(map(random_vectors, fitted.tried)) and (why := no_own_vectors(fitted.corpus.train)):
        lines.append(why)
    if fitted.left_out:
        lines.append(f"Not tried, because the budget was used up: {', '.join(fitted.left_out)}.")
    return lines


def labels_untested(fitted: "Fitted") -> list[str]:
    """Return the labels that no test text has."""
    tested = set(fitted.corpus.test.classes.tolist())
    return [label for place, label in enumerate(fitted.corpus.facts.labels) if place not in tested]


def sentence_against(fitted: "Fitted") -> str:
    """Return the comparison of the chosen model with the best of the other kind."""
    assert fitted.against is not None
    against, rival = fitted.against, fitted.against.rival
    low, high = against.comparison.interval()
    size = (
        f"{signed(100 * against.comparison.value)} points "
        f"({signed(100 * low)} to {signed(100 * high)}, sampling of test texts only)"
    )
    kind = "linear model" if is_floor(rival.model) else "network"
    result = f"Compared with the best {kind}, {rival.model} ({100 * against.accuracy:.1f}): {size}"
    if low > 0:
        return f"{result}: ahead."
    if is_floor(rival.model):
        return f"{result}: the linear model is not clearly beaten, and is faster and easier to explain."
    return f"{result}: no network is ahead of the linear model."


def percent(share: float, texts: int) -> str:
    """Return a share in percent with Wilson's 95% interval: "87.5 (84.1 to 90.3)"."""
    low, high = binomtest(round(share * texts), texts).proportion_ci(method="wilson")
    return f"{100 * share:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def model_card(fitted: "Fitted", answers: np.ndarray) -> str:
    """Return README.md of a model folder.

    Args:
        answers: probabilities of the test texts, float (text, class).
    """
    corpus, chosen = fitted.corpus, fitted.chosen
    test = corpus.test
    rows = precision_recall_fscore_support(
        test.classes, answers.argmax(axis=1), labels=range(len(corpus.facts.labels)), zero_division=0
    )
    classes = [
        f"| {literal(label)} | {' | '.join(f'{100 * each:.1f}' if count else '-' for each in found)} | {count} |"
        for label, *found, count in zip(corpus.facts.labels, *rows, strict=True)
    ]
    tried = [f"| {' | '.join(line)} |" for line in table_of_candidates(fitted)]
    lines = [
        f"# {literal(corpus.facts.corpus)}: {chosen.model}",
        "",
        *map(literal, result_lines(fitted)),
        "",
        "## Use",
        "",
        "    retable predict FOLDER texts.csv",
        "",
        '    retable.load("FOLDER").predict(["a text"])',
        "",
        "## Data",
        "",
        *map(literal, corpus_lines(corpus)),
        "",
        "## Scores on the test texts, %",
        "",
        "| label | precision | recall | F1 | texts |",
        "|---|---|---|---|---|",
        *classes,
        "",
        "## Tried",
        "",
        "Accuracy on dev, on which the model was chosen, with its 95% interval (sampling of texts), and training time.",
        "",
        "| model | dev accuracy, % | seconds | |",
        "|---|---|---|---|",
        *tried,
        "",
        "## Limits",
        "",
        "The model knows only these labels, and gives one of them to any text, in any language.",
        "The intervals cover only the sampling of the texts; another seed gives another network.",
        "The texts keep the licence of their source, which retable does not know.",
        "",
        "## Environment",
        "",
        f"{', '.join(f'{name} {version}' for name, version in sorted(versions().items()))}.",
    ]
    return "\n".join(lines) + "\n"
