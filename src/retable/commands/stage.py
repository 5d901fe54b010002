"""`retable stage NAME [ARGUMENT ...]`: run one stage of dvc.yaml."""

import importlib
import pkgutil

from retable import stages
from retable.errors import InputError, unknown_name
from retable.project.command import command


@command
def main(arguments: list[str]) -> None:
    known = sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(stages.__path__))
    if not arguments or arguments[0] in ("-h", "--help"):
        raise InputError(f"usage: retable stage NAME [ARGUMENT ...]; NAME is one of {', '.join(known)}.")
    name, *rest = arguments
    if name not in known:
        raise unknown_name("the stage", name, known)
    run = importlib.import_module(f"retable.stages.{name.replace('-', '_')}").main
    count = run.__wrapped__.__code__.co_argcount if hasattr(run, "__wrapped__") else run.__code__.co_argcount
    if len(rest) != count:
        raise InputError(f"the stage {name} takes {count} arguments, as dvc.yaml gives them, not {len(rest)}.")
    run(*rest)
