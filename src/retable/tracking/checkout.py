"""The MLflow store of this checkout, its expected contents, and the focus run during training."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from retable.errors import InputError
from retable.project.paths import CHECKOUT, CLEAN, FOCUS, RUNS, TAGGER, VECTORS
from retable.project.progress import progress
from retable.tracking.entries import Entry, cells, file_entry, focus_entry
from retable.tracking.fetch import runs_from_store
from retable.tracking.live import LiveRun
from retable.tracking.record import is_recorded, record
from retable.tracking.sqlite_file import is_made
from retable.tracking.store import Store, answering, store_at


def the_store() -> Store:
    """Return the store of this checkout, also from DVC's temporary copies."""
    return store_at(CHECKOUT)


def all_entries() -> list[Entry]:
    """Return everything in results/ and data/ that belongs in the record."""
    focus = focus_entry(FOCUS, os.environ.get("DVC_EXP_NAME"))
    entries = [*cells(RUNS), *([focus] if focus else [])]
    for kind, place, paths in (
        ("corpus", "clean/", CLEAN.glob("[!.]*/stats.json")),
        ("vectors", "vectors/", VECTORS.glob("[!.]*/vectors.json")),
    ):
        entries += [file_entry(kind, path.parent.name, place + path.parent.name, path) for path in sorted(paths)]
    accuracy = TAGGER / "accuracy.json"
    return [*entries, *([file_entry("tagger", "tagger", "tagger", accuracy)] if accuracy.exists() else [])]


def live_run(facts: Mapping[str, Any]) -> LiveRun:
    """Return a logger for the focus run while it trains; `facts` holds what is known before training."""
    experiment = os.environ.get("DVC_EXP_NAME")
    known = {**facts, "dvc_experiment": experiment} if experiment else facts
    return LiveRun(the_store(), known, on_lost=lambda sentence: print(f"warning: {sentence}", file=sys.stderr))


def fetch(folder: Path) -> tuple[Path, Path]:
    """Fill a folder from the record; return its folders in place of results/runs and data/clean."""
    store, nothing = the_store(), "contains no finished run; `make tables` or `retable record` fills it."
    if store.sqlite_file is not None and not is_made(store.sqlite_file):  # MLflow takes 20 s to create one
        raise InputError(f"{store.shown} {nothing}")
    standing = {each.key for entry in all_entries() for each in (entry, *entry.runs)}
    if not runs_from_store(store, folder, standing):
        raise InputError(f"{store.shown} {nothing}")
    return folder / "runs", folder / "clean"


def record_shown(store: Store, entries: Sequence[Entry]) -> int:
    """Record entries with progress, and return how many the store lacked."""
    with progress("record", len(entries), "entries") as bar:
        return record(store, entries, on_entry=lambda entry: bar.advance(1, entry.name))


def complete_record() -> None:
    """Record what is not in the store yet, and report how much that was."""
    store, entries = the_store(), all_entries()
    with answering(store):
        recorded = is_recorded(store, entries)
    if recorded:
        print(f"record: nothing new for {store.shown}")
        return
    written = record_shown(store, entries)
    print(f"record: {written} new in {store.shown}; `make ui` shows them")


def record_focus() -> None:
    """Record the focus run. An unreachable store is not an error: stage record does it later."""
    entry = focus_entry(FOCUS, os.environ.get("DVC_EXP_NAME"))
    try:
        record(the_store(), [entry] if entry else [])
    except InputError as error:
        print(f"warning: {error} The run is complete; `retable record` records it.", file=sys.stderr)
