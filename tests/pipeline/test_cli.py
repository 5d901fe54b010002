"""The command line: its version, suggestions for misspelt words, an example per command, and lists of names."""

import importlib
import json
import os
import subprocess
import sys

import pytest

from retable import __version__, cli
from retable.commands import COMMANDS, check
from retable.commands import list_ as listing
from retable.corpora import CORPORA
from retable.errors import InputError
from retable.models import description
from retable.papers import paper_of_table
from retable.project.progress import QUIET, progress


def leave(monkeypatch, *words):
    """Run `retable WORDS` and return its exit code."""
    monkeypatch.setattr("sys.argv", ["retable", *words])
    monkeypatch.setenv("RETABLE_SOURCES", "set")  # no restart
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    return exit_.value.code


def test_the_version_is_printed(monkeypatch, capsys):
    assert leave(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"retable {__version__}\n"


def test_a_misspelt_command_gets_the_nearest_one(monkeypatch, capsys):
    assert leave(monkeypatch, "tabels") == 2
    assert 'unknown command: "tabels"; did you mean "tables"?' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["list", "--jsn"], "--json"),
        (["add-corpus", "x.csv", "--nmae=mine"], "--name"),  # it lacked --name, said the message
        (["--vresion"], "--version"),
    ],
)
def test_a_misspelt_option_gets_the_nearest_one(monkeypatch, capsys, words, near):
    assert leave(monkeypatch, *words) == 2
    assert f'did you mean "{near}"? Known: ' in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--js"], ["--json", "--", "models"]])
def test_a_shortened_option_and_words_after_two_dashes_are_taken(capsys, words):
    listing.main(words)
    assert "textcnn" in json.loads(capsys.readouterr().out)["models"]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_ends_with_an_example_of_it_on_one_line(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    with pytest.raises(SystemExit) as exit_:
        importlib.import_module(f"retable.commands.{COMMANDS[name][0]}").main(["--help"])
    shown = capsys.readouterr().out
    assert exit_.value.code == 0
    assert shown.startswith(f"usage: retable {name} ")
    assert shown.splitlines()[-1].startswith(f"example: retable {name}")
    assert (
        max(map(len, shown.partition("\n\n")[2].partition("\n\n")[0].splitlines())) <= 40
    )  # the description is wrapped


def test_a_table_of_a_misspelt_paper_gets_the_nearest_table():
    with pytest.raises(InputError, match='unknown table: "fcrs-table-3"; did you mean "fcsr-table-3"'):
        paper_of_table("fcrs-table-3")


@pytest.mark.parametrize(("row", "column", "near"), [("fcrs", "", '"fcsr"'), ("fcsr", "polarty", '"polarity"')])
@pytest.mark.usefixtures("scale_cpu")
def test_a_misspelt_row_or_column_is_refused_with_the_nearest_one(monkeypatch, capsys, row, column, near):
    assert leave(monkeypatch, "run", "fcsr-table-3", row, *filter(None, [column])) == 1
    assert f"did you mean {near}?" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("import", ""), ("tables", "--to", ""), ("site", "--out=")])
def test_an_empty_path_is_refused_and_not_the_folder_that_one_stands_in(capsys, words):
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"retable.commands.{COMMANDS[words[0]][0]}").main([*words[1:]])
    assert ended.value.code == 2
    assert "the path is empty" in capsys.readouterr().err


def test_everything_is_listed_for_a_machine(capsys):
    listing.main(["--json"])
    found = json.loads(capsys.readouterr().out)
    assert set(found) == set(listing.KINDS)
    assert set(found["corpora"]) == set(CORPORA)
    assert found["models"]["dan"].startswith("DAN: the mean of the word vectors")
    assert found["models"]["nb-svm"].startswith("Train a support vector machine on binary n-grams")
    assert len(set(found["models"].values())) == len(found["models"])  # linear models of one file had one description
    assert found["scales"]["cpu"].startswith("The cells of `measure` that two cores train")
    assert all(text for names in found.values() for text in names.values())


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("lstm", "LSTM: one or several layers in one direction, the last layer's states pooled over the words"),
        ("tfidf-svm", "Train a support vector machine on tf-idf: (1 + log tf) * idf, rows of unit length"),
        (  # it ended in "against the", where a line ends
            "nb-svm",
            "Train a support vector machine on binary n-grams scaled by naive Bayes log-count ratios, "
            "one class against the rest",
        ),
    ],
)
def test_a_model_is_described_by_the_whole_sentence_of_its_file_or_function(name, what):
    assert description(name) == what


def test_one_kind_is_listed_for_people(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    listing.main(["tables"])
    assert "  fcsr-table-3            Accuracy on five corpora (FCSR, table 3)\n" in capsys.readouterr().out


@pytest.mark.parametrize("columns", [60, 80, 1000])
def test_a_description_is_wrapped_and_not_cut(capsys, monkeypatch, columns):  # it ended in "a few minut"
    monkeypatch.setenv("COLUMNS", str(columns))
    listing.main(["scales"])
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= columns
    assert all(" ".join(what.split()) in " ".join(shown.split()) for what in listing.entries("scales").values())
    assert all(line.startswith(" " * 11) for line in shown.splitlines() if line[2] == " ")


def test_an_unknown_kind_to_list_is_refused(capsys):
    with pytest.raises(SystemExit):
        listing.main(["model"])
    assert 'did you mean "models"?' in capsys.readouterr().err


@pytest.mark.parametrize("words", [("list",), ("list", "--json")])
def test_a_command_whose_reader_has_gone_ends_quietly(words):
    program = subprocess.Popen(
        [sys.executable, "-m", "retable", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    program.stdout.close()
    assert program.communicate()[1] == ""
    assert program.returncode == 141


@pytest.mark.parametrize("words", [("-q", "list", "scales"), ("list", "scales", "--quiet")])
def test_quiet_is_an_option_of_every_command_and_of_the_processes_that_it_starts(monkeypatch, capsys, words):
    monkeypatch.setattr("sys.argv", ["retable", *words])
    monkeypatch.setenv("RETABLE_SOURCES", "set")
    monkeypatch.setenv(QUIET, "")  # restored at the end
    monkeypatch.delenv(QUIET)
    cli.main()
    assert os.environ[QUIET] == "1"
    capsys.readouterr()
    with progress("train", 2, "epochs") as bar:
        bar.advance(2)
    assert capsys.readouterr().err == ""


def test_checked_cells_are_listed_for_a_machine(monkeypatch, capsys):
    cells = {"fcsr-table-3": [{"row": "fcsr", "verdict": "regression", "failed": True}]}
    monkeypatch.setattr(check, "checked_cells", lambda table: iter(cells.get(table.name, [])))
    with pytest.raises(SystemExit) as exit_:
        check.main(["--json"])
    assert exit_.value.code == 1
    assert json.loads(capsys.readouterr().out) == cells["fcsr-table-3"]


def test_commands_that_train_nothing_start_without_torch():
    """It takes two seconds of processor to import."""
    names = ("bank", "check", "export", "list_", "make", "params", "record", "results", "tables", "verdicts")
    asked = "import sys, " + ", ".join(f"retable.commands.{name}" for name in names) + "; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
