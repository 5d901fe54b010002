"""Every command shown on a page exists and accepts its options; every link of a page leads to a file."""

import argparse
import re
import shlex
from importlib import import_module

import pytest

from retable.commands import COMMANDS
from retable.experiments.cells import cells_of
from retable.experiments.scale import scale_preset
from retable.papers import result_tables
from retable.project.params import load_yaml
from retable.project.paths import ROOT
from tests.pages import (
    BLOCKS,
    INSTEAD,
    NOT_RUN,
    PAGES,
    SHELL,
    SLOW,
    Step,
    bare,
    names_shown,
    plan,
    stand_in,
    steps_of,
    why_not,
)

BLOCK = re.compile(r"(?m)^```(?:sh|bash)?\n(.*?)^```$", re.DOTALL)
SINGLE = re.compile(r"(?m)^    (\S.*)$|(?<!`)`([^`\n]+)`(?!`)")  # an indented line, or code inside a sentence
PLACEHOLDER = re.compile(r"\.\.\.|<|\b[A-Z]{3,}\b(?!=)")  # a pattern, not a command


class Parsed(BaseException):
    """Signal that the options of a command were parsed: it would start now."""


def commands_of(page):
    """Yield the calls in a page's blocks and sentences: `retable`, `make` or `dvc` with arguments."""
    text = page.read_text(encoding="utf-8")
    for block in [*BLOCK.findall(text), *map("".join, SINGLE.findall(text))]:
        for line in re.split(r"\n| && ", block):
            words = shlex.split(line, comments=True) if re.match(r"(retable|make|dvc) ", line) else []
            if words and words[1][0] != "-" and not PLACEHOLDER.search(" ".join(words)):
                yield words


SHOWN = sorted({tuple(words) for page in PAGES for words in commands_of(page)})


def test_the_tutorial_and_the_quickstart_show_commands():
    for name, least in (("tutorial", 12), ("quickstart", 6)):
        assert len(list(commands_of(ROOT / f"docs/{name}.md"))) >= least


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_a_command_of_a_page_exists_and_takes_its_options(words, monkeypatch, capsys, request, tmp_path):
    program, *rest = words
    if program == "make":
        targets = re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text())
        assert {word for word in rest if "=" not in word} <= set(targets)
    elif program == "dvc":
        request.getfixturevalue("scale_cpu")  # the checkout's focus may be another model, without these options
        known = load_yaml(tmp_path / "params.yaml")
        for name, _, value in (word.partition("=") for word in rest if re.match(r"[a-z]+[.][a-z_]+=", word)):
            section, option = name.split(".")
            assert option in known[section], (name, value)
    else:
        parse = argparse.ArgumentParser.parse_args

        def parsed(self, *args, **kwargs):
            parse(self, *args, **kwargs)
            raise Parsed

        monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parsed)
        with pytest.raises((Parsed, SystemExit)) as ended:
            import_module(f"retable.commands.{COMMANDS[rest[0]][0]}").main(rest[1:])
        if ended.type is SystemExit:  # a sentence may name a command without its arguments
            assert "arguments are required" in capsys.readouterr().err


def needs_no_data(words):
    program, command, *rest = words
    of_a_reader = {"[models]", "floors-table-2"}  # a pattern, and the table that docs/add-a-table.md adds
    cheap = command in ("list", "export") or "--dry-run" in rest
    return program == "retable" and rest and cheap and not of_a_reader & set(rest)


