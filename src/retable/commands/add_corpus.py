"""`retable add-corpus TEXTS --name NAME`: add one's own texts to the pipeline as a corpus."""

from pathlib import Path

from ruamel.yaml import YAML

from retable.corpora import CORPORA, REFERENCES
from retable.errors import InputError, shown
from retable.experiments.params_file import with_corpora
from retable.own.options import add_labelled_texts
from retable.project.command import command
from retable.project.params import load_yaml, read_text
from retable.project.params_text import replace_text
from retable.project.parser import Parser
from retable.project.paths import CLEAN, OWN, PARAMS
from retable.wording import number_of

EXAMPLE = "example: retable add-corpus reviews.csv --name my-reviews --text review --label stars"


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable add-corpus", description="Add your own texts to the pipeline as a corpus.", epilog=EXAMPLE
    )
    add_labelled_texts(parser, without_test="splits are drawn")
    parser.add_argument("--name", required=True, help="name of the corpus")
    options = parser.parse_args(arguments)
    check_name(options.name)
    # Importing scikit-learn takes a second: a misspelt option should fail before.
    from retable.corpora.own import write
    from retable.files import atomic_folder
    from retable.own.corpus import check_labels, check_test
    from retable.own.language import language_of
    from retable.own.reading import labelled_texts, left_out, with_name

    first = "train" if options.test else "all"
    examples = labelled_texts(options.texts, text=options.text, label=options.label, split=first)
    asked = labelled_texts(options.test, text=options.text, label=options.label, split="test") if options.test else []
    check_labels(examples, [], options.name)
    check_test(asked, {example.label for example in examples}, given=bool(options.test))
    texts = [example.text for example in [*examples, *asked]]
    language = language_of(texts) if options.language == "auto" else options.language
    params = with_corpora(read_text(PARAMS), [options.name])
    with atomic_folder(OWN / options.name) as folder:
        write(
            folder, [*examples, *asked],
            name=options.name, language=language, html=options.html, origin=with_name(options.texts).name,
        )  # fmt: skip
    replace_text(PARAMS, params)
    print(
        f"{options.name}: {number_of(len(texts), 'texts')}, language {language}, "
        f"in {OWN / options.name} and in params.yaml."
    )
    for line in filter(None, (left_out(path) for path in (options.texts, options.test) if path)):
        print(line)
    for other, count in sorted(overlaps(texts, CLEAN, options.name, markup=options.html).items()):
        print(
            f"Also in {other}: {number_of(count, 'texts')}; word vectors trained on {other} have seen them, "
            "so scores on them do not hold for new texts."
        )
    print(f"`dvc repro tag@{options.name}` prepares it, `retable use tfidf-svm {options.name}` makes it the focus run.")


def check_name(name: str) -> None:
    """Raises: InputError if the name is invalid for a corpus, or already taken."""
    from retable.files import is_plain_name

    if not is_plain_name(name) or "." in name or not isinstance(YAML(typ="safe", pure=True).load(name), str):
        raise InputError(
            f"--name is {shown(name)}; allowed: letters, digits and hyphens, but nothing that YAML reads as a number, "
            "a date, null, true or false."
        )
    taken = {*CORPORA, *REFERENCES, *load_yaml(PARAMS)["corpora"]}
    if name in taken:
        removable = f", or remove {OWN / name} and its line in params.yaml" if (OWN / name).exists() else ""
        raise InputError(f"the corpus {name} exists already; choose another --name{removable}.")


def overlaps(texts: list[str], clean: Path, name: str, *, markup: bool) -> dict[str, int]:
    """Return prepared corpus -> number of these texts that it contains exactly after cleaning."""
    from retable.text.clean.cleaning import clean_text
    from retable.text.leaks.leakage import digest
    from retable.text.splits import TEXT, read_columns

    own = [digest(clean_text(text, markup=markup)) for text in texts]
    found = {}
    for folder in (path for path in clean.glob("*") if path.is_dir() and path.name != name):
        held = {
            digest(text) for file in folder.glob("*.parquet") for text in read_columns(file, [TEXT])["text"].to_pylist()
        }
        if count := sum(each in held for each in own):
            found[folder.name] = count
    return found
