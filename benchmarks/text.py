"""The text stages: Chinese words and parts, English parts, `clean` and `tag` of large corpora, scores of many texts.

Chinese    characters a second from text to words and parts, beside jieba.posseg on the same texts. The table of the
           pipeline is asked twice: by a table that meets the texts for the first time, whose new words are tagged in
           context, and by one that knows their words.
English    words a second of the stage (reading, words, parts, writing), beside the same pipeline of spaCy called on the
           same words made ready.
Large      `clean` and `tag` of a corpus repeated with other words (`repeated.py`): texts a second beside those of a
           small one, and bytes of memory for every text more.
Scores     all scores of 60,000 texts in ten classes, and the picture of their ROC curves.
"""

import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.repeated import measured
from benchmarks.rows import Row
from benchmarks.timing import in_turns, rates
from retable.corpora.readers import read_conllu
from retable.errors import InputError
from retable.figures.pictures import roc_picture
from retable.project.paths import CLEAN, PARTS_TABLES, SAMPLE, TAGGER
from retable.runs.metrics import score
from retable.text.parts.chinese import chinese_words_and_parts, dictionary_parts, parts_in_context, plain_words
from retable.text.parts.comparison_table import ComparisonTable, count_parts, make_table, read_table
from retable.text.parts.content import CONTENT
from retable.text.parts.english import load_tagger, parts_of_speech
from retable.text.parts.table_agreement import agreement
from retable.text.parts.tagging import tag_split
from retable.text.splits import Facts, clean_schema
from retable.text.tokens import own_tokens
from retable.text.units import characters_of

if TYPE_CHECKING:
    from spacy.language import Language

CHINESE, ENGLISH = "thucnews-45k", "mr"
TEXTS, QUICK_TEXTS = 5_000, 20
SMALL, LARGE = 35_000, 140_000
CLASSES, SCORED, QUICK_SCORED = 10, 60_000, 600
REPEATS, QUICK_REPEATS = 5, 1


def measure(quick: bool) -> list[Row]:
    """All rows.

    Raises: InputError if a corpus, the tagger or the comparison table is not made.
    """
    repeats = QUICK_REPEATS if quick else REPEATS
    return [
        *chinese_rows(repeats, quick=quick),
        english_row(repeats, quick=quick),
        *large_rows(quick=quick),
        *score_rows(repeats, quick=quick),
    ]


def texts_of(name: str, sample: str, *, quick: bool) -> list[str]:
    """Development texts of a corpus, as `clean` leaves them; of a sample to be quick.

    Raises: InputError if the corpus is not cleaned.
    """
    if quick:
        lines = (SAMPLE / sample / "dev.txt").read_text(encoding="utf-8").splitlines()
        return [line.partition("\t")[2] for line in lines[:QUICK_TEXTS]]
    path = CLEAN / name / "dev.parquet"
    if not path.exists():
        raise InputError(f"data/clean/{name} is missing; `dvc repro clean@{name}` makes it, or `make tables`.")
    found: list[str] = pq.read_table(path, columns=["text"])["text"].to_pylist()
    return found[:TEXTS]


def table_of(*, quick: bool) -> dict[str, str]:
    """The entries of the comparison table; of jieba's dictionary and sample texts to be quick."""
    if not quick:
        return read_table(PARTS_TABLES / "zh/table.tsv").parts
    lines = (SAMPLE / "sample-zh/train.txt").read_text(encoding="utf-8").splitlines()
    return make_table(dictionary_parts(), count_parts([chinese_words_and_parts(lines)]))


def chinese_rows(repeats: int, *, quick: bool) -> list[Row]:
    """The comparison table and tagging in context, beside jieba.posseg."""
    posseg = jieba_posseg()
    texts = texts_of(CHINESE, "sample-zh", quick=quick)
    entries = table_of(quick=quick)
    warm = ComparisonTable(dict(entries))
    words, in_context = chinese_words_and_parts(texts)
    plain = plain_words(texts)
    looked_up = warm.parts_of(plain, parts_in_context)
    by_character = characters_of(words, in_context)[1]
    agreed = agreement(characters_of(plain, looked_up)[1], by_character, CONTENT)
    fresh = iter([ComparisonTable(dict(entries)) for _ in range(repeats + 1)])
    rate = rates(
        {
            "known": lambda: warm.parts_of(plain_words(texts), parts_in_context),
            "new": lambda: next(fresh).parts_of(plain_words(texts), parts_in_context),
            "context": lambda: chinese_words_and_parts(texts),
            "posseg": lambda: [list(posseg.cut(text)) for text in texts],
        },
        sum(map(len, texts)),
        repeats,
    )
    peer = f"jieba.posseg, same run; same part on {agreed['same_part']:.1%} of the characters"
    goal = ">= 1 M characters/s"
    return [
        Row("Chinese parts, comparison table", "characters/s", rate["known"], rate["posseg"], peer, None, "", goal),
        Row("Chinese parts, comparison table that meets new words", "characters/s", rate["new"], rate["posseg"],
            f"jieba.posseg, same run; {len(warm.added):,} words are new", None, "", ""),
        Row("Chinese parts, in context", "characters/s", rate["context"], rate["posseg"],
            f"jieba.posseg, same run; {equal_share(texts, words, in_context):.0%} of the texts cut and tagged alike",
            None, "", ">= 1x the peer"),
    ]  # fmt: skip


