"""Split a corpus into folds, each held out once for development or for the test.

dev    The training texts (train and dev together) are split into n folds; fold k is dev, the rest train, test is
       unchanged (LAMA, section 5: "the best model on the test set after performing 3-fold cross-validation").
test   All texts are split into n folds; fold k is test, and a tenth of the rest is dev, drawn as for a single drawn
       test split. So the first of ten folds is the test split that `splitting.draw_splits` draws.

The draw is that of `splitting.stratified_folds`: by label and by the hash of a text's id, independent of the order of
the texts. If a corpus is declared `grouped`, clusters of near copies stay together. Which dev and test texts are clean
is determined anew for each fold, because its training texts differ.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa

from retable.errors import InputError, unknown_name
from retable.text.clean.splitting import FOLDS, SEED, digest_of, stratified_folds
from retable.text.leaks.clusters import near_duplicate_clusters
from retable.text.leaks.leakage import Fingerprints, Places, fingerprints, leaks
from retable.text.splits import SPLITS, Split

Kind = Literal["dev", "test"]


@dataclass(frozen=True)
class Fold:
    """Fold `number`, from 1, of `folds`, held out for `kind`."""

    kind: Kind
    folds: int
    number: int

    @property
    def name(self) -> str:
        """Return the folder for data made from this fold's training texts: "fold-1-of-3"."""
        return f"fold-{self.number}-of-{self.folds}"

    @property
    def label(self) -> str:
        """Return the value for a CSV cell: "dev 1 of 3"."""
        return f"{self.kind} {self.number} of {self.folds}"

    @classmethod
    def read(cls, label: str) -> "Fold":
        """Read a fold from its `label`."""
        kind, number, _, folds = label.split()
        return cls("dev" if kind == "dev" else "test", int(folds), int(number))

    @property
    def parameters(self) -> dict[str, str | int]:
        """Return the fold as parameters of a run, for the section corpus."""
        return {"folds": self.folds, "fold": self.number, "kind": self.kind}

    @classmethod
    def of_parameters(cls, corpus: Mapping[str, Any]) -> "Fold | None":
        """Return the fold that the section corpus of a run names; None for a run on the corpus's own splits."""
        return cls(corpus["kind"], corpus["folds"], corpus["fold"]) if "fold" in corpus else None


class SplitsOfFold(NamedTuple):
    """The three splits of one fold."""

    train: Split
    dev: Split
    test: Split


class FoldedCorpus:
    """A corpus with all its folds; its texts are compared once, when the first fold is requested."""

    def __init__(self, splits: Sequence[Split], kind: Kind, folds: int, *, grouped: bool = False) -> None:
        """Split a corpus.

        Args:
            splits: train, dev and test, from `read_split`.
            kind: what a fold is held out for.
            folds: number of folds, 2 or more.
            grouped: whether near copies stay together.
        Raises: InputError if there are too few folds, or more than texts to split.
        """
        if kind not in get_args(Kind):
            raise unknown_name("kind of folds", kind, get_args(Kind))
        self.kind, self.folds, self.grouped = kind, folds, grouped
        self.texts = joined(splits)
        self.split_of = np.repeat(SPLITS, [len(split.ids) for split in splits])
        count = int(np.count_nonzero(self.folded))
        if not 2 <= folds <= count:
            raise InputError(
                f"{self.texts.facts.corpus} cannot be split into {folds} folds; allowed: 2 to {count:,} (its texts)."
            )

    @cached_property
    def folded(self) -> np.ndarray:
        """Return which texts are split into folds, bool (text,)."""
        return np.ones(len(self.texts.ids), dtype=np.bool_) if self.kind == "test" else self.split_of != "test"

    @cached_property
    def prints(self) -> Fingerprints:
        """Fingerprint all texts from their tokens, since the tagged files contain nothing else."""
        space = "" if self.texts.facts.language == "zh" else " "
        return fingerprints([space.join(tokens) for tokens in self.texts.tokens.to_pylist()])

    @cached_property
    def fold_of(self) -> Places:
        """Return the fold in which each text is held out, int64 (text,), from 1; 0 for a text that never is."""
        found = np.zeros(len(self.texts.ids), dtype=np.int64)
        places = np.flatnonzero(self.folded)
        found[places] = 1 + self._drawn(places, self.kind, self.folds)
        return found

    def places(self, number: int) -> dict[str, Places]:
        """Return the positions in `texts` of a fold's train, dev and test, in their order.

        Raises: InputError if there is no such fold.
        """
        if not 1 <= number <= self.folds:
            raise InputError(f"{self.texts.facts.corpus} has no fold {number}; allowed: 1 to {self.folds}.")
        held = self.fold_of == number
        if self.kind == "dev":
            test = ~self.folded
            return {"train": np.flatnonzero(~held & ~test), "dev": np.flatnonzero(held), "test": np.flatnonzero(test)}
        rest = np.flatnonzero(~held)
        for_dev = self._drawn(rest, "dev", FOLDS) == 0
        return {"train": rest[~for_dev], "dev": rest[for_dev], "test": np.flatnonzero(held)}

    def fold(self, number: int) -> SplitsOfFold:
        """Return the splits of a fold.

        A text of dev or test is clean if it occurs in no training text, exactly or nearly.

        Raises: InputError if there is no such fold.
        """
        places = self.places(number).values()
        split_of = np.empty(len(self.texts.ids), dtype=np.int64)
        for split, at in enumerate(places):
            split_of[at] = split
        clean = ~leaks(self.prints, split_of, len(SPLITS)).any[:, 0]
        return SplitsOfFold(*(replace(part(self.texts, at), clean=clean[at]) for at in places))

    def _drawn(self, places: Places, purpose: str, folds: int) -> Places:
        """Draw the fold of each of these texts, from 0."""
        ids = [self.texts.ids[place] for place in places]
        labels = [self.texts.facts.labels[self.texts.classes[place]] for place in places]
        if not self.grouped:
            return stratified_folds(ids, labels, purpose=purpose, folds=folds)
        clusters = near_duplicate_clusters(self.prints.take(places))
        return cluster_folds(ids, labels, clusters.tolist(), purpose=purpose, folds=folds)


