"""SNLI and MultiNLI: sentence pairs; the first entails, contradicts or is neutral to the second. JSON lines in a .zip.

A pair on which the annotators disagreed (the label "-") is dropped, as in all work on these corpora. The labels of
MultiNLI's test pairs were never published: its two dev sets, one of genres seen in training and one of others, are the
test splits of one corpus each.
"""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from retable.corpora.archives import read_zip_lines
from retable.corpora.readers import broken, identity
from retable.declaration import Corpus, Example, RemoteFile
from retable.text.pairs import joined

LABELS = ("entailment", "neutral", "contradiction")
NO_AGREEMENT = "-"
MULTINLI_TRAIN = (130_899, 130_900, 130_903)


def read(corpus: Corpus, folder: Path, *, members: Mapping[str, str]) -> Iterator[Example]:
    """Yield the pairs of every split; `members` names its file in the archive. Raises: InputError."""
    [file] = corpus.files
    for split, member in members.items():
        for number, line in enumerate(read_zip_lines(folder / file, member, corpus.encoding)):
            try:
                pair = json.loads(line)
                label, first, second = (pair[key] for key in ("gold_label", "sentence1", "sentence2"))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                broken(folder / file, number, f"in {member}, it is not a pair in JSON ({error!r})")
            if not (isinstance(first, str) and isinstance(second, str)):
                broken(folder / file, number, f"in {member}, it is not a pair of texts")
            if label == NO_AGREEMENT:
                continue
            if label not in LABELS:
                broken(folder / file, number, f'in {member}, the label is "{label}"; allowed: {", ".join(LABELS)}')
            yield Example(identity(corpus, split, number), split, joined(first, second), label)


SNLI = Corpus(
    name="snli",
    language="en",
    title="pairs of sentences, the first an image caption: entailment, neutral or contradiction",
    labels=LABELS,
    texts={"train": (183_416, 182_764, 183_187), "dev": (3329, 3235, 3278), "test": (3368, 3219, 3237)},
    files={
        "snli_1.0.zip": RemoteFile(
            "nli/snli_1.0.zip",
            "sha256:afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e",
            94_550_081,
            ("https://nlp.stanford.edu/projects/snli/snli_1.0.zip",),
        )
    },
    read=partial(read, members={split: f"snli_1.0/snli_1.0_{split}.jsonl" for split in ("train", "dev", "test")}),
    pooled=False,
    at_hand=False,
    obtain="It is 95 MB at https://nlp.stanford.edu/projects/snli/snli_1.0.zip.",
    source="https://nlp.stanford.edu/projects/snli/",
    paper="Bowman, Angeli, Potts and Manning, A large annotated corpus for learning natural language inference, "
    "EMNLP 2015",
    licence="CC BY-SA 4.0",
    note="785 training pairs, 158 of dev and 176 of test have no label on which the judges agreed, and are left out",
)


def multinli(genres: str, title: str, test: tuple[int, int, int]) -> Corpus:
    """Return MultiNLI with one of its two dev sets as test split."""
    return Corpus(
        name=f"multinli-{genres}",
        language="en",
        title=f"pairs of sentences of ten genres, tested on {title}: entailment, neutral or contradiction",
        labels=LABELS,
        texts={"train": MULTINLI_TRAIN, "test": test},
        files={
            "multinli_1.0.zip": RemoteFile(
                "nli/multinli_1.0.zip",
                "sha256:049f507b9e36b1fcb756cfd5aeb3b7a0cfcb84bf023793652987f7e7e0957822",
                226_850_426,
                ("https://cims.nyu.edu/~sbowman/multinli/multinli_1.0.zip",),
            )
        },
        read=partial(
            read,
            members={
                "train": "multinli_1.0/multinli_1.0_train.jsonl",
                "test": f"multinli_1.0/multinli_1.0_dev_{genres}.jsonl",
            },
        ),
        pooled=False,
        at_hand=False,
        obtain="It is 227 MB at https://cims.nyu.edu/~sbowman/multinli/multinli_1.0.zip.",
        source="https://cims.nyu.edu/~sbowman/multinli/",
        paper="Williams, Nangia and Bowman, A Broad-Coverage Challenge Corpus for Sentence Understanding through "
        "Inference, NAACL 2018",
        licence="OANC, CC BY-SA 3.0, CC BY 3.0 and others, by genre; its README says which",
        note=f"the test split is the release's dev_{genres}: no labels of its own test pairs were published; 10 % of "
        "the training pairs are our dev split",
    )


CORPORA = {
    "snli": SNLI,
    "multinli-matched": multinli("matched", "five genres of training", (3479, 3123, 3213)),
    "multinli-mismatched": multinli("mismatched", "five others", (3463, 3129, 3240)),
}
