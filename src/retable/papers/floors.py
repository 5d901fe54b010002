"""No paper: the models that a user would pick instead, on every corpus at hand. A table that hides them misleads."""

from retable.papers.paper import Column, Paper, ResultTable, Row

TABLE_1 = ResultTable(
    name="floors-table-1",
    title="Linear models and fastText on the corpora of the papers",
    published=None,
    metric="accuracy",
    unit="%",
    rows=(
        Row("tfidf-svm", "tf-idf + SVM", model="tfidf-svm", extra=True),
        Row("nb-svm", "NB-SVM", model="nb-svm", extra=True),
        Row("fasttext", "fastText", model="fasttext", extra=True),
    ),
    columns=(
        Column("r8", "R8", corpus="r8", split="paper", extra=True),
        Column("imdb", "IMDB", corpus="imdb", split="paper", extra=True),
        Column("sample-en", "the project's own sample", corpus="sample-en", split="paper", extra=True),
    ),
)

PAPER = Paper(
    name="floors",
    title="Linear floors",
    citation="retable's own table; it stands behind no paper.",
    results=(TABLE_1,),
)
