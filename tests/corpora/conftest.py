"""Read real corpora from the mirror, if there is one: RETABLE_MIRROR, else ../shared/corpora."""

from collections.abc import Callable
from pathlib import Path

import pytest

from retable.corpora import Example, corpus, source
from retable.stages.download import mirror

SAMPLE = Path(__file__).resolve().parents[2] / "data/sample"


def place_of(path: str) -> Path | None:
    """Return the path of a registry file on this machine."""
    return next((place / path for place in [SAMPLE, *mirror()] if (place / path).is_file()), None)


@pytest.fixture(scope="session")
def raw_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that gives data/raw/<corpus>/: the mirror's folder if the names match, else links to it."""
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        facts = source(name)
        if not facts.at_hand:
            pytest.skip(f"{name} is not at hand. {facts.obtain}")
        if name not in made:
            found = {file: place_of(remote.path) for file, remote in facts.files.items()}
            missing = [facts.files[file].path for file, place in found.items() if place is None]
            if missing:
                pytest.skip(f"no mirror holds {missing[0]}; name one in RETABLE_MIRROR")
            parents = {place.parent for file, place in found.items() if place.name == file}
            if len(parents) == 1 and all(place.name == file for file, place in found.items()):
                made[name] = parents.pop()
            else:
                made[name] = tmp_path_factory.mktemp("raw") / name
                made[name].mkdir()
                for file, place in found.items():
                    (made[name] / file).symlink_to(place)
        return made[name]

    return folder


@pytest.fixture(scope="session")
def read_corpus(raw_folder: Callable[[str], Path]) -> Callable[[str], list[Example]]:
    """Return a function that gives a corpus's raw texts, counted and read only once."""
    read: dict[str, list[Example]] = {}

    def examples(name: str) -> list[Example]:
        folder = raw_folder(name)
        if name not in read:
            read[name] = corpus(name).examples(folder)
        return read[name]

    return examples
