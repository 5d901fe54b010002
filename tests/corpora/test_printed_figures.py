"""Recount the figures of the papers' corpus tables, including every explanation in the notes."""

import re
from collections import Counter
from pathlib import Path

import pytest
import spacy

from retable.corpora import CORPORA, corpus
from retable.papers import PAPERS, paper
from retable.papers.fcsr import TABLE_2
from retable.tables.published import read_published
from retable.tables.statistics import statistics_lines
from retable.text.clean.cleaning import clean_examples, clean_text
from retable.text.clean.statistics import lengths_as_published, lengths_with_unlabelled

PUBLISHED = Path(__file__).resolve().parents[2] / "data/published"
TABLES = [table for name in PAPERS for table in paper(name).statistics]


@pytest.fixture
def texts(read_corpus):
    """Return a function that gives a corpus's labelled raw texts."""
    return lambda name: [example.text for example in read_corpus(name) if example.label]


def mean(numbers) -> float:
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_row_is_a_corpus_and_every_row_that_is_not_at_hand_has_its_reason(table):
    for row, name in table.corpora.items():
        assert name in CORPORA
        assert (row in table.reasons) == (not corpus(name).at_hand)


@pytest.mark.parametrize("name", PAPERS)
def test_every_column_of_scores_is_a_corpus_or_says_why_not(name):
    for table in paper(name).results:
        for column in table.columns:
            if column.mean_of:
                assert column.corpus is None
            elif column.corpus is None or not corpus(column.corpus).at_hand:
                assert column.reason
            if column.corpus:
                assert (column.unit == "characters") == (corpus(column.corpus).language == "zh")


def test_the_floors_stand_on_every_corpus_at_hand():
    (table,) = paper("floors").results
    columns = {column.corpus: column for column in table.columns}
    at_hand = {name for name in CORPORA if corpus(name).at_hand and not corpus(name).domains}
    others = {
        "sst-1-trees",  # the sentences of sst-1 with marks, which a linear model would read as words
        "sick-relatedness",  # scored by correlation, and this table has accuracies
    }
    assert set(columns) == at_hand - others
    for name, column in columns.items():
        assert column.id == name
        assert (column.split == "paper") == (corpus(name).split == "published")


class TestCed:
    """Transformer-F, table 1."""

    def test_the_vocabulary_is_that_of_characters_and_two_more(self, texts):
        assert lengths_as_published(texts("ced"))["published-vocabulary-characters"] + 2 == 4411

    def test_113_characters_are_those_of_a_line_with_its_label_and_its_end(self, texts):
        assert mean(map(len, texts("ced"))) == pytest.approx(110.084, abs=1e-3)
        assert round(mean(len(f"{text}\t0\n") for text in texts("ced"))) == 113


def test_22_characters_of_thucnews_are_those_of_a_line_with_its_label_and_its_end(texts):  # of 65,000 of 200,000
    assert round(mean(map(len, texts("thucnews-45k"))), 2) == 19.21
    assert round(mean(len(f"{text}\t0\n") for text in texts("thucnews-45k"))) == 22


class TestMr:
    """Transformer-F, table 1; FCSR, table 1."""

    @pytest.fixture
    def lines(self, raw_folder) -> list[bytes]:
        data = (raw_folder("mr") / "rt-polarity.all").read_bytes()
        return [line.partition(b" ")[2] for line in data.removesuffix(b"\n").split(b"\n")]

    def test_116_characters_are_those_of_a_line_with_its_end(self, lines):
        assert round(mean(len(line.decode("latin-1")) for line in lines), 2) == 115.15
        assert round(mean(len(line.decode("latin-1") + "\n") for line in lines)) == 116

    def test_18779_words_are_those_of_kims_cleaning_read_as_utf_8_and_two_more(self, lines):
        def words(encoding: str) -> int:
            return len({word for line in lines for word in kims_cleaning(line.decode(encoding, "ignore")).split()})

        assert words("utf-8") + 2 == 18_779  # bytes that are not UTF-8 are dropped
        assert words("latin-1") == 18_765  # as the file should be read; the figure of the literature

    def test_fcsr_prints_its_vocabulary_and_no_reading_gives_its_length(self, texts):
        stats = lengths_as_published(texts("mr"))
        assert stats["published-vocabulary-words"] == 21_400
        assert stats["published-max-words"] == 59


def kims_cleaning(text: str) -> str:
    """Apply `clean_str` of Kim's CNN_sentence (2014)."""
    text = re.sub(r"[^A-Za-z0-9(),!?'`]", " ", text)
    text = re.sub(r"('s|'ve|n't|'re|'d|'ll)", r" \1", text)
    return re.sub(r"([,!()?])", r" \1 ", text).lower()


def test_sst_2_has_17573_words_and_21836_together_with_mr(texts):
    words = {word for text in texts("sst-2") for word in text.lower().split()}
    assert len(words) == 17_573
    assert len(words | {word for text in texts("mr") for word in text.lower().split()}) == 21_836