@pytest.mark.parametrize("words", filter(needs_no_data, SHOWN), ids=" ".join)
@pytest.mark.usefixtures("scale_cpu")
def test_a_command_of_a_page_that_needs_no_data_runs(words, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)  # its output goes to the current directory
    import_module(f"retable.commands.{COMMANDS[words[1]][0]}").main([*words[2:]])
    assert capsys.readouterr().out or list(tmp_path.iterdir())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_to_files(page):
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_version_is_the_same_everywhere():
    (version,) = re.findall(r'(?m)^version = "(.*)"$', (ROOT / "pyproject.toml").read_text())
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"Version {version} " in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("scale", ["measure", "full"])
def test_the_size_of_a_scale_in_the_readme_is_that_of_the_arithmetic(scale):  # it was outdated: 641 cells, 33 hours
    timing = (ROOT / "docs/timing.md").read_text()
    block = timing.partition(f"<!-- generated: {scale} -->")[2].partition("<!-- end")[0]
    cells, minutes = re.findall(r"\| all cells \| ([0-9,]+) \| ([0-9,.]+) \|", block)[0]
    (line,) = re.findall(rf"(?m)^\| `{scale}` \|.*$", (ROOT / "README.md").read_text())
    assert f"| {float(minutes.replace(',', '')) / 60:.0f} hours" in line
    assert all(found == cells for found in re.findall(r"([0-9,]+) cells", line))


def test_the_cells_of_a_scale_are_those_of_today():
    timing = (ROOT / "docs/timing.md").read_text()
    for scale in ("cpu", "full"):
        block = timing.partition(f"<!-- generated: {scale} -->")[2].partition("<!-- end")[0]
        preset = scale_preset(scale)
        cells = sum(len(cells_of(table, preset)) for table in result_tables())
        assert f"| all cells | {cells:,} |" in block, f"{scale}: run `retable docs`"


STEPS = [step for page in PAGES for step in steps_of(page.read_text(encoding="utf-8"))]
COMMANDS_OF_PAGES = [bare(step.text) for step in STEPS if step.kind in ("shell", "sentence")]


def test_what_is_not_run_of_the_pages_still_stands_in_one():  # tests/pages.py runs the others
    for start in NOT_RUN:
        assert any(command.startswith(start) for command in COMMANDS_OF_PAGES), start
    for part in INSTEAD:
        assert any(re.search(part, stand_in(command, but=part)) for command in COMMANDS_OF_PAGES), part
    assert set(SLOW) <= set(plan())
    reasons = [why_not(command) for command in COMMANDS_OF_PAGES]
    assert reasons.count("") >= 0.72 * len(reasons) >= 72
    assert reasons.count("") + reasons.count(".ci/run runs it") >= 0.8 * len(reasons)


def test_a_line_of_a_shell_block_is_a_command_that_is_run_or_declared():
    for page in PAGES:
        text, known = page.read_text(encoding="utf-8"), list(steps_of(page.read_text(encoding="utf-8")))
        blocks = [
            block for block in re.findall(r"(?ms)^```[^\n]*\n.*?^```$", text) if SHELL.match(block.split("\n")[0])
        ]
        for block in blocks:
            lines = block.split("\n")[1:-1]
            if lines[0].startswith("$ "):
                lines = [line[2:] for line in lines if line.startswith("$ ")]
            assert all(any(line in step.text for step in known) for line in lines), page
        places = BLOCKS.get(str(page.relative_to(ROOT)), ())
        assert not places or len(places) <= sum(step.kind in ("python", "yaml") for step in known)


def test_the_steps_of_a_page_by_hand():
    output = " name  two words\n x     1\nin a-model"
    page = f"Do `retable check`, or `retable run TABLE`.\n```\n$ retable a b\n{output}\n```\n    make c  # d\n"
    assert list(steps_of(page)) == [
        Step("retable check", "sentence"),
        Step("retable a b", "shell", output),
        Step("make c  # d", "shell"),
    ]
    assert names_shown(output) == ["name", "two words", "a-model"]
    assert stand_in("retable use textcnn mr") == "retable use textcnn sample-en"


def test_a_command_of_a_block_is_planned_on_each_page_that_shows_it():  # an earlier sentence had replaced it
    for page in PAGES:
        planned = {stand_in(bare(step.text)) for step in plan()[str(page.relative_to(ROOT))] if step.kind == "shell"}
        for step in steps_of(page.read_text(encoding="utf-8")):
            assert step.kind != "shell" or stand_in(bare(step.text)) in planned, step.text
