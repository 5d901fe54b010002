"""Run the commands in README.md and the pages of docs/, page by page, each page in a fresh copy of a checkout.

    python -m tests.pages CHECKOUT [--page NAME ... | --quick]

CHECKOUT must have completed `make tables SCALE=smoke`. Every line of a shell block is run in order, in one
shell (once, if a page repeats it), and so is every whole command inside a sentence that is in no block and no earlier
sentence. There is no mirror and no network. A command must exit with 0; a path in its trailing comment must then exist;
file names and column heads of an output shown on the page must occur in the real one. NOT_RUN lists what cannot run
here, INSTEAD what runs in another form, and tests/test_documents.py checks that every entry is still needed. `--quick`,
as in .ci/run, leaves out the pages in SLOW, and says which and why.
"""

import argparse
import csv
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from pyarrow.csv import write_csv

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/readings").glob("*.md"))]
LIMIT_S, ANSWER_S = 300, 120  # for a command; until a server answers

NOT_RUN = {  # how a command begins -> why it is not run here
    "make env": "takes packages from the network",
    "pip install": "takes packages from the network",
    "make bench": "an hour of measuring",
    "python -m benchmarks": "minutes of measuring",
    "python benchmarks/readings.py": "of an older commit, with arguments that the page names elsewhere",
    "make probe": ".ci/run runs it",
    "python -m probe": ".ci/run runs make probe",
    "make test": ".ci/run runs it",
    "make lint": ".ci/run runs it",
    "retable results": ".ci/run runs it",
    "retable site": ".ci/run runs it",
    "make site": ".ci/run runs it",
    "retable bank": "refuses the project's own samples",
    "retable docs": "refuses the project's own samples",
    "retable onnx": "onnx is not in the locked environment; tests/own/test_onnx.py runs it where it is",
    "git fetch --unshallow": "wants a remote",
    "mlflow server": "wants PostgreSQL",
    "export MLFLOW_TRACKING_URI=http": "names the server before",
    "retable run fcsr-table-4 --executor slurm": "wants SLURM; tests/pipeline/test_runner.py has a stand-in of it",
    "retable run survey-table-1 swem": "a cell of scale full",
}
SLOW = {  # page -> why `--quick` leaves it out; seconds of a core
    "docs/add-a-corpus.md": "60 s: the corpus goes through the whole pipeline",
    "docs/add-a-figure.md": "55 s: the smoke scale twice",
    "docs/add-a-model.md": "65 s: the smoke scale, and a training under another option",
    "docs/mlflow.md": "110 s: two trainings under other options, and a server",
    "docs/objections.md": "45 s: verdicts on two corpora, and all predictions exported",
    "docs/your-own-texts.md": "60 s: five searches of models",
}
INSTEAD = {  # a part of a command -> its replacement here
    r"\b(sst-2|mr|fdu-baby)$": "sample-en",  # a corpus of the smoke scale
    r"^retable run fcsr-table-4": "retable run fcsr-table-3",
    r"--budget \w+": "--budget 2s",
    r"^make tables SCALE=cpu$": "make tables",
    r"^make params SCALE=(cpu|measure)$": r"\g<0> && make params SCALE=smoke",  # the commands after it run at smoke
    r"/path/of/a/folder|/that/folder": '"$READER"',
    r"^printf 'negative.*(?= >)": 'cat "$READER/my-reviews.txt"',
    r"^retable import DIR": 'retable import "$READER"/runs',
    r"^make ui.*": "make ui PORT=$PORT",
    r"^retable serve reviews-model$": r"\g<0> --port $PORT",
    r"^python$": "python --version",  # the lines to type into it are the next block
}
STAYS = ("make ui", "retable serve")  # run until stopped

SHELL = re.compile(r"^```(?:sh|bash)?$")
PROGRAM = re.compile(r"(?:[A-Z_]+=\S+ )*(?:retable|make|dvc|git|pip|python|pytest|mlflow|source|export|cd) \S")
FORM = re.compile(
    r"\.\.\.|<|\b[A-Z]{3,}\b(?!=)|\[(?!chinese)|^dvc exp run -S$|^make params$|^dvc repro$|^git config user"
)  # a pattern, not a command
HEREDOC = re.compile(r"<<'(\w+)'")


@dataclass
class Step:
    """Hold a command of a page, or a non-shell block: the text that a reader writes into a file."""

    text: str
    kind: str  # shell, sentence, or the block's language
    shown: str = ""  # the output next to it


