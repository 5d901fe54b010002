"""The settings of a linear model: the first of the best on dev is kept, and no other is tried once the time is over."""

import numpy as np
import pytest

from retable.experiments.scale import model_preset
from retable.models import LINEAR_MODELS, PRETRAINED
from retable.models.candidate import Search
from retable.text.pairs import joined
from retable.training.options import Progress
from retable.training.run import train_classifier
from retable.vectors.store import NO_VECTORS
from tests.training.conftest import make_split

MODELS = [name for name in LINEAR_MODELS if name not in PRETRAINED]
SMALL = {"doc2vec": {"size": 8, "epochs": 2}, "lda": {"topics": [2, 3], "passes": 1, "skip": 0}}


def pairs(questions, seed):
    """Return four candidates per question; the one that names its word answers it."""
    generator = np.random.default_rng(seed)
    texts, labels = [], []
    for number in range(questions):
        asked, *others = generator.permutation(["rain", "snow", "wind", "fog", "sun"])[:4]
        for named in (asked, *others):
            texts.append(joined(f"question {number} is on {asked}", f"it says {named}"))
            labels.append(int(named == asked))
    return make_split(texts, labels, ("no", "yes"))


def parameters(model):
    preset = model_preset(model)
    return {
        "corpus": {"name": "made-up"}, "model": preset["model"] | SMALL.get(model, {}),
        "embedding": preset["embedding"], "training": {}, "seed": 1, "device": "cpu", "precision": "float32",
    }  # fmt: skip


def test_a_setting_is_the_best_if_it_beats_all_earlier_ones():
    dev = make_split(["a", "b"], [0, 1])
    none, one, all_right = (np.eye(2)[classes] for classes in ([1, 0], [0, 0], [0, 1]))
    search = Search(dev, 5)
    assert [search.add("words-1", 1.0, scores) for scores in (none, one, one, all_right, one)] == [1, 1, 0, 1, 0]
    assert [candidate.dev_accuracy for candidate in search.tried] == [0.0, 0.5, 0.5, 1.0, 0.5]
    assert not search.ended


@pytest.mark.parametrize("model", MODELS)
def test_no_setting_is_tried_after_the_time_is_over(model):
    train, dev = pairs(20, 1), pairs(6, 2)
    whole = train_classifier(parameters(model), train, dev, NO_VECTORS).curve
    asked = []

    def enough():
        asked.append(True)
        return len(asked) == 2

    cut = train_classifier(parameters(model), train, dev, NO_VECTORS, Progress(enough=enough))
    assert cut.curve == whole[:2]
    assert len(asked) == min(2, len(whole) - 1)  # not after the last
    right = (cut.classifier.probabilities(dev).argmax(axis=1) == dev.classes).mean()
    assert right == max(line["dev_accuracy"] for line in cut.curve)
