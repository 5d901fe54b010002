"""The stages download and clean, on the project's own corpus and on real ones."""

import csv
import io
import tarfile
import zipfile
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

import retable.stages.clean
import retable.stages.download
from retable.corpora import Example, corpus
from retable.errors import InputError
from retable.files import read_json, sha256_of_file
from retable.text.leaks.leakage import digest
from retable.text.splits import SPLITS, UNLABELLED, read_facts, read_split


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Return raw and clean folders of the test's own, without mirror or network."""
    monkeypatch.delenv("RETABLE_MIRROR", raising=False)
    monkeypatch.setattr("retable.stages.download.CHECKOUT", tmp_path)
    monkeypatch.setattr("retable.stages.download.SCRATCH", tmp_path / "scratch")
    for module in (retable.stages.download, retable.stages.clean):
        monkeypatch.setattr(module, "RAW", tmp_path / "raw")
    monkeypatch.setattr("retable.stages.clean.CLEAN", tmp_path / "clean")
    return tmp_path


@pytest.fixture
def real(request, raw_folder):
    """Return a real corpus and its raw files; must be requested before `folders`, which hides the mirror."""
    return request.param, raw_folder(request.param)


def link(folders, real) -> str:
    name, files = real
    (folders / "raw").mkdir()
    (folders / f"raw/{name}").symlink_to(files)
    return name


def test_the_sample_goes_through_both_stages_without_mirror_or_network(folders, capsys):
    retable.stages.download.main("sample-en")
    retable.stages.clean.main("sample-en")
    folder = folders / "clean/sample-en"
    tables = {split: pq.read_table(folder / f"{split}.parquet") for split in SPLITS}
    assert {split: table.num_rows for split, table in tables.items()} == {"train": 400, "dev": 60, "test": 80}
    assert read_facts(folder / "test.parquet").labels == ("negative", "positive")
    assert tables["train"].column("id")[0].as_py() == "sample-en/train/0"
    clean = {split: table.column("clean").to_pylist() for split, table in tables.items()}
    assert all(clean["train"])
    assert clean["test"].count(False) == 1
    assert not clean["test"][-1], "the last test text repeats a training text"
    held_out = (folder / "heldout.txt").read_text().split()
    texts = [text for split in ("dev", "test") for text in tables[split].column("text").to_pylist()]
    assert held_out == sorted({digest(text) for text in texts})
    stats = read_json(folder / "stats.json")
    assert stats["sha256"] == {split: sha256_of_file(folder / f"{split}.parquet") for split in SPLITS}
    assert stats["leakage"]["test-in-train"] == {"exact": 1, "near": 0}
    told = "train 400, dev 60, test 80; 0 texts removed; 1 test text (nearly) occurs in training"
    assert capsys.readouterr().err.rstrip().endswith(f"· {told}")
    assert not list((folders / "scratch").rglob("*.*")), "nothing is left in the scratch folder"


def test_a_clean_corpus_says_that_no_test_text_occurs_in_training():
    told = retable.stages.clean.summary({"train": 1200, "test": 2}, 1, np.array([True, True]))
    assert told == "· train 1,200, test 2; 1 text removed; no test text occurs in training"


def test_nothing_is_left_of_a_corpus_of_wrong_counts(folders, monkeypatch, capsys):
    broken = replace(corpus("sample-en"), read=lambda *_: iter([Example("x/0", "train", "a text", "positive")]))
    monkeypatch.setattr("retable.stages.clean.corpus", lambda name: broken)
    with pytest.raises(SystemExit):
        retable.stages.clean.main("sample-en")
    assert (
        "contains 0 texts labelled negative in train, but sample-en has 195; remove the folder"
        in capsys.readouterr().err
    )
    assert list((folders / "clean").iterdir()) == []


def test_a_second_run_writes_the_same_bytes(folders):
    retable.stages.download.main("sample-en")
    digests = []
    for _ in range(2):
        retable.stages.clean.main("sample-en")
        files = sorted((folders / "clean/sample-en").iterdir())
        digests.append({file.name: sha256_of_file(file) for file in files})
    assert digests[0] == digests[1]
    assert set(digests[0]) == {
        *(f"{split}.parquet" for split in SPLITS), "stats.json", "removed.csv", "heldout.txt", "copies.json",
    }  # fmt: skip


MADE = [
    Example("made/train/0", "train", "a film about a number and all that comes of it", "a"),
    Example("made/train/1", "train", "she sings, he listens, and that is the whole story", "b"),
    Example("made/train/2", "train", "  ", "a"),
    Example("made/dev/3", "dev", "nothing like the others, and long enough", "a"),
    Example("made/test/4", "test", "yet another text of which nobody has heard", "b"),
    Example("made/unlabelled/5", "unlabelled", "Nothing  like the others -- and long enough!", ""),
    Example("made/unlabelled/6", "unlabelled", "yet another text of which nobody had heard", ""),
    Example("made/unlabelled/7", "unlabelled", "something of its own, said nowhere else", ""),
    Example("made/unlabelled/8", "unlabelled", "something of its own, said nowhere else", ""),
    Example("made/unlabelled/9", "unlabelled", "\u200b", ""),
]


