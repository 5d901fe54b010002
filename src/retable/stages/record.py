"""Complete the record in MLflow: runs that were trained here, came from DVC's cache, or were imported, each once.

In   results/runs/, results/focus/, data/clean/*/stats.json, data/vectors/*/vectors.json,
     data/parts/context/accuracy.json
Out  the store at MLFLOW_TRACKING_URI, else mlflow.db and mlartifacts/ of the checkout
"""

from retable.project.command import command
from retable.tracking.checkout import complete_record


@command
def main() -> None:
    complete_record()