def steps_of(page: str) -> Iterator[Step]:
    """Yield the commands and the other blocks of a page in order."""
    lines = iter(page.splitlines())
    for line in lines:
        if line.startswith("```"):
            block = "\n".join(iter(lambda: next(lines), "```"))
            yield from commands_of_block(block) if SHELL.match(line) else [Step(block, line[3:])]
        elif line.startswith("    "):
            if PROGRAM.match(line[4:]):
                while line.endswith("\\"):
                    line = line[:-1] + next(lines).strip()
                yield Step(line[4:], "shell")
        else:
            for text in re.findall(r"(?<!`)`([^`]+)`(?!`)", line):
                if PROGRAM.match(text) and not FORM.search(text):
                    yield Step(text, "sentence")


def commands_of_block(block: str) -> Iterator[Step]:
    """Yield the commands of a shell block; if lines begin with "$ ", the others are the output of the line before."""
    if block.startswith("$ "):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            text, _, shown = part.partition("\n")
            yield Step(text, "shell", shown)
        return
    lines = iter(block.splitlines())
    for line in lines:
        if found := HEREDOC.search(line):
            line = "\n".join([line, *iter(lambda: next(lines), found[1]), found[1]])
        yield Step(line, "shell")


def plan() -> dict[str, list[Step]]:
    """Return page -> its steps: block commands once per page, sentence commands once unless in a block."""
    pages = {str(page.relative_to(ROOT)): list(steps_of(page.read_text(encoding="utf-8"))) for page in PAGES}
    seen = {stand_in(bare(step.text)) for steps in pages.values() for step in steps if step.kind == "shell"}
    for name, steps in pages.items():
        pages[name], here = [], set()
        for step in steps:
            command = stand_in(bare(step.text))
            if command not in (seen if step.kind == "sentence" else here):
                pages[name].append(step)
                here.add(command)
            seen.add(command)
    return pages


def bare(command: str) -> str:
    """Return a command without its trailing comment."""
    return re.sub(r"\s{2,}# .*", "", command)


def why_not(command: str) -> str:
    """Return why a command is not run here, or nothing if it is."""
    return next((reason for start, reason in NOT_RUN.items() if command.startswith(start)), "")


def stand_in(command: str, but: str = "") -> str:
    """Return a command as it is run here; with `but`, without applying that entry."""
    for part, here in INSTEAD.items():
        if part == but:
            break
        command = re.sub(part, here, command)
    return command


