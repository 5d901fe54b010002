"""Word vectors as configured in params.yaml: trained on a pool, read from a published file, or none."""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from retable.errors import InputError
from retable.files import AGAIN, read_json
from retable.forms import COUNT, FLAG, NAME, ListOf, Named, Number, OneOf, Section, check
from retable.project.paths import CHECKOUT, ROOT, TAGGED
from retable.project.progress import progress
from retable.text.splits import SPLITS, read_facts
from retable.text.units import TokenUnit
from retable.vectors.glove import train_glove
from retable.vectors.published import read_published
from retable.vectors.store import NO_VECTORS, WordVectors
from retable.vectors.token_lists import TokenLists
from retable.vectors.word2vec import train_word2vec

SIZE = Number(1, 1e12, whole=True)  # build_pool refuses an empty pool
POOL = Section(
    {"language": OneOf(("en", "zh", "other")), "words": SIZE, "characters": SIZE},
    {
        "name": NAME, "corpora": ListOf(NAME), "unlabelled": FLAG, "texts": SIZE, "excluded": Named(COUNT, NAME),
        "near_copies": COUNT, "folds": COUNT, "fold": COUNT, "kind": OneOf(("dev",)),
    },
    closed=True,
)  # fmt: skip


def made(name: str, method: str, options: dict[str, Any]) -> WordVectors:
    """Return word vectors with a record of how they were made."""
    vectors = METHODS[method](name, **options)
    return replace(vectors, facts={**vectors.facts, "method": method, "parameters": options})


def folds_of_pool(source: str) -> list[str]:
    """Return the folders of a pool's folds; empty for a file, or a pool without folds."""
    return sorted(path.name for path in (ROOT / source).glob("fold-*")) if source else []


def word2vec(name: str, *, source: str, epochs: int, **options: Any) -> WordVectors:
    """Train vectors for `method: word2vec`."""
    pool = pool_facts(name, source)
    units = pool["characters" if options.get("unit") == "characters" else "words"]
    with progress(f"embed {name}", epochs * units, "words") as bar:
        start = time.monotonic()

        def show(more: int) -> None:
            epoch = min(epochs, 1 + int(bar.done + more - 1) // units)
            speed = (bar.done + more) / (time.monotonic() - start)
            bar.advance(more, f"(epoch {epoch} of {epochs}, {speed:,.0f} words/s)")

        vectors = train_word2vec(ROOT / source / "texts.parquet", epochs=epochs, on_words=show, **options)
    return with_origin(vectors, pool["language"], options.get("unit", "words"), options["lowercase"])


def glove(name: str, *, source: str, epochs: int, **options: Any) -> WordVectors:
    """Train vectors for `method: glove`; counting the co-occurrences is shown as an extra pass."""
    pool = pool_facts(name, source)
    units = pool["characters" if options.get("unit") == "characters" else "words"]
    with progress(f"embed {name}", 1 + epochs, "passes") as bar:

        def show_words(more: int) -> None:
            bar.advance(more / units, "(counting)")

        def show_entries(more: int, entries: int, loss: float) -> None:
            bar.advance(more / entries, f"(loss {loss:.4f}, {entries:,} co-occurrences)")

        vectors = train_glove(
            ROOT / source / "texts.parquet", epochs=epochs, on_words=show_words, on_entries=show_entries, **options
        )
    return with_origin(vectors, pool["language"], options.get("unit", "words"), options["lowercase"])


def pool_facts(name: str, source: str) -> dict[str, Any]:
    """Return the contents of pool.json. Raises: InputError."""
    file = ROOT / source / "pool.json"
    if not file.exists():
        raise InputError(
            f"vectors.{name}.source in params.yaml is {source}, which is not a pool; `dvc repro` makes one."
        )
    facts: dict[str, Any] = read_json(file)
    check(facts, POOL, str(file), AGAIN)
    return facts


def with_origin(vectors: WordVectors, language: str, unit: str, lowercase: bool) -> WordVectors:
    """Return vectors with their language, unit and case, so that every reader preprocesses texts in the same way."""
    return replace(vectors, facts={**vectors.facts, "language": language, "unit": unit, "lowercase": lowercase})


def from_file(
    name: str,
    *,
    source: str,
    format: str,
    member: str = "",
    language: str = "en",
    unit: TokenUnit = "words",
    corpora: Iterable[str] = (),
) -> WordVectors:
    """Read vectors for `method: file`; a relative path starts at the checkout."""
    wanted = words_of(name, language, unit, corpora) or None
    with progress(f"embed {name}", 1, "file") as bar:
        vectors = read_published(CHECKOUT / source, format, member=member, wanted=wanted)
        bar.advance(1, f"({len(vectors.words):,} words kept)")
    return with_origin(vectors, language, unit, all(word == word.lower() for word in vectors.words))


def no_vectors(name: str) -> WordVectors:
    """Return empty vectors for `method: none`: every word vector of a run is initialised at random."""
    return NO_VECTORS


def words_of(name: str, language: str, unit: TokenUnit, corpora: Iterable[str]) -> set[str]:
    """Return every word (or character) of these corpora, in its original case and lower-cased."""
    words: set[str] = set()
    for corpus in corpora:
        for split in SPLITS:
            facts = read_facts(file := TAGGED / corpus / f"{split}.parquet")  # its error says how to make it
            if facts.language != language:
                raise InputError(
                    f"vectors.{name}.language in params.yaml is {language}, but {corpus} is {facts.language}; "
                    "name corpora in the language of the vectors."
                )
            for lowercase in (False, True):
                words.update(TokenLists(file, lowercase=lowercase, unit=unit).counts())
    return words


METHODS: dict[str, Callable[..., WordVectors]] = {
    "word2vec": word2vec,
    "glove": glove,
    "file": from_file,
    "none": no_vectors,
}
