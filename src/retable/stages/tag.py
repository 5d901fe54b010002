"""Tokenise one corpus, and tag its parts of speech if a table uses them.

In   data/clean/<corpus>/, and depending on `corpora.<corpus>.parts` data/parts/context/model/ (English) or
     data/parts/table/zh/table.tsv
Out  data/tagged/<corpus>/{train,dev,test}.parquet, and unlabelled.parquet if there are such texts
"""

import os
from functools import partial

from retable.corpora import Corpus, corpus
from retable.errors import InputError, unknown_name
from retable.experiments.digests import seal_texts
from retable.experiments.lock import tell_of_lock
from retable.files import atomic_folder
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import CLEAN, PARTS_TABLES, TAGGED, TAGGER
from retable.project.progress import progress
from retable.text.parts.chinese import chinese_words_and_parts, parts_in_context, plain_words
from retable.text.parts.comparison_table import read_table
from retable.text.parts.english import load_tagger, parts_of_speech
from retable.text.parts.tagging import TagParts, TokeniseWithParts, tag_split
from retable.text.splits import SPLITS, UNLABELLED, number_of_rows
from retable.text.tokens import Tokenise, tokeniser_for

# Starting a process takes one to two seconds. Chinese texts use one process: a text takes 20 us, and whether a second
# process, whose results must pass through a pipe, would be faster was never measured.
TEXTS_WORTH_A_PROCESS = {"en": 10_000}


def tokeniser_and_tagger(declared: Corpus, source: str) -> tuple[Tokenise | TokeniseWithParts, TagParts | None]:
    """Return the function that finds tokens, and the one that tags them if the first does not.

    Args:
        source: of the parts of speech, as in params.yaml: none, context or table.
    Raises: InputError if such parts are not available for the corpus.
    """
    tokenise = tokeniser_for(declared.language, tokenised=declared.tokenised)
    if source == "none":
        return tokenise, None
    if (declared.language, source) == ("en", "context"):
        return tokenise, partial(parts_of_speech, load_tagger(TAGGER / "model"))
    if (declared.language, declared.tokenised, source) == ("zh", False, "context"):
        return chinese_words_and_parts, None
    if (declared.language, declared.tokenised, source) == ("zh", False, "table"):
        return plain_words, partial(read_table(PARTS_TABLES / "zh/table.tsv").parts_of, tag_missing=parts_in_context)
    raise InputError(
        f"corpora.{declared.name}.parts is {source} in params.yaml; allowed: none, context (English and "
        "unsegmented Chinese) and table (unsegmented Chinese only)."
    )


@command
def main(name: str) -> None:
    declared = corpus(name)
    params = read_params("corpora")
    if name not in params:
        raise unknown_name("corpus of the section corpora in params.yaml", name, params)
    tokenise, tag_parts = tokeniser_and_tagger(declared, params[name]["parts"])
    texts = {}
    has_unlabelled = (CLEAN / name / f"{UNLABELLED}.parquet").is_file()
    for split in (*SPLITS, *([UNLABELLED] if has_unlabelled else [])):
        source = CLEAN / name / f"{split}.parquet"
        texts[split] = number_of_rows(source)
    with progress(f"tag {name}", sum(texts.values()), "texts") as bar, atomic_folder(TAGGED / name) as folder:
        for split, count in texts.items():
            worth = TEXTS_WORTH_A_PROCESS.get(declared.language)
            wanted = 1 + count // worth if worth else 1
            parts = params[name]["parts"] != "none" and split != UNLABELLED
            raw = split == UNLABELLED and declared.raw_unlabelled
            tag_split(
                CLEAN / name / f"{split}.parquet", folder / f"{split}.parquet",
                tokeniser_for(declared.language, tokenised=False) if raw else tokenise, tag_parts if parts else None,
                parts=parts, processes=1 if declared.tokenised else min(os.cpu_count() or 1, wanted),
                on_texts=bar.advance,
            )  # fmt: skip
        digests = seal_texts(folder, CLEAN / name)
    if params[name]["parts"] == "none":
        del digests["texts"]  # the lock keeps that of a scale with parts of speech
    for kind, digest in digests.items():
        tell_of_lock(kind, {name: digest})