@pytest.fixture
def made(folders, monkeypatch):
    """Return a function that makes the stage read these examples under a corpus's name."""

    def read(examples: list[Example], **facts) -> None:
        texts = dict.fromkeys({example.split for example in examples} - {UNLABELLED})
        given = replace(
            corpus("sample-en"), name="made", labels=("a", "b"), texts=texts, read=lambda *_: iter(examples), **facts
        )
        monkeypatch.setattr("retable.stages.clean.corpus", lambda name: given)

    return read


def test_candidates_of_one_question_are_kept_together_as_copies_are(folders, made):
    pairs = ("who ran ? ␞ the dog ran", "who sang ? ␞ nobody heard of it", "who ran ? ␞ a cat slept all day")
    examples = [Example(f"made/test/{number}", "test", pair, "a") for number, pair in enumerate(pairs)]
    for ranked, expected in ((False, []), (True, [["made/test/0", "made/test/2"]])):
        made(examples, ranked=ranked)
        retable.stages.clean.main("made")
        assert read_json(folders / "clean/made/copies.json", list) == expected


class TestUnlabelled:
    @pytest.fixture
    def folder(self, folders, made):
        made(MADE, unlabelled=5)
        retable.stages.clean.main("made")
        return folders / "clean/made"

    def test_they_are_cleaned_into_a_file_of_their_own_with_their_copies(self, folder):
        table = pq.read_table(folder / "unlabelled.parquet")
        assert table.column("id").to_pylist() == [f"made/unlabelled/{n}" for n in (5, 6, 7, 8)]
        assert table.column("text")[0].as_py() == "Nothing like the others -- and long enough!"
        assert set(table.column("label").to_pylist()) == {""}
        assert [pq.read_metadata(folder / f"{split}.parquet").num_rows for split in SPLITS] == [2, 1, 1]

    def test_one_that_nearly_occurs_in_dev_or_test_is_not_clean(self, folder):
        assert pq.read_table(folder / "unlabelled.parquet").column("clean").to_pylist() == [False, False, True, True]

    def test_their_digests_are_not_held_out(self, folder):
        assert len((folder / "heldout.txt").read_text().split()) == 2

    def test_their_leaks_are_counted_and_the_rest_of_the_figures_leave_them_out(self, folder):
        stats = read_json(folder / "stats.json")
        assert stats["leakage"]["unlabelled-in-dev"] == {"exact": 1, "near": 0}
        assert stats["leakage"]["unlabelled-in-test"] == {"exact": 0, "near": 1}
        assert stats["leakage"]["unlabelled-in-train"] == {"exact": 0, "near": 0}
        assert (stats["instances"], stats["instances-published"], stats["unlabelled"]) == (4, 5, 4)
        assert stats["removed"] == {"empty": 2}
        assert set(stats["sha256"]) == {*SPLITS, UNLABELLED}

    def test_a_classifier_cannot_read_them(self, folder):
        with pytest.raises(InputError, match="has no column tokens"):
            read_split(folder, UNLABELLED)


class TestOwnSplits:
    TEXTS = [" ".join(f"{n * number % 99991:x}" for number in (7919, 6007, 4001, 3001, 9001)) for n in range(101, 201)]

    def examples(self, texts):
        return [Example(f"made/{n}", "all", text, "ab"[n % 2]) for n, text in enumerate(texts)]

    def test_test_texts_is_the_size_of_the_test_split(self, folders, made):
        made(self.examples(self.TEXTS), test_texts=13)
        retable.stages.clean.main("made")
        assert sizes(folders / "clean/made") == [78, 9, 13]

    def test_grouped_puts_no_near_copies_into_two_splits(self, folders, made):
        copies = [f"{text} too" for n, text in enumerate(self.TEXTS) if n % 2]
        made(self.examples(self.TEXTS + copies), grouped=True, test_texts=20)
        retable.stages.clean.main("made")
        folder = folders / "clean/made"
        stats = read_json(folder / "stats.json")
        assert stats["near-duplicates"]["texts"] == 100
        assert all(leak == {"exact": 0, "near": 0} for leak in stats["leakage"].values())
        assert sizes(folder) == [118, 12, 20], "no single text of label b is left for a dev split of 13"
        made(self.examples(self.TEXTS + copies), test_texts=20)
        retable.stages.clean.main("made")
        assert read_json(folder / "stats.json")["leakage"]["test-in-train"]["near"] > 0


def sizes(folder) -> list[int]:
    return [pq.read_metadata(folder / f"{split}.parquet").num_rows for split in SPLITS]