class Reader:
    """Follow one page in a copy of the checkout.

    Args:
        page: its name.
        checkout: where the smoke run has completed.
        scratch: an empty folder.
    """

    def __init__(self, page: str, checkout: Path, scratch: Path) -> None:
        self.page, self.folder, self.own = page, scratch / "checkout", scratch / "reader"
        left_out = shutil.ignore_patterns(".venv", ".*_cache", ".hypothesis", "__pycache__")
        shutil.copytree(checkout, self.folder, ignore=left_out, symlinks=True)
        link_environment(checkout / ".venv", self.folder / ".venv")
        self.state, self.printed = scratch / "state", ""
        for name in ("home", "mirror", "reader"):
            (scratch / name).mkdir()
        # A name, because DVC keeps experiments as commits.
        (scratch / "home/.gitconfig").write_text("[user]\n\tname = reader\n\temail = reader@example.org\n")
        self.environment = os.environ | {
            "HOME": str(scratch / "home"), "RETABLE_MIRROR": str(scratch / "mirror"), "READER": str(self.own),
            "PYTHONPATH": str(self.folder / "src"), "PATH": f"{self.folder / '.venv/bin'}:{os.environ['PATH']}",
            "DVC_NO_ANALYTICS": "1", "DO_NOT_TRACK": "1", "MLFLOW_DISABLE_TELEMETRY": "true", "OMP_NUM_THREADS": "1",
            "MLFLOW_ALLOW_PICKLE_DESERIALIZATION": "false", "COLUMNS": "120",
            "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1,localhost",
        }  # fmt: skip
        self.environment.pop("VIRTUAL_ENV", None)
        bring_files(self)

    def follow(self, steps: list[Step]) -> list[str]:
        """Run the steps and return the problems, one per line."""
        problems, blocks = [], iter(BLOCKS.get(self.page, ()))
        for step in steps:
            if step.kind not in ("shell", "sentence"):
                if place := next(blocks, None):
                    place(self, step.text)
            elif reason := why_not(step.text):
                print(f"{self.page}: not run ({reason}): {bare(step.text)}", flush=True)
            else:
                problems += [f"{self.page}: {step.text}\n{problem}" for problem in self.problems_of(step)]
        return problems

    def problems_of(self, step: Step) -> Iterator[str]:
        """Run a command and yield its problems."""
        begun = time.monotonic()
        code = self.run(stand_in(bare(step.text)))
        first = bare(step.text).partition("\n")[0]
        print(f"{self.page}: {time.monotonic() - begun:.1f} s, exit code {code}: {first}", flush=True)
        only_named = step.kind == "sentence" and "arguments are required" in self.printed
        if code and not only_named:
            yield f"exit code {code}: {self.printed[-2000:]}"
        for path in re.findall(r"(?:[\w.-]+/)+[\w-]+\.\w+", step.text.partition("  # ")[2]):
            if not (self.folder / path).exists():
                yield f"{path} is not there"
        for name in names_shown(step.shown):
            if name not in self.printed:
                yield f"{name!r} is shown, and not printed: {self.printed[-2000:]}"

    def run(self, command: str) -> int:
        """Run a command in the directory where the previous one ended, with its variables; return the exit code."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        script = (
            f'[ -f "{self.state}" ] && . "{self.state}"\nPORT={port}\nset -o pipefail\n{command}\n'
            f'code=$?\n{{ export -p; echo "cd \\"$PWD\\""; }} > "{self.state}"\nexit $code\n'
        )
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(
                ["bash", "-c", script], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                code = answers(process, port) if command.startswith(STAYS) else process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                code = 124
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            output.seek(0)
            self.printed = output.read()
        return code


def answers(process: subprocess.Popen[bytes], port: int) -> int:
    """Wait until a server answers; return 0, or its exit code if it ended before."""
    end = time.monotonic() + ANSWER_S
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5):
            return 0
        time.sleep(0.2)
    return process.returncode or 124


def link_environment(real: Path, folder: Path) -> None:
    """Make an environment of links, so that `make` finds it ready and installs nothing into the real one."""
    folder.mkdir()
    for path in real.iterdir():
        (folder / path.name).symlink_to(path.resolve())
    (folder / ".ready").unlink(missing_ok=True)
    (folder / ".ready").touch()


def names_shown(output: str) -> list[str]:
    """Return the file names and the column heads in the output that a page shows."""
    heads = re.findall(r"(?m)^(?:\|.*\|(?=\n\| ---)| \S+(?:  +\S.*)+(?=\n \S))", output)[:1]
    columns = [cell.strip() for head in heads for cell in re.split(r"\||  +", head) if cell.strip()]
    return columns + re.findall(r"\b[\w-]+-model\b|[\w-]+\.(?:csv|json|md)\b", output)


def labelled(language: str) -> list[tuple[str, str]]:
    """Return label and text of each line of the project's own sample, each text once."""
    files = sorted((ROOT / f"data/sample/sample-{language}").glob("*.txt"))
    lines = [line.split("\t") for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [(label, text) for text, label in {text: label for label, text in lines}.items()]


def bring_files(reader: Reader) -> None:
    """Write the files that a reader of any page has."""
    for name, language in (("reviews", "en"), ("new", "en"), ("hotels", "zh")):
        with open(reader.folder / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["stars", "review"], *labelled(language)])
    lines = "".join(f"{label}\t{text}\n" for label, text in labelled("en"))
    (reader.own / "my-reviews.txt").write_text(lines, encoding="utf-8")
    if reader.page in ("README.md", "docs/objections.md"):
        write_answers(reader.folder / "mine.csv")
    if reader.page == "docs/your-own-texts.md":
        from tests.own.test_tutorial import small_mirror

        small_mirror(Path(reader.environment["RETABLE_MIRROR"]))
    if reader.page in ("docs/cluster.md", "docs/mlflow.md"):  # so that there is something to train, and to import
        for metrics in reader.folder.glob("results/runs/fcsr-table-3/*/metrics.json"):
            if json.loads(metrics.read_bytes())["row"] in ("nb-svm", "avg-embedding"):
                shutil.move(metrics.parent, reader.own / "runs" / metrics.parent.name)


def write_answers(path: Path) -> None:
    """Write the answers of a banked run on SST-2 as if they were the reader's."""
    lines = (ROOT / "docs/results/fcsr-table-3.jsonl").read_text(encoding="utf-8").splitlines()
    run = next(run for run in map(json.loads, lines) if run["metrics"]["column"] == "sst-2")
    kept = ROOT / "docs/results/predictions/fcsr-table-3" / f"{run['metrics']['key'][:16]}.parquet"
    write_csv(pq.read_table(kept, columns=["id", "predicted"]).rename_columns(["id", "label"]), path)


