"""What MLflow runs to answer texts with a model folder: a model from code, without pickle; `mlflow` reads this file."""

from typing import Any

import mlflow
import pandas as pd

from retable.own.model import load


class TextModel(mlflow.pyfunc.PythonModel):
    """Answer texts as `retable.load(folder).predict(texts)` does."""

    def load_context(self, context: Any) -> None:
        """Read the model folder."""
        self.model = load(context.artifacts["folder"])

    def predict(self, context: Any, model_input: list[str], params: Any = None) -> pd.DataFrame:
        """Return a row a text: label and probability."""
        answers = self.model.predict(model_input)
        labels = pd.Series([answer.label for answer in answers], dtype=object)  # as str None would be NaN, no JSON
        return pd.DataFrame({"label": labels, "probability": [answer.probability for answer in answers]})


mlflow.models.set_model(TextModel())
