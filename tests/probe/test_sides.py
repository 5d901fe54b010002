"""The probe runs only if a file has changed that its cases run or read."""

import subprocess

import pytest

from probe import __main__, sides
from probe.sides import PASSED, TESTS, changed_files, state_of_checkout
from retable.errors import InputError
from retable.files import read_json
from retable.project.paths import PARAMS
from tests.probe import test_mutations


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(sides, "ROOT", tmp_path)
    for name in (
        "src/loop.py",
        "docs/page.md",
        PASSED,
        "probe/case.py",
        "data/sample/train.txt",
        f"{TESTS}/mutants.py",
    ):
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


def test_tests_of_the_probe_count_where_they_are_asked_for(checkout):
    before = sides.git("rev-parse", "HEAD")
    (checkout / TESTS / "mutants.py").write_text("2\n")
    assert changed_files(before, state_of_checkout()) == []
    assert changed_files(before, state_of_checkout(), TESTS) == [f"{TESTS}/mutants.py"]
    assert not test_mutations.unchanged_since(before)


@pytest.mark.parametrize("passed", ["HEAD", "0" * 40])
def test_mutants_run_unless_the_accepted_commit_is_known_to_be_this_code(checkout, passed):
    assert test_mutations.unchanged_since(passed) == (passed == "HEAD")


@pytest.mark.parametrize(
    ("mutants", "changed", "said"),
    [
        ("assert True", "", ""),
        ("assert False", "", "test_mutations.py does not pass"),
        ("assert True", "src/loop.py", "src/loop.py differs from it"),
        ("assert True", "probe/case.py", "probe/case.py differs from it"),
        ("assert True", f"{TESTS}/mutants.py", f"{TESTS}/mutants.py differs from it"),
    ],
)
def test_only_a_commit_whose_mutants_are_seen_is_accepted(checkout, monkeypatch, capsys, mutants, changed, said):
    (checkout / TESTS / "test_mutations.py").write_text(f"def test_all():\n    {mutants}\n")
    commit(checkout)
    head = sides.git("rev-parse", "HEAD")
    if changed:
        (checkout / changed).write_text("2\n")
    monkeypatch.setattr(__main__, "ROOT", checkout)
    monkeypatch.setattr(__main__, "report", lambda *asked: None)
    before = (checkout / PASSED).read_text()
    if said:
        with pytest.raises(SystemExit):
            __main__.accept(head)
        assert said in capsys.readouterr().err
        assert (checkout / PASSED).read_text() == before
    else:
        __main__.accept(head)
        assert read_json(checkout / PASSED) == {"commit": head}


@pytest.mark.parametrize("words", [["bilstm"], ["--against", "HEAD"]])
def test_a_part_of_the_comparison_is_never_accepted(checkout, monkeypatch, capsys, words):
    monkeypatch.setattr(__main__, "accept", lambda *asked: pytest.fail("accepted"))
    monkeypatch.setattr("sys.argv", ["probe", "--accept", *words])
    with pytest.raises(SystemExit) as left:
        __main__.main()
    assert left.value.code == 2
    assert "no case and no --against" in capsys.readouterr().err


def test_nothing_is_run_for_the_code_that_passed(checkout, monkeypatch, capsys):
    monkeypatch.setattr(__main__, "start", lambda *asked: pytest.fail("a side was started"))
    head = sides.git("rev-parse", "HEAD")
    (checkout / "docs/page.md").write_text("2\n")
    __main__.report(head, [])
    assert f"changed since commit {head[:10]}" in capsys.readouterr().out


def test_words_with_which_no_case_begins_are_refused_before_a_side_starts(checkout, monkeypatch):
    monkeypatch.setattr(__main__, "start", lambda *asked: pytest.fail("a side was started"))
    head, params = sides.git("rev-parse", "HEAD"), PARAMS.read_bytes()
    (checkout / "src/loop.py").write_text("2\n")
    with pytest.raises(InputError, match='case of the probe: "bilstn"; did you mean "bilstm"'):
        __main__.report(head, ["loop: ", "bilstn"])
    assert PARAMS.read_bytes() == params


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
