"""retable: rebuild every table of papers on compact sentence encoders.

Importing it chooses the kernel of OpenBLAS, which must be done before numpy is imported, so that every stage and every
reader of a model multiplies alike on every processor (retable/machine/openblas.py).
"""

import warnings

from retable.machine.openblas import take_one_kernel

__version__ = "0.1.0"

take_one_kernel()

# torch says once that it does not check the sparse gradients that it made itself.
warnings.filterwarnings("ignore", message="Sparse invariant checks")
