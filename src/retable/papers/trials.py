"""Equal chances: the trials of a search, equally many for every row of a table, and the options that they chose.

Rule   docs/protocol.md, 4. A trial is a training with seed 1, scored on dev alone. The first is the unchanged row; each
       other one changes it by a line of GRID, as far as the row's model has the option.
In     docs/results/trials/<table>.jsonl, banked trials; results/trials/<table>/, local ones, which take precedence
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from retable.files import read_json, read_json_lines, write_text
from retable.forms import NAME, Named, Number, Plain, Section, check
from retable.project.paths import BANK, TRIALS

Options = Mapping[str, Mapping[str, Any]]  # section -> the options that a trial changes


class Change(NamedTuple):
    """The changes of a trial: its learning rate is the row's times `rate`; the other values replace the row's."""

    rate: float
    dropout: float
    batch_size: int
    tune: bool  # whether training changes the given word vectors


GRID = (  # drawn once; no two share both rate and batch, so they differ even without dropout and vectors
    Change(3, 0.5, 50, tune=True),
    Change(1 / 3, 0.2, 20, tune=True),
    Change(1, 0.5, 100, tune=False),
    Change(1, 0.2, 20, tune=False),
    Change(1 / 3, 0.5, 50, tune=True),
    Change(3, 0.2, 100, tune=False),
    Change(3, 0.3, 20, tune=True),
)
COUNT = 1 + len(GRID)
TRIAL = Section(  # form of a file
    {
        "row": NAME,
        "corpus": NAME,
        "trial": Number(1, COUNT, whole=True),
        "dev": Number(-1, 1),  # a correlation may be below 0
        "options": Named(Named(Plain())),
    }
)
AGAIN = "remove the file and run the search again"


def options_of_trial(number: int, sections: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what a trial changes.

    Args:
        number: number of the trial, from 1.
        sections: model, embedding and training of the unchanged row, with the cell's word vectors.
    """
    if number == 1:
        return {}
    change, training = GRID[number - 2], sections["training"]
    found: dict[str, dict[str, Any]] = {
        "training": {"learning_rate": float(f"{training['learning_rate'] * change.rate:.3g}")}
        | {"batch_size": change.batch_size}
    }
    if "dropout" in sections["model"]:
        found["model"] = {"dropout": change.dropout}
    if sections["embedding"]["vectors"] != "none":
        found["embedding"] = {"tune": change.tune}
    return found


def chosen_options(table: str, row: str, corpus: str) -> Options:
    """Return the changes of the best trial on dev, the first among ties; empty until all trials are available."""
    if not has_all_trials(table, row, corpus):
        return {}
    found = trials_of(table)[row, corpus]
    best = max(sorted(found), key=lambda number: float(found[number]["dev"]))
    options: Options = found[best]["options"]
    return options


def has_all_trials(table: str, row: str, corpus: str) -> bool:
    """Return whether a row's search on a corpus has ended."""
    return len(trials_of(table).get((row, corpus), {})) == COUNT


def trials_of(table: str) -> Mapping[tuple[str, str], Mapping[int, Mapping[str, Any]]]:
    """Return (row, corpus) -> number -> the trial. Raises: InputError for a damaged file."""
    banked, at_hand = banked_trials(BANK, table), TRIALS / table
    return _as_read(banked, at_hand, *(path.stat().st_mtime_ns if path.exists() else 0 for path in (banked, at_hand)))


def banked_trials(bank: Path, table: str) -> Path:
    """Return the file of a table's trials in the bank."""
    return bank / f"trials/{table}.jsonl"


@cache  # every cell asks for it; it changes only when a trial ends
def _as_read(banked: Path, at_hand: Path, *_changed: int) -> Mapping[tuple[str, str], Mapping[int, Mapping[str, Any]]]:
    found: dict[tuple[str, str], dict[int, Mapping[str, Any]]] = {}
    for trial in [*read_lines(banked), *read_files(at_hand)]:
        found.setdefault((trial["row"], trial["corpus"]), {})[trial["trial"]] = trial
    return found


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read banked trials; none without a file. Raises: InputError."""
    advice = f"`git checkout {path}`"
    found = []
    for where, trial in read_json_lines(path, "a trial", advice) if path.exists() else ():
        check(trial, TRIAL, where, advice, "the trial")
        found.append(trial)
    return found


def read_files(folder: Path) -> list[dict[str, Any]]:
    """Read the local trials, one file each. Raises: InputError."""
    found = []
    for path in sorted(folder.glob("[!.]*.json")):
        found.append(read_json(path, advice=AGAIN))
        check(found[-1], TRIAL, str(path), AGAIN, "the trial")
    return found


def bank_trials(bank: Path, at_hand: Path) -> None:
    """Put the local trials into the bank, one per line, replacing earlier ones of the same cell and number."""
    for folder in sorted(at_hand.glob("[!.]*")):
        path = banked_trials(bank, folder.name)
        found = {
            (trial["row"], trial["corpus"], trial["trial"]): trial for trial in [*read_lines(path), *read_files(folder)]
        }
        lines = (json.dumps(found[key], sort_keys=True, ensure_ascii=False) for key in sorted(found))
        write_text(path, "".join(f"{line}\n" for line in lines))
