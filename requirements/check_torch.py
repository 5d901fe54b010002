"""Refuse a build of torch whose digest requirements/torch.txt has not: python requirements/check_torch.py REPORT.

REPORT is what `pip install --report` wrote. pip itself is not given the digests, because with them it prefers the
registry's build, with CUDA, to a CPU build that lies at hand.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote


def main() -> None:
    """Compare the digest of what pip took; nothing is compared where torch was there already."""
    known = re.findall(r"sha256:(\w{64})", Path(__file__).with_name("torch.txt").read_text(encoding="utf-8"))
    for each in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["install"]:
        taken = each["download_info"]
        if each["metadata"]["name"] == "torch" and sha256_of(taken["archive_info"]) not in known:
            sys.exit(
                f"error: {unquote(taken['url'].rsplit('/', 1)[-1])} has a digest that requirements/torch.txt has not; "
                "if you trust it, `make env TORCH='torch==...'` takes a build by name."
            )


def sha256_of(archive: dict[str, Any]) -> str:
    """Return the digest in an `archive_info`; pip before 23.1 (Debian 12's) writes `hash` alone, in PEP 610's form."""
    digest: str = archive["hashes"]["sha256"] if "hashes" in archive else archive["hash"].removeprefix("sha256=")
    return digest


if __name__ == "__main__":
    main()
