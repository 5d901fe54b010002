"""The registry: every corpus by its id, and other downloads, each declared in a module.

To add a corpus, write its module (`CORPUS = Corpus(...)`); see docs/add-a-corpus.md.
"""

from importlib import import_module
from pathlib import Path

from retable.corpora.own import own_names
from retable.declaration import Corpus, Example, Sentence, Source, Treebank
from retable.errors import unknown_name

__all__ = [
    "CORPORA",
    "FAMILIES",
    "REFERENCES",
    "TREEBANKS",
    "Corpus",
    "Example",
    "Sentence",
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
    "fdu_joint": ("fdu-16", "fdu-4"),
    "lama_yelp": ("yelp-5", "yelp-long"),
    "news_aggregator": ("news-aggregator", "news-aggregator-5pub"),
    "nli": ("snli", "multinli-matched", "multinli-mismatched"),
    "own": own_names(),  # those of the checkout
    "thucnews": ("thucnews", "thucnews-45k"),
    "twenty_newsgroups": ("20-newsgroups", "20-newsgroups-no-headers"),
    "zhang": (
        "amazon-full", "amazon-polarity", "dbpedia", "sogou-news", "yahoo-answers", "yelp-full", "yelp-polarity",
    ),
}  # fmt: skip

# Downloaded in addition to corpora; the section `references` of params.yaml.
TREEBANKS = {"ewt": "ewt", "sample-treebank-en": "sample_treebank_en"}
PUBLISHED_VECTORS = {"glove-6b": "glove_6b"}
REFERENCES = TREEBANKS | PUBLISHED_VECTORS
NO_CORPUS = {"__init__", "archives", "download", "readers", *FAMILIES, *REFERENCES.values()}
# Id -> module; the module of a single corpus is named by its id, with "_" for "-".
CORPORA = {name: module for module, names in FAMILIES.items() for name in names} | {
    module.replace("_", "-"): module
    for module in sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    if module not in NO_CORPUS
}


def corpus(name: str) -> Corpus:
    """Return the declared facts of a corpus.

    Raises: InputError if there is none with that name.
    """
    if name not in CORPORA:
        raise unknown_name("corpus", name, CORPORA)
    module = import_module(f"retable.corpora.{CORPORA[name]}")
    found: Corpus = module.CORPORA[name] if CORPORA[name] in FAMILIES else module.CORPUS
    return found


def treebank(name: str) -> Treebank:
    """Return the declared facts of a treebank.

    Raises: InputError if there is none with that name.
    """
    if name not in TREEBANKS:
        raise unknown_name("treebank", name, TREEBANKS)
    found: Treebank = import_module(f"retable.corpora.{TREEBANKS[name]}").TREEBANK
    return found


def source(name: str) -> Source:
    """Return whatever can be downloaded under that name: a corpus, a treebank or word vectors.

    Raises: InputError if there is none with that name.
    """
    if name in CORPORA:
        return corpus(name)
    if name in TREEBANKS:
        return treebank(name)
    if name in PUBLISHED_VECTORS:
        found: Source = import_module(f"retable.corpora.{PUBLISHED_VECTORS[name]}").VECTORS
        return found
    raise unknown_name("corpus", name, [*CORPORA, *REFERENCES])
