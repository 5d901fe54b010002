"""AG's News with 65,051 of its 120,000 training texts: the union of twelve samples that others have published.

The samples are from train, not test, and overlap. In the order of SAMPLES, a text is kept unless an earlier sample, or
test, has one with the same letters and digits (lower-cased, entities decoded); if two labels disagree (13 texts), the
first sample's is kept. Text and escapes are as in ag_news.py. An id contains the sample and the line.
"""

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from retable.corpora.ag_news import ESCAPES, FILES, RELEASE, SAMPLE, SAMPLE_FILES, TOPICS, WHOLE
from retable.corpora.archives import read_zip_lines
from retable.corpora.readers import Layout, broken, csv_rows, lines, read_csv_rows, read_labelled_lines
from retable.declaration import Corpus, Defect, Example, RemoteFile, github

CODES = {str(number): topic for number, topic in enumerate(TOPICS)}
HEADER = ("Class Index", "Title", "Description")
TITLED = replace(RELEASE, header=HEADER)
PLAIN = replace(SAMPLE, header=("text", "label"))


def sample_file(place: str, name: str, size: int, digest: str) -> dict[str, RemoteFile]:
    """Return one sample: its place in a repository, and its name in the mirror folder."""
    folder, _, there = place.rpartition("/")
    return github(folder, {name: (size, digest)}, mirror="ag_news/train_parts", there={name: there})


def rows(corpus: Corpus, folder: Path, file: str, *, layout: Layout) -> Iterator[Example]:
    """Yield the texts of a CSV file."""
    yield from read_csv_rows(corpus, folder, splits={"train": file}, layout=layout)


def zipped(corpus: Corpus, folder: Path, file: str, *, member: str, layout: Layout) -> Iterator[Example]:
    """Yield the texts of a CSV file in a .zip."""
    source = read_zip_lines(folder / file, member, corpus.encoding)
    yield from csv_rows(corpus, source, "train", layout, folder / file, f"in {member}, ")


def joined_by_point(corpus: Corpus, folder: Path, file: str, *, layout: Layout) -> Iterator[Example]:
    """Yield the texts of a CSV file that has " . " between title and description."""
    for example in rows(corpus, folder, file, layout=layout):
        yield example._replace(text=example.text.replace(" . ", " ", 1))


def quoted_lines(corpus: Corpus, folder: Path, file: str) -> Iterator[Example]:
    """Yield lines of text, tab, label; a text with a quotation mark is quoted as in CSV."""
    read = read_labelled_lines(corpus, folder, splits={"train": file}, separator="\t", names=CODES, label_last=True)
    for example in read:
        text = example.text
        if len(text) > 1 and text.startswith('"') and text.endswith('"'):
            text = text[1:-1].replace('""', '"')
        yield example._replace(text=unescaped(text))


def json_lines(corpus: Corpus, folder: Path, file: str) -> Iterator[Example]:
    """Yield lines that are JSON objects of "_id", the number of the label, and "text"."""
    for number, line in enumerate(lines(folder / file, corpus.encoding)):
        try:
            row = json.loads(line)
            text, label = row["text"], CODES[str(row["_id"])]
        except (ValueError, KeyError, TypeError, RecursionError):
            text = None
        if not isinstance(text, str):
            broken(folder / file, number, 'it is not a JSON object with "text" and "_id" from 0 to 3')
        yield Example(f"{corpus.name}/train/{number}", "train", unescaped(text), label)


def unescaped(text: str) -> str:
    """Return a text without the escapes of the release."""
    for escape, meaning in ESCAPES:
        text = text.replace(escape, meaning)
    return text


