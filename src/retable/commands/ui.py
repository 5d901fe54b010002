"""`make ui`: the MLflow UI for the record of this checkout."""

import os
import sys
from typing import Any

from retable.papers import PAPERS
from retable.project.command import LAST_PORT, check_free, command, given_port
from retable.project.parser import Parser
from retable.project.progress import QUIET
from retable.tracking.checkout import the_store
from retable.tracking.experiments import ABOUT, link
from retable.tracking.store import ENVIRONMENT, Store, connect, experiment_id, locked

START_PAGE = "/#/experiments?workflowType=machine_learning"  # otherwise it opens pages for chat bots
NOTICE = (
    "the bare address opens MLflow's own start page, with a notice of telemetry, which is off here: nothing is sent"
)


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable ui", description="Show the record in the MLflow UI.", epilog="example: retable ui --port 5001"
    )
    parser.add_argument("--port", type=given_port, default=5000, help="port to listen on (default: 5000)")
    port, store = parser.parse_args(arguments).port, the_store()
    if store.is_server:
        print(f"the record is on a server, which has its own UI: {store.shown}{START_PAGE}")
        return
    other = port + 1 if 1024 <= port < LAST_PORT else 5001  # lower ones are the system's
    check_free("127.0.0.1", port, f"choose another one: make ui PORT={other}")
    root = f"http://127.0.0.1:{port}"
    if QUIET not in os.environ:
        print("starting the MLflow UI ...", file=sys.stderr, flush=True)
    with locked(store):  # two processes that create one sqlite file at once crash
        shown = links(connect(store), store, root)
    lines = ["", *shown, "", NOTICE, f"{store.shown}; it answers in some seconds, and Ctrl-C stops it"]
    print("\n".join(lines), flush=True)
    words = [
        "--backend-store-uri", store.uri, "--artifacts-destination", store.artifacts.as_uri(), "--host", "127.0.0.1",
        "--port", str(port), "--workers", "1", "--uvicorn-opts", "--log-level warning",
    ]  # fmt: skip
    quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "PYTHONWARNINGS": "ignore"}
    os.execve(sys.executable, [sys.executable, "-m", "mlflow", "ui", *words], os.environ | ENVIRONMENT | quiet)


def links(client: Any, store: Store, root: str) -> list[str]:
    """Return one line for each of our experiments that has runs: its name, and the address of its table."""
    known = {name: client.get_experiment_by_name(name) for name in (*PAPERS, *ABOUT)}
    names = [name for name, experiment in known.items() if experiment and has_runs(client, experiment)]
    width = max(map(len, names), default=0)
    return [f"  {name:<{width}}  {link(root, experiment_id(client, store, name))}" for name in names]


def has_runs(client: Any, experiment: Any) -> bool:
    """Return whether an experiment has a run that is not deleted."""
    return bool(client.search_runs([experiment.experiment_id], max_results=1))
