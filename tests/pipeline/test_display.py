"""What a training shows while it runs."""

import pytest

from retable.experiments.display import note_of_line


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ({"epoch": 3, "dev_accuracy": 0.8125}, "epoch 3 done, dev 81.2%"),
        ({"epoch": 3, "dev_accuracy": 0.9, "dev_map": 0.671}, "epoch 3 done, dev 67.1% mean average precision"),
        ({"features": "words-2", "cost": 0.3, "dev_accuracy": 0.75}, "words-2, C 0.3: dev 75.0%"),
        ({"features": "topics", "dev_accuracy": 0.9, "dev_map": 0.5}, "topics: dev 50.0% mean average precision"),
    ],
)
def test_the_score_that_chooses_is_shown(line, note):
    assert note_of_line(line) == note
