"""Clean the texts of one corpus, draw the splits that are not published, and mark what leaks.

In   data/raw/<corpus>/
Out  data/clean/<corpus>/{train,dev,test}.parquet, stats.json, removed.csv, heldout.txt;
     unlabelled.parquet where the corpus has texts without a label

Memory holds about 250 bytes a text (`retable.text.leaks.fingerprint_store`), the disk meanwhile the texts twice and a
kilobyte for each.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from retable.corpora import Corpus, corpus
from retable.files import atomic_folder, sha256_of_file, write_json
from retable.project.command import command
from retable.project.paths import CLEAN, RAW
from retable.project.progress import progress
from retable.text.clean.clean_files import SplitFiles
from retable.text.clean.cleaned import CleanedTexts, counted_reasons, read_cleaned
from retable.text.clean.cleaning import Removed
from retable.text.clean.splitting import draw_splits
from retable.text.clean.statistics import corpus_statistics
from retable.text.leaks.copies import clusters_of, leaks_between
from retable.text.leaks.leakage import Digests, Leaks, Places
from retable.text.splits import SPLITS, UNLABELLED, Facts


def write_removed(path: Path, removed: Sequence[Removed]) -> None:
    """Write what was dropped: id, reason, id of the text that it repeats."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Removed._fields)
        writer.writerows(removed)


def write_held_out(path: Path, digests: Digests) -> None:
    """Write the digests of the texts of dev and test."""
    held_out = sorted({digest.tobytes().hex() for digest in digests})
    path.write_text("".join(f"{digest}\n" for digest in held_out), encoding="utf-8")


def splits_of(source: Corpus, texts: CleanedTexts, labelled: Places, clusters: Places) -> npt.NDArray[np.int8]:
    """The split of every text, -1 of those that are in none."""
    rank = np.argsort(np.argsort(source.labels)).astype(np.int16)
    splits = np.where(texts.published == len(SPLITS), len(SPLITS), -1).astype(np.int8)
    splits[labelled] = draw_splits(
        texts.ids.take(labelled),
        rank[texts.labels[labelled]],
        texts.published[labelled],
        test_texts=source.test_texts,
        clusters=clusters if source.grouped else None,
    )
    return splits


def is_clean(split_of: npt.NDArray[np.int8], found: Mapping[tuple[str, str], Leaks]) -> npt.NDArray[np.bool_]:
    """Texts of dev and test that occur in no training text; unlabelled ones that occur in no dev or test text."""
    clean = np.ones(len(split_of), dtype=np.bool_)
    for place, split in enumerate((*SPLITS, UNLABELLED)):
        for other in {"dev": ("train",), "test": ("train",), UNLABELLED: ("dev", "test")}.get(split, ()):
            if (other, split) in found:
                clean[split_of == place] &= ~found[other, split].any
    return clean


@command
def main(name: str) -> None:
    source = corpus(name)
    declared = sum(count for _, _, count in source.declared_counts())
    splits = (*SPLITS, *([UNLABELLED] if source.unlabelled else []))
    with (
        progress(f"clean {name}", declared, "texts") as bar,
        atomic_folder(CLEAN / name) as folder,
        TemporaryDirectory(prefix=".texts.", dir=folder) as scratch,
        CleanedTexts(Path(scratch)) as texts,
    ):

        def on_texts(count: int) -> None:
            bar.advance(count)
            if bar.done > bar.total:  # of some corpora nobody knows the number of texts
                bar.finish()

        published, stays, removed = read_cleaned(source, RAW / name, texts, on_texts)
        bar.advance(0, note="· comparing the texts")
        labelled = np.flatnonzero(stays & (texts.published != len(SPLITS)))
        clusters = clusters_of(texts.prints, labelled)
        split_of = splits_of(source, texts, labelled, clusters)
        found = leaks_between(texts.prints, split_of, splits)
        bar.advance(0, note="")
        facts = Facts(source.name, source.language, source.labels, source.domains)
        with SplitFiles(folder, facts, splits) as files:
            files.write(texts, split_of, is_clean(split_of, found))
        write_removed(folder / "removed.csv", removed)
        held_out = (split_of == SPLITS.index("dev")) | (split_of == SPLITS.index("test"))
        write_held_out(folder / "heldout.txt", texts.prints.exact[held_out])
        digests = {split: sha256_of_file(folder / f"{split}.parquet") for split in splits}
        stats = corpus_statistics(
            source,
            published,
            files.statistics(texts, split_of),
            {split: counted.vocabulary for split, counted in files.counted.items()},
            counted_reasons(removed),
            found,
            clusters,
        )
        write_json(folder / "stats.json", stats | {"sha256": digests})
