"""The file that holds the state of a training, saved every 30 seconds, or less often if a write takes long.

Form       a line of JSON (the run's key and position), then the output of torch.save; no code in it is ever run. The
           line holds the digest of the rest, so that a damaged file is detected.
"""

import datetime
import hashlib
import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from retable.errors import shortened
from retable.files import atomic_file, parse_json
from retable.forms import Number, Section, Text
from retable.project.stopping import Signals

SECONDS_BETWEEN_SAVES = 30.0
LARGEST_SHARE = 0.01  # of the run time spent on saving: slower writes are made less often
FORMAT, HEADER_BYTES = 2, 1024
HEADER = Section({"key": Text(), "torch": Text(), "where": Text(), "saved": Text(), "seconds": Number(0)})


class StateFile:
    """Store the state of one run, and schedule its saves.

    Args:
        path: the file; its folder is created at the first save.
        key: the run's key (provenance.run_key): a state of other parameters, data or code is not used.
        tell: called with a sentence when the run resumes, or cannot.
        every_s: least seconds between two saves.
    """

    def __init__(
        self, path: Path, key: str, tell: Callable[[str], None], *, every_s: float = SECONDS_BETWEEN_SAVES
    ) -> None:
        self.path, self.key, self.tell = path, key, tell
        self.wait_s = self.every_s = every_s
        self.start = self.last = time.monotonic()
        self.earlier_s = 0.0  # seconds of the run in processes before this one
        self.signals = Signals()

    def due(self) -> bool:
        """Return whether it is time to save."""
        return time.monotonic() - self.last >= self.wait_s

    def write(self, state: dict[str, Any], where: str, form: str = "") -> bool:
        """Replace the stored state; return False, with a message, if the disk refuses it.

        Args:
            state: tensors and plain values.
            where: the run's position, in words.
            form: digest of the state's form; a training of another form does not read it.
        """
        start = time.monotonic()
        now = datetime.datetime.now(datetime.UTC)
        header = {
            "format": FORMAT,
            "key": self.key,
            "torch": torch.__version__,
            "where": where,
            "form": form,
            "saved": f"{now:%Y-%m-%d %H:%M:%S} UTC",
            "seconds": self.earlier_s + start - self.start,
        }
        try:
            with atomic_file(self.path) as part, part.open("w+b") as file:
                file.write(b" " * HEADER_BYTES)
                torch.save(state, file)
                file.seek(HEADER_BYTES)
                header["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
                file.seek(0)
                file.write(json.dumps(header).encode().ljust(HEADER_BYTES - 1) + b"\n")
        except (OSError, RuntimeError) as error:  # torch raises a RuntimeError for a disk error
            reason = error.strerror if isinstance(error, OSError) else "is the disk full?"
            self.tell(f"the state of the run could not be saved in {self.path} ({reason}); training goes on.")
            return False
        finally:
            self.last = time.monotonic()
            self.wait_s = max(self.every_s, (self.last - start) / LARGEST_SHARE)
        return True

    def read(self, form: str = "") -> dict[str, Any] | None:
        """Return the state from `write`, its tensors on the CPU; None if this run cannot resume from it."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self.tell(f"the saved state {self.path} cannot be read ({error.strerror}); training starts again.")
            return None
        head, _, body = data.partition(b"\n")
        header = _header(head)
        problem = self.problem(header, body, form)
        if problem:
            self.tell(f"the saved state {self.path} {problem}; training starts again.")
            return None
        try:
            state: dict[str, Any] = torch.load(io.BytesIO(body), map_location="cpu", weights_only=True)
        except (UnpicklingError, RuntimeError, EOFError, ValueError, LookupError, TypeError, AttributeError) as error:
            self.tell(
                f"the saved state {self.path} is not a torch file ({shortened(str(error))}); training starts again."
            )
            return None
        self.earlier_s = float(header["seconds"])
        self.tell(f"resumes at {header['where']}, saved {header['saved']}.")
        return state

    def problem(self, header: dict[str, Any], body: bytes, form: str) -> str | None:
        """Return why a state cannot be used, in words."""
        if header.get("format") != FORMAT or header.get("sha256") != hashlib.sha256(body).hexdigest():
            return "is damaged"
        if next(HEADER.misfits(header, ""), None):
            return "does not say which run it belongs to, or where it stopped"
        if header["key"] != self.key:
            return "belongs to other code, data or parameters"
        if header["torch"] != torch.__version__:
            return f"was made by torch {header['torch']}, but this is {torch.__version__}"
        if header.get("form") != form:
            return "is of another form or has weights of different shapes"
        return None


def _header(line: bytes) -> dict[str, Any]:
    try:
        header = parse_json(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}
