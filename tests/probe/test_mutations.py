"""The probe detects how a careless change of code would alter the numbers, and nothing else."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from probe.compare import demands
from probe.sides import ENVIRONMENT, PASSED, TESTS, changed_files, known_commit, read, state_of_checkout
from retable.errors import InputError
from retable.files import read_json

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "probe", "data/sample", "data/published", "params.yaml", "dvc.yaml")

# The files that are changed.
FOLDING = "src/retable/experiments/folds.py"
SCORING = "src/retable/experiments/scoring.py"
LOOP = "src/retable/training/loop.py"
COURSE = "src/retable/training/course.py"
HISTORY = "src/retable/training/history.py"
SCHEDULES = "src/retable/training/schedules.py"
BATCHES = "src/retable/training/batches.py"
FIT = "src/retable/training/fit.py"
TEXTCNN = "src/retable/models/textcnn.py"
LINEAR = "src/retable/models/linear.py"
CANDIDATE = "src/retable/models/candidate.py"
CHOOSING = "src/retable/text/choosing.py"
CONTEXT = "src/retable/layers/context.py"
VOCABULARY = "src/retable/text/vocabulary.py"
FOLDS = "src/retable/text/folds.py"
INTERVALS = "src/retable/tables/intervals.py"
COMPARISON = "src/retable/tables/comparison.py"
DOWNLOAD = "src/retable/corpora/download.py"


@dataclass(frozen=True)
class Change:
    """Hold a piece of a file that occurs there once, and its replacement."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Mutant:
    """Hold changes of code, the cases to run (prefixes of their names), and the version part that must be requested."""

    changes: tuple[Change, ...]
    cases: tuple[str, ...]
    part: str = "major"


def mutant(file: str, old: str, new: str, *cases: str, part: str = "major") -> Mutant:
    return Mutant((Change(file, old, new),), cases, part)


LOSS = "loss = cross_entropy(logits, batch.goal)"
HALVING = """\
    if schedule == "halving":
        return lambda time: learning_rate * 0.5**time
"""
MUTANTS = {
    "dev and test swapped": mutant(
        FOLDING,
        'name, "dev", raw=raw)\n        test: Callable[[], Split] = partial(split_of, name, "test"',
        'name, "test", raw=raw)\n        test: Callable[[], Split] = partial(split_of, name, "dev"',
        "avg-embedding",
    ),
    "dev scored as test": mutant(
        SCORING,
        "scores_of_splits((classifier.probabilities(dev), dev), (answers, test))",
        "scores_of_splits((answers, test), (classifier.probabilities(dev), dev))",
        "avg-embedding",
    ),
    "a fold held out of nothing": mutant(
        FOLDS, "np.flatnonzero(~held & ~test)", "np.flatnonzero(~test)", "loop: dev fold 1"
    ),
    "a loss doubled": mutant(LOOP, LOSS, f"{LOSS} * 2", "avg-embedding"),
    "a loss rounded otherwise": mutant(
        LOOP, LOSS, LOSS.replace("logits", "logits + 1 - 1"), "avg-embedding", part="minor"
    ),
    "no clipping": mutant(LOOP, "if clip:", "if clip < 0:", "loop: clip"),
    "patience off by one": mutant(COURSE, "- self.better >= patience", "- self.better > patience", "loop: patience"),
    "patience counted from the choice": mutant(
        COURSE, "len(self.epochs) - self.better >=", "len(self.epochs) - self.chosen >=", "loop: patience, equal"
    ),
    "the last epoch taken": mutant(
        HISTORY, "if score > best else (best, chosen)", "if score else (best, chosen)", "loop: patience"
    ),
    "another second rate of fcsr": mutant(SCHEDULES, "0.8 * rates[-1]", "0.9 * rates[-1]", "loop: schedule fcsr"),
    "another second rate of steps": mutant(SCHEDULES, "for share in (4, 5)", "for share in (3, 5)", "loop: schedule s"),
    "a mask left out": mutant(
        TEXTCNN, "has_word = F.pad(mask,", "has_word = F.pad(torch.ones_like(mask),", "loop: rare words"
    ),
    "texts of over 32 words": mutant(
        CONTEXT,
        "before = _left_context(sums[:, :, BLOCK], alpha**BLOCK)",
        "before = _left_context(sums[:, :, BLOCK], alpha)",
        "fcsr: alpha 0.9",
    ),
    "a long window taken for the whole text": mutant(
        CONTEXT, "reach >= length - 1", "reach >= 8", "fcsr: alpha 0.9"
    ),
    "texts sorted in other groups": mutant(
        BATCHES, "BATCHES_SORTED_TOGETHER = 100", "BATCHES_SORTED_TOGETHER = 50", "batches"
    ),
    "unknown words read as the first word": mutant(
        VOCABULARY, "pc.fill_null(pc.add(rows, 2), UNKNOWN)", "pc.fill_null(pc.add(rows, 2), 2)", "loop: rare words"
    ),
    "the last of equal candidates": mutant(
        CANDIDATE, "candidate.score > other", "candidate.score >= other", "tfidf-svm"
    ),
    "candidates for questions ranked by nothing": mutant(
        CHOOSING, '"dev_map": "mean average precision", ', "", "loop: ranked"
    ),
    "scores between grades learnt as the nearest": mutant(
        VOCABULARY, "self.classes if self.targets is None else self.targets", "self.classes", "loop: graded"
    ),
    "answers ranked last": mutant(
        CANDIDATE, "scores[:, 1], scores[:, 0], dtype", "scores[:, 0], scores[:, 1], dtype", "loop: ranked"
    ),
    "two labels mirrored": mutant(
        LINEAR,
        "np.concatenate([-weights, weights]), np.concatenate([-bias, bias])",
        "np.concatenate([-weights, weights]), np.concatenate([bias, bias])",
        "loop: two labels, tfidf-svm",
    ),
    "an interval of the mean alone": mutant(
        INTERVALS, "spread.variance * (1 + 1 / len(scores))", "spread.variance / len(scores)", "table fcsr-table-3"
    ),
    "a comparison that forgets its runs": mutant(  # "claims" alone means all claims: a minute
        COMPARISON, "max(variance / count - together, 0.0)", "0.0", "claims on lama-figure-5"
    ),
    "other words, a type, a schedule that nothing takes, a longer wait": Mutant(
        (
            Change(FIT, "the training loss is {loss_sum} in epoch {epoch}", "epoch {epoch} has the loss {loss_sum}"),
            Change(SCHEDULES, "\nSchedule = Literal[", "\nRate = Callable[[float], float]\nSchedule = Literal["),
            Change(SCHEDULES, '"steps", "warmup"]', '"steps", "warmup", "halving"]'),
            Change(SCHEDULES, "    rates = fcsr_rates(", f"{HALVING}    rates = fcsr_rates("),
            Change(DOWNLOAD, "TIMEOUT_S = (10.0, 60.0)", "TIMEOUT_S = (20.0, 90.0)"),
        ),
        ("avg-embedding", "loop: schedule s", "loop: patience", "table fcsr-table-3"),
        part="",
    ),
}  # fmt: skip
REFUSED = "a fold held out of nothing"  # test texts among the training texts stop the run