@cache
def jieba_posseg() -> Any:
    """jieba's own tagger, with its dictionary in memory: it would else leave a file in the shared /tmp."""
    from jieba import dt, posseg

    dt.FREQ, dt.total = dt.gen_pfdict(dt.get_dict_file())
    dt.initialized = True
    return posseg.dt


def equal_share(texts: list[str], words: pa.ListArray, parts: pa.ListArray) -> float:
    """The share of texts whose words and parts are jieba.posseg's own."""
    posseg = jieba_posseg()
    expected = [[(pair.word, pair.flag) for pair in posseg.cut(text) if not pair.word.isspace()] for text in texts]
    found = [list(zip(*pair, strict=True)) for pair in zip(words.to_pylist(), parts.to_pylist(), strict=True)]
    return sum(map(list.__eq__, expected, found)) / len(texts)


def english_row(repeats: int, *, quick: bool) -> Row:
    """The stage `tag` on a corpus that comes tokenised, beside the tagger's pipeline alone."""
    tagger = tagger_of(quick=quick)
    texts = texts_of(ENGLISH, "sample-en", quick=quick)
    words = [text.split() for text in texts]
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "clean.parquet", Path(name) / "tagged.parquet"
        rows = {"id": [str(place) for place in range(len(texts))], "text": texts, "label": [""] * len(texts)}
        schema = clean_schema(Facts("made", "en", ("",)))
        pq.write_table(pa.table(rows | {"clean": [True] * len(texts)}, schema=schema), source)
        rate = rates(
            {
                "stage": lambda: tag_split(source, target, own_tokens, partial(parts_of_speech, tagger), parts=True),
                "alone": lambda: pipe_alone(tagger, words),
            },
            sum(map(len, words)),
            repeats,
        )
    return Row(
        "English parts: the whole stage", "words/s", rate["stage"], rate["alone"], "spaCy's pipe alone, same run",
        None, "", ">= 90% of the peer",
    )  # fmt: skip


def pipe_alone(tagger: "Language", words: list[list[str]]) -> None:
    """spaCy's own work: documents through its pipeline."""
    from spacy.tokens import Doc

    with tagger.memory_zone():
        for _ in tagger.pipe([Doc(tagger.vocab, text) for text in words]):
            pass


def tagger_of(*, quick: bool) -> "Language":
    """The tagger of the pipeline; one that learnt for two steps to be quick.

    Raises: InputError if it is not trained.
    """
    if not quick:
        if not (TAGGER / "model").is_dir():
            raise InputError("data/parts/context/model is missing; `dvc repro tagger` makes it, or `make tables`.")
        return load_tagger(TAGGER / "model")
    from retable.text.parts.treebank_tagger import train_tagger

    bank = list(read_conllu(SAMPLE / "sample-treebank-en/dev.conllu"))
    settings: dict[str, Any] = {"learning_rate": 0.01, "dropout": 0.1, "lowercased": 0.3, "width": 16, "depth": 1}
    return train_tagger(bank, bank, steps=2, batch_words=100, seed=1, **settings)


def large_rows(*, quick: bool) -> list[Row]:
    """`clean` and `tag` of texts that are all different, beside a quarter of them."""
    name, sizes = ("sample-en", (200, 400)) if quick else ("ag-news-5k", (SMALL, LARGE))
    small, large = (measured(name, size, distinct=True) for size in sizes)
    more = large["texts"] - small["texts"]
    rate = {id(found): found["texts"] / (found["clean_s"] + found["tag_s"]) for found in (small, large)}
    rows = [
        Row(f"clean and tag, {sizes[1]:,} texts", "texts/s", rate[id(large)], rate[id(small)],
            f"{sizes[0]:,} texts, same run", None, "", ">= 90% of the peer"),
    ]  # fmt: skip
    for stage, goal in (("clean", "<= 400 bytes a text"), ("tag", "<= 50 bytes a text")):
        grown = (large[f"{stage}_peak_mb"] - small[f"{stage}_peak_mb"]) * 2**20 / more
        rows.append(Row(f"{stage}: memory for a text more", "bytes", max(grown, 0.0), None, "", None, "", goal))
    return rows


def score_rows(repeats: int, *, quick: bool) -> list[Row]:
    """All scores, AUC among them, and the ROC curves of ten classes."""
    count = QUICK_SCORED if quick else SCORED
    draw = np.random.default_rng(1)
    classes = draw.integers(0, CLASSES, count)
    logits = draw.normal(size=(count, CLASSES)) + 2 * np.eye(CLASSES)[classes]
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = [f"class {number}" for number in range(CLASSES)]
    ways: dict[str, Callable[[], object]] = {
        "all scores": lambda: score(probabilities, classes),
        "ROC curves": lambda: roc_picture(classes, probabilities, labels),
    }
    times = {name: median(took) for name, took in in_turns(ways, repeats).items()}
    of = f"of {CLASSES} classes, {count:,} texts"
    rows = [Row(f"{name} {of}", "s", took, None, "", None, "", "") for name, took in times.items()]
    return [*rows, Row(f"scores and ROC curves {of}", "s", sum(times.values()), None, "", None, "", "<= 1 s")]
