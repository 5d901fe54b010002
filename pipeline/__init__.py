"""The stages of the pipeline, a thin script each.

Run as modules from the root of a checkout (`python -m pipeline.clean sst-2`). The code of that checkout goes first, so
that an experiment which DVC runs in a copy of the tree uses the copy's own sources, whatever is installed. This file is
read before numpy is, so that every stage multiplies with the same kernel.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from retable.openblas import take_one_kernel

take_one_kernel()

# torch says once that it does not check the sparse gradients that it made itself.
warnings.filterwarnings("ignore", message="Sparse invariant checks")
