"""A run under the command that RETABLE_LAUNCHER names, alone or as several processes.

`RETABLE_LAUNCHER="torchrun --nproc-per-node 2"`, `srun --gpus=1`: a run starts itself under it. Its processes know by
their environment where they are: torchrun's RANK, or SLURM's variables. Imports nothing heavy, because every command
asks for its place.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

from retable.errors import InputError

LAUNCHER, LAUNCHED = "RETABLE_LAUNCHER", "RETABLE_LAUNCHED"  # what is asked for; set in the processes that it started
FIRST_PORT, PORTS = 20_000, 20_000


@dataclass(frozen=True)
class Place:
    """Of this process among those of its run; `local` counts those of one machine, `address` is where they meet."""

    rank: int = 0
    size: int = 1
    local: int = 0
    address: str = "env://"


def place(variables: Mapping[str, str] = os.environ) -> Place:
    """This process's place, from its environment.

    SLURM's variables count only below our own `srun`: a batch script has them too, and is one process.
    """

    def number(name: str, default: int) -> int:
        return int(variables.get(name, default))

    if "RANK" in variables:
        return Place(number("RANK", 0), number("WORLD_SIZE", 1), number("LOCAL_RANK", 0))
    if LAUNCHED in variables and "SLURM_PROCID" in variables:
        host = first_host(variables.get("SLURM_STEP_NODELIST") or variables.get("SLURM_JOB_NODELIST") or "127.0.0.1")
        address = f"tcp://{host}:{FIRST_PORT + number('SLURM_JOB_ID', 0) % PORTS}"
        return Place(number("SLURM_PROCID", 0), number("SLURM_STEP_NUM_TASKS", 1), number("SLURM_LOCALID", 0), address)
    return Place()


def first_host(hosts: str) -> str:
    """The first of SLURM's list of hosts: gpu[003-005,9],login is gpu003."""
    found = re.match(r"([^,\[]*)(?:\[([^],-]+)[^]]*\]([^,\[]*))?", hosts)
    assert found is not None, "the pattern matches every text"
    return "".join(part or "" for part in found.groups())


def start_under_launcher(module: str, arguments: Sequence[str]) -> None:
    """Run this command under the launcher, if one is asked for and has not started this process; then it never returns.

    Args:
        module: of the command, for `python -m`.
        arguments: of the command.
    Raises: InputError if there is no such launcher; SystemExit at the end, 130 or 143 after Ctrl-C or SIGTERM.
    """
    launcher = shlex.split(os.environ.get(LAUNCHER, ""))
    if not launcher or LAUNCHED in os.environ or "RANK" in os.environ:
        return
    code = followed(launcher_command(launcher, module, arguments))
    if code not in (0, 130, 143):
        print(
            f"error: the processes under `{shlex.join(launcher)}` ended with status {code}; what was saved is kept, "
            "and the same command goes on from there.",
            file=sys.stderr,
        )
    raise SystemExit(code)


def launcher_command(launcher: Sequence[str], module: str, arguments: Sequence[str]) -> list[str]:
    """The whole command; torchrun is told that a program is started, as all other launchers start one."""
    is_torchrun = os.path.basename(launcher[0]) == "torchrun"
    more = ["--no-python"] if is_torchrun and "--no-python" not in launcher else []
    return [*launcher, *more, sys.executable, "-m", module, *arguments]


def followed(command: Sequence[str]) -> int:
    """Run a command to its end and return its status; Ctrl-C and SIGTERM reach it once, as SIGTERM."""
    process: subprocess.Popen[bytes] | None = None
    caught = 0

    def pass_on(number: int, frame: FrameType | None) -> None:
        nonlocal caught
        if process and not caught:
            process.terminate()
        caught = caught or number

    handlers = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        # Of its own session, so that the terminal's Ctrl-C does not reach it a second time.
        process = subprocess.Popen(command, env=os.environ | {LAUNCHED: "1"}, start_new_session=True)
        if caught:  # before there was a process
            process.terminate()
        code = process.wait()
    except FileNotFoundError:
        raise InputError(
            f'{LAUNCHER} is "{os.environ[LAUNCHER]}", but there is no command "{command[0]}"; '
            "allowed: torchrun, srun or another command that starts what stands behind it, or nothing."
        ) from None
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if caught:
        return 128 + caught
    return code if code >= 0 else 128 - code
