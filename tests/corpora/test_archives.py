"""Corpora that cannot be had here, from small files in their published format, by the code that reads whole ones."""

import io
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from retable.corpora import corpus, lama_yelp
from retable.corpora.zhang import CORPORA as RELEASES
from retable.errors import InputError


def tar(path: Path, **members: str | bytes) -> Path:
    """A .tar.gz with one folder, as published."""
    with tarfile.open(path, "w:gz") as archive:
        folder = tarfile.TarInfo(path.name.partition(".")[0])
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(f"{folder.name}/{name.replace('__', '.')}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def small(name: str, **texts: tuple[int, ...] | int | None):
    return replace(corpus(name), texts=texts)


def archive_of(name: str) -> str:
    [file] = corpus(name).files
    return file


TWO_STARS = (0, 1, 0, 0, 0)


def test_reviews_are_unquoted_and_unescaped_line_by_line(tmp_path):
    rows = '"5","He said ""wow"", twice.\\nThen\\n\\nleft."\n"1","café, 東京; \\""so so\\"" - 5$"\n'
    tar(tmp_path / archive_of("yelp-full"), train__csv=rows, test__csv='"2",""\n')
    examples = small("yelp-full", train=(1, 0, 0, 0, 1), test=TWO_STARS).examples(tmp_path)
    assert [tuple(example) for example in examples] == [
        ("yelp-full/train/0", "train", 'He said "wow", twice. Then  left.', "5 stars"),
        ("yelp-full/train/1", "train", 'café, 東京; "so so" - 5$', "1 star"),
        ("yelp-full/test/0", "test", "", "2 stars"),
    ]


@pytest.mark.parametrize("facts", RELEASES.values(), ids=RELEASES)
def test_every_release_joins_its_columns_and_names_its_classes(facts, tmp_path):
    columns = {"yahoo-answers": 3, "yelp-full": 1, "yelp-polarity": 1}.get(facts.name, 2)
    last = len(facts.labels)
    texts = ",".join(f'"part {number}"' for number in range(columns))
    tar(tmp_path / archive_of(facts.name), test__csv=f'"1",{texts}\n', train__csv=f"{last},{texts}\n")  # either order
    one = [(0,) * (last - 1) + (1,), (1,) + (0,) * (last - 1)]
    examples = replace(facts, texts={"train": one[0], "test": one[1]}).examples(tmp_path)
    found = {example.split: example for example in examples}
    assert found["train"].text == " ".join(f"part {number}" for number in range(columns))
    assert (found["train"].label, found["test"].label) == (facts.labels[-1], facts.labels[0])


def test_a_question_without_a_body_has_no_word_in_its_place(tmp_path):
    tar(tmp_path / archive_of("yahoo-answers"), train__csv='"6","Who won?","","Nobody"\n', test__csv="")
    ten = (0, 0, 0, 0, 0, 1, 0, 0, 0, 0)
    [example] = small("yahoo-answers", train=ten, test=(0,) * 10).examples(tmp_path)
    assert (example.text.split(), example.label) == (["Who", "won?", "Nobody"], "Sports")


def test_an_article_longer_than_the_csv_module_allows_is_read(tmp_path):
    tar(tmp_path / archive_of("sogou-news"), train__csv=f'"1","t","{"ti3 yu4 " * 40_000}"\n', test__csv="")
    [example] = small("sogou-news", train=(1, 0, 0, 0, 0), test=(0,) * 5).examples(tmp_path)
    assert len(example.text.split()) == 80_001


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"train__csv": '"1","a"\n'}, r"cannot be used \(it holds no test\.csv\)"),
        (
            {"train__csv": '"1","a"\n"9","b"\n', "test__csv": ""},
            r'tgz, line 2: in .*/train\.csv, the label is "9"; yelp-full',
        ),
        ({"train__csv": '"1","a","b"\n', "test__csv": ""}, r"tgz, line 1: in .*/train\.csv, it has 3 fields, not 2"),
        ({"train__csv": '"1","a "b" c"\n', "test__csv": ""}, r"line 1: in .*/train\.csv, it is not CSV"),
        ({"train__csv": b'"1","caf\xe9"\n', "test__csv": ""}, r"line 1: in .*/train\.csv, byte 8 is not utf-8"),
        ({"train__csv": '"1","a"\n', "test__csv": ""}, "holds 1 texts labelled 1 star in train, yelp-full has 2"),
    ],
)
def test_a_broken_archive_stops_the_reader_with_file_and_line(tmp_path, members, problem):
    tar(tmp_path / archive_of("yelp-full"), **members)
    with pytest.raises(InputError, match=problem):
        small("yelp-full", train=(2, 0, 0, 0, 0), test=(0,) * 5).examples(tmp_path)


