"""retable: rebuild every table of papers on compact sentence encoders.

Importing it chooses the kernel of OpenBLAS, which must be done before numpy is imported, so that every stage and every
reader of a model multiplies alike on every processor (retable/machine/openblas.py), and lets threads that wait sleep
soon (retable/machine/spinning.py).

`retable.fit(texts, ...)` learns from your own texts, and `retable.load(folder)` reads the model that it made;
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

# torch says once that it does not check the sparse gradients that it made itself.
warnings.filterwarnings("ignore", message="Sparse invariant checks")


def __getattr__(name: str) -> Any:
    """Return `fit`, `load` or `Classifier`, which import torch: that waits until they are asked for."""
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
