"""Build the wheel with a project inside, which `retable init` lays into an empty folder; see pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).parent
PROJECT = (  # as in MANIFEST.in
    "dvc.yaml", "params.yaml", ".dvcignore", "README.md", "docs/claims.md", "docs/bench.md", "docs/figures",
    "docs/results", "data/published", "data/sample", "data/digests.json",
)  # fmt: skip


class BuildWithProject(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for name in PROJECT:
            source, target = HERE / name, Path(self.build_lib) / "retable/skeleton" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, target)


setup(cmdclass={"build_py": BuildWithProject})
