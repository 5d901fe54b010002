"""Run the probe's cases of several trees; third-party packages are imported once, and each tree is a fork.

python mutants.py TREE OUT CASES [TREE OUT CASES ...]     CASES: prefixes of their names, separated by |
"""

import os
import runpy
import sys
from importlib import import_module

SLOW_TO_IMPORT = (
    "torch", "safetensors.torch", "sklearn.feature_extraction.text", "sklearn.metrics", "sklearn.svm", "scipy.stats",
    "scipy.optimize", "pyarrow.compute", "pyarrow.parquet", "requests", "ruamel.yaml", "spacy", "numba",
    "torch.utils.flop_counter",
)  # fmt: skip


def run_tree(tree: str, out: str, cases: list[str]) -> int:
    """Run cases with the code of a tree, in its own process, and return its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.chdir(tree)
    sys.path[:0] = [f"{tree}/src", tree]
    sys.argv = ["probe", "--write", out, *cases]
    status = 1
    try:
        runpy.run_module("probe", run_name="__main__")
        status = 0
    except SystemExit as left:
        status = 0 if left.code is None else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    for name in SLOW_TO_IMPORT:
        import_module(name)
    wanted = sys.argv[1:]
    for tree, out, cases in zip(wanted[::3], wanted[1::3], wanted[2::3], strict=True):
        print(f"exit status of {tree}: {run_tree(tree, out, cases.split('|'))}", file=sys.stderr)
