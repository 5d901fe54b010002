"""Time the text stages: Chinese words and parts of speech, English parts of speech, near duplicates.

Chinese    characters per second from text to words, and to words and parts, against jieba on the same texts. The
           pipeline's table is timed twice: with texts that it meets for the first time, whose new words are tagged in
           context, and with words that it knows.
English    words per second of the stage (reading, words, parts, writing), against the same spaCy pipeline called on
           the prepared words.
Copies     the near-duplicate clusters that `clean` finds, against all pairs computed by scikit-learn and scipy.
"""

import tempfile
from collections import deque
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from jieba import dt, posseg
from scipy.sparse.csgraph import connected_components
from sklearn.feature_extraction.text import CountVectorizer
from spacy.language import Language
from spacy.tokens import Doc

from benchmarks.inputs import made, sample_lines
from benchmarks.report import Row, timed_row
from benchmarks.timing import in_turns
from retable.corpora.readers import read_conllu
from retable.project.paths import CLEAN, PARTS_TABLES, SAMPLE, TAGGER
from retable.text.leaks.clusters import near_duplicate_clusters
from retable.text.leaks.leakage import NEAR, fingerprints
from retable.text.parts.chinese import chinese_words_and_parts, dictionary_parts, parts_in_context, plain_words
from retable.text.parts.comparison_table import ComparisonTable, count_parts, make_table, read_table
from retable.text.parts.english import load_tagger, parts_of_speech
from retable.text.parts.tagging import tag_split
from retable.text.parts.treebank_tagger import train_tagger
from retable.text.splits import Facts, clean_schema
from retable.text.tokens import own_tokens

CHINESE, ENGLISH = "thucnews-45k", "mr"
TEXTS, QUICK_TEXTS = 5_000, 20
REPEATS = 5


def measure(quick: bool) -> list[Row]:
    """Return all rows."""
    repeats = 1 if quick else REPEATS
    return [
        *chinese_rows(repeats, quick=quick),
        english_row(repeats, quick=quick),
        copies_row(texts_of(ENGLISH, "train", quick=quick), repeats),
    ]


def texts_of(name: str, part: str, *, quick: bool) -> list[str]:
    """Return texts of a corpus as `clean` leaves them, or of a sample if quick."""
    if quick:
        sample = "sample-zh" if name == CHINESE else "sample-en"
        return [text for _, text in sample_lines(sample, part)[:QUICK_TEXTS]]
    path = made(CLEAN / name, f"clean@{name}") / f"{part}.parquet"
    found: list[str] = pq.read_table(path, columns=["text"])["text"].to_pylist()
    return found[:TEXTS]


def chinese_rows(repeats: int, *, quick: bool) -> list[Row]:
    """Time plain segmentation, the comparison table and tagging in context, against jieba."""
    load_jieba()
    texts = texts_of(CHINESE, "dev", quick=quick)
    if quick:  # needs only jieba's dictionary and the texts
        entries = make_table(dictionary_parts(), count_parts([chinese_words_and_parts(texts)]))
    else:
        entries = read_table(made(PARTS_TABLES / "zh/table.tsv", "parts-table")).parts
    known = ComparisonTable(dict(entries))
    fresh = iter([ComparisonTable(dict(entries)) for _ in range(repeats + 1)])
    times = in_turns(
        {
            "plain": lambda: plain_words(texts),
            "known": lambda: known.parts_of(plain_words(texts), parts_in_context),
            "new": lambda: next(fresh).parts_of(plain_words(texts), parts_in_context),
            "context": lambda: chinese_words_and_parts(texts),
            "jieba": lambda: [dt.lcut(text) for text in texts],
            "posseg": lambda: [posseg.lcut(text) for text in texts],
        },
        repeats,
    )

    def row(path: str, ours: str, peer: str, name: str, goal: str = "") -> Row:
        pair = {"ours": times[ours], "peer": times[peer]}
        return timed_row(path, "characters/s", pair, work=sum(map(len, texts)), peer=name, goal=goal)

    with_posseg = ("posseg", "jieba.posseg")
    return [
        row("Chinese words, plain segmentation", "plain", "jieba", "jieba", ">= 1x the peer"),
        row("Chinese parts, comparison table", "known", *with_posseg, ">= 1,000,000 characters/s"),
        row("Chinese parts, comparison table that meets new words", "new", *with_posseg),
        row("Chinese parts, in context", "context", *with_posseg, ">= 1x the peer"),
    ]


def load_jieba() -> None:
    """Read jieba's dictionary into memory: otherwise it would leave a file in the shared /tmp."""
    dt.FREQ, dt.total = dt.gen_pfdict(dt.get_dict_file())
    dt.initialized = True


def english_row(repeats: int, *, quick: bool) -> Row:
    """Time the stage `tag` on a pre-tokenised corpus, against the tagger's pipeline alone."""
    tagger = tagger_of(quick=quick)
    texts = texts_of(ENGLISH, "dev", quick=quick)
    words = [text.split() for text in texts]
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "clean.parquet", Path(name) / "tagged.parquet"
        rows = {"id": [str(place) for place in range(len(texts))], "text": texts, "label": [""] * len(texts)}
        schema = clean_schema(Facts("made", "en", ("",)))
        pq.write_table(pa.table(rows | {"clean": [True] * len(texts)}, schema=schema), source)

        def alone() -> None:
            with tagger.memory_zone():
                deque(tagger.pipe([Doc(tagger.vocab, text) for text in words]), maxlen=0)

        tag = partial(tag_split, source, target, own_tokens, partial(parts_of_speech, tagger), parts=True)
        times = in_turns({"ours": tag, "peer": alone}, repeats)
    return timed_row(
        "English parts: the whole stage",
        "words/s",
        times,
        work=sum(map(len, words)),
        peer="spaCy's pipe alone",
        goal=">= 90% of the peer",
    )


def tagger_of(*, quick: bool) -> Language:
    """Return the pipeline's tagger, or one trained for two steps if quick."""
    if not quick:
        return load_tagger(made(TAGGER / "model", "tagger"))
    bank = list(read_conllu(SAMPLE / "sample-treebank-en/dev.conllu"))
    settings: dict[str, Any] = {"learning_rate": 0.01, "dropout": 0.1, "lowercased": 0.3, "width": 16, "depth": 1}
    return train_tagger(bank, bank, steps=2, batch_words=100, seed=1, **settings)


def copies_row(texts: list[str], repeats: int) -> Row:
    """Time the near-duplicate clusters, from texts in memory."""

    def peer() -> None:
        grams = CountVectorizer(analyzer="char", ngram_range=(5, 5), binary=True, dtype=np.float32).fit_transform(texts)
        sizes = np.asarray(grams.sum(axis=1)).ravel()
        shared = (grams @ grams.T).tocoo()
        near = shared.data >= NEAR * (sizes[shared.row] + sizes[shared.col] - shared.data)  # Jaccard's coefficient
        shared.data = near.astype(np.float32)
        connected_components(shared, directed=False)

    return timed_row(
        f"near duplicates among {len(texts):,} texts",
        "texts/s",
        in_turns({"ours": lambda: near_duplicate_clusters(fingerprints(texts)), "peer": peer}, repeats),
        work=len(texts),
        peer="all pairs by scikit-learn and scipy",
    )
