"""Make the comparison table from a Chinese word or character to its part of speech; compare it with tagging in context.

In   data/clean/<corpus>/{train,dev}.parquet of the corpora of `parts-table` in params.yaml; jieba's dictionary
Out  data/parts/table/zh/{table.tsv,agreement.json}; the agreement is that on the dev texts (no test text is read)
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from retable.files import atomic_folder, write_json
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import CLEAN, PARTS_TABLES
from retable.project.progress import Bar, progress
from retable.text.parts.chinese import chinese_words_and_parts, dictionary_parts, parts_in_context, plain_words
from retable.text.parts.comparison_table import ComparisonTable, count_parts, make_table, table_size, write_table
from retable.text.parts.content import CONTENT
from retable.text.parts.table_agreement import compare
from retable.text.parts.tagging import tokenised
from retable.text.splits import TEXT, read_columns


def read_texts(path: Path) -> list[str]:
    """Return the texts of data/clean/<corpus>/<split>.parquet."""
    texts: list[str] = read_columns(path, [TEXT])["text"].to_pylist()
    return texts


def in_context(paths: list[Path], bar: Bar) -> Iterator[tuple[pa.ListArray, pa.ListArray]]:
    """Yield the words and parts of all texts, in batches."""
    for path in paths:
        for batch, words, parts in tokenised(path, chinese_words_and_parts):
            yield words, parts
            bar.advance(len(batch))


@command
def main() -> None:
    names = read_params("parts-table")["corpora"]
    train, dev = ({name: CLEAN / name / f"{split}.parquet" for name in names} for split in ("train", "dev"))
    texts = {name: read_texts(path) for name, path in train.items()}
    dev_texts = {name: read_texts(path) for name, path in dev.items()}
    total = sum(map(len, [*texts.values(), *dev_texts.values()]))
    with progress("parts-table", total, "texts") as bar, atomic_folder(PARTS_TABLES / "zh") as folder:
        dictionary = dictionary_parts()
        counts = count_parts(in_context(list(train.values()), bar))
        table = ComparisonTable(make_table(dictionary, counts))
        # Plain segmentation provides the table's words, so those of the training texts are entries from the start.
        for known in texts.values():
            table.parts_of(plain_words(known), parts_in_context)
        write_table(folder / "table.tsv", table.parts)
        agreed: dict[str, Any] = {}
        for name, unseen in dev_texts.items():
            agreed[name] = compare(table.parts, unseen, CONTENT)
            bar.advance(len(unseen))
        size = table_size(table, dictionary, counts)
        write_json(folder / "agreement.json", {"table": size, "dev": agreed})
