"""Hold the memory of a process that answers texts without end."""

import os

KEPT_KERNELS = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")  # of oneDNN, and of torch's layer over it


def keep_few_kernels() -> None:
    """Have oneDNN keep the kernels of one shape; call it before torch is imported.

    Batches of texts come in hundreds of shapes, and it would keep a thousand kernels with their memory.
    """
    for name in KEPT_KERNELS:
        os.environ.setdefault(name, "1")
