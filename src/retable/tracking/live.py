"""The focus run in the store while it trains; `record` completes the same run later, found by its key."""

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from retable.tracking.entries import Facts, focus_name, parameters, points, tags
from retable.tracking.found import LIVE, found
from retable.tracking.record import create, log, log_data
from retable.tracking.store import Store, connect, experiment_id, locked, shortened


class LiveRun:
    """Log a run while it trains.

        with LiveRun(store, facts, on_lost=warn) as live:
            train_classifier(..., on_line=live.log_line)

    The run ends as FINISHED, FAILED, or KILLED (Ctrl-C). An unreachable store is refused at the `with`, before
    training; one that fails later never stops it: logging ends, and `record` completes the run from its files.

    Args:
        facts: what is known of metrics.json before training: key, model, corpus, scale, device, git_commit, parameters,
            hashes; `dvc_experiment` if DVC names one.
        on_lost: called once, with a message, if the store becomes unreachable.
    """

    def __init__(self, store: Store, facts: Facts, on_lost: Callable[[str], None]) -> None:
        self.store, self.facts, self.on_lost = store, facts, on_lost
        self.client: Any = None
        self.lines = 0

    def __enter__(self) -> Self:
        with locked(self.store):
            self.client = connect(self.store)
            experiment = experiment_id(self.client, self.store, "focus")
            for run in found(self.store, ["focus"], self.client):
                if run.key == self.facts["key"] and not run.digest:  # killed, and now trained again
                    self.client.delete_run(run.run_id)
            name, own = focus_name(self.facts), {LIVE: "true", **tags("focus", self.facts)}
            self.run_id = create(self.client, experiment, name, "focus", self.facts["key"], time.time(), own)
            log(self.client, self.run_id, parameters(self.facts), [])
            log_data(self.client, self.run_id, self.facts)
        return self

    def log_line(self, line: Mapping[str, Any]) -> None:
        """Log one line of the curve as in curve.csv: an epoch, or a candidate of a linear model."""
        self.lines += 1
        now = time.time()
        metrics = [(name, value, now, step) for name, step, value in points(line, self.lines)]
        self._unless_lost(lambda: log(self.client, self.run_id, {}, metrics))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        status = "FINISHED" if kind is None else "KILLED" if issubclass(kind, KeyboardInterrupt) else "FAILED"
        self._unless_lost(lambda: self.client.set_terminated(self.run_id, status))

    def _unless_lost(self, log: Callable[[], None]) -> None:
        from mlflow import MlflowException
        from sqlalchemy.exc import SQLAlchemyError

        if self.client is None:
            return
        try:
            log()
        except (MlflowException, SQLAlchemyError, OSError) as error:
            self.client = None
            reason = shortened(self.store.hidden(str(error)))
            self.on_lost(
                f"the MLflow store {self.store.shown} became unavailable ({reason}); training continues, and "
                "`dvc repro` records the run from its files."
            )
