"""`retable record`: complete the MLflow record."""

from retable.project.command import continuing
from retable.project.parser import Parser
from retable.tracking.checkout import complete_record


@continuing
def main(arguments: list[str] | None = None) -> None:
    Parser(
        prog="retable record", description="Complete the MLflow record.", epilog="example: retable record"
    ).parse_args(arguments)
    complete_record()
