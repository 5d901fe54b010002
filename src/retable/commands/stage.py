"""`retable stage NAME [ARGUMENT ...]`: run one stage of dvc.yaml."""

import importlib
import pkgutil

from retable import stages
from retable.errors import InputError, unknown_name
from retable.project.command import continuing
from retable.project.parser import Parser


@continuing
def main(arguments: list[str]) -> None:
    known = sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(stages.__path__))
    parser = Parser(
        prog="retable stage", description="Run one stage of dvc.yaml.", epilog="example: retable stage clean sst-2"
    )
    parser.add_argument("name", help=", ".join(known))
    parser.add_argument("arguments", nargs="*", help="as in dvc.yaml, such as the name of a corpus")
    options = parser.parse_args(arguments)
    if options.name not in known:
        raise unknown_name("stage", options.name, known)
    # A stage is a `@command` of its own; here its errors and signals are this command's.
    run = importlib.import_module(f"retable.stages.{options.name.replace('-', '_')}").main.__wrapped__
    count = run.__code__.co_argcount
    if len(options.arguments) != count:
        raise InputError(
            f"the stage {options.name} takes {count} arguments, as in dvc.yaml, not {len(options.arguments)}."
        )
    run(*options.arguments)
