"""Define the location of everything; the only module that knows paths."""

from pathlib import Path


def root_of(folder: Path) -> Path:
    """Return the checkout that contains a folder; if none does, that of these sources."""
    for place in (folder, *folder.parents):
        if (place / "dvc.yaml").exists() and (place / "src/retable").is_dir():
            return place
    return Path(__file__).resolve().parents[3]


ROOT = root_of(Path.cwd())


def real_checkout(root: Path) -> Path:
    """Return the checkout that a user works in, even from inside a temporary copy of DVC (.dvc/tmp/exps/...)."""
    parts = root.parts
    for index in range(len(parts) - 2):
        if parts[index : index + 3] == (".dvc", "tmp", "exps"):
            return Path(*parts[:index])
    return root


CHECKOUT = real_checkout(ROOT)
PARAMS = ROOT / "params.yaml"
PRESETS = Path(__file__).resolve().parents[1] / "conf"
SCALES = PRESETS / "scales"
PUBLISHED = ROOT / "data/published"
SAMPLE = ROOT / "data/sample"
CODE = ROOT / "data/code"
DIGESTS = ROOT / "data/digests.json"  # in git: digests of all prepared data
OWN = ROOT / "data/own"  # corpora that `retable add-corpus` made
RAW = ROOT / "data/raw"
CLEAN = ROOT / "data/clean"
OVERLAP = ROOT / "data/overlap"
TAGGER = ROOT / "data/parts/context"
PARTS_TABLES = ROOT / "data/parts/table"
TAGGED = ROOT / "data/tagged"
POOLS = ROOT / "data/pools"
VECTORS = ROOT / "data/vectors"
RUNS = ROOT / "results/runs"
TRIALS = ROOT / "results/trials"  # of searches, by table
FOCUS = ROOT / "results/focus"
TABLES = ROOT / "results/tables"
FIGURES = ROOT / "results/figures"
REPORT = ROOT / "results/report"
BANK = ROOT / "docs/results"
SCRATCH = CHECKOUT / ".retable"  # git-ignored, neither dep nor out: plans, timings, partial downloads
LOCK_OF_BANK = SCRATCH / "bank.lock"  # one process at a time writes docs/
STATES = SCRATCH / "states"  # of incomplete runs, by key
