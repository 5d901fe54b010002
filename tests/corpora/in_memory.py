"""The stage `clean` with all texts in memory, as it was before it streamed: slow and plain, to compare with."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from retable.declaration import UNLABELLED, Corpus, Example
from retable.errors import InputError
from retable.files import sha256_of_file, write_json
from retable.text.clean.cleaning import Removed, clean_text
from retable.text.clean.sentences import split_sentences
from retable.text.clean.splitting import FOLDS, stratified_clusters, stratified_folds
from retable.text.clean.statistics import LETTER_OR_DIGIT, SPACE_BEFORE_MARKS, WORD_OR_MARK
from retable.text.leaks.clusters import near_duplicate_clusters, repeated
from retable.text.leaks.leakage import fingerprints, leaks
from retable.text.splits import SPLITS, Facts, clean_schema


def clean_examples(
    examples: Iterable[Example], *, markup: bool, drop_copies: bool
) -> tuple[list[Example], list[Removed]]:
    """Clean every text; take out those of which nothing is left and, where asked, copies."""
    cleaned = [example._replace(text=clean_text(example.text, markup=markup)) for example in examples]
    empty = [Removed(example.id, "empty", "") for example in cleaned if not example.text]
    kept = [example for example in cleaned if example.text]
    if not drop_copies:
        return kept, empty
    kept, copies = remove_copies(kept)
    return kept, empty + copies


def remove_copies(examples: Iterable[Example]) -> tuple[list[Example], list[Removed]]:
    """Keep the first of equal texts; where equal texts have different labels, keep none of them.

    For corpora that we split ourselves: else a text could be learnt and asked. A published split stays as published.
    """
    groups: dict[str, list[Example]] = {}  # in the order of their first texts
    for example in examples:
        groups.setdefault(example.text, []).append(example)
    kept, removed = [], []
    for group in groups.values():
        first = group[0]
        if len({example.label for example in group}) == 1:
            kept.append(first)
            removed += [Removed(example.id, "copy", first.id) for example in group[1:]]
        else:
            removed += [Removed(example.id, "contradicting label", first.id) for example in group]
    return kept, removed


def draw_splits(
    examples: Sequence[Example], *, test_texts: int | None = None, clusters: Mapping[str, int] | None = None
) -> dict[str, list[Example]]:
    """Train, dev and test: published splits stay; a missing test is drawn from all texts, a missing dev from training.

    Args:
        test_texts: size of the test split that is drawn; None for a tenth (fold 0).
        clusters: id -> cluster, where every cluster must come whole into one split.
    Raises: InputError if no cluster is small enough for a split that is drawn.
    """
    splits: dict[str, list[Example]] = {"train": [], "dev": [], "test": []}
    for example in examples:
        splits["train" if example.split == "all" else example.split].append(example)
    for split, texts in (("test", test_texts), ("dev", None)):
        if not splits[split]:
            splits["train"], splits[split] = hold_out(splits["train"], purpose=split, texts=texts, clusters=clusters)
    return splits


def hold_out(
    examples: Sequence[Example], *, purpose: str, texts: int | None = None, clusters: Mapping[str, int] | None = None
) -> tuple[list[Example], list[Example]]:
    """What stays and what is held out, both in the order of `examples`.

    A tenth is fold 0 of the stratified folds. A number of texts, or whole clusters, are drawn by `stratified_clusters`.

    Raises: InputError if no cluster fits in: a split without a text would give scores of nothing.
    """
    ids, labels = [example.id for example in examples], [example.label for example in examples]
    if texts is None and clusters is None:
        held = stratified_folds(ids, labels, purpose=purpose) == 0
    else:
        of = [clusters[name] for name in ids] if clusters else range(len(ids))
        wanted = -(-len(ids) // FOLDS) if texts is None else texts
        held = stratified_clusters(ids, labels, of, purpose=purpose, texts=wanted)
        if ids and not held.any():
            corpus = ids[0].partition("/")[0]
            raise InputError(
                f"{corpus} gets no {purpose} split: no cluster of near duplicates fits into {wanted:,} of its "
                f"{len(ids):,} texts (clusters: {len(set(of)):,}); declare it without `grouped`."
            )
    return (
        [example for example, out in zip(examples, held, strict=True) if not out],
        [example for example, out in zip(examples, held, strict=True) if out],
    )


def corpus_statistics(
    corpus: Corpus,
    read: Sequence[Example],
    splits: Mapping[str, Sequence[Example]],
    removed: Sequence[Removed],
    leaks: Mapping,
    clusters: np.ndarray,
) -> dict[str, Any]:
    """What stats.json holds, but for the digests of the files.

    Args:
        read: the texts as published, unlabelled ones too.
        splits: the texts that are left.
        removed: the texts that are not.
        leaks: per pair (known, asked) which texts of `asked` occur in `known`.
        clusters: the near-duplicate cluster of every labelled text that is left.
    """
    labelled = [example for example in read if example.split != UNLABELLED]
    left = [example for split in SPLITS for example in splits[split]]
    whole = split_statistics(left, corpus.labels)
    return {
        "corpus": corpus.name,
        "language": corpus.language,
        "labels": list(corpus.labels),
        "split": corpus.split,
        "classes": len(corpus.labels),
        "instances": whole["texts"],
        "average-length": whole["average-length"],
        "average-length-characters": whole["average-length-characters"],
        "vocabulary": whole["vocabulary"],
        "vocabulary-train": len(vocabulary(splits["train"])),
        "removed": dict(sorted(Counter(text.reason for text in removed).items())),
        "splits": {name: split_statistics(split, corpus.labels) for name, split in splits.items()},
        "leakage": {
            f"{asked}-in-{known}": {"exact": int(leak.exact.sum()), "near": int(leak.near.sum())}
            for (known, asked), leak in leaks.items()
        },
        "near-duplicates": repeated(clusters),
        **{name: len(split) for name, split in splits.items()},
        "instances-published": len(labelled),
        **{f"published-{name}": count for name, count in Counter(example.split for example in read).items()},
        **published_statistics([example.text for example in labelled]),
        **(statistics_with_unlabelled([example.text for example in read]) if len(labelled) < len(read) else {}),
    }


def published_statistics(texts: Sequence[str]) -> dict[str, Any]:
    """Lengths and vocabularies of texts as published.

    Words are what white space separates (of Chinese that is no word); words-and-marks are counted with every
    punctuation mark by itself, as tokenisers do. Vocabularies are of lower-cased words and of characters as they are.
    """
    lengths = {
        "words": [len(text.split()) for text in texts],
        "words-and-marks": [sum(1 for _ in WORD_OR_MARK.finditer(text)) for text in texts],
        "characters": [len(text) for text in texts],
        "sentences": [len(split_sentences(text)) for text in texts],
    }
    return {
        **{f"published-average-{unit}": average(found) for unit, found in lengths.items()},
        **{f"published-max-{unit}": max(found, default=0) for unit, found in lengths.items()},
        "published-vocabulary-words": len({word for text in texts for word in text.lower().split()}),
        "published-vocabulary-characters": len(set().union(*texts)),
    }


def statistics_with_unlabelled(texts: Sequence[str]) -> dict[str, Any]:
    """Counts over labelled and unlabelled texts together, of which some are tokenised and some are not.

    `words` are tokens that hold a letter or a digit; `vocabulary-untokenised` is of the words as they stood before
    marks ("," or "'s") were cut off: each is put back to the word before it.
    """
    tokens = Counter(token for text in texts for token in text.split())
    words = sum(count for token, count in tokens.items() if LETTER_OR_DIGIT.search(token))
    untokenised = {word for text in texts for word in SPACE_BEFORE_MARKS.sub("", text).split()}
    return {
        "with-unlabelled-average-tokens": round(tokens.total() / len(texts), 4),
        "with-unlabelled-average-words": round(words / len(texts), 4),
        "with-unlabelled-vocabulary": len(tokens),
        "with-unlabelled-vocabulary-untokenised": len(untokenised),
    }


def split_statistics(examples: Sequence[Example], labels: Sequence[str]) -> dict[str, Any]:
    """Counts of one split; average lengths in words (separated by white space) and in characters."""
    found = Counter(example.label for example in examples)
    return {
        "texts": len(examples),
        "labels": {label: found[label] for label in labels},
        "average-length": average(len(example.text.split()) for example in examples),
        "average-length-characters": average(len(example.text) for example in examples),
        "vocabulary": len(vocabulary(examples)),
        "copies": copies(examples),
        "contradicting-labels": contradictions(examples),
    }


def vocabulary(examples: Iterable[Example]) -> set[str]:
    """The distinct lower-cased words."""
    return {word for example in examples for word in example.text.lower().split()}


def copies(examples: Sequence[Example]) -> int:
    """How many texts repeat an earlier one."""
    return len(examples) - len({example.text for example in examples})


def contradictions(examples: Iterable[Example]) -> int:
    """How many distinct texts occur with more than one label."""
    labels = Counter(text for text, _ in {(example.text, example.label) for example in examples})
    return sum(count > 1 for count in labels.values())


def average(values: Iterable[int]) -> float:
    """The mean, rounded to four digits after the point; 0 of nothing."""
    numbers = list(values)
    return round(sum(numbers) / max(len(numbers), 1), 4)


def write_clean(
    path: Path, source: Corpus, examples: Sequence[Example], clean: np.ndarray, rows_in_group: int = 8192
) -> None:
    """Write one split."""
    schema = clean_schema(Facts(source.name, source.language, source.labels, source.domains))
    columns = {name: [getattr(example, name) for example in examples] for name in ("id", "text", "label")}
    table = pa.table(columns | {"clean": clean}, schema=schema)
    pq.write_table(table, path, compression="zstd", row_group_size=rows_in_group)


def clean_in_memory(source: Corpus, raw: Path, folder: Path, rows_in_group: int) -> None:
    """Write what retable.stages.clean writes."""
    read = source.examples(raw)
    labelled = [example for example in read if example.split != UNLABELLED]
    kept, removed = clean_examples(labelled, markup=source.html, drop_copies=source.split == "own")
    others = [example for example in read if example.split == UNLABELLED]
    unlabelled, empty = clean_examples(others, markup=source.html, drop_copies=False)
    removed += empty
    prints = fingerprints([example.text for example in (*kept, *unlabelled)])
    clusters = near_duplicate_clusters(prints.take(range(len(kept))))
    cluster_of = dict(zip((example.id for example in kept), clusters.tolist(), strict=True))
    splits = draw_splits(kept, test_texts=source.test_texts, clusters=cluster_of if source.grouped else None)
    splits |= {UNLABELLED: unlabelled} if unlabelled else {}
    place = {example.id: index for index, example in enumerate((*kept, *unlabelled))}
    parts = {split: prints.take([place[example.id] for example in examples]) for split, examples in splits.items()}
    found = {(known, asked): leaks(parts[asked], parts[known]) for known, asked in combinations(splits, 2)}
    folder.mkdir(parents=True)
    for split, examples in splits.items():
        clean = np.ones(len(examples), dtype=np.bool_)
        for other in {"dev": ("train",), "test": ("train",), UNLABELLED: ("dev", "test")}.get(split, ()):
            clean &= ~found[other, split].any
        write_clean(folder / f"{split}.parquet", source, examples, clean, rows_in_group)
    lines = ["id,reason,of", *(",".join(text) for text in removed)]
    (folder / "removed.csv").write_text("".join(f"{line}\n" for line in lines))
    held_out = sorted({*parts["dev"].digests, *parts["test"].digests})
    (folder / "heldout.txt").write_text("".join(f"{digest}\n" for digest in held_out))
    digests = {split: sha256_of_file(folder / f"{split}.parquet") for split in splits}
    stats = corpus_statistics(source, read, splits, removed, found, clusters)
    write_json(folder / "stats.json", stats | {"sha256": digests})
