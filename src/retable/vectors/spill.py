"""Arrays in memory while a budget lasts; what comes after it lies in temporary files."""

import tempfile
from threading import Lock

import numpy as np

from retable.errors import InputError


class Spill:
    """Keeps arrays; may be used by several threads.

    Args:
        budget_bytes: how much of them may stay in memory.
    """

    def __init__(self, budget_bytes: int) -> None:
        self.left, self.lock = budget_bytes, Lock()

    def keep(self, array: np.ndarray) -> np.ndarray:
        """Return the array itself while the budget lasts; else its numbers in a file that is mapped into memory.

        Raises: InputError if the disk is full.
        """
        with self.lock:
            fits = array.nbytes <= self.left
            self.left -= array.nbytes if fits else 0
        return array if fits else _mapped(array)


def _mapped(array: np.ndarray) -> np.ndarray:
    """Return the file has no name, so that it is gone with its last user, even one that was killed."""
    with tempfile.TemporaryFile() as file:
        try:
            array.tofile(file)
            file.flush()
        except OSError as error:
            raise InputError(
                f"{tempfile.gettempdir()} has no room for {array.nbytes:,} bytes ({error}); "
                "name a folder on a larger disk in the environment variable TMPDIR."
            ) from None
        # Writable, although nobody writes: numba would compile everything again for arrays that are not.
        return np.asarray(np.memmap(file, array.dtype, "r+", shape=array.shape))
