"""How much memory and time `clean` and `tag` take of a corpus that is made as large as one likes.

    python -m benchmarks.repeated --texts 1400000            # ag-news-5k again and again, with other ids
    python -m benchmarks.repeated --texts 1400000 --distinct # every time other words of equal length in their places

Both stages run in processes of their own, in a temporary folder, on one core; printed is JSON: texts, and for either
stage seconds and peak memory. Repeated texts are exact copies, of which `clean` compares one; `--distinct` texts repeat
each other as often as those of the corpus do.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from unittest.mock import patch

from retable.corpora import Corpus, Example, corpus
from retable.errors import InputError
from retable.project.command import command
from retable.project.paths import RAW, ROOT, SAMPLE

PIECES = re.compile(r"(\w+)")


def repeated_corpus(name: str, texts: int, *, distinct: bool) -> Corpus:
    """A corpus whose texts are those of another, in its splits, until there are so many.

    Raises: InputError if the other is not downloaded.
    """
    given = corpus(name)
    folder = SAMPLE / name if (SAMPLE / name).is_dir() else RAW / name
    if not folder.is_dir():
        raise InputError(f"data/raw/{name} is missing; `dvc repro download@{name}` brings it.")

    def read(*_: object) -> Iterator[Example]:
        base = given.examples(folder)
        yield from islice(copies(base, distinct=distinct), texts)

    return replace(given, read=read, texts=dict.fromkeys(given.texts), unlabelled=0)


def copies(base: list[Example], *, distinct: bool) -> Iterator[Example]:
    """The texts again and again, with other ids, without end."""
    by_length: dict[int, list[str]] = defaultdict(list)
    for word in sorted({word for example in base for word in PIECES.findall(example.text)} if distinct else ()):
        by_length[len(word)].append(word)
    for turn in count():
        other = {
            word: instead
            for words in by_length.values()
            for word, instead in zip(words, random.Random(turn).sample(words, len(words)), strict=True)
        }
        for example in base:
            text = (
                "".join(other.get(piece, piece) for piece in PIECES.split(example.text)) if distinct else example.text
            )
            yield example._replace(id=f"{example.id}/{turn}", text=text)


def peak_mb() -> float:
    """The most memory that this process ever had."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else float("nan")


def run_stage(stage: str, name: str, texts: int, folder: Path, *, distinct: bool) -> None:
    """Run one stage here and print its seconds and its peak memory."""
    start = time.perf_counter()
    if stage == "clean":
        from retable.stages.clean import main as clean

        made = repeated_corpus(name, texts, distinct=distinct)
        with (
            patch("retable.stages.clean.corpus", lambda _: made),
            patch("retable.stages.clean.CLEAN", folder / "clean"),
        ):
            clean(name)
    else:
        from retable.text.parts.tagging import tag_split
        from retable.text.tokens import tokeniser_for

        given = corpus(name)
        (folder / "tagged").mkdir()
        for path in sorted((folder / "clean" / name).glob("*.parquet")):
            tokenise = tokeniser_for(given.language, tokenised=given.tokenised)
            tag_split(path, folder / "tagged" / path.name, tokenise, parts=False)
    print(json.dumps({"s": round(time.perf_counter() - start, 2), "peak_mb": round(peak_mb(), 1)}))


def measured(name: str, texts: int, *, distinct: bool) -> dict[str, float]:
    """Seconds and peak memory of both stages, each in a process of its own."""
    found: dict[str, float] = {"texts": texts}
    with tempfile.TemporaryDirectory() as folder:
        for stage in ("clean", "tag"):
            command = [sys.executable, "-m", "benchmarks.repeated", "--stage", stage, "--folder", folder]
            command += ["--corpus", name, "--texts", str(texts), *(["--distinct"] if distinct else [])]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
            values = json.loads(done.stdout.splitlines()[-1])
            found |= {f"{stage}_{what}": value for what, value in values.items()}
    return found


@command
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default="ag-news-5k")
    parser.add_argument("--texts", type=int, default=70_000)
    parser.add_argument("--distinct", action="store_true")
    parser.add_argument("--stage", choices=("clean", "tag"), help="here, not in a process of its own")
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    if asked.stage:
        run_stage(asked.stage, asked.corpus, asked.texts, asked.folder, distinct=asked.distinct)
    else:
        print(json.dumps(measured(asked.corpus, asked.texts, distinct=asked.distinct)))


if __name__ == "__main__":
    main()
