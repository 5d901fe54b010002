"""The units of a run's recipe."""

import pytest

from retable.experiments.scale import model_preset
from retable.runs.recipes import units_of


@pytest.mark.parametrize(
    ("model", "corpus", "ranks"),
    [
        ("tfidf-svm", "wikiqa", True),
        ("doc2vec", "trecqa", True),
        ("tfidf-svm", "mr", False),
        ("tfidf-svm", "texts-that-are-not-declared-here", False),
        ("pair-encoder", "wikiqa", False),  # an epoch has always been chosen so
    ],
)
def test_only_linear_models_on_a_ranked_corpus_have_the_unit_of_their_choice_by_map(model, corpus, ranks):
    sections = {name: model_preset(model)[name] for name in ("model", "embedding", "training")}
    units = units_of(sections | {"corpus": {"name": corpus}, "precision": "float32"})
    assert ("ranking" in units) == ranks
