"""SST-2 with phrases: two files form one training split; dev and test are SST-2's."""

from dataclasses import replace

from retable.corpora import corpus


def test_phrases_of_two_files_are_numbered_through_and_lose_the_space_at_their_end(tmp_path):
    for file, content in {
        "train.tsv": "sentence\tlabel\nbears and \t1\nsoggy \t0\n",
        "dev.tsv": "sentence\tlabel\nbears \t1\n",
        "stsa.binary.dev": "0 so so .\n",
        "stsa.binary.test": "1 what 's next ?\n",
    }.items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    small = replace(corpus("sst-2-phrases"), texts={"train": (1, 2), "dev": (1, 0), "test": (0, 1)})
    assert [example[:] for example in small.examples(tmp_path)] == [
        ("sst-2-phrases/train/0", "train", "bears and", "positive"),
        ("sst-2-phrases/train/1", "train", "soggy", "negative"),
        ("sst-2-phrases/train/2", "train", "bears", "positive"),
        ("sst-2-phrases/dev/0", "dev", "so so .", "negative"),
        ("sst-2-phrases/test/0", "test", "what 's next ?", "positive"),
    ]


def test_dev_and_test_are_those_of_sst_2_and_6531_of_its_training_sentences_are_phrases(read_corpus):
    sentences, phrases = read_corpus("sst-2"), read_corpus("sst-2-phrases")
    for split in ("dev", "test"):
        assert texts(phrases, split) == texts(sentences, split)
    whole = {text for text, _ in texts(phrases, "train")}
    assert len({text for text, _ in texts(sentences, "train")} & whole) == 6531


def texts(examples, split):
    return [(example.text, example.label) for example in examples if example.split == split]
