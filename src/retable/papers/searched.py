"""The options chosen on dev where FCSR sets them "according to data set": dropout and batch size.

Budget     four trials per row and corpus, dropout 0.2 and 0.5 by batches of 20 and 50, one seed (docs/readings.md,
           "Dropout and batch size"). The preset, 0.5 and 50, is kept if its dev accuracy is within one standard error
           of the best; otherwise the best is taken.
"""

from collections.abc import Mapping
from typing import Any

from retable.corpora import FAMILIES

LITTLE_DROPOUT: dict[str, Mapping[str, Any]] = {"model": {"dropout": 0.2}}
SMALL_BATCHES: dict[str, Mapping[str, Any]] = {"training": {"batch_size": 20}}

CHOSEN: dict[str, Mapping[str, Mapping[str, Mapping[str, Any]]]] = {  # row -> corpus -> sections
    "bilstm": {"covid-sentiment": LITTLE_DROPOUT | SMALL_BATCHES},
    # Found on fdu-kitchen, which represents all sixteen domains.
    "fcsr": dict.fromkeys(FAMILIES["fdu"], SMALL_BATCHES),
    "stacked-lstm": dict.fromkeys(FAMILIES["fdu"], SMALL_BATCHES),
}
