"""Make every write, rename and fsync of the stages fail in turn: a full disk, EIO, kill -9.

    python -m tests.faults.everywhere CHECKOUT [--stage NAME ...] [--edges] [--of N]
    python -m tests.faults.everywhere CHECKOUT --reads

CHECKOUT must have completed `make tables SCALE=smoke`; the script works on a copy. --edges tries the first and the last
of successive operations on a file, and of a transaction of SQLite, which is there whole or not at all. --of N tries N
faults of each kind and stage, evenly spaced; without it all are tried (hours). Each fault runs in its own process.
Checked afterwards: an exit code, one sentence, no half-written file under a final name; after the next run the same
bytes as an uninterrupted one, no temporary file left, and each run once in MLflow. --reads lists instead the files that
a stage opens although dvc.yaml does not declare them.
"""

import argparse
import ctypes
import errno
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from retable.files import copy_file
from retable.tracking import sqlite_file
from retable.tracking import store as of_stores

SOURCE = Path(__file__).with_name("faults.c")
KINDS = {"ENOSPC": (errno.ENOSPC, 1), "EIO": (errno.EIO, 0), "kill -9": (0, 0)}  # error, whether it lasts
CELL = ("fcsr-table-3", "avg-embedding", "sample-en")
STAGES = {  # module, its arguments, what is removed beforehand
    "code": ("retable.stages.code", (), ["data/code"]),
    "download": ("retable.stages.download", ("sample-en",), ["data/raw/sample-en"]),
    "clean": ("retable.stages.clean", ("sample-en",), ["data/clean/sample-en"]),
    "parts-table": ("retable.stages.parts_table", (), ["data/parts/table"]),
    "tag": ("retable.stages.tag", ("sample-en",), ["data/tagged/sample-en"]),
    "pool": ("retable.stages.pool", ("sample-en",), ["data/pools/sample-en"]),
    "embed": ("retable.stages.embed", ("sample-en.glove-50",), ["data/vectors/sample-en.glove-50"]),
    "no-vectors": ("retable.stages.embed", ("none",), ["data/vectors/none"]),
    "overlap": ("retable.stages.overlap", (), ["data/overlap"]),
    "train": ("retable.stages.train", (), ["results/focus/model"]),
    "evaluate": ("retable.stages.evaluate", (), ["results/focus/*.*"]),
    "cell": ("retable.commands.run", (list(CELL),), [f"results/runs/{CELL[0]}"]),
    "tagger": ("retable.stages.tagger", (), ["data/parts/context"]),
    "tables": ("retable.stages.tables", (), ["results/tables"]),
    "report": ("retable.stages.report", (), ["results/report"]),
    # with the runs of one table: each picture or run more is tens or hundreds of writes of the same kinds
    "figures": ("retable.stages.figures", (), ["results/figures", "results/runs/[!l]*"]),
    "record": (
        "retable.stages.record",
        (),
        ["mlflow.db*", "mlartifacts", "results/runs/[!c]*", "results/runs/cspan-table-[35]"],
    ),
}
OF_DVC = {"cell": "table"}  # stages with another name in dvc.yaml
# Recipes watch the sources; declared digests fix a corpus's own files, whether in git or on a mirror;
# digests.json is in git, and every stage adds to it.
ANY_STAGE = ("src", "data/sample", "data/digests.json", ".retable", ".git", "dvc.yaml", "mlflow.db")
GROWING = "data/digests.json"  # complete after each kind of digest, and a stage writes several
WATCHED = ("data", "results", "mlflow.db", "mlartifacts")
TIMES = ("seconds", "seconds_per_epoch", "words_per_second", "peak_memory_mb", "peak_gpu_memory_mb", "texts_per_second")


