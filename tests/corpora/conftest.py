"""Real corpora are read from the mirror, where there is one: RETABLE_MIRROR, else ../shared/corpora."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.download import mirror
from retable.corpora import source

SAMPLE = Path(__file__).resolve().parents[2] / "data/sample"


@pytest.fixture(scope="session")
def raw_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that gives data/raw/<corpus>/ as links into the mirror."""
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            target = tmp_path_factory.mktemp("raw") / name
            target.mkdir()
            for file, facts in source(name).files.items():
                found = next(
                    (place / facts.path for place in [SAMPLE, *mirror()] if (place / facts.path).is_file()), None
                )
                if found is None:
                    pytest.skip(f"no mirror holds {facts.path}; name one in RETABLE_MIRROR")
                (target / file).symlink_to(found)
            made[name] = target
        return made[name]

    return folder
