"""Shared behaviour of all commands: one sentence and an exit code for a user's mistake."""

import errno
import os
import re
import socket
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import NoReturn, ParamSpec

from retable.errors import EXTRAS, InputError, lacks, on_one_line, shown
from retable.files import HALF
from retable.project.stopping import AGAIN, KEPT, Stopped, stoppable

Arguments = ParamSpec("Arguments")
FULL = (errno.ENOSPC, errno.EDQUOT)
LAST_PORT = 65535
CLOSED_PIPE = 141  # as in shells, for a program that SIGPIPE ended


def given_path(text: str) -> Path:
    """Return a path from the command line.

    "", from an unset shell variable, would mean the current folder; Parquet, JSON and MLflow take only UTF-8.

    Raises: ArgumentTypeError.
    """
    if not text:
        raise ArgumentTypeError("the path is empty; is a shell variable unset?")
    if HALF.search(text):
        raise ArgumentTypeError(f"the path {shown(text)} is not UTF-8; rename the file or folder")
    return Path(text)


def given_port(text: str) -> int:
    """Return a port from the command line; 0 would be any free one, which no message could name.

    Raises: ArgumentTypeError.
    """
    if not re.fullmatch("[0-9]{1,5}", text) or not 1 <= int(text) <= LAST_PORT:
        raise ArgumentTypeError(f"{shown(text)} is not a port; allowed: a whole number from 1 to {LAST_PORT}")
    return int(text)


def check_free(host: str, port: int, advice: str) -> None:
    """Refuse an address that cannot be bound: in use, or the system's own. Raises: InputError."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InputError(f"{host}, port {port} cannot be used ({error.strerror}); {advice}.") from None


def fail(sentence: str, code: int = 1) -> NoReturn:
    """Exit with a sentence on standard error."""
    print(f"error: {on_one_line(sentence)}", file=sys.stderr, flush=True)
    sys.exit(code)


def sentence_of(error: OSError) -> str:
    """Return what the system refused, and what to do."""
    named = error.filename2 or error.filename
    if error.errno in FULL or "No space left" in str(error):
        return f"the disk is full ({named or 'no space left'}); free some space and run the same command again."
    what = f"{named}: {error.strerror or error}" if named else str(error)
    return f"{what}; fix it (permissions, disk, a missing file) and run the same command again."


def command(function: Callable[Arguments, None], *, stopped: str = AGAIN) -> Callable[Arguments, None]:
    """Turn user mistakes, missing extras, system errors and signals into one sentence; other errors keep tracebacks.

    Args:
        stopped: the sentence after Ctrl-C: `continuing` has that of a command that keeps what it has finished.
    """

    @wraps(function)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            with stoppable(stopped):
                try:
                    function(*args, **kwargs)
                finally:
                    sys.stdout.flush()  # here, so that a closed pipe raises inside
        except BrokenPipeError:  # the reader, as in `retable ... | head`, has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
            sys.exit(CLOSED_PIPE)
        except InputError as error:
            fail(str(error))
        except ModuleNotFoundError as error:
            module = (error.name or "").partition(".")[0]
            if module not in EXTRAS:
                raise
            fail(str(lacks(module)))
        except Stopped as signal:
            fail(str(signal), signal.code)
        except OSError as error:
            fail(sentence_of(error))

    return run


continuing = partial(command, stopped=KEPT)
