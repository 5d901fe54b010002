"""Run Python as a program of its own, in a process forked from one that has imported what takes four seconds.

The child has none of retable's modules, and its own folder, variables and streams. What Python or torch read at their
start (PYTHONUTF8, PYTHONHASHSEED, numbers of threads), `atexit` and the exit status of Ctrl-C need a real
`sys.executable`.
"""

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

SERVER = multiprocessing.get_context("forkserver")
LONGEST = 600.0  # seconds
SERVER.set_forkserver_preload(["torch", "sklearn.metrics", "sklearn.linear_model", "sklearn.svm", "pyarrow.parquet"])


def python(
    *arguments: str, cwd: Path, variables: Mapping[str, str], given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `python -m MODULE ...` or `python -c PROGRAM ...`, and return its exit code and output; kill it if it hangs.

    Args:
        variables: its whole environment; PYTHONPATH comes first in its path.
        given: its standard input.
    """
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder) / name for name in ("in", "out", "err")]
        streams[0].write_text(given, encoding="utf-8")
        child = SERVER.Process(target=run, args=(arguments, cwd, dict(variables), streams))
        child.start()
        child.join(LONGEST)
        if child.is_alive():
            child.kill()
            child.join()
        out, err = (stream.read_text(encoding="utf-8") if stream.exists() else "" for stream in streams[1:])
        return subprocess.CompletedProcess(arguments, child.exitcode or 0, out, err)


def run(arguments: tuple[str, ...], cwd: Path, variables: dict[str, str], streams: list[Path]) -> None:
    """Be the program."""
    for number, (stream, mode) in enumerate(zip(streams, ("rb", "wb", "wb"), strict=True)):
        with stream.open(mode) as file:
            os.dup2(file.fileno(), number)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, line, encoding="utf-8", closefd=False)
        for number, mode, line in ((0, "r", -1), (1, "w", -1), (2, "w", 1))
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(variables)
    sys.path[:0] = variables.get("PYTHONPATH", "").split(os.pathsep)
    (how, what), sys.argv = arguments[:2], ["", *arguments[2:]]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
