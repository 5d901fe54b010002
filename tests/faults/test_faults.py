"""Failing writes, renames and fsyncs in the stages of a small project; tests/faults/everywhere.py tries all of them."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from everywhere import at_edges

from retable.experiments import params_file
from retable.files import atomic_file, atomic_folder, clear_parts, write_json
from retable.project.command import command
from retable.project.params import load_yaml

ROOT = Path(__file__).parents[2]
KILLED = """
import os, signal, sys
from pathlib import Path
from retable.files import atomic_file, atomic_folder
with atomic_folder(Path(sys.argv[1]) / "folder") as folder, atomic_file(Path(sys.argv[1]) / "file") as file:
    (folder / "half").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def parts(folder):
    return [path.name for path in folder.rglob("*") if ".part" in path.name]


@pytest.fixture
def killed(tmp_path):
    """Return a folder in which a process was killed while writing a file and a folder."""
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert len(parts(tmp_path)) == 2
    return tmp_path


def test_what_a_killed_process_left_goes_with_the_next_write_of_that_name_alone(killed):
    write_json(killed / "file", 1)
    assert [name.split(".")[1] for name in parts(killed)] == ["folder"]
    with atomic_folder(killed / "folder"):
        pass
    assert sorted(path.name for path in killed.iterdir()) == ["file", "folder"]


def test_all_that_killed_processes_left_in_a_folder_can_go_and_what_is_being_written_stays(killed):
    program = KILLED.replace("os.kill(os.getpid(), signal.SIGKILL)", "print(flush=True); input()")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", program, str(killed / "at-work")], **pipes) as writer:
        writer.stdout.readline()
        clear_parts(killed)
        clear_parts(killed / "at-work")
        assert len(parts(killed)) == 2  # the writer's own
        writer.communicate("\n")
    assert sorted(path.name for path in (killed / "at-work").iterdir()) == ["file", "folder"]


def test_a_folder_that_cannot_take_its_name_leaves_the_old_one(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/old").touch()
    real = Path.rename

    def rename(path, target):
        if target == tmp_path / "folder" and (path / "new").exists():
            raise OSError(errno.EIO, "Input/output error")
        return real(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OSError, match="Input/output error"), atomic_folder(tmp_path / "folder") as part:
        (part / "new").touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "old"]


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS, errno.EACCES, errno.ENOSPC, errno.ENOENT])
def test_what_the_system_refuses_is_one_sentence_that_names_the_file(tmp_path, capsys, number):
    @command
    def refused():
        with atomic_file(tmp_path / "scores.csv"):
            raise OSError(number, os.strerror(number))

    with pytest.raises(SystemExit) as ended:
        refused()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert "scores.csv" in said
    assert said.count("\n") == 1


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a checkout whose scale is one corpus, one row without vectors and a focus run."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "src").symlink_to(ROOT / "src")
    (folder / "docs/results").mkdir(parents=True)
    shutil.copy(ROOT / "dvc.yaml", folder)
    for name in ("sample", "published"):
        shutil.copytree(ROOT / "data" / name, folder / "data" / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(params_file, "PARAMS", folder / "params.yaml")
        params_file.write_scale("smoke")
    params = load_yaml(folder / "params.yaml")
    cells = {"fcsr-table-3": {"vectors": "none", "columns": "sample-en", "rows": "avg-embedding"}}
    params |= {
        "corpora": {name: {"parts": "none"} for name in params["corpora"]},
        "pools": {},
        "vectors": {},
        "cells": cells,
    }
    params["embedding"]["vectors"] = "none"
    params["training"]["epochs"] = 1
    write_json(folder / "params.yaml", params)  # JSON is YAML
    return folder


def everywhere(project, *options):
    """Return what the script reports for a project."""
    words = [sys.executable, "-m", "tests.faults.everywhere", str(project), *options]
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() or done.stderr.splitlines()


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_a_failed_write_is_a_sentence_and_the_next_run_ends_with_the_same_bytes(project):
    stages = ["code", "download", "clean", "tag", "no-vectors", "cell"]
    expected = [*(f"{stage}: done" for stage in stages), "18 faults tried, 0 with problems"]
    assert everywhere(project, "--of", "1", "--stage", *stages) == expected


def test_first_and_last_operations_on_a_file_and_of_a_transaction_are_tried():
    file = ["write a", "write b", "write b", "write b", "other b", "other b"]
    assert at_edges(file) == [1, 2, 5, 6]  # the fsync that completes b, and its new name
    assert at_edges(["write a"] * 2) == [1, 2]
    begun = ["write a.db-journal", "write a.db-journal", "other a.db-journal", "write a.db-journal"]
    transaction = [*begun, "other a.db-journal", "write a.db", "write a.db", "other a.db"]
    assert at_edges([*transaction, *transaction, "write c"]) == [1, 8, 9, 16, 17]


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_a_stage_opens_what_dvc_yaml_declares_and_what_it_does_not_is_named(project):
    whole = (ROOT / "dvc.yaml").read_text(encoding="utf-8")
    lacking = whole.replace('"data/clean/${key}", "data/parts/${item.parts}"', '"data/parts/${item.parts}"')
    assert lacking != whole
    (project / "dvc.yaml").write_text(lacking, encoding="utf-8")
    stages = ["code", "download", "clean", "tag", "no-vectors", "cell"]
    expected = [f"{stage}: as declared" for stage in stages]
    opened = (f"data/clean/sample-en/{split}.parquet" for split in ("dev", "test", "train"))
    expected[stages.index("tag")] = f"tag: {', '.join(opened)}"
    assert everywhere(project, "--reads", "--stage", *stages) == expected
