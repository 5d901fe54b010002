"""The registry: every corpus by its id, and what is downloaded beside corpora, each declared in a module.

A corpus is added by writing its module (`CORPUS = Corpus(...)`) and a line here; docs/corpora.md says how.
"""

from importlib import import_module

from retable.declaration import Corpus, Example, RemoteFile, Sentence, Source, Treebank
from retable.errors import unknown_name

__all__ = [
    "CORPORA",
    "FAMILIES",
    "REFERENCES",
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

# Modules that declare several corpora (`CORPORA`, by id); every other module declares one (`CORPUS`).
FAMILIES = {
    "ag_news": ("ag-news", "ag-news-5k"),
    "ced": ("ced", "ced-grouped"),
    "fdu": (
        "fdu-apparel", "fdu-baby", "fdu-books", "fdu-camera", "fdu-dvd", "fdu-electronic", "fdu-health", "fdu-imdb",
        "fdu-kitchen", "fdu-magazine", "fdu-mr", "fdu-music", "fdu-software", "fdu-sports", "fdu-toys", "fdu-video",
    ),
    "lama_yelp": ("yelp-5", "yelp-long"),
    "news_aggregator": ("news-aggregator", "news-aggregator-5pub"),
    "thucnews": ("thucnews", "thucnews-45k"),
    "twenty_newsgroups": ("20-newsgroups", "20-newsgroups-no-headers"),
    "zhang": (
        "amazon-full", "amazon-polarity", "dbpedia", "sogou-news", "yahoo-answers", "yelp-full", "yelp-polarity",
    ),
}  # fmt: skip

# Id -> module.
CORPORA = {name: module for module, names in FAMILIES.items() for name in names} | {
    "covid-sentiment": "covid_sentiment",
    "dbpedia-14k": "dbpedia_14k",
    "fdu-16": "fdu_16",
    "imdb": "imdb",
    "mpqa": "mpqa",
    "mr": "mr",
    "r8": "r8",
    "sample-en": "sample_en",
    "sample-zh": "sample_zh",
    "sst-1": "sst_1",
    "sst-2": "sst_2",
    "trec": "trec",
    "yahoo-answers-2c": "yahoo_answers_2c",
    "yelp-10k": "yelp_10k",
}

TREEBANKS = {
    "ewt": "ewt",
    "sample-treebank-en": "sample_treebank_en",
}

# What is downloaded beside corpora. A module that is no treebank has REFERENCE = Source(...).
REFERENCES = {
    **TREEBANKS,
    "gsdsimp": "gsdsimp",
}


def corpus(name: str) -> Corpus:
    """The declared facts of a corpus.

    Raises: InputError if there is none of that name.
    """
    if name not in CORPORA:
        raise unknown_name("corpus", name, CORPORA)
    module = import_module(f"retable.corpora.{CORPORA[name]}")
    found: Corpus = module.CORPORA[name] if CORPORA[name] in FAMILIES else module.CORPUS
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
    """A corpus or a reference: whatever can be downloaded under that name.

    Raises: InputError if there is none of that name.
    """
    if name in CORPORA:
        return corpus(name)
    if name in TREEBANKS:
        return treebank(name)
    if name in REFERENCES:
        found: Source = import_module(f"retable.corpora.{REFERENCES[name]}").REFERENCE
        return found
    raise unknown_name("corpus", name, [*CORPORA, *REFERENCES])
