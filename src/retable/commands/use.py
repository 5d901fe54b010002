"""`retable use MODEL CORPUS`: make a model on a corpus the focus run."""

from retable.experiments.params_file import use
from retable.project.command import command
from retable.project.parser import Parser


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable use",
        description="Choose the model and corpus of the focus run.",
        epilog="example: retable use textcnn mr",
    )
    parser.add_argument("model")
    parser.add_argument("corpus")
    options = parser.parse_args(arguments)
    use(options.model, options.corpus)
    print(f"focus run: {options.model} on {options.corpus}; `dvc exp run evaluate` trains and scores it")
