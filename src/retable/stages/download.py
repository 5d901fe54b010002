"""Download the files of one corpus or reference, each complete and with the digest declared in the registry.

In   data/sample/, data/own/, the mirror folder (RETABLE_MIRROR, else ../shared/corpora next to the checkout), else
     public addresses
Out  data/raw/<corpus>/
"""

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Lock

from retable.corpora import source
from retable.corpora.download import bring, is_whole
from retable.errors import InputError
from retable.project.command import command
from retable.project.paths import CHECKOUT, OWN, RAW, SAMPLE, SCRATCH
from retable.project.progress import progress

AT_ONCE = 4  # connections
MEGABYTE = 1e6


def mirror() -> list[Path]:
    """Return the mirror folder that the user set, or the one next to the checkout; empty if there is none."""
    named = os.environ.get("RETABLE_MIRROR")
    if named is None:
        sibling = CHECKOUT.parent / "shared/corpora"
        return [sibling] if sibling.is_dir() else []
    folder = CHECKOUT / Path(named).expanduser()
    if not folder.is_dir():
        raise InputError(
            f"RETABLE_MIRROR is {named}, which is not a folder; correct it, or unset it to use the network."
        )
    return [folder]


@command
def main(name: str) -> None:
    facts = source(name)
    folders = [SAMPLE, OWN, *mirror()]
    whole, arriving = RAW / name, SCRATCH / "downloads" / name  # DVC empties `whole` before a run: parts lie elsewhere
    missing = {file: wanted for file, wanted in facts.files.items() if not is_whole(whole / file, wanted)}
    lock, stop = Lock(), Event()
    with progress(f"download {name}", sum(file.bytes for file in missing.values()) / MEGABYTE, "MB") as bar:

        def on_bytes(count: int) -> None:
            if stop.is_set():
                raise InputError("stopped, because another file failed or Ctrl-C was pressed.")
            with lock:
                bar.advance(count / MEGABYTE)
                if bar.done > bar.total:  # the size of some files is not published
                    bar.finish()

        def bring_one(file: str) -> list[str]:
            if is_whole(arriving / file, missing[file]):
                on_bytes((arriving / file).stat().st_size)
                return []
            return bring(missing[file], arriving / file, folders, on_bytes=on_bytes, obtain=facts.obtain)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            try:
                passed_over: list[str] = []
                for count, problems in enumerate(pool.map(bring_one, missing), start=1):
                    passed_over += problems
                    with lock:
                        bar.advance(0, note=f"· {count:,} of {len(missing):,} files")
            except BaseException:
                stop.set()
                raise
    for problem in passed_over:
        print(f"skipped: {problem}", file=sys.stderr)
    for file in (file for file, wanted in missing.items() if not wanted.digest):
        print(f"{file} is unpinned: no digest was published; `clean` counts its texts.", file=sys.stderr)
    whole.mkdir(parents=True, exist_ok=True)
    for file in missing:
        (arriving / file).replace(whole / file)
    shutil.rmtree(arriving, ignore_errors=True)
