"""Scores of one set of predictions; every score is a fraction in [0, 1]."""

import numpy as np
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score


def score(probabilities: np.ndarray, classes: np.ndarray) -> dict[str, float | int | None]:
    """Compute all scores of the papers.

    Args:
        probabilities: float (text, class), rows sum to one.
        classes: the true class of each text, int64 (text,).
    Returns: texts, accuracy, error_rate, precision, recall and macro_f1 (means over the classes), micro_f1, macro_auc
        and micro_auc (one class against the rest; a class that no text or every text has is left out of the mean; None
        if no class is left), loss (mean negative log-likelihood).
    """
    count = probabilities.shape[1]
    predicted = probabilities.argmax(axis=1)
    accuracy = float((predicted == classes).mean())
    precision, recall, f1, _ = precision_recall_fscore_support(
        classes, predicted, labels=range(count), average="macro", zero_division=0
    )
    true = np.eye(count, dtype=np.int64)[classes]
    present = [index for index in range(count) if 0 < true[:, index].sum() < len(classes)]
    aucs = [roc_auc_score(true[:, index], probabilities[:, index]) for index in present]
    likelihood = probabilities[np.arange(len(classes)), classes]
    return {
        "texts": len(classes),
        "accuracy": accuracy,
        "error_rate": 1.0 - accuracy,
        "precision": float(precision),
        "recall": float(recall),
        "macro_f1": float(f1),
        "micro_f1": accuracy,  # equal, because every text has one class and one answer
        "macro_auc": float(np.mean(aucs)) if aucs else None,
        "micro_auc": float(roc_auc_score(true.ravel(), probabilities.ravel())) if present else None,
        "loss": float(-np.log(np.clip(likelihood, 1e-12, None)).mean()),
    }
