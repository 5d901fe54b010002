"""`make tables`: run the pipeline with a display of the whole.

DVC decides what is run; this script reads along, says which stage of how many it is, how long all may take, and in the
end what each stage took. The times are kept (.retable/stages.json) and make the next estimate.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from pipeline.command import command, fail
from pipeline.params import load_yaml
from pipeline.paths import CHECKOUT, PARAMS, PRESETS, ROOT, SCRATCH
from pipeline.scale import model_preset, write_scale
from retable.files import atomic_file, read_json, write_json
from retable.papers import PAPERS

RUNNING = re.compile(r"Running stage '(.+)':")
SKIPPED = re.compile(r"Stage '(.+)' (?:didn't change|is cached)")
PLAN, TIMES = SCRATCH / "plan.json", SCRATCH / "stages.json"


def stages_of(params: dict[str, Any]) -> dict[str, float]:
    """Every stage of the scale -> its seconds, by the speed table."""
    speed = load_yaml(PRESETS / "speed.yaml")
    seconds, corpora = speed["stage_seconds"], list(params["corpora"])
    stages = {"code": seconds["code"]}
    stages |= {f"download@{name}": seconds["download"] for name in corpora}
    stages |= {f"treebank@{name}": seconds["download"] for name in params["treebanks"]}
    for stage in ("clean", "tag"):
        rate = speed["words_per_second"][stage]
        stages |= {f"{stage}@{name}": seconds[stage] + speed["words"][name] / rate for name in corpora}
    stages["tagger"] = (
        seconds["tagger"]
        + params["tagger"]["steps"] * params["tagger"]["batch_words"] / speed["words_per_second"]["tagger"]
    )
    for name, pool in params["pools"].items():
        stages[f"pool@{name}"] = (
            seconds["pool"]
            + sum(speed["words"][corpus] for corpus in pool["corpora"]) / speed["words_per_second"]["pool"]
        )
    for name, asked in params["vectors"].items():
        pool = params["pools"].get(Path(asked["source"]).name, {"corpora": []})
        words = sum(speed["words"][corpus] for corpus in pool["corpora"]) * speed["training_share"]
        stages[f"embed@{name}"] = seconds["embed"] + words * asked.get("epochs", 0) / speed["words_per_second"]["embed"]
    stages["no-vectors"] = seconds["embed"]
    focus = {"model": params["model"]["name"], "corpus": params["corpus"]["name"]}
    stages |= {"train": run_seconds(focus, 1, 0, speed), "evaluate": seconds["evaluate"]}
    for paper in PAPERS:
        protocol = params["papers"][paper]
        for table, cells in load_yaml(ROOT / f"pipeline/{paper}/cells.yaml").items():
            stages |= {
                f"pipeline/{paper}/dvc.yaml:{table}@{name}": run_seconds(
                    cell, len(protocol["seeds"]), protocol["epochs"], speed
                )
                for name, cell in cells.items()
            }
    stages |= {name: seconds[name] for name in ("tables", "report", "record")}
    return stages


def run_seconds(cell: dict[str, str], seeds: int, epochs_at_most: int, speed: dict[str, Any]) -> float:
    """Training words x epochs / words per second, for all seeds."""
    training = model_preset(cell["model"])["training"]
    epochs = min(training.get("epochs", 1), epochs_at_most or 10**9)
    words = speed["words"][cell["corpus"]] * speed["training_share"]
    return seeds * (speed["stage_seconds"]["run"] + words * epochs / speed["words_per_second"][cell["model"]])


def estimates(params: dict[str, Any]) -> dict[str, float]:
    """Stage -> seconds: what it took here the last time at this scale, else by the speed table."""
    known = read_json(TIMES).get(params["scale"], {}) if TIMES.exists() else {}
    return {stage: known.get(stage, seconds) for stage, seconds in stages_of(params).items()}


class Reader:
    """Follows DVC's output: which stage runs, what is left, what each took."""

    def __init__(self, expected: dict[str, float], scale: str) -> None:
        self.expected, self.scale = expected, scale
        self.done: set[str] = set()
        self.took: dict[str, float] = {}
        self.skipped = 0
        self.current, self.start = "", 0.0
        self.console = Console(stderr=True, highlight=False)

    def read(self, lines: Iterator[str]) -> None:
        """Read to the end; a line that is not about a stage is an error of DVC's or a stage's word, and shown."""
        for line in lines:
            if match := RUNNING.match(line):
                self.finish()
                self.begin(match.group(1))
            elif match := SKIPPED.match(line):
                self.finish()
                self.done.add(match.group(1))
                self.skipped += 1
            elif (
                not line.startswith(
                    (
                        "> ",
                        "Updating lock",
                        "Generating lock",
                        "Use `dvc",
                        "To track",
                        "\n",
                        "'",
                        "Data and",
                        "Pipeline is",
                        "\tgit add",
                        "Restored stage",
                        "Verifying",
                        "To enable auto",
                        "Everything is",
                    )
                )
                and line.strip()
            ):
                print(line, end="", flush=True)
        self.finish()

    def begin(self, stage: str) -> None:
        """A stage starts: tell its place, and leave the plan for its own display."""
        self.current, self.start = stage, time.monotonic()
        after = sum(seconds for name, seconds in self.expected.items() if name not in self.done and name != stage)
        position = f"stage {len(self.done) + 1} of {max(len(self.expected), len(self.done) + 1)}"
        with atomic_file(PLAN) as part:
            part.write_text(
                json.dumps({"position": position, "this_s": self.expected.get(stage, 1.0), "after_s": after})
            )
        here = self.expected.get(stage, 1.0)
        self.console.print(
            f"[bold]{position}[/] {stage.rpartition(':')[2]}  "
            f"[dim]about {told(here)}, all stages about {told(here + after)}[/]"
        )

    def finish(self) -> None:
        """The current stage has ended."""
        if self.current:
            self.took[self.current] = time.monotonic() - self.start
            self.done.add(self.current)
        self.current = ""

    def keep_times(self) -> None:
        """Remember what each stage took, for the next estimate."""
        known = read_json(TIMES) if TIMES.exists() else {}
        known.setdefault(self.scale, {}).update({stage: round(seconds, 1) for stage, seconds in self.took.items()})
        write_json(TIMES, known)

    def show_times(self, total: float) -> None:
        """The stages that took more than a second."""
        slow = {stage: seconds for stage, seconds in self.took.items() if seconds >= 1.0}
        if len(slow) > 3:
            table = Table("stage", "time", title="what each stage took", title_justify="left")
            table.columns[1].justify = "right"
            for stage, seconds in slow.items():
                table.add_row(stage.rpartition(":")[2], told(seconds))
            self.console.print(table)
        self.console.print(f"{len(self.took)} stages run, {self.skipped} unchanged, {told(total)} in all")


def told(seconds: float) -> str:
    """Seconds as people say them."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="make tables", description="Run the pipeline with a display of the whole.")
    parser.add_argument("--scale", default="", help="write this scale into params.yaml first")
    options = parser.parse_args(arguments)
    if options.scale or not PARAMS.exists():
        write_scale(options.scale or "cpu")
    params = load_yaml(PARAMS)
    reader = Reader(estimates(params), params["scale"])
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "dvc", "repro"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        reader.read(iter(process.stdout))
    finally:
        code = process.wait()
        PLAN.unlink(missing_ok=True)
        reader.keep_times()
    if code:
        fail("the pipeline stopped; what was finished is kept, and `make tables` goes on from there.", code)
    reader.show_times(time.monotonic() - start)
    print(
        f"tables: {CHECKOUT / 'results/tables'}; page: results/report/index.html; `make ui` shows the record",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