def copy_of_tree(folder: Path, changes: tuple[Change, ...]) -> Path:
    """Copy what the cases need, and change it; compiled modules are copied too, which saves seconds."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy2(ROOT / name, folder / name)
    for change in changes:
        file = folder / change.file
        text = file.read_text(encoding="utf-8")
        assert text.count(change.old) == 1, f"{change.file} has {change.old!r} {text.count(change.old)} times"
        file.write_text(text.replace(change.old, change.new), encoding="utf-8")
    return folder


def unchanged_since(passed: str) -> bool:
    """Return whether the code, its inputs and these tests are those of a commit; False outside a whole clone."""
    try:
        return not changed_files(known_commit(passed), state_of_checkout(), TESTS)
    except (InputError, FileNotFoundError):  # the latter without git
        return False


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Return name -> outcomes of the unchanged tree (the empty name) and of every mutant.

    As `make probe` does, it runs nothing for the code that passed: minutes of a core for the same outcomes.
    """
    passed = read_json(ROOT / PASSED)["commit"]
    if unchanged_since(passed):
        pytest.skip(f"neither code nor these tests have changed since commit {passed[:10]}, at which the probe passed")
    folder = tmp_path_factory.mktemp("mutants")
    trees = {"": Mutant((), tuple({case for each in MUTANTS.values() for case in each.cases})), **MUTANTS}
    arguments: list[str] = []
    for number, each in enumerate(trees.values()):
        tree = copy_of_tree(folder / str(number), each.changes)
        arguments += [str(tree), str(tree / "probe.out"), "|".join(each.cases)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | ENVIRONMENT
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("mutants.py")), *arguments],
        cwd=folder, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    outs = {name: folder / f"{number}/probe.out" for number, name in enumerate(trees)}
    failed = [name for name, out in outs.items() if not (out / "cases.json").exists()]
    assert failed == [REFUSED], f"{failed} ended with an error:\n{done.stderr[-3000:]}"
    return {name: read(out) for name, out in outs.items() if name != REFUSED}


@pytest.mark.parametrize("name", [name for name in MUTANTS if name != REFUSED])
def test_a_mutant_is_seen(outcomes, name):
    asked = demands(outcomes[""], outcomes[name])
    assert bool(asked) == bool(MUTANTS[name].part), asked
    assert all(f"raise the {MUTANTS[name].part} version" in sentence for sentence in asked), asked
