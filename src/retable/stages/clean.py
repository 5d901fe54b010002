"""Clean the texts of one corpus, draw the splits that are not published, and mark leaked texts.

In   data/raw/<corpus>/
Out  data/clean/<corpus>/{train,dev,test}.parquet, stats.json, removed.csv, heldout.txt;
     copies.json, the ids of labelled texts that are near copies of each other, or candidates of one question;
     unlabelled.parquet where the corpus has texts without a label

The whole corpus is held in memory: docs/corpora.md says how much that takes.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from retable.corpora import Corpus, Example, corpus
from retable.files import atomic_folder, sha256_of_file, write_csv, write_json
from retable.project.command import command
from retable.project.paths import CLEAN, RAW
from retable.project.progress import progress
from retable.text.clean.cleaning import Removed, clean_examples
from retable.text.clean.splitting import DEV, TEST, TRAIN, draw_splits
from retable.text.clean.statistics import corpus_statistics, published_statistics
from retable.text.leaks.clusters import copied, near_duplicate_clusters, repeated, with_groups
from retable.text.leaks.leakage import Leaks, Places, digest, fingerprints, leaks
from retable.text.pairs import questions_of
from retable.text.splits import SPLITS, UNLABELLED, Facts, clean_schema
from retable.wording import number_of

ROWS_IN_A_GROUP = 8192


def cleaned(source: Corpus, read: Sequence[Example]) -> tuple[list[Example], list[Example], list[Removed]]:
    """Clean labelled and unlabelled texts; if we draw the splits, copies of labelled texts are removed.

    Returns: the labelled and the unlabelled texts that remain; those that are removed.
    """
    labelled, removed = clean_examples(
        (text for text in read if text.split != UNLABELLED), markup=source.html, drop_copies=source.split == "own"
    )
    unlabelled, empty = clean_examples(
        (text for text in read if text.split == UNLABELLED), markup=source.html, drop_copies=False
    )
    return labelled, unlabelled, removed + empty


def is_clean(split_of: Places, found: Leaks) -> npt.NDArray[np.bool_]:
    """Mark dev and test texts that occur in no training text, and unlabelled texts that occur in no dev or test text.

    Args:
        split_of: the split of every text, an index into train, dev, test, unlabelled, int64 (text,).
    Returns: bool (text,); a training text is always clean.
    """
    return ~np.where(split_of > TEST, found.any[:, [DEV, TEST]].any(axis=1), found.any[:, TRAIN])


def leakage_counts(splits: Sequence[str], split_of: Places, found: Leaks) -> dict[str, dict[str, int]]:
    """Count, for each pair of splits, the texts of the later one that occur in the earlier one."""
    return {
        f"{splits[asked]}-in-{splits[known]}": {
            "exact": int(found.exact[split_of == asked, known].sum()),
            "near": int(found.near[split_of == asked, known].sum()),
        }
        for asked in range(len(splits))
        for known in range(asked)
    }


def write_split(path: Path, source: Corpus, examples: Sequence[Example], clean: npt.NDArray[np.bool_]) -> None:
    """Write data/clean/<corpus>/<split>.parquet: equal texts give equal bytes."""
    columns = {column: [getattr(example, column) for example in examples] for column in ("id", "text", "label")}
    facts = Facts(source.name, source.language, source.labels, source.domains, source.ranked, source.graded)
    table = pa.table({**columns, "clean": clean}, schema=clean_schema(facts))
    pq.write_table(table, path, compression="zstd", row_group_size=ROWS_IN_A_GROUP)


def write_held_out(path: Path, texts: Iterable[str]) -> None:
    """Write the distinct digests of the dev and test texts."""
    digests = sorted({digest(text) for text in texts})
    path.write_text("".join(f"{each}\n" for each in digests), encoding="utf-8")


def summary(sizes: Mapping[str, int], removed: int, clean: npt.NDArray[np.bool_]) -> str:
    """Return what became of a corpus, for the last line of its progress.

    Args:
        sizes: split -> its texts.
        removed: texts that are in no split.
        clean: whether each test text is without a (near) copy in training.
    """
    splits = ", ".join(f"{split} {count:,}" for split, count in sizes.items())
    copies = int((~clean).sum())
    told = "no test text occurs in training"
    if copies:
        told = f"{number_of(copies, 'test texts')} (nearly) {'occurs' if copies == 1 else 'occur'} in training"
    return f"· {splits}; {number_of(removed, 'texts')} removed; {told}"


@command
def main(name: str) -> None:
    source = corpus(name)
    splits = (*SPLITS, UNLABELLED) if source.unlabelled else SPLITS
    declared = sum(count for _, _, count in source.declared_counts())
    with progress(f"clean {name}", declared, "texts") as bar, atomic_folder(CLEAN / name) as folder:
        bar.advance(0, note="· reading")
        read = source.examples(RAW / name)
        published = published_statistics(read)
        labelled, unlabelled, removed = cleaned(source, read)
        texts = [*labelled, *unlabelled]
        bar.advance(len(read) - len(texts), note="")
        del read  # as large as the cleaned texts
        prints = fingerprints([text.text for text in texts], bar.advance)
        bar.finish()  # for some corpora the number of texts is unknown
        bar.advance(0, note="· comparing the texts")
        clusters = near_duplicate_clusters(prints.take(np.arange(len(labelled))) if unlabelled else prints)
        drawn = draw_splits(labelled, test_texts=source.test_texts, clusters=clusters if source.grouped else None)
        split_of = np.concatenate([drawn, np.full(len(unlabelled), len(SPLITS))])
        found = leaks(prints, split_of, len(splits))
        bar.advance(0, note="")
        left = {
            split: [text for text, own in zip(texts, split_of.tolist(), strict=True) if own == place]
            for place, split in enumerate(splits)
        }
        clean = is_clean(split_of, found)
        for place, split in enumerate(splits):
            write_split(folder / f"{split}.parquet", source, left[split], clean[split_of == place])
        write_csv(folder / "removed.csv", (text._asdict() for text in removed), Removed._fields)
        write_held_out(folder / "heldout.txt", [text.text for split in ("dev", "test") for text in left[split]])
        stats = {
            **corpus_statistics(source, left, [text.reason for text in removed]),
            **published,
            "leakage": leakage_counts(splits, split_of, found),
            "near-duplicates": repeated(clusters),
            "sha256": {split: sha256_of_file(folder / f"{split}.parquet") for split in splits},
        }
        if source.ranked:
            clusters = with_groups(clusters, questions_of(pa.array([text.text.split() for text in labelled])))
        write_json(folder / "copies.json", copied(clusters, [text.id for text in labelled]))
        write_json(folder / "stats.json", stats)
        sizes = {split: len(of) for split, of in left.items()}
        bar.advance(0, note=summary(sizes, len(removed), clean[split_of == TEST]))
