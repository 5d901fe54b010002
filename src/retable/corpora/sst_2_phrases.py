"""SST-2 with phrases: its dev and test sentences, and for training the phrases of its training sentences.

The phrases come from GLUE's training file, which its repository split into train.tsv and dev.tsv: here both are train,
and a text is numbered by its line in the first file, headers not counted, as if the second followed it.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from retable.corpora.readers import SENTIMENT, identity, read_labelled_lines
from retable.corpora.sst_2 import CORPUS as SENTENCES
from retable.declaration import Corpus, Defect, Example, github

HELD_OUT = {"dev": "stsa.binary.dev", "test": "stsa.binary.test"}
read_phrases = partial(read_labelled_lines, separator="\t", names=SENTIMENT, label_last=True, header="sentence\tlabel")
read_sentences = partial(read_labelled_lines, splits=HELD_OUT, separator=" ", names=SENTIMENT)


def read(corpus: Corpus, folder: Path) -> Iterator[Example]:
    """Yield the phrases, without trailing space, then the sentences of dev and test."""
    phrases = chain.from_iterable(
        read_phrases(corpus, folder, splits={"train": file}) for file in ("train.tsv", "dev.tsv")
    )
    for number, phrase in enumerate(phrases):
        yield phrase._replace(id=identity(corpus, "train", number), text=phrase.text.rstrip(" "))
    yield from read_sentences(corpus, folder)


CORPUS = replace(
    SENTENCES,
    name="sst-2-phrases",
    title="SST-2 with the phrases of its training sentences, positive or negative",
    texts={**SENTENCES.texts, "train": (29_780, 37_569)},
    files={
        **github(
            "forest-snow/alps/3c7ef2c98249fc975a897b27f275695f97d5b7a9/data/SST-2",
            {
                "train.tsv": (3_422_882, "920e317b2c52e12cd22db1da2c6708312bd7dc4f3712b9bbf1b50ee6c2c792ba"),
                "dev.tsv": (383_214, "92353770071a2a889f75d000a38a9e541ea8f0a5499e50f040b17917a5cbf66f"),
            },
            mirror="sst2_phrases",
        ),
        **{file: SENTENCES.files[file] for file in HELD_OUT.values()},
    },
    read=read,
    same_texts_as="sst-2",
    pooled=False,
    paper=f"{SENTENCES.paper}; the phrases: Wang et al., GLUE, ICLR 2019",
    note="6,531 of the 6,920 training sentences are whole among the phrases; dev and test are sst-2's sentences; "
    "the phrases are also in sentences of mr and sst-1, which those corpora may hold out",
    defects=(
        Defect("texts with two labels", 5, "words judged in different sentences; published splits are kept unchanged"),
        Defect("copies in train", 371, "phrases that occur in several sentences; published splits are kept unchanged"),
        Defect("texts in train and test", 1, '"what \'s next ?"; it is not clean'),
    ),
)
