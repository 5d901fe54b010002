"""Presets into params.yaml: `retable use <model> <corpus>` for the focus run, `retable params <scale>` for a scale."""

import argparse

from pipeline.command import command
from pipeline.scale import scales, use, write_scale


@command
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="retable")
    commands = parser.add_subparsers(dest="command", required=True)
    focus = commands.add_parser("use", help="make a model on a corpus the focus run")
    focus.add_argument("model")
    focus.add_argument("corpus")
    scale = commands.add_parser("params", help="write a scale into params.yaml and the cells")
    scale.add_argument("scale", help=", ".join(scales()))
    options = parser.parse_args(arguments)
    if options.command == "use":
        use(options.model, options.corpus)
        print(f"focus run: {options.model} on {options.corpus}; `dvc repro` or `dvc exp run` trains it")
    else:
        write_scale(options.scale)
        print(f"scale {options.scale} stands in params.yaml and in pipeline/*/cells.yaml; `make tables` runs it")


if __name__ == "__main__":
    main()
