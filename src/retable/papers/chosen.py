"""The options chosen on dev where FCSR sets them "according to data set": dropout and batch size; Char-CNN's training.

Budget     four trials per row and corpus, dropout 0.2 and 0.5 by batches of 20 and 50, one seed (docs/readings.md,
           "Dropout and batch size"). The preset, 0.5 and 50, is kept if its dev accuracy is within one standard error
           of the best; otherwise the best is taken. Char-CNN: four trainings on sst-2 ("Char-CNN on few texts").
"""

from collections.abc import Mapping
from typing import Any

from retable.corpora import FAMILIES

LITTLE_DROPOUT: dict[str, Mapping[str, Any]] = {"model": {"dropout": 0.2}}
SMALL_BATCHES: dict[str, Mapping[str, Any]] = {"training": {"batch_size": 20}}
# In place of the source's SGD, which is still at chance after twelve passes over SST-2, on dev.
FASTER: dict[str, Mapping[str, Any]] = {
    "training": {
        "optimiser": "adam", "learning_rate": 1e-4, "momentum": 0.0, "schedule": "constant",
        "epochs": 200, "epochs_max": 200, "patience": 25,
    }
}  # fmt: skip

CHOSEN: dict[str, Mapping[str, Mapping[str, Mapping[str, Any]]]] = {  # row -> corpus -> sections
    "bilstm": {"covid-sentiment": LITTLE_DROPOUT | SMALL_BATCHES},
    # Found on sst-2, which represents the other three.
    "char-cnn": dict.fromkeys(("mr", "sst-2", "covid-sentiment", "ag-news-5k"), FASTER),
    # Found on fdu-kitchen, which represents all sixteen domains.
    "fcsr": dict.fromkeys(FAMILIES["fdu"], SMALL_BATCHES),
    "stacked-lstm": dict.fromkeys(FAMILIES["fdu"], SMALL_BATCHES),
}