def test_an_archive_that_is_cut_off_or_missing_is_named(tmp_path):
    path = tar(tmp_path / archive_of("yelp-full"), train__csv='"1","good food"\n' * 5000, test__csv='"1","a"\n')
    path.write_bytes(path.read_bytes()[:-200])
    one = small("yelp-full", train=(5000, 0, 0, 0, 0), test=(1, 0, 0, 0, 0))
    with pytest.raises(InputError, match=r"yelp_review_full_csv\.tgz cannot be used \(.*`dvc repro download@"):
        one.examples(tmp_path)
    path.write_bytes(b"not an archive at all")
    with pytest.raises(InputError, match=r"yelp_review_full_csv\.tgz cannot be used"):
        one.examples(tmp_path)
    path.unlink()
    with pytest.raises(InputError, match=r"yelp_review_full_csv\.tgz is missing; `dvc repro download@"):
        one.examples(tmp_path)


def zipped(folder: Path, content: bytes, member: str = "newsCorpora.csv") -> None:
    with zipfile.ZipFile(folder / archive_of("news-aggregator"), "w") as archive:
        archive.writestr(member, content)


NEWS = '1\tBanks "too big", says Fed\thttp://a.example\tReuters\tb\tdd1\ta.example\t1394470370698\n'


def test_headlines_keep_their_quotation_marks(tmp_path):
    zipped(tmp_path, (NEWS + NEWS.replace("\tb\t", "\tm\t").replace('"', "'")).encode())
    first, second = small("news-aggregator", all=2).examples(tmp_path)
    assert tuple(first) == ("news-aggregator/0", "all", 'Banks "too big", says Fed', "business")
    assert (second.id, second.label) == ("news-aggregator/1", "health")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (NEWS.encode(), r"holds 1 texts in all, news-aggregator has 2"),
        (b"1\ttitle\n", r"zip, line 1: in newsCorpora\.csv, it has 2 columns, not 8"),
        (NEWS.replace("\tb\t", "\tx\t").encode(), r'line 1: in newsCorpora\.csv, the label is "x"'),
        (NEWS.encode() + b"\xff\n", r"line 2: in newsCorpora\.csv, byte 0 is not utf-8"),
    ],
)
def test_broken_headlines_stop_the_reader_and_their_sum_is_checked(tmp_path, content, problem):
    zipped(tmp_path, content)
    with pytest.raises(InputError, match=problem):
        small("news-aggregator", all=2).examples(tmp_path)


def test_a_zip_without_the_file_or_without_sense_is_named(tmp_path):
    zipped(tmp_path, b"", member="other.csv")
    with pytest.raises(InputError, match=r"cannot be used \(it holds no newsCorpora\.csv\)"):
        small("news-aggregator", all=0).examples(tmp_path)
    (tmp_path / archive_of("news-aggregator")).write_bytes(b"PK nonsense")
    with pytest.raises(InputError, match=r"NewsAggregatorDataset\.zip cannot be used"):
        small("news-aggregator", all=0).examples(tmp_path)


def test_whole_ag_news_and_thucnews_are_read_as_their_parts_are(tmp_path):
    (tmp_path / "train.csv").write_text('"3","Oil at \\$50","Prices\\rose ""again""."\n', encoding="utf-8")
    (tmp_path / "test.csv").write_text('"1","A","b"\n', encoding="utf-8")
    first, _ = small("ag-news", train=(0, 0, 1, 0), test=(1, 0, 0, 0)).examples(tmp_path)
    assert tuple(first) == ("ag-news/train/0", "train", 'Oil at $50 Prices rose "again".', "Business")
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.txt").write_text(
            "词汇阅读\t是关键\t3\n", encoding="utf-8"
        )  # a tab in a text: the last one counts
    one = (0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
    first, *_ = small("thucnews", train=one, dev=one, test=one).examples(tmp_path)
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
    tar(tmp_path / archive_of("yelp-5"), train__csv=train, test__csv=f'"5","{long}"\n' * 20)
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
