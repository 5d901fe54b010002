"""`retable onnx FOLDER`: write the network of a model folder as ONNX, for other programs."""

from retable.project.command import command, given_path
from retable.project.parser import Parser


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable onnx",
        description="Write the network of a model folder as ONNX, after checking that it agrees with torch.",
        epilog="example: retable onnx reviews-model --to reviews.onnx",
    )
    parser.add_argument("folder", type=given_path, help="a model folder")
    parser.add_argument("--to", type=given_path, help="the file (default: FOLDER.onnx)")
    options = parser.parse_args(arguments)
    # Importing torch takes seconds: a misspelt option should fail before.
    from retable.own.model import load
    from retable.own.onnx import write_onnx

    to = options.to or options.folder.with_name(f"{options.folder.name}.onnx")
    write_onnx(load(options.folder, device="cpu"), to)
    print(f"{to} agrees with {options.folder}: inputs words and mask, output probabilities.")
