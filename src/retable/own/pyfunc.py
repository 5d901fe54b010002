"""The MLflow model that answers texts from a model folder, defined in code without pickle; `mlflow` reads this file."""

from typing import Any

import mlflow
import pandas as pd

from retable.own.model import load


class TextModel(mlflow.pyfunc.PythonModel):
    """Answer texts like `retable.load(folder).predict(texts)`."""

    def load_context(self, context: Any) -> None:
        """Load the model folder."""
        self.model = load(context.artifacts["folder"])

    def predict(self, context: Any, model_input: list[str], params: Any = None) -> pd.DataFrame:
        """Return one row per text: label and probability."""
        answers = self.model.predict(model_input)
        labels = pd.Series([answer.label for answer in answers], dtype=object)  # as str, None would become NaN: no JSON
        return pd.DataFrame({"label": labels, "probability": [answer.probability for answer in answers]})


mlflow.models.set_model(TextModel())