def test_no_reading_of_the_tweets_gives_27_words(texts):
    stats = lengths_as_published(texts("covid-sentiment"))
    assert round(stats["published-average-words"], 1) == 25.2
    assert round(stats["published-average-words-and-marks"], 1) == 26.3
    assert round(stats["published-vocabulary-words"] / 1000, 1) == 11.4


def test_of_ag_news_the_sample_comes_near_the_printed_figures_of_the_whole(texts, read_corpus):
    stats = lengths_as_published(texts("ag-news-5k"))
    assert round(stats["published-average-words"], 1) == 37.9
    assert round(stats["published-average-words-and-marks"], 1) == 46.9  # CSPAN prints 46.6
    assert round(stats["published-average-sentences"], 1) == 1.3  # CSPAN prints 1.3
    tokenise = spacy.blank("en").tokenizer
    test = [example.text for example in read_corpus("ag-news-5k") if example.split == "test"]
    spacy_tokens = mean(sum(not token.is_space for token in tokenise(text)) for text in test)
    assert round(spacy_tokens, 1) == 43.6  # FCSR prints 43


class TestLama:
    """LAMA, table 3."""

    def test_r8_has_102_words_over_both_splits(self, read_corpus):
        lengths = {split: [] for split in ("train", "test")}
        for example in read_corpus("r8"):
            lengths[example.split].append(len(example.text.split()))
        assert [round(mean(found), 1) for found in lengths.values()] == [105.3, 95.1]
        assert round(mean([*lengths["train"], *lengths["test"]])) == 102

    def test_r8_has_5423_distinct_training_texts(self, read_corpus):
        train = [example.text for example in read_corpus("r8") if example.split == "train"]
        assert (len(train), len(set(train))) == (5485, 5423)

    @pytest.mark.slow
    def test_imdb_has_221_words_only_without_the_rare_ones(self, texts):
        assert round(mean(len(text.split()) for text in texts("imdb")), 1) == 231.2
        cleaned = [clean_text(text, markup=True) for text in texts("imdb")]
        counts = Counter(word for text in cleaned for word in text.lower().split())
        assert round(counts.total() / len(cleaned), 1) == 228.9
        assert round(sum(count for count in counts.values() if count >= 5) / len(cleaned), 1) == 220.4


@pytest.fixture(scope="session")
def lines_of(read_corpus):
    """Return a function that gives a table's lines by row and column; each table is counted once."""
    found = {}

    def lines(table) -> dict:
        if table.name not in found:
            printed = read_published(PUBLISHED / f"{table.name.rpartition('-table-')[0]}.csv", table.published)
            shown = {number.column for number in printed}
            stats = {
                name: counted(name, read_corpus, {table.statistic(row, column) for column in shown})
                for row, name in table.corpora.items()
                if corpus(name).at_hand
            }
            found[table.name] = {(line.row, line.column): line for line in statistics_lines(table, printed, stats)}
        return found[table.name]

    return lines


def counted(name: str, read_corpus, wanted: set[str]) -> dict:
    """Return what stats.json has for a corpus, but only the parts needed: counting all of IMDB takes 20 seconds."""
    facts, examples = corpus(name), read_corpus(name)
    labelled = [example for example in examples if example.label]
    found = {"classes": len(facts.labels), "instances-published": len(labelled)}
    found |= {f"published-{split}": count for split, count in Counter(example.split for example in examples).items()}
    if any(re.match("published-(average|max|vocabulary)", key) for key in wanted):
        found |= lengths_as_published([example.text for example in labelled])
    if any(key.startswith("with-unlabelled") for key in wanted):
        found |= lengths_with_unlabelled([example.text for example in examples])
    if "average-length" in wanted:
        left, _ = clean_examples(labelled, markup=facts.html, drop_copies=facts.split == "own")
        found["average-length"] = mean(len(example.text.split()) for example in left)
    return found


def test_review_domains_are_counted_over_all_their_texts_before_tokenisation(lines_of):
    lines = lines_of(TABLE_2)
    for name, length, vocabulary in (
        ("fdu-apparel", "56.8", "20.9"), ("fdu-books", "159.3", "63.4"), ("fdu-imdb", "269.6", "44.5"),
        ("fdu-mr", "21.0", "12.5"),
    ):  # fmt: skip
        assert (lines[name, "average-length"].measured, lines[name, "vocabulary"].measured) == (length, vocabulary)
    for name in TABLE_2.corpora:
        length, vocabulary = lines[name, "average-length"], lines[name, "vocabulary"]
        assert abs(float(length.measured) - float(length.published)) < 1
        assert 0.98 < float(vocabulary.measured) / float(vocabulary.published) < 1.1
    train = lines["fdu-baby", "train"]
    assert (train.measured, train.published, train.verdict) == ("1300", "1400", "lower")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_figure_that_is_not_the_printed_one_says_why(table, lines_of):
    lines = lines_of(table).values()
    rows = {line.row for line in lines if line.verdict != "not-run"}
    assert rows == {row for row, name in table.corpora.items() if corpus(name).at_hand}
    assert not [(line.row, line.column) for line in lines if line.verdict not in ("agrees", "") and not line.note]
