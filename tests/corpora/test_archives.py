"""Read small files in the published format of corpora that are not available here, with the regular readers."""

import io
import json
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from retable.corpora import corpus, lama_yelp
from retable.corpora.zhang import CORPORA as RELEASES
from retable.errors import InputError


def packed(folder: Path, name: str, members: dict[str, str | bytes]) -> Path:
    """Write a corpus's only archive: a .zip, or a .tgz with one folder, as published."""
    [file] = corpus(name).files
    contents = {
        member: content.encode() if isinstance(content, str) else content for member, content in members.items()
    }
    if file.endswith(".zip"):
        with zipfile.ZipFile(folder / file, "w") as archive:
            for member, content in contents.items():
                archive.writestr(member, content)
        return folder / file
    with tarfile.open(folder / file, "w:gz") as archive:
        inside = tarfile.TarInfo(file.partition(".")[0])
        inside.type = tarfile.DIRTYPE
        archive.addfile(inside)
        for member, content in contents.items():
            info = tarfile.TarInfo(f"{inside.name}/{member}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return folder / file


def small(name: str, **texts: tuple[int, ...] | int | None):
    return replace(corpus(name), texts=texts)


def only(label: int, labels: int) -> tuple[int, ...]:
    """Return the counts of one text with that label."""
    return tuple(int(place == label) for place in range(labels))


def pair(label: str, first: str, second: str) -> str:
    """Return a line of an inference corpus."""
    return json.dumps({"gold_label": label, "sentence1": first, "sentence2": second}) + "\n"


NONE = (0,) * 5
NEWS = '1\tBanks "too big", says Fed\thttp://a.example\tReuters\tb\tdd1\ta.example\t1394470370698\n'
SNLI_FILES = [f"snli_1.0/snli_1.0_{split}.jsonl" for split in ("train", "dev", "test")]
REVIEWS = '"5","He said ""wow"", twice.\\nThen\\n\\nleft."\n"1","café, 東京; \\""so so\\"" - 5$"\n'


@pytest.mark.parametrize(
    ("name", "members", "counts", "expected"),
    [
        (  # unquoted and unescaped line by line
            "yelp-full", {"train.csv": REVIEWS, "test.csv": '"2",""\n'},
            {"train": (1, 0, 0, 0, 1), "test": only(1, 5)},
            [
                ("yelp-full/train/0", "train", 'He said "wow", twice. Then  left.', "5 stars"),
                ("yelp-full/train/1", "train", 'café, 東京; "so so" - 5$', "1 star"),
                ("yelp-full/test/0", "test", "", "2 stars"),
            ],
        ),
        (  # a question without a body
            "yahoo-answers", {"train.csv": '"6","Who won?","","Nobody"\n', "test.csv": ""},
            {"train": only(5, 10), "test": (0,) * 10},
            [("yahoo-answers/train/0", "train", "Who won?  Nobody", "Sports")],
        ),
        (  # longer than the csv module allows
            "sogou-news", {"train.csv": f'"1","t","{"ti3 " * 80_000}"\n', "test.csv": ""},
            {"train": only(0, 5), "test": NONE},
            [("sogou-news/train/0", "train", "t " + "ti3 " * 80_000, "sports")],
        ),
        (  # headlines keep their quotation marks
            "news-aggregator", {"newsCorpora.csv": NEWS + NEWS.replace("\tb\t", "\tm\t").replace('"', "'")}, {"all": 2},
            [
                ("news-aggregator/0", "all", 'Banks "too big", says Fed', "business"),
                ("news-aggregator/1", "all", "Banks 'too big', says Fed", "health"),
            ],
        ),
        (  # a pair without agreement is not an example, and keeps its number
            "snli",
            {"snli_1.0/snli_1.0_train.jsonl": pair("-", "A", "B") + pair("neutral", "A dog runs.", "It's wet."),
             "snli_1.0/snli_1.0_dev.jsonl": "", "snli_1.0/snli_1.0_test.jsonl": pair("entailment", "Ä", "C")},
            {"train": (0, 1, 0), "dev": (0, 0, 0), "test": (1, 0, 0)},
            [
                ("snli/train/1", "train", "A dog runs. ␞ It's wet.", "neutral"),
                ("snli/test/0", "test", "Ä ␞ C", "entailment"),
            ],
        ),
        (
            "multinli-matched",
            {"multinli_1.0/multinli_1.0_train.jsonl": pair("contradiction", "A", "B"),
             "multinli_1.0/multinli_1.0_dev_matched.jsonl": pair("neutral", "C", "D")},
            {"train": (0, 0, 1), "test": (0, 1, 0)},
            [
                ("multinli-matched/train/0", "train", "A ␞ B", "contradiction"),
                ("multinli-matched/test/0", "test", "C ␞ D", "neutral"),
            ],
        ),
    ],
    ids=["yelp-full", "yahoo-answers", "sogou-news", "news-aggregator", "snli", "multinli-matched"],
)  # fmt: skip
def test_texts_of_archives(tmp_path, name, members, counts, expected):
    packed(tmp_path, name, members)
    assert [tuple(example) for example in small(name, **counts).examples(tmp_path)] == expected


@pytest.mark.parametrize("facts", RELEASES.values(), ids=RELEASES)
def test_every_release_joins_its_columns_and_names_its_classes(facts, tmp_path):
    columns = {"yahoo-answers": 3, "yelp-full": 1, "yelp-polarity": 1}.get(facts.name, 2)
    last = len(facts.labels)
    texts = ",".join(f'"part {number}"' for number in range(columns))
    packed(tmp_path, facts.name, {"test.csv": f'"1",{texts}\n', "train.csv": f"{last},{texts}\n"})  # either order
    train, test = small(facts.name, train=only(last - 1, last), test=only(0, last)).examples(tmp_path)[::-1]
    assert train.text == test.text == " ".join(f"part {number}" for number in range(columns))
    assert (train.label, test.label) == (facts.labels[-1], facts.labels[0])


@pytest.mark.parametrize(
    ("name", "members", "problem"),
    [
        ("yelp-full", {"train.csv": '"1","a"\n'}, r"cannot be used \(it does not contain test\.csv\)"),
        ("yelp-full", {"train.csv": '"1","a"\n"9","b"\n'}, r'tgz, line 2: in .*/train\.csv, the label is "9"; yelp'),
        ("yelp-full", {"train.csv": '"1","a","b"\n'}, r"tgz, line 1: in .*/train\.csv, it has 3 fields, not 2"),
        ("yelp-full", {"train.csv": '"1","a "b" c"\n'}, r"line 1: in .*/train\.csv, it is not CSV"),
        ("yelp-full", {"train.csv": b'"1","caf\xe9"\n'}, r"line 1: in .*/train\.csv, byte 8 is not utf-8"),
        (
            "yelp-full",
            {"train.csv": '"1","a"\n', "test.csv": ""},
            "1 text labelled 1 star in train, but yelp-full has 2",
        ),
        (
            "snli",
            {SNLI_FILES[0]: pair("neutral", "A", "B") + "{"},
            r"zip, line 2: in snli.*train.jsonl, it is not a pair",
        ),
        ("snli", {SNLI_FILES[0]: pair("maybe", "A", "B")}, r'line 1: in snli.*the label is "maybe"; allowed: entail'),
        ("snli", {SNLI_FILES[0]: pair("neutral", "A", None)}, r"line 1: in snli.*it is not a pair of texts"),
        ("snli", {SNLI_FILES[0]: "[1]\n"}, r"line 1: in snli.*it is not a pair in JSON"),
        ("snli", {SNLI_FILES[1]: ""}, r"cannot be used \(it does not contain snli_1.0/snli_1.0_train.jsonl\)"),
        ("news-aggregator", {"other.csv": ""}, r"cannot be used \(it does not contain newsCorpora\.csv\)"),
        ("news-aggregator", {"newsCorpora.csv": NEWS}, r"contains 1 text in all, but news-aggregator has 2"),
        ("news-aggregator", {"newsCorpora.csv": "1\ttitle\n"}, r"zip, line 1: in newsC.*, it has 2 columns, not 8"),
        ("news-aggregator", {"newsCorpora.csv": NEWS.replace("\tb\t", "\tx\t")}, r'line 1: in newsC.*the label is "x"'),
        ("news-aggregator", {"newsCorpora.csv": NEWS.encode() + b"\xff\n"}, r"line 2: in newsC.*, byte 0 is not utf-8"),
    ],
)  # fmt: skip
def test_a_broken_archive_stops_the_reader_with_file_and_line(tmp_path, name, members, problem):
    packed(tmp_path, name, members)
    counts = {"train": (2, 0, 0, 0, 0), "test": NONE} if name == "yelp-full" else {"all": 2}
    with pytest.raises(InputError, match=problem):
        small(name, **counts).examples(tmp_path)


@pytest.mark.parametrize("name", ["yelp-full", "news-aggregator"])
def test_an_archive_that_is_cut_off_or_missing_is_named(tmp_path, name):
    path = packed(tmp_path, name, {"train.csv": '"1","good food"\n' * 5000, "test.csv": "", "newsCorpora.csv": NEWS})
    for damaged in (path.read_bytes()[:-200], b"not an archive at all"):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=rf"{path.name} cannot be used \(.*`dvc repro download@"):
            corpus(name).examples(tmp_path)
    path.unlink()
    with pytest.raises(InputError, match=rf"{path.name} is missing; `dvc repro download@"):
        corpus(name).examples(tmp_path)


