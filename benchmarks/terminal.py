"""Draw a command's output as a picture of a terminal: docs/terminal.svg, docs/terminal-test.svg.

    make tables SCALE=smoke 2>&1 | tee run.log
    python -m benchmarks.terminal "make tables SCALE=smoke" < run.log > docs/terminal.svg
    make test 2>&1 | tee test.log
    python -m benchmarks.terminal "make test" < test.log > docs/terminal-test.svg

The first and last lines are kept, without pytest's list of warnings, and paths are shown relative to the checkout.
"""

import os
import re
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

WIDTH, HEAD, TAIL = 92, 6, 13
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # rich links fonts on a host; a picture must not contact one
WARNINGS = re.compile(r"^=+ warnings summary =.*?^-- Docs: .*?\n", re.DOTALL | re.MULTILINE)  # of pytest
COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)


def terminal_picture(command: str, lines: Sequence[str]) -> str:
    """Return an SVG of a command and its output, shortened in the middle."""
    left_out = len(lines) - HEAD - TAIL
    shown = [*lines[:HEAD], f"... {left_out} lines ...", *lines[-TAIL:]] if left_out > 1 else lines
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere)
        console.print(Text(f"$ {command}", style="bold green"))
        for line in shown:
            console.print(Text.from_ansi(line))
        picture = console.export_svg(title="", theme=MONOKAI, unique_id="terminal")
    named = f'role="img" aria-label="What {command} prints"'
    return (
        COMMENT.sub("", FONTS.sub("", picture))
        .replace("<svg ", f"<svg {named} ", 1)
        .replace("Fira Code", "ui-monospace")
    )


if __name__ == "__main__":
    output = WARNINGS.sub("", sys.stdin.read()).replace(f"{os.getcwd()}/", "").splitlines()
    print(terminal_picture(sys.argv[1], [line for line in output if not line.startswith("  ")]))
