"""OpenBLAS, with which numpy and scipy multiply: one kernel on every processor with AVX2, so that bytes are equal.

It would take another kernel, with other last bits, for each kind of processor: word vectors and the part-of-speech
tagger, and with the parts of speech every cell that rests on a tagged corpus, would be others on each of them.
"""

import os

from retable.machine.processor import processor_fact

KERNEL = "Haswell"  # OpenBLAS's name of its kernel for AVX2


def take_one_kernel() -> None:
    """Let every OpenBLAS that is loaded from now on take the same kernel: call it before numpy is imported."""
    if "avx2" in processor_fact("flags").split():
        os.environ["OPENBLAS_CORETYPE"] = KERNEL
