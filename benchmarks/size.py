"""Measure the cost of a large bank: tables, check, record, pages and site on a given number of runs.

    python -m benchmarks.size [--runs 1000 5000] [--only tables site] [--record 100]

The runs are the bank's, repeated under other seeds: each has its own key and fills a cell. Every
line is a separate process: CPU seconds and peak memory.
"""

import argparse
import csv
import dataclasses
import json
import multiprocessing
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from retable.commands import check
from retable.experiments.scale import scale_preset
from retable.papers import papers, result_tables
from retable.project.paths import BANK, ROOT
from retable.results.pages import write_pages
from retable.results.resolving import Resolver
from retable.results.tables import write_paper
from retable.results.whole import read_corpora, read_whole
from retable.runs.bank import as_line, read_bank
from retable.runs.form import COSTS, TIMES
from retable.runs.provenance import hash_of_parameters, run_key
from retable.runs.record import RunRecord, read_runs, run_folder
from retable.site.build import write_site
from retable.tracking.entries import cells
from retable.tracking.record import record
from retable.tracking.store import Store

CURVE = ("epoch", "learning_rate", "train_loss", "train_accuracy", "dev_loss", "dev_accuracy", "seconds")
CANDIDATE = ("features", "cost", "dev_accuracy")  # of a linear model


def of_another_seed(run: RunRecord, more: int) -> RunRecord:
    """Return a run as if trained with another seed."""
    parameters = {**run.metrics["parameters"], "seed": run.seed + more}
    hashes = {**run.hashes, "parameters": hash_of_parameters(parameters)}
    changed = {"parameters": parameters, "seed": run.seed + more, "hashes": hashes, "key": run_key(**hashes)}
    return dataclasses.replace(run, metrics={**run.metrics, **changed})


def runs_of(count: int) -> list[RunRecord]:
    """Return this many runs."""
    banked = read_bank(BANK)
    rounds = range(-(-count // len(banked)))
    return [of_another_seed(run, 100 * turn) if turn else run for turn in rounds for run in banked][:count]


def make_bank(folder: Path, runs: list[RunRecord]) -> None:
    """Write the docs and README.md of a checkout whose bank has these runs."""
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("*.jsonl"))
    shutil.copy(ROOT / "README.md", folder)
    for run in runs:
        with (folder / f"docs/results/{run.place[0]}.jsonl").open("a", encoding="utf-8") as file:
            file.write(as_line(run) + "\n")


def make_runs(folder: Path, runs: list[RunRecord]) -> None:
    """Write the folders of runs, with their predictions as links."""
    for run in runs:
        of_run = run_folder(folder / "runs", run.place[0], run.key)
        if of_run.exists():  # some runs are in the bank twice
            continue
        of_run.mkdir(parents=True)
        for name, values in (("metrics", run.metrics), ("cost", {**dict.fromkeys((*TIMES, *COSTS), 1.0), **run.cost})):
            (of_run / f"{name}.json").write_text(json.dumps(dict(values)), encoding="utf-8")
        with (of_run / "curve.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            epochs = [(n, 0.001, 1 / n, 0.9, 0.5, each / 100, 1.0) for n, each in enumerate(run.curve, 1)]
            writer.writerows([CURVE, *epochs] if epochs else [CANDIDATE, ("words-1", 1.0, 0.8)])
        (of_run / "predictions.parquet").symlink_to(run.predictions)


def tables(folder: Path) -> None:
    """Build every table from the folders of runs."""
    resolver = Resolver(scale_preset("measure"), read_runs(folder / "runs"), beyond=True)
    (folder / "tables").mkdir()
    for source in papers():
        write_paper(source, folder / "tables", resolver, read_corpora(BANK))


def check_bank(folder: Path) -> None:
    """Read what `retable check` compares against."""
    check.BANK = folder / "docs/results"
    check.read_params = lambda name: scale_preset("measure")[name]
    for table in result_tables():
        check.banked_values(table)


def pages(folder: Path) -> None:
    """Write every page of docs/."""
    write_pages(folder, folder / "docs/results")


def site(folder: Path) -> None:
    """Build the results site."""
    write_site(folder / "site", read_whole(folder / "docs/results"), folder / "docs")


def store(folder: Path) -> None:
    """Record the runs in a new store."""
    record(Store(f"sqlite:///{folder}/mlflow.db", folder / "mlartifacts"), cells(folder / "runs"))


MEASURED: dict[str, Callable[[Path], None]] = {
    "tables": tables, "check": check_bank, "pages": pages, "site": site, "record": store
}  # fmt: skip


def measure(name: str, folder: Path) -> tuple[float, float]:
    """Return the CPU seconds and peak memory in MB of one of them, run in its own process."""
    there, here = multiprocessing.get_context("fork").Pipe()
    if not (child := os.fork()):
        MEASURED[name](folder)
        used = resource.getrusage(resource.RUSAGE_SELF)
        here.send((used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
        os._exit(0)
    here.close()
    os.waitpid(child, 0)
    return there.recv()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.size", description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--record", type=int, default=0, help="so many runs at most for record (default: all)")
    parser.add_argument("--only", nargs="*", choices=MEASURED, default=list(MEASURED))
    options = parser.parse_args()
    print(f"{'':8}{'runs':>6}{'processor s':>13}{'MB':>7}{'wall s':>8}")
    for name in options.only:
        for count in options.runs:
            count = min(count, options.record or count) if name == "record" else count
            with tempfile.TemporaryDirectory() as scratch:
                runs = runs_of(count)
                if name in ("tables", "record"):
                    make_runs(Path(scratch), runs)
                else:
                    make_bank(Path(scratch), runs)
                del runs
                start = time.monotonic()
                seconds, memory = measure(name, Path(scratch))
            wall = time.monotonic() - start
            print(f"{name:8}{count:>6}{seconds:>13.1f}{memory:>7.0f}{wall:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
