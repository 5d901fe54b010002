"""WikiQA: Wikipedia sentences as candidate answers to questions asked of a search engine."""

from functools import partial

from retable.corpora.readers import read_parallel_pairs
from retable.declaration import Corpus, Defect, github

PARTS = ("a.toks", "b.toks", "sim.txt")  # first texts, second texts, labels
FOLDERS = {f"{split}.{part}": f"{split}/{part}" for split in ("train", "dev", "test") for part in PARTS}
CORPUS = Corpus(
    name="wikiqa",
    language="en",
    title="questions and Wikipedia sentences: does the sentence answer the question?",
    labels=("no", "yes"),
    texts={"train": (7632, 1040), "dev": (990, 140), "test": (2058, 293)},
    files=github(
        "castorini/data/056cbbcbf997cc0b35032430110c5e5e5525700a/WikiQA",
        {
            "train.a.toks": (294_437, "1cb4f6b9ad69e70d7ffabb02e1d4f75f67d4d9f6fa63db2db28599958eb6ad05"),
            "train.b.toks": (1_166_688, "c20564c144cd32bc13ea5de43ff2f550b78b3937b07bae8a98a82cab777777eb"),
            "train.sim.txt": (17_344, "85ad83b8e3643ed7e5f9707ba628bafed6991f883e0283111282ba199ea9f908"),
            "dev.a.toks": (40_758, "428082fde4c5fcc8e17c7e0b12a05fd414d99396674c9c0e53c64178ff925a4b"),
            "dev.b.toks": (146_947, "19609980bc1fe2e1ae82662f77c42ce2ba4265cf07c90b81e3d0d15a08fc4e58"),
            "dev.sim.txt": (2_260, "0986e5b75578db43056ff0770443e1d40e789735958f0abf3054bca7cef550e3"),
            "test.a.toks": (80_068, "4e0eadef8b14d2e7ec65522220752ba41fa368c558c691ef379534d6796beef8"),
            "test.b.toks": (313_024, "669a1251693d152ff7d2d45f4ec6ba80bece79fe2c644d55cdb05cdb4fc467f7"),
            "test.sim.txt": (4_702, "ff957f92f255fe5075e808dadbde64d9855cda218b9db75d2ba3eb73571fad4a"),
        },
        mirror="wikiqa/clean",
        there=FOLDERS,
        mirrored=FOLDERS,
    ),
    read=partial(read_parallel_pairs, parts=PARTS, names={"0": "no", "1": "yes"}),
    tokenised=True,
    ranked=True,
    pooled=False,
    source="https://www.microsoft.com/en-us/download/details.aspx?id=52419",
    paper="Yang, Yih and Meek, WikiQA: A Challenge Dataset for Open-Domain Question Answering, EMNLP 2015",
    licence="Microsoft Research Data License Agreement",
    note="only questions with an answer (873, 126, 243 of 2,118, 296, 633 of the release); lower-case",
    defects=(Defect("copies in test", 1, "a sentence that occurs twice on its page"),),
)
