"""Limit the memory of a process that answers texts indefinitely."""

import os

KEPT_KERNELS = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")  # of oneDNN, and of torch's layer above it


def keep_few_kernels() -> None:
    """Make oneDNN keep the kernels of only one shape; call this before torch is imported.

    Batches of texts have hundreds of shapes, and oneDNN would keep a thousand kernels with their memory.
    """
    for name in KEPT_KERNELS:
        os.environ.setdefault(name, "1")
