"""`retable completion SHELL`: shell completion for commands, options and table names."""

import argparse
import importlib
from typing import Any, NoReturn
from unittest.mock import patch

import shtab

from retable.commands import COMMANDS
from retable.papers import result_tables
from retable.project.command import command
from retable.project.parser import Parser


class Built(Exception):  # not an error: it carries a parser out of the command that builds it
    """Carry the parser that a command has built."""


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable completion",
        description="Print a shell script that completes commands, options and tables.",
        epilog="example: retable completion bash > ~/.local/share/bash-completion/completions/retable",
    )
    parser.add_argument("shell", choices=shtab.SUPPORTED_SHELLS)
    print(shtab.complete(whole_parser(), shell=parser.parse_args(arguments).shell))


def whole_parser() -> argparse.ArgumentParser:
    """Return a parser of all commands, each with its own arguments."""
    whole = argparse.ArgumentParser(prog="retable")
    whole.add_argument("--version", action="store_true")
    commands = whole.add_subparsers()
    tables = [table.name for table in result_tables()]
    for name, (module, what) in COMMANDS.items():
        if module != "completion":
            own = parser_of(module)
            for action in own._actions:
                if action.dest in ("table", "tables") and not action.choices:
                    action.choices = tables
            commands.add_parser(name, help=what.partition(":")[0], parents=[own], add_help=False)
    return whole


def parser_of(module: str) -> argparse.ArgumentParser:
    """Return the parser that a command builds before it reads its arguments."""

    def stop(parser: argparse.ArgumentParser, *_: Any, **__: Any) -> NoReturn:
        raise Built(parser)

    with patch.object(argparse.ArgumentParser, "parse_args", stop):
        try:
            importlib.import_module(f"retable.commands.{module}").main([])
        except Built as found:
            return found.args[0]
    raise AssertionError(f"retable.commands.{module} reads its arguments without a parser")
