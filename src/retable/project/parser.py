"""The arguments of a command."""

import argparse
import re
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

from retable.errors import unknown_name

OPTION = re.compile(r"(--?[a-z][\w-]*)(=.*)?", re.IGNORECASE | re.DOTALL)
BELOW_ZERO = re.compile(r"-\.?\d.*", re.DOTALL)  # a value, such as -5m, that gets the sentence of its own option


class Help(argparse.HelpFormatter):
    """Keep an example on one line, so that it can be pasted."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("example: ") else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """Read the arguments of a command; a misspelt option gets the nearest one."""

    def __init__(
        self,
        prog: str,
        *,
        description: str,
        epilog: str,
        usage: str | None = None,
        formatter_class: type[argparse.HelpFormatter] = Help,
    ) -> None:
        super().__init__(prog, usage, description, epilog, formatter_class=formatter_class)
        self._negative_number_matcher = BELOW_ZERO

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        words = sys.argv[1:] if args is None else list(args)
        known = self._option_string_actions
        for word in takewhile(lambda word: word != "--", words):
            if word.startswith("-") and word not in known and Path(word).is_file():
                self.error(f"{word} begins with a dash, as options do; write ./{word}")
            found = OPTION.fullmatch(word)
            if found and not any(option.startswith(found[1]) for option in known):
                self.error(str(unknown_name("option", found[1], known)))
        return super().parse_known_args(words, namespace)

    def add_device(self, where: str) -> None:
        """Add the option for the device of networks."""
        self.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"), help=f"{where} (default: auto)")