def tree(folder: Path) -> dict[str, bytes]:
    """Return every output file of the stages, with its bytes."""
    roots = [folder / name for name in WATCHED]
    files = [path for root in roots for path in ([root] if root.is_file() else root.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def restore(folder: Path, wanted: dict[str, bytes]) -> None:
    """Restore the files."""
    here = tree(folder)
    for name in here.keys() - wanted.keys():
        (folder / name).unlink()
    for name in wanted:
        if here.get(name) != wanted[name]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(wanted[name])
    for root in WATCHED:
        for path in sorted((folder / root).rglob("*"), reverse=True):
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
    shutil.rmtree(folder / ".retable", ignore_errors=True)


def without_times(name: str, data: bytes) -> object:
    """Return a file as compared: its timings differ in every run."""
    if name.endswith(".json"):
        return json.loads(data, object_hook=lambda found: {key: found[key] for key in found if key not in TIMES})
    if name.endswith("curve.csv"):
        return re.sub(rb",[\d.e-]+(?=\n)", b"", data)  # seconds are the last column
    return data


def comparable(found: dict[str, bytes]) -> dict[str, object]:
    """Return the files that must be equal; the store's are compared by content."""
    return {
        name: without_times(name, data)
        for name, data in found.items()
        if not name.startswith(("mlflow.db", "mlartifacts"))
    }


def is_part(name: str) -> bool:
    return ".part" in name


def declared(folder: Path, stage: str) -> list[str]:
    """Return the dependencies and outputs of a stage of dvc.yaml, with names filled in from params.yaml."""
    from retable.project.params import load_yaml

    params, (_, arguments, _) = load_yaml(folder / "params.yaml"), STAGES[stage]
    given = load_yaml(folder / "dvc.yaml")["stages"][OF_DVC.get(stage, stage)]
    key, item = (arguments[0][0] if stage == "cell" else arguments[0] if arguments else ""), {}
    if "foreach" in given:
        item = params[given["foreach"].strip("${}")][key]
        given = given["do"]

    def filled(match: re.Match[str]) -> str:
        names = match[1].split(".")
        found = {"key": key, "item": item, **params}
        for name in names:
            found = found[name]
        return str(found)

    outs = [name for out in given.get("outs", []) for name in ([out] if isinstance(out, str) else out)]
    outs += [name for out in given.get("plots", []) for name in out] + given.get("metrics", [])
    reads_params = ["params.yaml"] if "params" in given or any("data/code" in each for each in given["deps"]) else []
    return [re.sub(r"\$\{([^}]+)\}", filled, each) for each in [*given.get("deps", []), *outs, *reads_params]]


def import_all(modules: Sequence[str]) -> None:
    """Import the modules that a stage imported while running, to spare the next child processes most of their time."""
    for name in modules:
        if name.startswith("retable.") or "." not in name.lstrip("_"):
            with suppress(ImportError):
                importlib.import_module(name)


def at_edges(operations: Sequence[str]) -> list[int]:
    """Return the numbers, from 1 on, of the first and last operation of each run of them on one file.

    A database and its journal are one file here; of a transaction the last operation that is counted is the fsync of
    the database, after which SQLite removes the journal.
    """
    found, before, ended = [], "", True
    for n, operation in enumerate(operations, 1):
        kind, path = operation.split(" ", 1)
        file = path.removesuffix("-journal")
        if ended or file != before:
            found += [n - 1, n]
        before, ended = file, kind == "other" and path == file
    return sorted({*found, len(operations)} - {0})


class Trials:
    """Run stages in a copy of a checkout, each in a child of this process, which has imported everything once."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.said, self.operations = folder, folder.with_name("said"), folder.with_name("operations")
        self.library = ctypes.CDLL(None)
        self.notes = ""
        self.create = sqlite_file.create

    def make_store(self) -> None:
        """Create an empty MLflow store once: it takes seconds, and every fault of `record` needs a new one."""
        store = self.folder.with_name("store.db")
        sqlite_file.create(store)
        self.create = lambda database: copy_file(store, database.resolve())

    def run(self, stage: str, n: int = 0, kind: str = "EIO") -> tuple[int, str, list[str]]:
        """Run a stage; the n-th operation fails. Returns: exit code (-9 if killed), output, operations."""
        module, arguments, _ = STAGES[stage]
        main = importlib.import_module(module).main
        read, write = os.pipe()
        if not (child := os.fork()):
            code = 99
            try:
                said = os.open(self.said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(said, 1)
                os.dup2(said, 2)
                if self.notes:
                    self.library.note_start(self.notes.encode())
                if not n:
                    self.library.operations_start(str(self.operations).encode())
                of_stores.create = self.create
                self.library.fault_start(f"{self.folder}/".encode(), ctypes.c_long(n), *KINDS[kind])
                main(*arguments)
                code = 0
            except SystemExit as left:
                code = left.code if isinstance(left.code, int) else 1
            except BaseException:  # noqa: BLE001 - whatever it is, the parent counts it
                traceback.print_exc()
            finally:
                self.library.fault_start(b"", 0, 0, 0)
                sys.stdout.flush()
                sys.stderr.flush()
                os.write(write, json.dumps([] if n else sorted(sys.modules)).encode())
                os._exit(code)
        os.close(write)
        with os.fdopen(read) as pipe:
            import_all(json.loads(pipe.read() or "[]"))
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), self.said.read_text(errors="replace"), [] if n else self.counted()

    def counted(self) -> list[str]:
        """Return the operations of the last run without a fault, in the order in which they are counted."""
        lines = (line.split(" ", 1) for line in self.operations.read_text(errors="replace").splitlines())
        found = {int(number): operation for number, operation in lines}
        return [found[number] for number in sorted(found)]

    def reads_of(self, stage: str) -> list[str]:
        """Return the files of the checkout that a stage opens but neither depends on nor writes."""
        notes = self.folder.with_name("notes")
        self.notes = str(notes)
        code, said, _ = self.run(stage)
        if code:
            raise SystemExit(f"{stage} fails: {said}")
        opened = {Path(line) for line in notes.read_text(errors="replace").splitlines()}
        below = {os.path.relpath(path, self.folder) for path in opened if (self.folder / path).is_file()}
        # A run that another table has trained is not trained again.
        allowed = (*declared(self.folder, stage), *ANY_STAGE, *(["results/runs"] if stage == "cell" else []))
        return sorted(
            name
            for name in below
            if not (
                name.startswith("..") or is_part(name) or any(f"{name}/".startswith(f"{each}/") for each in allowed)
            )
        )

    def problems_of(
        self, stage: str, before: dict[str, bytes], after: dict[str, bytes], n: int, kind: str
    ) -> list[str]:
        """Return the problems after a fault, and after the next run."""
        restore(self.folder, before)
        code, said, _ = self.run(stage, n, kind)
        found, problems = tree(self.folder), []
        last = said.strip().splitlines()[-1] if said.strip() else ""
        if "Traceback" in said:
            problems.append(f"a traceback: {last}")
        if kind != "kill -9" and code and "error: " not in said:
            problems.append(f"no sentence, exit code {code}: {last}")
        old, new, here = (
            comparable(before),
            comparable(after),
            comparable({k: v for k, v in found.items() if not is_part(k)}),
        )
        half = [name for name in here if here[name] not in (old.get(name), new.get(name)) and name != GROWING]
        problems += [f"half-written: {name}" for name in half]
        if not code and here != new:
            problems.append("exit code 0, and not all is there")
        code, said, _ = self.run(stage)
        if code:
            problems.append(f"the next run fails: {said.strip().splitlines()[-1:]}")
        found = tree(self.folder)
        problems += [f"left: {name}" for name in found if is_part(name)]
        here = comparable({name: data for name, data in found.items() if not is_part(name)})
        problems += [f"differs: {name}" for name in sorted({*here, *new}) if here.get(name) != new.get(name)]
        return problems + (self.problems_of_store(stage) if stage in ("record", "train") else [])

    def problems_of_store(self, stage: str) -> list[str]:
        """Return runs that are open in the record, or duplicated after the stage that completes it."""
        import sqlite3

        with sqlite3.connect(self.folder / "mlflow.db") as database:
            tags = database.execute(
                "SELECT key, value, run_uuid FROM tags JOIN runs USING (run_uuid) WHERE lifecycle_stage = 'active'"
            ).fetchall()
            running = database.execute(
                "SELECT count(*) FROM runs WHERE status = 'RUNNING' AND lifecycle_stage = 'active'"
            ).fetchone()[0]
        places = Counter(value for key, value, _ in tags if key == "retable.place")
        twice = [f"twice: {place}" for place, times in places.items() if times > 1 and stage == "record"]
        return twice + ([f"{running} runs are running for ever"] if running else [])

    def of_stage(self, stage: str, of: int, *, edges: bool) -> Iterator[tuple[str, int, list[str]]]:
        """Yield kind, n and problems for the faults of a stage."""
        if stage == "record":
            self.make_store()
        whole = tree(self.folder)
        taken = {path for pattern in STAGES[stage][2] for path in self.folder.glob(pattern)}
        for path in taken:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        before = tree(self.folder)
        code, said, operations = self.run(stage)
        if code or not operations:
            raise SystemExit(f"{stage} fails without any fault: {said}")
        after, every = tree(self.folder), at_edges(operations) if edges else [*range(1, len(operations) + 1)]
        for place, kind in enumerate(KINDS):
            spread = (every[(3 * i + place) * (len(every) - 1) // (3 * of - 1)] for i in range(of))
            for n in spread if of else every:
                yield kind, n, self.problems_of(stage, before, after, n, kind)
        restore(self.folder, after | whole)


def preloaded(library: Path) -> None:
    """Restart with the fault library preloaded, unless it already is."""
    if not hasattr(ctypes.CDLL(None), "fault_start"):
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
        os.environ["LD_PRELOAD"] = str(library)
        os.execv(sys.executable, [sys.executable, "-m", "tests.faults.everywhere", *sys.argv[1:]])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.everywhere", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--stage", nargs="*", default=list(STAGES), choices=STAGES)
    parser.add_argument("--of", type=int, default=0)
    parser.add_argument("--edges", action="store_true")
    parser.add_argument("--reads", action="store_true")
    options = parser.parse_args()
    preloaded(Path(tempfile.gettempdir()) / f"retable-faults-{os.getuid()}.so")
    with tempfile.TemporaryDirectory(prefix="retable-faults-") as scratch:
        folder = Path(scratch) / "checkout"
        left_out = shutil.ignore_patterns(".git", "cache", "tmp", ".retable", ".venv")
        shutil.copytree(options.checkout, folder, ignore=left_out, symlinks=True)
        os.chdir(folder)
        trials, wrong, tried = Trials(folder), 0, 0
        for stage in options.stage if options.reads else ():
            undeclared = trials.reads_of(stage)
            wrong += bool(undeclared)
            print(f"{stage}: {', '.join(undeclared) or 'as declared'}", flush=True)
        for stage in () if options.reads else options.stage:
            for kind, n, problems in trials.of_stage(stage, options.of, edges=options.edges):
                tried, wrong = tried + 1, wrong + bool(problems)
                for problem in problems:
                    print(f"{stage}, {kind}, operation {n}: {problem}", flush=True)
            print(f"{stage}: done", flush=True)
        if not options.reads:
            print(f"{tried} faults tried, {wrong} with problems")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