def test_whole_ag_news_and_thucnews_are_read_as_their_parts_are(tmp_path):
    (tmp_path / "train.csv").write_text('"3","Oil at \\$50","Prices\\rose ""again""."\n', encoding="utf-8")
    (tmp_path / "test.csv").write_text('"1","A","b"\n', encoding="utf-8")
    first, _ = small("ag-news", train=only(2, 4), test=only(0, 4)).examples(tmp_path)
    assert tuple(first) == ("ag-news/train/0", "train", 'Oil at $50 Prices rose "again".', "Business")
    for split in ("train", "dev", "test"):  # a tab in a text: the last one counts
        (tmp_path / f"{split}.txt").write_text("词汇阅读\t是关键\t3\n", encoding="utf-8")
    first, *_ = small("thucnews", **dict.fromkeys(("train", "dev", "test"), only(3, 10))).examples(tmp_path)
    assert tuple(first) == ("thucnews/train/0", "train", "词汇阅读\t是关键", "education")


def test_a_sample_of_lama_is_drawn_by_a_digest_and_stays_the_same():
    drawn = lama_yelp.drawn("train", 10, of=1000)
    assert drawn == {164, 233, 248, 258, 316, 475, 521, 530, 806, 807}
    assert drawn < lama_yelp.drawn("train", 20, of=1000), "a larger sample holds the smaller one"
    assert drawn != lama_yelp.drawn("test", 10, of=1000)
    assert len(lama_yelp.drawn("test", 4000, of=50_000)) == 4000


