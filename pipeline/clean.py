"""Clean the texts of one corpus, draw the splits that are not published, and mark what leaks.

In   data/raw/<corpus>/
Out  data/clean/<corpus>/{train,dev,test}.parquet, stats.json, removed.csv, heldout.txt
"""

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.command import command
from pipeline.paths import CLEAN, RAW
from pipeline.progress import progress
from retable.corpora import CORPORA, Corpus, Example, corpus
from retable.files import atomic_folder, sha256_of_file, write_json
from retable.text.cleaning import Removed, clean_examples
from retable.text.leakage import fingerprints, leaks
from retable.text.splits import SPLITS, Facts, clean_schema
from retable.text.splitting import draw_splits
from retable.text.statistics import corpus_statistics

ROWS_IN_A_GROUP = 8192


def write_clean(path: Path, source: Corpus, examples: Sequence[Example], clean: npt.NDArray[np.bool_]) -> None:
    """Write one split; equal texts give equal bytes."""
    columns = {
        "id": [example.id for example in examples],
        "text": [example.text for example in examples],
        "label": [example.label for example in examples],
        "clean": clean,
    }
    schema = clean_schema(Facts(source.name, source.language, source.labels))
    pq.write_table(pa.table(columns, schema=schema), path, compression="zstd", row_group_size=ROWS_IN_A_GROUP)


def write_removed(path: Path, removed: Sequence[Removed]) -> None:
    """Write what was dropped: id, reason, id of the text that it repeats."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Removed._fields)
        writer.writerows(removed)


@command
def main(name: str) -> None:
    source = corpus(name)
    read = source.examples(RAW / name)
    kept, removed = clean_examples(read, markup=source.html, drop_copies=source.split == "own")
    splits = draw_splits(kept)
    with progress(f"clean {name}", len(kept), "texts") as bar, atomic_folder(CLEAN / name) as folder:
        prints = {split: fingerprints([example.text for example in splits[split]], bar.advance) for split in SPLITS}
        bar.advance(0, note="· comparing the splits")
        found = {
            (known, asked): leaks(prints[asked], prints[known])
            for known, asked in (("train", "dev"), ("train", "test"), ("dev", "test"))
        }
        bar.advance(0, note="")
        for split in SPLITS:
            leak = found.get(("train", split))
            clean = ~(leak.exact | leak.near) if leak else np.ones(len(splits[split]), dtype=np.bool_)
            write_clean(folder / f"{split}.parquet", source, splits[split], clean)
        write_removed(folder / "removed.csv", removed)
        held_out = sorted({*prints["dev"].digests, *prints["test"].digests})
        (folder / "heldout.txt").write_text("".join(f"{digest}\n" for digest in held_out), encoding="utf-8")
        digests = {split: sha256_of_file(folder / f"{split}.parquet") for split in SPLITS}
        stats = corpus_statistics(source, read, splits, removed, found)
        write_json(folder / "stats.json", stats | {"sha256": digests})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Clean one corpus: data/raw to data/clean.")
    parser.add_argument("corpus", help=f"one of {', '.join(sorted(CORPORA))}")
    main(parser.parse_args().corpus)
