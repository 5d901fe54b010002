"""Everything that is read from disk, damaged in some 760 ways: one sentence each, no traceback, no silent error."""

import io
import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from retable.forms import ANY_TEXT, Named, Plain, Text
from retable.project.command import command
from retable.stages import train
from tests.robustness import data_kinds, facts_kinds, run_kinds
from tests.robustness.kinds import Group
from tests.robustness.params_kinds import PARAMS, has

GROUPS: dict[str, Group] = {"params": PARAMS, **data_kinds.GROUPS, **facts_kinds.GROUPS, **run_kinds.GROUPS}
LONGEST = 1_500  # characters per message: a value that is a whole file is shortened


def outcome(read: Callable[[Path], object], place: Path) -> tuple[str, str]:
    """Return how a command handled a folder's contents: accepted, refused in a sentence, or crashed."""
    printed = io.StringIO()
    try:
        with redirect_stderr(printed), redirect_stdout(io.StringIO()):
            command(lambda: read(place) and None)()
    except SystemExit as end:
        return ("refused" if end.code == 1 else f"exit {end.code}"), printed.getvalue()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it would have been a traceback
        return "TRACEBACK", repr(error)
    return "SILENT", printed.getvalue()


@pytest.mark.parametrize("name", GROUPS)
def test_what_is_whole_is_taken(name, tmp_path):
    GROUPS[name].make(tmp_path)
    assert outcome(GROUPS[name].read, tmp_path)[0] == "SILENT", outcome(GROUPS[name].read, tmp_path)


@pytest.mark.parametrize(
    ("group", "number"),
    [
        pytest.param(name, number, id=f"{name}: {kind.name}")
        for name, group in GROUPS.items()
        for number, kind in enumerate(group.kinds)
    ],
)
def test_bad_input_gets_one_sentence(group, number, tmp_path):
    kind = GROUPS[group].kinds[number]
    GROUPS[group].make(tmp_path)
    kind.damage(tmp_path)
    did, printed = outcome(GROUPS[group].read, tmp_path)

    assert did == "refused", (did, printed[:300])
    *_, last = printed.splitlines()
    assert last.startswith("error: "), printed[:300]
    assert len(last) < LONGEST, (len(last), last[:300])
    assert re.search(kind.words, last), last[:600]


@pytest.mark.parametrize(("where", "value"), [("training/learning_rate", -0.01), ("training/clip", "1"), ("cells", [])])
def test_a_focus_run_that_is_trained_without_the_stage_code_is_checked_too(where, value, tmp_path, monkeypatch, capsys):
    PARAMS.make(tmp_path)
    has(where, value)(tmp_path)
    monkeypatch.setattr(train, "PARAMS", tmp_path / "params.yaml")
    with pytest.raises(SystemExit):
        train.main()
    assert re.match(f"error: {where.rpartition('/')[2]}|error: .*{where.replace('/', '.')}", capsys.readouterr().err)


@pytest.mark.parametrize("value", ["\ud800", "a\udfff"])
@pytest.mark.parametrize("form", [Text(), ANY_TEXT, Plain(), Named(ANY_TEXT)])
def test_no_form_takes_half_of_a_character(form, value):
    whole = {value: "x"} if isinstance(form, Named) else value
    assert [misfit.value for misfit in form.misfits(whole, "place")] == [value]


def test_there_are_enough_kinds_and_none_twice():
    names = [(name, kind.name) for name, group in GROUPS.items() for kind in group.kinds]
    assert len(names) == len(set(names)) >= 150
