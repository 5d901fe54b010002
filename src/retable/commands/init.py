"""Make a project in an empty folder: `retable init [FOLDER]`.

Out  FOLDER/: the pipeline (dvc.yaml, params.yaml), published numbers, samples, the bank with its pages, and a copy of
     these sources in src/retable/, which the project's commands use

For an installed wheel; a clone of the repository already is a project.
"""

import shutil
from pathlib import Path

from retable.errors import InputError
from retable.project.command import command, given_path
from retable.project.parser import Parser

PACKAGE = Path(__file__).resolve().parents[1]
SKELETON = PACKAGE / "skeleton"
CONFIG = "[core]\n    analytics = false\n    autostage = false\n    check_update = false\n    no_scm = {}\n"


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable init", description="Create a project in an empty folder.", epilog="example: retable init project"
    )
    parser.add_argument("folder", nargs="?", type=given_path, default=Path(), help="the folder (default: here)")
    folder = parser.parse_args(arguments).folder.resolve()
    make_project(folder)
    print(
        f"{folder} is now a project. In it, `retable results` writes the bank's pages, "
        "`retable make --scale smoke` is a trial"
    )


def make_project(folder: Path, skeleton: Path = SKELETON) -> None:
    """Create a project in a folder.

    Raises: InputError if the folder holds anything but .git, or the sources belong to a checkout.
    """
    if not skeleton.is_dir():
        raise InputError(f"{PACKAGE} is not an installed wheel; a clone of the repository is already a project.")
    if folder.exists() and (not folder.is_dir() or any(path.name != ".git" for path in folder.iterdir())):
        raise InputError(f"{folder} is not empty; give a new folder, as in `retable init project`.")
    shutil.copytree(skeleton, folder, dirs_exist_ok=True)
    leave_out = shutil.ignore_patterns("__pycache__", skeleton.name)
    shutil.copytree(PACKAGE, folder / "src/retable", ignore=leave_out)
    (folder / ".dvc").mkdir()
    in_git = any((place / ".git").exists() for place in (folder, *folder.parents))
    (folder / ".dvc/config").write_text(CONFIG.format(str(not in_git).lower()), encoding="utf-8")
