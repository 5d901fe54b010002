"""SICK's relatedness: how related two sentences about pictures and films are, a mean of ten people's grades."""

from dataclasses import replace
from functools import partial

from retable.corpora.sick import CORPUS as ENTAILMENT
from retable.corpora.sick import READ

CORPUS = replace(
    ENTAILMENT,
    name="sick-relatedness",
    title="pairs of sentences: how related are they, from 1 to 5?",
    labels=("1", "2", "3", "4", "5"),
    graded=True,
    texts={"train": (304, 334, 1199, 1784, 879), "dev": (28, 39, 139, 182, 112), "test": (311, 361, 1352, 1945, 958)},
    read=partial(READ, label=3),
    same_texts_as="sick",
    note="a score between the grades, such as 3.6; counted here for the nearest",
    defects=tuple(
        replace(defect, count=60) if defect.what == "texts with two labels" else defect for defect in ENTAILMENT.defects
    ),
)
