"""Test a set of word vectors: analogies, similarities, coverage of corpora, nearest neighbours (docs/embeddings.md).

In   data/vectors/<name>/, data/raw/<evaluation>/ (`evaluation` in params.yaml), data/tagged/<corpus>/train.parquet of
     every corpus in the vectors' language
Out  data/quality/<name>/quality.json
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from retable.corpora import corpus, source
from retable.corpora.evaluation_sets import EvaluationSets
from retable.errors import InputError
from retable.files import atomic_folder, write_json
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import QUALITY, RAW, TAGGED, VECTORS
from retable.project.progress import progress
from retable.text.splits import read_facts
from retable.vectors.quality import WordSpace, analogy_scores, nearest_neighbours, probe_words, similarity_scores
from retable.vectors.store import WordVectors, coverage, read_vectors
from retable.vectors.token_lists import TokenLists

FACTS = ("language", "unit", "lowercase")


@command
def main(name: str) -> None:
    vectors = read_vectors(VECTORS / name)
    if any(fact not in vectors.facts for fact in FACTS):
        raise InputError(
            f"{VECTORS / name} does not say its language, unit and case; `dvc repro embed@{name}` makes it."
        )
    language, unit, lowercase = (vectors.facts[fact] for fact in FACTS)
    sets = evaluation_sets()
    folder = RAW / sets.name
    analogies, similarities = sets.analogies(folder, language), sets.similarities(folder, language)
    tagged = tagged_corpora(language)
    space = WordSpace(vectors, lowercase=lowercase)
    with progress(f"quality {name}", len(analogies) + len(similarities) + len(tagged) + 1, "sets") as bar:

        def done(result: Any) -> Any:
            bar.advance()
            return result

        quality = {
            "name": name,
            **{fact: vectors.facts[fact] for fact in FACTS},
            "words": len(vectors.words),
            "candidates": len(space.candidates),
            "evaluation": sets.name,
            "analogies": {key: done(analogy_scores(space, sections)) for key, sections in analogies.items()},
            "similarity": {key: done(similarity_scores(space, pairs)) for key, pairs in similarities.items()},
            "coverage": {key: done(covered(file, vectors, set(vectors.words))) for key, file in tagged.items()},
            "neighbours": done(nearest_neighbours(space, probe_words(space, language, unit))),
        }
    with atomic_folder(QUALITY / name) as target:
        write_json(target / "quality.json", quality)


def evaluation_sets() -> EvaluationSets:
    """The test sets that params.yaml names."""
    name = read_params("evaluation")
    found = source(name)
    if not isinstance(found, EvaluationSets):
        raise InputError(
            f"evaluation in params.yaml is {name}, which holds no test sets of word vectors; embedding-eval does."
        )
    return found


def tagged_corpora(language: str) -> dict[str, Path]:
    """The training splits of the corpora of a language."""
    names = [name for name in read_params("corpora") if corpus(name).language == language]
    files = {name: TAGGED / name / "train.parquet" for name in names}
    for file in files.values():
        read_facts(file)  # says what to do if the file is missing
    return files


def covered(file: Path, vectors: WordVectors, known: set[str]) -> dict[str, float]:
    """The shares of a training split's distinct words and of its tokens that have a vector."""
    lists = TokenLists(file, lowercase=vectors.facts["lowercase"], unit=vectors.facts["unit"])
    return asdict(coverage(lists.counts(), known))
