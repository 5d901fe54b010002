"""`retable record`: complete the MLflow record."""

import argparse

from retable.project.command import command
from retable.tracking.checkout import complete_record


@command
def main(arguments: list[str] | None = None) -> None:
    argparse.ArgumentParser(
        prog="retable record", description="Complete the MLflow record.", epilog="example: retable record"
    ).parse_args(arguments)
    complete_record()