def written(path: str) -> Callable[[Reader, str], None]:
    """Return a function that writes a block to a file."""

    def place(reader: Reader, text: str) -> None:
        (reader.folder / path).write_text(text + "\n", encoding="utf-8")

    return place


def after(path: str, line: str, *others: tuple[str, str], end: str = "") -> Callable[[Reader, str], None]:
    """Return a function that inserts a block after a line of a file, optionally replacing other words."""

    def place(reader: Reader, text: str) -> None:
        file = reader.folder / path
        found = file.read_text(encoding="utf-8")
        for old, new in ((line, f"{line}\n{text}{end}\n"), *others):
            assert old in found, f"{reader.page}: {path} has no {old!r}"
            found = found.replace(old, new, 1)
        file.write_text(found, encoding="utf-8")

    return place


def into_params(reader: Reader, text: str) -> None:
    """Put the lines of a section into that section of params.yaml."""
    file = reader.folder / "params.yaml"
    head, _, rest = text.partition("\n")
    changed, times = re.subn(rf"(?m)^{head}.*\n", rf"\g<0>{rest}\n", file.read_text(encoding="utf-8"))
    assert times == 1, f"{reader.page}: params.yaml has no section {head}"
    file.write_text(changed, encoding="utf-8")


def declared_corpus(reader: Reader, text: str) -> None:
    """Write the declaration with counts, size and digest of the reader's file."""
    data = (reader.own / "my-reviews.txt").read_bytes()
    counts = tuple(sum(label == name for label, _ in labelled("en")) for name in ("negative", "positive"))
    text = text.replace("(300, 300)", str(counts)).replace(
        '(20_000, "...")', f'({len(data)}, "{hashlib.sha256(data).hexdigest()}")'
    )
    written("src/retable/corpora/my_reviews.py")(reader, text)


def typed(reader: Reader, text: str) -> None:
    """Run Python lines as a reader who types them."""
    (reader.own / "typed.py").write_text(text.replace("budget=60", "budget=2"), encoding="utf-8")
    if code := reader.run('python "$READER/typed.py"'):
        raise RuntimeError(f"{reader.page}: the Python lines end with {code}: {reader.printed}")


BLOCKS: dict[str, tuple[Callable[[Reader, str], None], ...]] = {  # page -> how its non-shell blocks are handled
    "docs/add-a-corpus.md": (declared_corpus, into_params),
    "docs/add-a-figure.md": (
        after("src/retable/figures/declared.py", "FCSR_FIGURES: tuple[AnyFigure, ...] = (", end=","),
    ),
    "docs/add-a-model.md": (
        written("src/retable/models/max_embedding.py"),
        written("tests/models/test_max_embedding.py"),
    ),
    "docs/add-a-table.md": (
        after(
            "src/retable/papers/floors.py", "from retable.papers.shared import FLOORS, MINILM\n",
            ("import Column, Paper, ResultTable", "import Column, Paper, ResultTable, Row"),
            ("results=(TABLE_1,)", "results=(TABLE_1, TABLE_2)"),
        ),
        into_params,
    ),
    "docs/objections.md": (typed,),
    "docs/your-own-texts.md": (typed,),
}  # fmt: skip


def problems_of_page(page: str, steps: list[Step], checkout: Path) -> list[str]:
    """Follow a page in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="retable-page-") as scratch:
        return Reader(page, checkout, Path(scratch)).follow(steps)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.pages", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--page", nargs="*", default=[])
    parser.add_argument("--quick", action="store_true", help="leave out the slow pages")
    options = parser.parse_args()
    begun, pages = time.monotonic(), plan()
    chosen = {name: steps for name, steps in pages.items() if not options.page or Path(name).stem in options.page}
    chosen = {name: steps for name, steps in chosen.items() if any(s.kind in ("shell", "sentence") for s in steps)}
    for name in sorted(SLOW.keys() & chosen) if options.quick else ():
        print(f"{name}: not run ({SLOW[name]}): python -m tests.pages CHECKOUT --page {Path(name).stem}")
        del chosen[name]
    longest_first = sorted(chosen.items(), key=lambda item: -len(item[1]))  # or one core waits for the last page
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(problems_of_page, *item, options.checkout.resolve()) for item in longest_first]
        problems = [line for each in found for line in ([str(each.exception())] if each.exception() else each.result())]
    print(*problems, sep="\n")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cores_s = used.ru_utime + used.ru_stime
    print(
        f"{len(chosen)} pages in {time.monotonic() - begun:.0f} s ({cores_s:.0f} s of a core), {len(problems)} problems"
    )
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
