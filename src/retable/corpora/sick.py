"""SICK: sentence pairs about pictures and films; the first entails, contradicts or is neutral to the second."""

from functools import partial

from retable.corpora.readers import read_columns_of_pairs
from retable.declaration import Corpus, Defect, github

READ = partial(
    read_columns_of_pairs,
    splits={"train": "SICK_train.txt", "dev": "SICK_trial.txt", "test": "SICK_test_annotated.txt"},
    columns=5,
    first=1,
    second=2,
    header=True,
)
CORPUS = Corpus(
    name="sick",
    language="en",
    title="pairs of sentences: entailment, contradiction or neither",
    labels=("NEUTRAL", "ENTAILMENT", "CONTRADICTION"),
    texts={"train": (2536, 1299, 665), "dev": (282, 144, 74), "test": (2793, 1414, 720)},
    files=github(
        "castorini/data/056cbbcbf997cc0b35032430110c5e5e5525700a/sick",
        {
            "SICK_train.txt": (506_243, "266cf8047149bd1d68138dd30439f3122bff30069740ac6705bb6197d9f1b48e"),
            "SICK_trial.txt": (57_225, "5a88cfb62f8c6bd2a3cce0f2421ba2cb8c2be5ab4a800f6f01e2c64aafb7db56"),
            "SICK_test_annotated.txt": (559_979, "2b8aa806658d6fc23c6824c83776c2d4fee7556000817b5ec0f982861413b7d0"),
        },
        mirror="sick",
    ),
    read=partial(READ, label=4),
    encoding="ascii",
    pooled=False,
    source="https://alt.qcri.org/semeval2014/task1/",
    paper="Marelli et al., A SICK cure for the evaluation of compositional distributional semantic models, LREC 2014",
    licence="CC BY-NC-SA 3.0, as its README says",
    note="its relatedness is the corpus sick-relatedness",
    defects=(
        Defect("copies in train", 30, "pairs made by rule that came out the same; published splits are kept unchanged"),
        Defect("texts in train and dev", 3, "the same"),
        Defect("texts in train and test", 49, "the same; they are not clean"),
        Defect("texts in dev and test", 5, "the same"),
        Defect("texts with two labels", 1, "a pair that was judged twice"),
    ),
)