@pytest.mark.parametrize("real", ["ced", "ced-grouped"], indirect=True)
def test_ced_has_341_test_texts_and_grouped_no_leak(real, folders):
    name = link(folders, real)
    retable.stages.clean.main(name)
    assert sizes(folders / f"clean/{name}") == [2673, 298, 341]
    stats = read_json(folders / f"clean/{name}/stats.json")
    assert (sum(stats["leakage"]["test-in-train"].values()) == 0) == (name == "ced-grouped")
    found = stats["near-duplicates"]
    text = f"({found['texts']} of the 3,312 that are kept, in {found['clusters']} clusters)"
    assert text in corpus("ced-grouped").note


@pytest.mark.parametrize("real", ["covid-sentiment"], indirect=True)
def test_what_is_removed_is_listed_and_counted(real, folders):
    retable.stages.clean.main(link(folders, real))
    with (folders / "clean/covid-sentiment/removed.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0].keys() == {"id", "reason", "of"}
    stats = read_json(folders / "clean/covid-sentiment/stats.json")
    assert stats["removed"] == {"contradicting label": 4, "copy": 42}
    assert len(rows) == 46 == stats["instances-published"] - stats["instances"]


def test_an_unknown_corpus_is_one_sentence(folders, capsys):
    with pytest.raises(SystemExit) as left:
        retable.stages.clean.main("imbd")
    assert left.value.code == 1
    assert capsys.readouterr().err.startswith('error: unknown corpus: "imbd"; did you mean "imdb"')


def test_a_mirror_that_is_no_folder_is_refused(folders, monkeypatch, capsys):
    monkeypatch.setenv("RETABLE_MIRROR", "nowhere")
    with pytest.raises(SystemExit):
        retable.stages.download.main("mr")
    assert "RETABLE_MIRROR is nowhere, which is not a folder" in capsys.readouterr().err


def test_a_file_that_is_here_is_not_brought_again(folders, monkeypatch):
    retable.stages.download.main("sample-en")
    monkeypatch.setattr("retable.stages.download.SAMPLE", folders / "empty")
    retable.stages.download.main("sample-en")


STORY = "word{0} went to town{0} with friend{0} and saw a thing{0} there"


def tar_of(path, rows):
    """Write the archive of a release with one CSV file per split."""
    with tarfile.open(path, "w:gz") as archive:
        for split, count in rows.items():
            lines = [f'"{1 + n % 2}","{STORY.format(f"{split}{n}")} &amp; <b>on</b>.\\n\\nEnd"\n' for n in range(count)]
            data = "".join(lines).encode()
            member = tarfile.TarInfo(f"release/{split}.csv")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


class TestACorpusThatCannotBeHadHere:
    """Cleaned, split and counted by the same code as all others, from a small sample in its format."""

    def test_a_release_with_published_splits(self, folders, monkeypatch):
        (folders / "raw/yelp-polarity").mkdir(parents=True)
        [file] = corpus("yelp-polarity").files
        tar_of(folders / "raw/yelp-polarity" / file, {"train": 40, "test": 10})
        small = replace(corpus("yelp-polarity"), texts={"train": (20, 20), "test": (5, 5)})
        monkeypatch.setattr("retable.stages.clean.corpus", lambda name: small)
        retable.stages.clean.main("yelp-polarity")
        folder = folders / "clean/yelp-polarity"
        assert sizes(folder) == [36, 4, 10]
        stats = read_json(folder / "stats.json")
        assert (stats["published-train"], stats["published-test"], stats["instances"]) == (40, 10, 50)
        assert stats["splits"]["dev"]["labels"] == {"negative": 2, "positive": 2}
        text = pq.read_table(folder / "test.parquet")["text"][0].as_py()
        assert text == STORY.format("test0") + " &amp; <b>on</b>. End", "no markup is declared, so none is touched"

    def test_one_without_splits(self, folders, monkeypatch):
        (folders / "raw/news-aggregator").mkdir(parents=True)
        [file] = corpus("news-aggregator").files
        rows = [
            f"{n}\t{STORY.format(n % 40)}\thttp://a.example\tReuters\t{'bt'[n % 2]}\tx\ta.example\t1\n"
            for n in range(42)
        ]
        with zipfile.ZipFile(folders / "raw/news-aggregator" / file, "w") as archive:
            archive.writestr("newsCorpora.csv", "".join(rows))
        small = replace(corpus("news-aggregator"), texts={"all": 42})
        monkeypatch.setattr("retable.stages.clean.corpus", lambda name: small)
        retable.stages.clean.main("news-aggregator")
        stats = read_json(folders / "clean/news-aggregator/stats.json")
        assert (sizes(folders / "clean/news-aggregator"), stats["removed"]) == ([32, 4, 4], {"copy": 2})
        assert stats["leakage"]["test-in-train"]["exact"] == 0