def test_yelp_long_keeps_the_long_reviews_of_yelp_5(tmp_path, monkeypatch):
    monkeypatch.setattr(lama_yelp, "WHOLE", small("yelp-full", train=(60, 0, 0, 0, 0), test=(0, 0, 0, 0, 20)))
    long, short = "word " * 119, "don't " * 58  # twice as many tokens as words
    train = "".join(f'"1","{number} {long if number % 2 else short}"\n' for number in range(60))
    packed(tmp_path, "yelp-5", {"train.csv": train, "test.csv": f'"5","{long}"\n' * 20})
    sizes = {"train": 30, "test": 4}
    sample = list(lama_yelp.read(small("yelp-5", train=30, test=4), tmp_path, sizes=sizes))
    assert [sum(example.split == split for example in sample) for split in ("train", "test")] == [30, 4]
    places = {int(example.id.removeprefix("yelp-5/train/")) for example in sample if example.split == "train"}
    assert places == lama_yelp.drawn("train", 30, of=60)
    assert all(example.text.startswith(f"{place} ") for place, example in zip(sorted(places), sample, strict=False))
    kept = list(lama_yelp.read(small("yelp-long", train=None, test=None), tmp_path, sizes=sizes, longer_than=118))
    assert kept == [
        example._replace(id=example.id.replace("yelp-5", "yelp-long")) for example in sample if "word" in example.text
    ]
    assert 4 < len(kept) < 34


@pytest.mark.parametrize(
    ("text", "long"),
    [("word " * 119, True), ("word " * 118, False), ("don't " * 59, False), ("don't " * 60, True), ("x" * 118, False)],
)
def test_a_long_review_has_more_than_118_tokens(text, long):
    assert lama_yelp.is_longer(text.strip(), 118) == long
