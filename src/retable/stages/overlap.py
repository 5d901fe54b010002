"""Find the texts that occur in two corpora, exactly or nearly, for all pairs of corpora in params.yaml.

In   data/clean/<corpus>/{train,dev,test,unlabelled}.parquet of the corpora in params.yaml
Out  data/overlap/{overlap.json,pairs.csv}

overlap.json  per pair of corpora: number of texts of one that occur in the other, exactly and nearly (not exactly)
pairs.csv     the same per pair of their splits

Corpora that are declared to have the same texts (ced and ced-grouped) are not compared with each other; a joint
corpus is not compared at all, since its texts are those of its domains.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from retable.corpora import CORPORA, corpus
from retable.errors import InputError, unknown_name
from retable.files import atomic_folder, write_csv, write_json
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import CLEAN, OVERLAP
from retable.project.progress import progress
from retable.text.leaks.leakage import fingerprints
from retable.text.leaks.overlaps import Match, counts, matches
from retable.text.splits import SPLITS, TEXT, UNLABELLED, number_of_rows, read_columns

COLUMNS = ("corpus", "split", "texts", "other", "other_split", "exact", "near")


@dataclass(frozen=True)
class Group:
    """One split of one corpus, and its number of texts."""

    corpus: str
    split: str
    texts: int

    @property
    def path(self) -> Path:
        """Return its file."""
        return CLEAN / self.corpus / f"{self.split}.parquet"


def groups_of(names: Sequence[str]) -> list[Group]:
    """Return every split of every corpus, with the counts from the files.

    Raises: InputError for a corpus that is not registered or not cleaned.
    """
    found = []
    for name in names:
        if name not in CORPORA:
            raise unknown_name("key of corpora in params.yaml", name, CORPORA)
        for split in (*SPLITS, UNLABELLED):
            path = CLEAN / name / f"{split}.parquet"
            if path.exists():
                found.append(Group(name, split, number_of_rows(path)))
            elif split != UNLABELLED:
                raise InputError(f"{path} is missing; `dvc repro clean@{name}` makes it.")
    return found


def family_of(name: str) -> str:
    """Return the corpus whose texts these are."""
    return corpus(name).same_texts_as or name


def split_pairs(groups: Sequence[Group], found: Sequence[Match], places: np.ndarray) -> list[dict[str, Any]]:
    """Return the lines of pairs.csv; pairs without a copy are omitted."""
    return [
        {
            "corpus": groups[one].corpus,
            "split": groups[one].split,
            "texts": groups[one].texts,
            "other": groups[other].corpus,
            "other_split": groups[other].split,
            "exact": exact,
            "near": near,
        }
        for (one, other), (exact, near) in sorted(counts(found, places).items())
    ]


def corpus_pairs(groups: Sequence[Group], found: Sequence[Match], places: np.ndarray) -> list[dict[str, Any]]:
    """Count per pair of corpora: a text that occurs in two splits of the other counts once, exact if one is."""
    exact: dict[tuple[int, str], bool] = {}
    for match in found:
        key = match.text, groups[match.group].corpus
        exact[key] = exact.get(key, False) or match.exact
    table: dict[tuple[str, str], Counter[bool]] = {}
    for (text, other), is_exact in exact.items():
        table.setdefault((groups[places[text]].corpus, other), Counter())[is_exact] += 1
    return [
        {"corpus": one, "other": other, "exact": kinds[True], "near": kinds[False]}
        for (one, other), kinds in sorted(table.items())
    ]


@command
def main() -> None:
    names = sorted(name for name in read_params("corpora") if name not in CORPORA or not corpus(name).domains)
    groups = groups_of(names)
    texts_of = [family_of(group.corpus) for group in groups]
    families = [texts_of.index(family) for family in texts_of]
    with (
        progress("overlap", sum(group.texts for group in groups), "texts") as bar,
        atomic_folder(OVERLAP) as folder,
    ):
        table = pa.concat_tables([read_columns(group.path, [TEXT]) for group in groups])
        prints = fingerprints(table.column("text").to_pylist(), bar.advance)
        places = np.repeat(np.arange(len(groups)), [group.texts for group in groups])
        bar.advance(0, note="· comparing the corpora")
        found = matches(prints, places, families)
        bar.advance(0, note=f"· {len(found):,} copies")
        write_csv(folder / "pairs.csv", split_pairs(groups, found, places), COLUMNS)
        texts = {name: {group.split: group.texts for group in groups if group.corpus == name} for name in names}
        write_json(folder / "overlap.json", {"texts": texts, "pairs": corpus_pairs(groups, found, places)})
