"""The registry: every corpus and treebank by its id, each declared in a module of its own.

A corpus is added by writing its module (`CORPUS = Corpus(...)`) and a line here; docs/corpora.md says how.
"""

from importlib import import_module

from retable.corpora.declaration import Corpus, Example, RemoteFile, Sentence, Source, Treebank
from retable.errors import unknown_name

__all__ = [
    "CORPORA",
    "TREEBANKS",
    "Corpus",
    "Example",
    "RemoteFile",
    "Sentence",
    "Source",
    "Treebank",
    "corpus",
    "source",
    "treebank",
]

CORPORA = {
    "covid-sentiment": "covid_sentiment",
    "imdb": "imdb",
    "mr": "mr",
    "r8": "r8",
    "sample-en": "sample_en",
    "sst-2": "sst_2",
}

TREEBANKS = {
    "ewt": "ewt",
    "sample-treebank-en": "sample_treebank_en",
}


def corpus(name: str) -> Corpus:
    """The declared facts of a corpus.

    Raises: InputError if there is none of that name.
    """
    if name not in CORPORA:
        raise unknown_name("corpus", name, CORPORA)
    found: Corpus = import_module(f"retable.corpora.{CORPORA[name]}").CORPUS
    return found


def treebank(name: str) -> Treebank:
    """The declared facts of a treebank.

    Raises: InputError if there is none of that name.
    """
    if name not in TREEBANKS:
        raise unknown_name("treebank", name, TREEBANKS)
    found: Treebank = import_module(f"retable.corpora.{TREEBANKS[name]}").TREEBANK
    return found


def source(name: str) -> Source:
    """A corpus or a treebank: whatever can be downloaded under that name.

    Raises: InputError if there is none of that name.
    """
    if name in TREEBANKS:
        return treebank(name)
    if name in CORPORA:
        return corpus(name)
    raise unknown_name("corpus", name, [*CORPORA, *TREEBANKS])
