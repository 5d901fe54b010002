"""retable: rebuild every table of papers on compact text classifiers.

Importing it chooses OpenBLAS's kernel, which must happen before numpy is imported, so that every stage and every reader
of a model multiplies identically on every processor (retable/machine/openblas.py), and lets waiting threads sleep soon
(retable/machine/spinning.py).

`retable.fit(texts, ...)` trains on your own texts, and `retable.load(folder)` loads the resulting model;
`retable.Classifier` is the same for scikit-learn.
"""

import warnings
from typing import TYPE_CHECKING, Any

from retable.machine.openblas import take_one_kernel
from retable.machine.spinning import spin_briefly

if TYPE_CHECKING:
    from retable.own.estimators import Classifier as Classifier
    from retable.own.fit import fit as fit
    from retable.own.model import load as load

__version__ = "0.2.0"

take_one_kernel()
spin_briefly()

# torch warns once that it does not check sparse gradients, which it made itself.
warnings.filterwarnings("ignore", message="Sparse invariant checks")


def __getattr__(name: str) -> Any:
    """Return `fit`, `load` or `Classifier`; they import torch, so only on first use."""
    if name == "Classifier":
        from retable.own.estimators import Classifier

        return Classifier
    if name == "fit":
        from retable.own.fit import fit

        return fit
    if name == "load":
        from retable.own.model import load

        return load
    raise AttributeError(f"module retable has no attribute {name!r}")
