"""Tokens, and parts of speech where a table uses them, of one corpus.

In   data/clean/<corpus>/, data/tagger/model/ if `corpora.<corpus>.parts` in params.yaml
Out  data/tagged/<corpus>/{train,dev,test}.parquet
"""

import argparse
import os
from functools import partial

import pyarrow.parquet as pq

from pipeline.command import command
from pipeline.params import read_params
from pipeline.paths import CLEAN, TAGGED, TAGGER
from pipeline.progress import progress
from retable.corpora import corpus
from retable.errors import unknown_name
from retable.files import atomic_folder
from retable.text.splits import SPLITS, read_facts
from retable.text.tagging import tag_split
from retable.text.tokens import tokeniser_for
from retable.text.treebank_tagger import load_tagger, parts_of_speech

TEXTS_WORTH_A_PROCESS = 10_000  # starting one costs about a second


@command
def main(name: str) -> None:
    declared = corpus(name)
    params = read_params("corpora")
    if name not in params:
        raise unknown_name("a corpus of the section corpora in params.yaml", name, params)
    tokenise = tokeniser_for(declared.language, tokenised=declared.tokenised)
    tag_parts = None
    if params[name]["parts"]:
        tag_parts = partial(parts_of_speech, load_tagger(TAGGER / "model"))
    texts = {}
    for split in SPLITS:
        source = CLEAN / name / f"{split}.parquet"
        read_facts(source)  # says what to do if the file is missing
        texts[split] = pq.read_metadata(source).num_rows
    with progress(f"tag {name}", sum(texts.values()), "texts") as bar, atomic_folder(TAGGED / name) as folder:
        for split, count in texts.items():
            processes = 1 if declared.tokenised else min(os.cpu_count() or 1, 1 + count // TEXTS_WORTH_A_PROCESS)
            tag_split(
                CLEAN / name / f"{split}.parquet", folder / f"{split}.parquet", tokenise, tag_parts,
                processes=processes, on_texts=bar.advance,
            )  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    main(parser.parse_args().corpus)
