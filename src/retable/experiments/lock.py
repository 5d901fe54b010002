"""Keep the digests of prepared data in git (data/digests.json), so that a clone without data knows what is current."""

import sys

from retable.experiments.digests import Kind, lock_digests
from retable.project.alone import alone
from retable.project.paths import DIGESTS, SCRATCH


def tell_of_lock(kind: Kind, digests: dict[str, str]) -> None:
    """Write digests into the lock file, and report which data have changed."""
    with alone(SCRATCH / "digests.lock"):
        changed = lock_digests(DIGESTS, kind, digests)
    for name in changed:
        message = f"{kind} {name} differ from data/digests.json; runs trained on the old ones are stale"
        print(message, file=sys.stderr)
