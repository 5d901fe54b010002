"""`retable params SCALE`: write a scale into params.yaml."""

from retable.experiments.params_file import write_scale
from retable.experiments.scale import scales
from retable.project.command import command
from retable.project.parser import Parser


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable params", description="Write a scale into params.yaml.", epilog="example: retable params cpu"
    )
    parser.add_argument("scale", help=", ".join(scales()))
    scale = parser.parse_args(arguments).scale
    write_scale(scale)
    print(f"params.yaml now has scale {scale}; `make tables` runs it")