SAMPLES: Mapping[str, Callable[[Corpus, Path, str], Iterator[Example]]] = {  # file: how to read it
    "train_sample5000.csv": partial(rows, layout=SAMPLE),
    "train_world_scitech4000.csv": partial(
        rows, layout=replace(SAMPLE, names={"world": "World", "sci_tech": "Sci/Tech"})
    ),
    "first2000.amrayach.csv": partial(rows, layout=RELEASE),
    "val12000.yxhong.csv": partial(rows, layout=TITLED),
    "train20000.jatin.zip": partial(
        zipped, member="train.csv", layout=replace(RELEASE, header=("class_index", "title", "description"))
    ),
    "valid5000.ptq.csv": partial(rows, layout=RELEASE),
    "train5000.fxcawley.csv": partial(
        rows, layout=replace(PLAIN, names={f"{code}.0": topic for code, topic in CODES.items()})
    ),
    "noisy10000.hhf.csv": partial(  # `label` is the annotators' label, `gt` that of AG's News
        joined_by_point,
        layout=replace(SAMPLE, columns=4, label=1, texts=(2,), header=("label", "gt", "text", "group")),
    ),
    "val6001.linc.csv": partial(rows, layout=TITLED),
    "dev12000.diffusedef.txt": quoted_lines,
    "dev10000.promptal.json": json_lines,
    "sample1600.sh90.csv": partial(
        rows,
        layout=replace(PLAIN, names=dict(zip(("Politics", "Sports", "Business", "Tech"), TOPICS, strict=True))),
    ),
}
PLACES: Mapping[str, tuple[str, int, str]] = {  # file: its place, bytes, SHA-256
    "first2000.amrayach.csv": (
        "amrayach/PML/190283295f4bb0b5d9860568b3f02a70ef790e37/datasets/ag_news/train.csv",
        517_506,
        "fe1b508b8e4b92d6dedf36c21756e0568a7693a0b7fc244bea416e918308318f",
    ),
    "val12000.yxhong.csv": (
        "yxhong-tw/AG-News-Exercise/0d786f2fd76ecfe0989a7ad3eaf9089e63890b12/data/formal/validation.csv",
        2_893_566,
        "0aaa67e1447e9d9cbc09b3470c2e30568ea7cc253d8ce4405d0e60954e2c74f7",
    ),
    "train20000.jatin.zip": (
        "jatin-12-2002/AG_News_Classification/0671648872cdf3c46f43e05e5208bc57c8517ec1/data/archive.zip",
        2_079_231,
        "0c336c685027624d6923cff4f80e89cdc89d6f585de061d2b8671efd24aa4b13",
    ),
    "valid5000.ptq.csv": (
        "MushfiqShovon/ptq_gendisc/ce810cc05df9f4f73b12a038bc84b61824dc699f/data/ag_news/valid.csv",
        1_215_893,
        "8182fd3b2dcecf7bde49c59afb3f4939c36d6e38537f2718fa0b017f3829a846",
    ),
    "train5000.fxcawley.csv": (
        "fxcawley/MetaRepICL/6207945f07fe10f0e739dddf77991391fffcfd5f/data/ag_news_train.csv",
        1_219_216,
        "2b534bbedd1b58e9329bd169ed5e4c03ba716d34a888191444d6d02a58829093",
    ),
    "noisy10000.hhf.csv": (
        "hhf-hd/NoisyAG-News/94f5e5b24d49a64c0128caf90247869f991bd7c0/dataset/samples10000valMed.csv",
        2_499_311,
        "b8d073074344b16bcf53357ba236bc832abe125fe4ce9dea4e5a72371f6265f7",
    ),
    "val6001.linc.csv": (
        "mominabbass/LinC/7b07c989011b37c98cc2cb82876b1166514d06c5/data/agnews/val.csv",
        1_449_107,
        "47e69227dd0536c5e5970d8077c401029d712e90c4ace7ea89ad7f2ed6386d7a",
    ),
    "dev12000.diffusedef.txt": (
        "Nickeilf/DiffuseDef/2c887134e5b516ad160802494600e01fa4ad1f98/data/agnews/dev.txt",
        2_878_229,
        "b08ca137c61b72f9a3ba389cbdfed142b5dab82056b42788c6584ba6d90b6720",
    ),
    "dev10000.promptal.json": (
        "xiang-hui744/PromptAL/808b65c16901fb048ec93f50314b242c10be42b0/data/agnews/dev.json",
        2_591_068,
        "eba52eca29b7d628e90a5bc35ba495660b6829f50f707bda9f027cc83bda963c",
    ),
    "sample1600.sh90.csv": (
        "sh90/14.news_topic_classification/277f5e1d94c0830781d16f9582db92c51495a261/data/ag_news_sample.csv",
        394_135,
        "33fff12f1be6fee33fc1514de0ab7e0df5972f5cdbde817c7643216368ae14f0",
    ),
}
TWO_TOPICS = github(
    "vicrudakov/adaptive_supervised_ml/c02b8de89fe65fa67c7f891f19ccb608677be96c/data/agnews",
    {
        "train_world_scitech4000.csv": (
            1_006_566,
            "21977496fa5f58b177078d70784906c8940b44bce3eff52145a368acd55b7082",
        )
    },
    mirror="ag_news",
    there={"train_world_scitech4000.csv": "train.csv"},
)


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the texts of each sample that are in neither an earlier sample nor test, then test."""
    test = list(read_csv_rows(corpus, folder, splits={"test": "test.csv"}, layout=RELEASE))
    samples = (
        example._replace(id=f"{corpus.name}/train/{file}/{example.id.rpartition('/')[2]}")
        for file, texts_of in SAMPLES.items()
        for example in texts_of(corpus, folder, file)
    )
    yield from new_texts(samples, test)
    yield from test


def new_texts(examples: Iterable[Example], known: Iterable[Example]) -> Iterator[Example]:
    """Yield the texts that are neither among the known ones nor repeated."""
    seen = {form(example.text) for example in known}
    for example in examples:
        if (own := form(example.text)) not in seen:
            seen.add(own)
            yield example


def form(text: str) -> str:
    """Return the letters and digits of a text, lower-cased, with nested entities decoded."""
    return re.sub("[^a-z0-9]+", "", html.unescape(html.unescape(text)).lower())


CORPUS = replace(
    WHOLE,
    name="ag-news-65k",
    title="news headlines with their first sentences, in four topics, 65,051 of the training texts",
    texts={"train": (15_974, 15_999, 16_100, 16_978), "test": (1900,) * 4},
    files={
        **SAMPLE_FILES,
        **TWO_TOPICS,
        **{
            name: file
            for name, (place, size, digest) in PLACES.items()
            for file in sample_file(place, name, size, digest).values()
        },
        "test.csv": FILES["test.csv"],
    },
    read=read,
    at_hand=True,
    obtain="",
    part_of="ag-news",
    note="65,051 of the 120,000 training texts, from samples by others (not verified: the whole is not here), and "
    "the whole test split; no dev split is published: ours is 10 % of the training texts",
    defects=(
        Defect(
            "texts with markup",
            3151,
            "entities, some of them tags; most lost their & before publication; all kept as published",
        ),
    ),
)
