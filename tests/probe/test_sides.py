"""The probe runs only if a file has changed that its cases run or read."""

import subprocess

import pytest

from probe import __main__, sides
from probe.sides import PASSED, changed_files, state_of_checkout


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(sides, "ROOT", tmp_path)
    for name in ("src/loop.py", "docs/page.md", PASSED, "probe/case.py", "data/sample/train.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for name in ("user.name", "user.email"):
        subprocess.run(["git", "config", name, "me"], cwd=tmp_path, check=True)
    commit(tmp_path)
    return tmp_path


def commit(folder):
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    subprocess.run(["git", "commit", "-q", "-m", "a change"], cwd=folder, check=True)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("src/loop.py", ["src/loop.py"]),
        ("probe/case.py", ["probe/case.py"]),
        ("data/sample/train.txt", ["data/sample/train.txt"]),
        ("docs/page.md", []),
        (PASSED, []),
    ],
)
def test_what_numbers_depend_on_is_seen_committed_or_not(checkout, name, found):
    before = sides.git("rev-parse", "HEAD")
    assert changed_files(before, state_of_checkout()) == []
    (checkout / name).write_text("2\n")
    assert changed_files(before, state_of_checkout()) == found
    commit(checkout)
    assert changed_files(before, state_of_checkout()) == found


def test_nothing_is_run_for_the_code_that_passed(checkout, monkeypatch, capsys):
    monkeypatch.setattr(__main__, "start", lambda *asked: pytest.fail("a side was started"))
    head = sides.git("rev-parse", "HEAD")
    (checkout / "docs/page.md").write_text("2\n")
    __main__.report(head, [])
    assert f"changed since commit {head[:10]}" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["clone", "worktree with an environment"])
def test_made_up_texts_are_not_written_into_a_checkout(kind, checkout, monkeypatch, capsys):
    if kind != "clone":
        (checkout / ".git").rename(checkout / "moved")  # a worktree has a file there
        (checkout / ".git").write_text("gitdir: moved\n")
        (checkout / ".venv").mkdir()
    monkeypatch.setattr(__main__, "ROOT", checkout)
    monkeypatch.setattr(__main__, "run_cases", lambda *asked: pytest.fail("cases were run"))
    monkeypatch.setattr("sys.argv", ["probe", "--write", str(checkout / "out")])
    with pytest.raises(SystemExit) as left:
        __main__.main()
    assert left.value.code == 1
    assert "puts made-up texts into" in capsys.readouterr().err
