"""`retable fit TEXTS`: train on one's own texts, and save the model in a folder."""

import shlex
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from retable import __version__
from retable.errors import InputError
from retable.own.budget import seconds_of, sentence_of_budget
from retable.own.options import add_labelled_texts
from retable.project.command import command, given_path
from retable.project.parser import Parser
from retable.project.paths import CHECKOUT

EXAMPLE = "example: retable fit reviews.csv --text review --label stars --budget 10m"
STOPPED = "stopped; the model folder is written only at the end, and the same command starts again."


def check_registered(texts: Path) -> None:
    """Refuse texts whose name MLflow does not take for the registered model. Raises: InputError."""
    if ":" in texts.stem:
        raise InputError(
            f'--record registers the model in MLflow under the name of its texts, "{texts.stem}"; allowed there: a '
            "name without : and /; rename the file or folder, or leave out --record."
        )


@partial(command, stopped=STOPPED)
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable fit", description="Train a model on your own texts and write it to a folder.", epilog=EXAMPLE
    )
    add_labelled_texts(parser, without_test="a tenth is held out")
    parser.add_argument(
        "--model", default="auto", help="a model, or auto: linear models, then networks (default: auto)"
    )
    parser.add_argument("--vectors", default="auto", help="auto, none, or a folder of word vectors (default: auto)")
    parser.add_argument("--drop-rare", action="store_true", help="leave out labels with fewer than three texts")
    parser.add_argument("--budget", default="10m", help="time for training, such as 90s, 10m or 2h (default: 10m)")
    parser.add_argument("--seed", type=int, default=1, help="seed of initial weights, order and dropout (default: 1)")
    parser.add_device("where networks train")
    parser.add_argument(
        "--to", type=given_path, help="the model folder (default: TEXTS-model); an older model there is replaced"
    )
    parser.add_argument("--record", action="store_true", help="also record and register the model in MLflow")
    options = parser.parse_args(arguments)
    budget = seconds_of(options.budget)
    # Importing torch and scikit-learn takes seconds: a misspelt option should fail before.
    from retable.own.card import corpus_lines, result_lines, table_of_candidates
    from retable.own.corpus import OwnCorpus
    from retable.own.fit import fit
    from retable.own.reading import left_out, with_name

    if options.record:
        import mlflow  # noqa: F401 - reported before any training if it is missing

        check_registered(with_name(options.texts))
    console = Console(highlight=False, markup=False, soft_wrap=True)

    def show_corpus(corpus: OwnCorpus) -> None:
        """Show the findings before the training, so that a wrong column or label does not cost its time."""
        of_folders = (left_out(path) for path in (options.texts, options.test) if path)
        for line in (*corpus_lines(corpus), *filter(None, of_folders), sentence_of_budget(budget)):
            console.print(line)

    fitted = fit(
        options.texts, text=options.text, label=options.label, test=options.test, model=options.model,
        language=options.language, vectors=options.vectors, markup=options.html,
        drop_rare=options.drop_rare, budget=budget, seed=options.seed,
        device=options.device, to=options.to, on_corpus=show_corpus,
    )  # fmt: skip
    table = Table("model", "dev accuracy, %", "seconds", "", box=None)
    for row in table_of_candidates(fitted):
        table.add_row(*row)
    console.print(table)
    for line in result_lines(fitted):
        console.print(line)
    folder = shlex.quote(f"./{fitted.folder}" if str(fitted.folder).startswith("-") else str(fitted.folder))
    if fitted.replaced:
        console.print(f"Replaced: {fitted.replaced}.")
    column = "" if options.text == "text" else f" --text {shlex.quote(options.text)}"
    console.print(f"The model is in {fitted.folder}; `retable predict {folder} TEXTS{column}` classifies other texts.")
    if options.record:
        from retable.own import pyfunc
        from retable.tracking.own_models import record_model
        from retable.tracking.store import store_at

        here, name = Path.cwd(), fitted.corpus.facts.corpus
        store = store_at(CHECKOUT if here.is_relative_to(CHECKOUT) else here)
        address = record_model(
            store, fitted.folder, code=Path(str(pyfunc.__file__)), requirement=f"retable=={__version__}", name=name,
            parameters={"model": fitted.chosen.model, "seed": options.seed, "language": fitted.corpus.facts.language},
            metrics={name: value for name, value in fitted.scores.items() if isinstance(value, float)},
        )  # fmt: skip
        console.print(f"It is registered in MLflow ({store.shown}) as {address}.")
