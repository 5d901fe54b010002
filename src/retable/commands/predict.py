"""`retable predict FOLDER TEXTS`: classify texts with a model that `retable fit` made."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path

from retable.project.command import command, given_path
from retable.project.memory import keep_few_kernels
from retable.project.parser import Parser
from retable.wording import number_of

TEXTS_AT_ONCE = 1_000  # limits memory use
STOPPED = "stopped; the answers so far are written, and the same command starts again with the first text."
EXAMPLE = "example: retable predict reviews-model new.csv --text review > answers.csv"


def chunks(texts: Iterable[str], size: int = TEXTS_AT_ONCE) -> Iterator[list[str]]:
    """Yield texts in lists of at most `size`."""
    source = iter(texts)
    while part := list(islice(source, size)):
        yield part


@partial(command, stopped=STOPPED)
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable predict",
        description="Write the label and probability of every text as CSV, one line per text, in order.",
        epilog=EXAMPLE,
    )
    parser.add_argument("folder", type=given_path, help="a model folder")
    parser.add_argument(
        "texts", type=given_path, help="a table, a .txt file with one text per line, or - for standard input"
    )
    parser.add_argument("--text", default="text", help="text column of a table (default: text)")
    parser.add_argument(
        "--explain",
        action="store_true",
        help="also write each word's weight (texts of at most 200 words)",
    )
    parser.add_device("where networks run")
    options = parser.parse_args(arguments)
    keep_few_kernels()
    # Importing torch takes seconds: a misspelt option should fail before.
    from retable.own.model import MOST_WORDS, load
    from retable.own.reading import lines_of, texts_alone

    model = load(options.folder, device=options.device)
    if str(options.texts) == "-":
        sys.stdin.reconfigure(encoding="utf-8-sig")  # type: ignore[union-attr]
        texts = lines_of(sys.stdin, Path("standard input"))
    else:
        texts = texts_alone(options.texts, options.text)
    parts = chunks(texts)
    first = next(parts, [])  # before the header, so that a file that cannot be read leaves no answers
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["label", "probability", *(["words"] if options.explain else [])])
    too_long = 0
    for part in chain([first], parts):
        for text, answer in zip(part, model.predict(part), strict=True):
            row = [answer.label or "", f"{answer.probability:.6g}"]
            if options.explain:
                explained = len(model.words(text)) <= MOST_WORDS
                row.append(json.dumps(model.explain(text), ensure_ascii=False) if explained else "")
                too_long += not explained
            writer.writerow(row)
        sys.stdout.flush()
    if too_long:
        print(
            f"Not explained: {number_of(too_long, 'texts')} of more than {MOST_WORDS} words; their words are empty.",
            file=sys.stderr,
        )
