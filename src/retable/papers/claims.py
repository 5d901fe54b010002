"""Declare what the papers claim, as comparisons of two rows of one table; and where a linear model asks to be compared.

A claim is tested on every column on which both rows were measured, with the predictions for single texts.
"""

from dataclasses import dataclass

from retable.corpora import FAMILIES


@dataclass(frozen=True)
class Claim:
    """`better` is ahead of `worse` in a table: where the paper says so, and in which words of ours.

    `columns` are those of the claim; () all of the table. Of a claim about a mean, the columns are taken `together`.
    """

    paper: str
    place: str
    says: str
    table: str
    better: str
    worse: str
    columns: tuple[str, ...] = ()
    together: bool = False


def ahead(paper: str, place: str, table: str, better: str, worse: dict[str, str]) -> tuple[Claim, ...]:
    """Return the claims that one row is ahead of each of several: id -> what it is called."""
    return tuple(Claim(paper, place, f"ahead of {name}", table, better, row) for row, name in worse.items())


LINEAR = {"tfidf-svm": "tf-idf + SVM", "nb-svm": "NB-SVM"}
ON_DOMAINS = (  # place, what, table, better, worse
    ("section 5.4", "ahead of the CNN", "fcsr-table-4", "fcsr", "cnn"),
    ("section 5.4", "ahead of the LSTM", "fcsr-table-4", "fcsr", "lstm"),
    ("section 5.4", "ahead of the stacked LSTM", "fcsr-table-4", "fcsr", "stacked-lstm"),
    ("section 5.4", "ahead of the BiLSTM", "fcsr-table-4", "fcsr", "bilstm"),
    ("section 5.4", "ahead of the BiLSTM with a patience of 8", "fcsr-table-4", "fcsr", "bilstm-patience-8"),
    ("section 5.4", "ahead of the stacked BiLSTM", "fcsr-table-4", "fcsr", "stacked-bilstm"),
    ("section 5.4", "ahead of the Transformer", "fcsr-table-4", "fcsr", "transformer"),
    ("table 4", "the BiLSTM ahead of the CNN", "fcsr-table-4", "bilstm", "cnn"),
    ("section 5.4", "one network for all: ahead of the CNN", "fcsr-table-5", "fcsr", "cnn"),
)
STEPS_OF_CSPAN = (  # what, better, worse
    ("self-attention is better than none", "cspan-abl-self-att", "bilstm"),
    ("the residual sum is better than none", "cspan-abl-residual", "cspan-abl-self-att"),
    ("multi-query attention is better than the mean", "cspan-base", "cspan-abl-residual"),
    ("the whole is better than the BiLSTM", "cspan-base", "bilstm"),
)
STEPS_OF_LAMA = (
    ("the text's mean asks better than a learned vector", "lama-ctx", "lama"),
    ("heads kept apart by position are better", "lama-ctx-dp", "lama-ctx"),
    ("heads kept apart by embedding are better", "lama-ctx-de", "lama-ctx"),
)
STRATEGIES = (
    ("correlation attention helps", "transformer-f-cor", "transformer"),
    ("weights of parts of speech help", "transformer-f-pos", "transformer"),
    ("the hook over the layers helps", "transformer-f-hook", "transformer"),
)

CLAIMS: tuple[Claim, ...] = (
    *ahead("FCSR", "table 3", "fcsr-table-3", "fcsr", {"cnn": "the CNN", "bilstm": "the BiLSTM", **LINEAR}),
    *(
        Claim("FCSR", place, f"{what}, mean of 16 domains", table, better, worse, FAMILIES["fdu"], together=True)
        for place, what, table, better, worse in ON_DOMAINS
    ),
    *(Claim("CSPAN", "section 3.4", what, "cspan-table-3", better, worse) for what, better, worse in STEPS_OF_CSPAN),
    *ahead(
        "CSPAN",
        "table 5",
        "cspan-table-5",
        "cspan-fusion-e",
        {
            "cspan-fusion-a": "no positions (a)",
            "cspan-fusion-b": "sinusoidal positions (b)",
            "cspan-fusion-c": "relative positions (c)",
            "cspan-fusion-d": "a BiLSTM beside (d)",
        },
    ),
    *ahead(
        "CSPAN",
        "table 2",
        "cspan-table-2",
        "cspan-base",
        {
            "lstm": "the LSTM",
            "fasttext": "fastText",
            "structured-self-attention": "structured self-attention",
            **LINEAR,
        },
    ),
    *ahead(
        "LAMA",
        "section 5",
        "lama-table-4",
        "lama-ctx",
        {
            "structured-self-attention": "structured self-attention",
            "bigru": "the BiGRU",
            "textcnn": "the CNN",
            "transformer-encoder": "the Transformer encoder",
            "avg-embedding": "the mean of word vectors",
            **LINEAR,
        },
    ),
    *(Claim("LAMA", "table 4", what, "lama-table-4", better, worse) for what, better, worse in STEPS_OF_LAMA),
    *ahead(
        "Transformer-F",
        "section 4.2",
        "transformer-f-table-2",
        "transformer-f",
        {
            "transformer": "the Transformer",
            "universal-transformer": "the Universal Transformer",
            "dpcnn": "DPCNN",
            "att-blstm": "Att-BLSTM",
            **LINEAR,
        },
    ),
    *(
        Claim("Transformer-F", "section 4.3", what, "transformer-f-table-3", better, worse)
        for what, better, worse in STRATEGIES
    ),
)
