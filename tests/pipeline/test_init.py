"""`retable init` writes a project into an empty folder, and nothing into any other."""

import pytest

from retable.commands.init import PACKAGE, make_project
from retable.errors import InputError


@pytest.fixture
def skeleton(tmp_path):
    (tmp_path / "skeleton/data").mkdir(parents=True)
    (tmp_path / "skeleton/dvc.yaml").write_text("stages: {}\n")
    (tmp_path / "skeleton/data/digests.json").write_text("{}\n")
    return tmp_path / "skeleton"


@pytest.mark.parametrize("git", [True, False])
def test_a_project_has_the_skeleton_the_sources_and_dvcs_settings(tmp_path, skeleton, git):
    folder = tmp_path / "project"
    if git:
        (folder / ".git").mkdir(parents=True)
    make_project(folder, skeleton)
    assert (folder / "dvc.yaml").read_text() == "stages: {}\n"
    assert (folder / "data/digests.json").exists()
    copied = {path.relative_to(folder / "src/retable") for path in (folder / "src/retable").rglob("*.py")}
    assert copied == {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")}
    assert not list(folder.rglob("__pycache__"))
    assert f"no_scm = {str(not git).lower()}" in (folder / ".dvc/config").read_text()


def test_a_folder_with_anything_in_it_stays_as_it_is(tmp_path, skeleton):
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"full is not empty; give a new folder"):
        make_project(folder, skeleton)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_a_checkout_has_nothing_to_lay_out(tmp_path):
    with pytest.raises(InputError, match="not an installed wheel; a clone of the repository is already a project"):
        make_project(tmp_path / "new")
    assert not (tmp_path / "new").exists()
