"""OpenBLAS, which multiplies for numpy and scipy: one kernel on every processor with AVX2, for equal bytes.

By default it takes another kernel, with other last bits, for each kind of processor: word vectors, the part-of-speech
tagger and, through parts of speech, every cell that uses a tagged corpus would differ between processors.
"""

import os

from retable.machine.processor import processor_fact

KERNEL = "Haswell"  # OpenBLAS's name of its kernel for AVX2


def take_one_kernel() -> None:
    """Make every OpenBLAS that is loaded from now on take the same kernel: call this before numpy is imported."""
    if "avx2" in processor_fact("flags").split():
        os.environ["OPENBLAS_CORETYPE"] = KERNEL
