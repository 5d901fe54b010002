"""The union of samples of AG's News: which texts count as the same, and how every text file is read."""

import zipfile
from functools import partial

import pytest

from retable.corpora import corpus
from retable.corpora.ag_news_65k import CORPUS, SAMPLES, form, new_texts
from retable.declaration import Example
from retable.errors import InputError

ROWS = {
    "train_sample5000.csv": "Oil up Prices rose \\$2.,2\n",
    "train_world_scitech4000.csv": "Oil up Prices rose \\$2.,sci_tech\n",
    "first2000.amrayach.csv": '"3","Oil up","Prices rose \\$2."\n',
    "val12000.yxhong.csv": "Class Index,Title,Description\n3,Oil up,Prices rose \\$2.\n",
    "valid5000.ptq.csv": '"3","Oil up","Prices rose \\$2."\n',
    "train5000.fxcawley.csv": "text,label\nOil up Prices rose \\$2.,2.0\n",
    "noisy10000.hhf.csv": "label,gt,text,group\n0,2,Oil up . Prices rose \\$2.,5\n",
    "val6001.linc.csv": "Class Index,Title,Description\n3,Oil up,Prices rose \\$2.\n",
    "dev12000.diffusedef.txt": "Oil up Prices rose \\$2.\t2\n",
    "dev10000.promptal.json": '{"_id": 2, "text": "Oil up Prices rose \\\\$2."}\n',
    "sample1600.sh90.csv": "text,label\nOil up Prices rose \\$2.,Business\n",
}


def test_every_sample_has_a_row_here_or_is_the_archive():
    assert {*ROWS, "train20000.jatin.zip"} == set(SAMPLES)
    assert set(SAMPLES) | {"test.csv"} == set(CORPUS.files)


@pytest.mark.parametrize("file", ROWS)
def test_every_sample_gives_one_form(file, tmp_path):
    (tmp_path / file).write_text(ROWS[file], encoding="utf-8")
    [example] = SAMPLES[file](CORPUS, tmp_path, file)
    topic = "Sci/Tech" if "scitech" in file else "Business"
    assert (example.text, example.label, example.split) == ("Oil up Prices rose $2.", topic, "train")


def test_the_archive_gives_its_training_rows(tmp_path):
    file = "train20000.jatin.zip"
    with zipfile.ZipFile(tmp_path / file, "w") as archive:
        archive.writestr("train.csv", "class_index,title,description\n3,Oil up,Prices rose \\$2.\n")
        archive.writestr("test.csv", "class_index,title,description\n1,Held,Out\n")
    [example] = SAMPLES[file](CORPUS, tmp_path, file)
    assert (example.text, example.label) == ("Oil up Prices rose $2.", "Business")


def test_a_quoted_line_loses_its_quotes_and_one_that_only_begins_with_a_quote_keeps_it(tmp_path):
    file = "dev12000.diffusedef.txt"
    (tmp_path / file).write_text('"He said ""no"" twice"\t0\n"No" he said\t1\n', encoding="utf-8")
    found = [(example.text, example.label) for example in SAMPLES[file](CORPUS, tmp_path, file)]
    assert found == [('He said "no" twice', "World"), ('"No" he said', "Sports")]


@pytest.mark.parametrize("line", ['{"_id": 4, "text": "x"}', '{"_id": -1, "text": "x"}', '{"_id": 1}', "x", "[]"])
def test_a_broken_json_line_is_named(line, tmp_path):
    file = "dev10000.promptal.json"
    (tmp_path / file).write_text(f'{{"_id": 0, "text": "x"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError, match=f"{file}, line 2"):
        list(SAMPLES[file](CORPUS, tmp_path, file))


def test_a_form_is_letters_and_digits_with_entities_read():
    assert form("AT&amp;T's  #39;Deal\\") == form("at&T s 39 deal") == "atts39deal"
    assert form("5 &amp;lt; 6") == "56"
    assert form("Oil up") != form("Oil ups")


def test_the_first_of_equal_texts_stays_and_none_of_test_does():
    example = partial(Example, split="train")
    samples = [
        example(id="a/0", text="Oil up", label="World"),
        example(id="b/0", text="OIL up.", label="Business"),
        example(id="b/1", text="Held out", label="World"),
        example(id="b/2", text="Gold up", label="Business"),
    ]
    test = [Example("t/0", "test", "held-out", "World")]
    assert [found.id for found in new_texts(samples, test)] == ["a/0", "b/2"]


@pytest.mark.slow
def test_no_text_of_test_is_in_train_and_the_first_sample_is_whole(read_corpus):
    examples = read_corpus("ag-news-65k")
    train = {form(example.text) for example in examples if example.split == "train"}
    test = {form(example.text) for example in examples if example.split == "test"}
    assert (len(train), train & test) == (65_051, set())
    sample = {form(example.text) for example in read_corpus("ag-news-5k") if example.split == "train"}
    assert len(sample - train) == len(sample & test) == 1
    assert corpus("ag-news-65k").part_of == "ag-news"
