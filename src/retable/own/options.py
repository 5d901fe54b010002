"""The arguments that name one's own texts, shared by the commands that read them with labels."""

from retable.project.command import given_path
from retable.project.parser import Parser


def add_labelled_texts(parser: Parser, *, without_test: str) -> None:
    """Add the texts, their columns, test texts, language and markup to a command's arguments.

    Args:
        without_test: what happens if no test texts are given, for the help.
    """
    parser.add_argument(
        "texts", type=given_path, help="a table (.csv, .tsv, .jsonl, .parquet), or a folder with one folder per class"
    )
    parser.add_argument("--text", default="text", help="column of the texts (default: text)")
    parser.add_argument("--label", default="label", help="column of the labels (default: label)")
    parser.add_argument("--test", type=given_path, help=f"test texts, in the same format; without it, {without_test}")
    parser.add_argument(
        "--language",
        default="auto",
        choices=("auto", "en", "zh", "other"),
        help="language of the texts (default: auto)",
    )
    parser.add_argument("--html", action="store_true", help="remove HTML tags and entities from the texts")