def held_out_ratio(folds: int) -> float:
    """Return the test texts of a fold divided by its training texts, which leave out a tenth as dev."""
    return 1 / ((folds - 1) * (1 - 1 / FOLDS))


def cluster_folds(
    ids: Sequence[str], labels: Sequence[str], clusters: Sequence[int], *, purpose: str, folds: int
) -> Places:
    """Draw the fold of every text, int64 (text,), from 0: whole clusters, with labels in proportion in each fold.

    The largest clusters come first, ties by lowest hash. Each goes to the fold whose share of its labels is filled
    least so far, so that single texts at the end even out what clusters leave uneven.

    Args:
        ids, labels, clusters: one of each per text.
        purpose, folds: as for `stratified_folds`.
    """
    members: dict[int, list[int]] = {}
    for text, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(text)
    order = sorted(
        members.values(),
        key=lambda texts: (-len(texts), min(digest_of(f"{SEED}/{purpose}/{ids[text]}") for text in texts)),
    )
    totals = Counter(labels)
    filled: list[Counter[str]] = [Counter() for _ in range(folds)]
    found = np.empty(len(ids), dtype=np.int64)
    for texts in order:
        own = Counter(labels[text] for text in texts)
        least = min(range(folds), key=lambda fold: (_fill(own, filled[fold], totals), filled[fold].total(), fold))
        filled[least].update(own)
        found[texts] = least
    return found


def _fill(own: Mapping[str, int], filled: Mapping[str, int], totals: Mapping[str, int]) -> float:
    """Return how full a fold is in the labels of a cluster, weighted by the cluster's texts per label."""
    return sum(count * filled.get(label, 0) / totals[label] for label, count in own.items())


def joined(splits: Sequence[Split]) -> Split:
    """Join the texts of several splits of one corpus, one split after the other."""
    parts = [split.parts for split in splits]
    return Split(
        splits[0].facts,
        [text for split in splits for text in split.ids],
        pa.concat_arrays([split.tokens for split in splits]),
        None if any(each is None for each in parts) else pa.concat_arrays(parts),
        np.concatenate([split.classes for split in splits]),
        np.concatenate([split.clean for split in splits]),
        None if any(split.texts is None for split in splits) else pa.concat_arrays([split.texts for split in splits]),
        None if splits[0].scores is None else np.concatenate([split.scores for split in splits]),
    )


def part(texts: Split, places: Places) -> Split:
    """Select texts of a split, in the order of `places`."""
    at = pa.array(places)
    return Split(
        texts.facts,
        [texts.ids[place] for place in places],
        texts.tokens.take(at),
        None if texts.parts is None else texts.parts.take(at),
        texts.classes[places],
        texts.clean[places],
        None if texts.texts is None else texts.texts.take(at),
        None if texts.scores is None else texts.scores[places],
    )
