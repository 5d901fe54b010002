"""TrecQA: newspaper sentences as candidate answers to questions of the TREC conferences."""

from collections.abc import Iterator
from pathlib import Path

from retable.corpora.readers import broken, identity, lines
from retable.declaration import Corpus, Example, github
from retable.text.pairs import joined

FILES = {"train": "TRAIN.xml", "dev": "DEV.xml", "test": "TEST.xml"}
SENTENCES = {"<positive>": "yes", "<negative>": "no"}


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield question and candidate: the line after <question>, and those after <positive> and <negative>."""
    for split, file in FILES.items():
        question, behind, number = "", "", 0
        for place, line in enumerate(lines(folder / file, corpus.encoding)):
            if behind and not line.strip():
                broken(folder / file, place, f"there are no words after {behind}")
            if behind == "<question>":
                question = line.replace("\t", " ")
            elif behind:
                if not question:
                    broken(folder / file, place, "there is no question before it")
                text = joined(question, line.replace("\t", " "))
                yield Example(identity(corpus, split, number), split, text, SENTENCES[behind])
                number += 1
            behind = line if line == "<question>" or line in SENTENCES else ""
            if line.startswith("<QApairs"):
                question = ""


CORPUS = Corpus(
    name="trecqa",
    language="en",
    title="TREC questions and newspaper sentences: does the sentence answer the question?",
    labels=("no", "yes"),
    texts={"train": (4370, 348), "dev": (926, 222), "test": (1233, 284)},
    files=github(
        "castorini/data/056cbbcbf997cc0b35032430110c5e5e5525700a/TrecQA/data",
        {
            "TRAIN.xml": (2_463_979, "8c36007a23b754807344f08b52bc1baeaa6fa5dc85b8ad49f340cc8acc438b66"),
            "DEV.xml": (610_306, "87f6ed5818fcb885dc8e8206c83cce658d7187118d1e093d841629a08d9291bc"),
            "TEST.xml": (837_966, "fb96ee795015c98299fe78f1e697eb9e74789b1db6b1bbc0203416dedc0c467f"),
        },
        mirror="trecqa",
    ),
    read=read,
    encoding="latin-1",
    tokenised=True,
    ranked=True,
    pooled=False,
    source="http://cs.jhu.edu/~xuchen/packages/jacana-qa-naacl2013-data-results.tar.bz2",
    paper="Wang, Smith and Mitamura, What is the Jeopardy Model?, EMNLP-CoNLL 2007; files of Yao et al., NAACL 2013",
    licence="none stated; TREC questions and newspaper sentences, for research",
    note="the small training set (TRAIN: 94 questions), sentences of up to 40 words; 100 test questions",
)
